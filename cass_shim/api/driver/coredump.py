"""Coredump attributes: the rows of this chapter of the CUDA driver API manual."""

# fmt: off
from __future__ import annotations

from cass_shim.api.spec import IMPLEMENTED, Chapter

chapter = Chapter("driver", "Coredump attributes")
fn = chapter.fn

fn("cuCoredumpGetAttribute", IMPLEMENTED, "CUresult",
   "CUcoredumpSettings attrib, void *value, size_t *size", since=12010)
fn("cuCoredumpGetAttributeGlobal", IMPLEMENTED, "CUresult",
   "CUcoredumpSettings attrib, void *value, size_t *size", since=12010)
fn("cuCoredumpSetAttribute", IMPLEMENTED, "CUresult",
   "CUcoredumpSettings attrib, void *value, size_t *size", since=12010)
fn("cuCoredumpSetAttributeGlobal", IMPLEMENTED, "CUresult",
   "CUcoredumpSettings attrib, void *value, size_t *size", since=12010)
fn("cuGetExportTable", IMPLEMENTED, "CUresult",
   "const void **ppExportTable, const CUuuid *pExportTableId", since=3000)
fn("cuCoredumpDeregisterCompleteCallback", IMPLEMENTED, "CUresult", "CUcoredumpCallbackHandle callback", since=13020)
fn("cuCoredumpDeregisterStartCallback", IMPLEMENTED, "CUresult", "CUcoredumpCallbackHandle callback", since=13020)
fn("cuCoredumpRegisterCompleteCallback", IMPLEMENTED, "CUresult",
   "CUcoredumpStatusCallback callback, void *userData, CUcoredumpCallbackHandle *callbackOut", since=13020)
fn("cuCoredumpRegisterStartCallback", IMPLEMENTED, "CUresult",
   "CUcoredumpStatusCallback callback, void *userData, CUcoredumpCallbackHandle *callbackOut", since=13020)
