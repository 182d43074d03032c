"""Error handling: the rows of this chapter of the CUDA runtime API manual."""

# fmt: off
from __future__ import annotations

from cass_shim.api.spec import IMPLEMENTED, Chapter

chapter = Chapter("runtime", "Error handling")
fn = chapter.fn

fn("cudaGetErrorName", IMPLEMENTED, "const char *", "cudaError_t error", since=6050, pure=True)
fn("cudaGetErrorString", IMPLEMENTED, "const char *", "cudaError_t error", since=3020, pure=True)
fn("cudaGetLastError", IMPLEMENTED, "cudaError_t", "void", since=3020, quiet=True, pure=True)
fn("cudaPeekAtLastError", IMPLEMENTED, "cudaError_t", "void", since=3020, quiet=True, pure=True)
