"""Profiler control: the rows of this chapter of the CUDA runtime API manual."""

# fmt: off
from __future__ import annotations

from cass_shim.api.spec import IMPLEMENTED, Chapter

chapter = Chapter("runtime", "Profiler control")
fn = chapter.fn

fn("cudaProfilerInitialize", IMPLEMENTED, "cudaError_t",
   "const char *configFile, const char *outputFile, cudaOutputMode_t outputMode", since=4000, until=12000)
fn("cudaProfilerStart", IMPLEMENTED, "cudaError_t", "void", since=4000)
fn("cudaProfilerStop", IMPLEMENTED, "cudaError_t", "void", since=4000)
