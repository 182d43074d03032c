"""Error log management: the rows of this chapter of the CUDA runtime API manual."""

# fmt: off
from __future__ import annotations

from cass_shim.api.spec import IMPLEMENTED, Chapter

chapter = Chapter("runtime", "Error log management")
fn = chapter.fn

fn("cudaLogsCurrent", IMPLEMENTED, "cudaError_t", "cudaLogIterator *iterator_out, unsigned int flags", since=13000)
fn("cudaLogsDumpToFile", IMPLEMENTED, "cudaError_t",
   "cudaLogIterator *iterator, const char *pathToFile, unsigned int flags", since=13000)
fn("cudaLogsDumpToMemory", IMPLEMENTED, "cudaError_t",
   "cudaLogIterator *iterator, char *buffer, size_t *size, unsigned int flags", since=13000)
fn("cudaLogsRegisterCallback", IMPLEMENTED, "cudaError_t",
   "cudaLogsCallback_t callbackFunc, void *userData, cudaLogsCallbackHandle *callback_out", since=13000)
fn("cudaLogsUnregisterCallback", IMPLEMENTED, "cudaError_t", "cudaLogsCallbackHandle callback", since=13000)
