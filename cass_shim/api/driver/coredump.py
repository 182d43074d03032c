"""Coredump attributes: the rows of this chapter of the CUDA driver API manual."""

# fmt: off
from __future__ import annotations

from cass_shim.api.spec import STUB, Chapter

chapter = Chapter("driver", "Coredump attributes")
fn = chapter.fn

fn("cuCoredumpGetAttribute", STUB, "CUresult",
   "CUcoredumpSettings attrib, void *value, size_t *size", since=12010)
fn("cuCoredumpGetAttributeGlobal", STUB, "CUresult",
   "CUcoredumpSettings attrib, void *value, size_t *size", since=12010)
fn("cuCoredumpSetAttribute", STUB, "CUresult",
   "CUcoredumpSettings attrib, void *value, size_t *size", since=12010)
fn("cuCoredumpSetAttributeGlobal", STUB, "CUresult",
   "CUcoredumpSettings attrib, void *value, size_t *size", since=12010)
fn("cuGetExportTable", STUB, "CUresult",
   "const void **ppExportTable, const CUuuid *pExportTableId", since=3000)
fn("cuCoredumpDeregisterCompleteCallback", STUB, "CUresult", "CUcoredumpCallbackHandle callback", since=13020)
fn("cuCoredumpDeregisterStartCallback", STUB, "CUresult", "CUcoredumpCallbackHandle callback", since=13020)
fn("cuCoredumpRegisterCompleteCallback", STUB, "CUresult",
   "CUcoredumpStatusCallback callback, void *userData, CUcoredumpCallbackHandle *callbackOut", since=13020)
fn("cuCoredumpRegisterStartCallback", STUB, "CUresult",
   "CUcoredumpStatusCallback callback, void *userData, CUcoredumpCallbackHandle *callbackOut", since=13020)
