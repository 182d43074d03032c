"""Occupancy: the rows of this chapter of the CUDA runtime API manual."""

# fmt: off
from __future__ import annotations

from cass_shim.api.spec import IMPLEMENTED, Chapter

chapter = Chapter("runtime", "Occupancy")
fn = chapter.fn

fn("cudaOccupancyAvailableDynamicSMemPerBlock", IMPLEMENTED, "cudaError_t",
   "size_t *dynamicSmemSize, const void *func, int numBlocks, int blockSize", since=10200)
fn("cudaOccupancyMaxActiveBlocksPerMultiprocessor", IMPLEMENTED, "cudaError_t",
   "int *numBlocks, const void *func, int blockSize, size_t dynamicSMemSize", since=6000)
fn("cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags", IMPLEMENTED, "cudaError_t",
   "int *numBlocks, const void *func, int blockSize, size_t dynamicSMemSize, unsigned int flags", since=7000)
fn("cudaOccupancyMaxActiveClusters", IMPLEMENTED, "cudaError_t",
   "int *numClusters, const void *func, const cudaLaunchConfig_t *launchConfig", since=11070)
fn("cudaOccupancyMaxPotentialClusterSize", IMPLEMENTED, "cudaError_t",
   "int *clusterSize, const void *func, const cudaLaunchConfig_t *launchConfig", since=11070)
