"""Profiler control: the rows of this chapter of the CUDA runtime API manual."""

# fmt: off
from __future__ import annotations

from cass_shim.api.spec import IMPLEMENTED, STUB, UNDECLARED, Chapter

chapter = Chapter("runtime", "Profiler control")
fn = chapter.fn

fn("cudaProfilerInitialize", STUB, "cudaError_t", UNDECLARED, since=4000, until=12000)
fn("cudaProfilerStart", IMPLEMENTED, "cudaError_t", "void", since=4000)
fn("cudaProfilerStop", IMPLEMENTED, "cudaError_t", "void", since=4000)
