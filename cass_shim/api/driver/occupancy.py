"""Occupancy: the rows of this chapter of the CUDA driver API manual."""

# fmt: off
from __future__ import annotations

from cass_shim.api.spec import IMPLEMENTED, Chapter

chapter = Chapter("driver", "Occupancy")
fn = chapter.fn

fn("cuOccupancyAvailableDynamicSMemPerBlock", IMPLEMENTED, "CUresult",
   "size_t *dynamicSmemSize, CUfunction func, int numBlocks, int blockSize", since=10020)
fn("cuOccupancyMaxActiveBlocksPerMultiprocessor", IMPLEMENTED, "CUresult",
   "int *numBlocks, CUfunction func, int blockSize, size_t dynamicSMemSize", since=6050)
fn("cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags", IMPLEMENTED, "CUresult",
   "int *numBlocks, CUfunction func, int blockSize, size_t dynamicSMemSize, unsigned int flags", since=7000)
fn("cuOccupancyMaxActiveClusters", IMPLEMENTED, "CUresult",
   "int *numClusters, CUfunction func, const CUlaunchConfig *config", since=11070)
fn("cuOccupancyMaxPotentialBlockSize", IMPLEMENTED, "CUresult",
   "int *minGridSize, int *blockSize, CUfunction func, CUoccupancyB2DSize blockSizeToDynamicSMemSize, "
   "size_t dynamicSMemSize, int blockSizeLimit", since=6050)
fn("cuOccupancyMaxPotentialBlockSizeWithFlags", IMPLEMENTED, "CUresult",
   "int *minGridSize, int *blockSize, CUfunction func, CUoccupancyB2DSize blockSizeToDynamicSMemSize, "
   "size_t dynamicSMemSize, int blockSizeLimit, unsigned int flags", since=7000)
fn("cuOccupancyMaxPotentialClusterSize", IMPLEMENTED, "CUresult",
   "int *clusterSize, CUfunction func, const CUlaunchConfig *config", since=11070)
