"""Error log management: the rows of this chapter of the CUDA driver API manual."""

# fmt: off
from __future__ import annotations

from cass_shim.api.spec import IMPLEMENTED, Chapter

chapter = Chapter("driver", "Error log management")
fn = chapter.fn

fn("cuLogsCurrent", IMPLEMENTED, "CUresult", "CUlogIterator *iterator_out, unsigned int flags", since=12090)
fn("cuLogsDumpToFile", IMPLEMENTED, "CUresult",
   "CUlogIterator *iterator, const char *pathToFile, unsigned int flags", since=12090)
fn("cuLogsDumpToMemory", IMPLEMENTED, "CUresult",
   "CUlogIterator *iterator, char *buffer, size_t *size, unsigned int flags", since=12090)
fn("cuLogsRegisterCallback", IMPLEMENTED, "CUresult",
   "CUlogsCallback callbackFunc, void *userData, CUlogsCallbackHandle *callback_out", since=12090)
fn("cuLogsUnregisterCallback", IMPLEMENTED, "CUresult", "CUlogsCallbackHandle callback", since=12090)
