"""Error handling: the rows of this chapter of the CUDA runtime API manual."""
# fmt: off
from __future__ import annotations

from cass_shim.api.spec import STUB, Chapter

chapter = Chapter("runtime", "Error handling")
fn = chapter.fn

fn("cudaGetErrorName", STUB, "const char *", "cudaError_t error", since=6050, pure=True)
fn("cudaGetErrorString", STUB, "const char *", "cudaError_t error", since=3020, pure=True)
fn("cudaGetLastError", STUB, "cudaError_t", "void", since=3020, quiet=True, pure=True)
fn("cudaPeekAtLastError", STUB, "cudaError_t", "void", since=3020, quiet=True, pure=True)
