"""Unified addressing: the rows of this chapter of the CUDA driver API manual."""

# fmt: off
from __future__ import annotations

from cass_shim.api.spec import IMPLEMENTED, Chapter

chapter = Chapter("driver", "Unified addressing")
fn = chapter.fn

fn("cuMemAdvise", IMPLEMENTED, "CUresult",
   "CUdeviceptr devPtr, size_t count, CUmem_advise advice, CUdevice device", since=8000)
fn("cuMemAdvise_v2", IMPLEMENTED, "CUresult",
   "CUdeviceptr devPtr, size_t count, CUmem_advise advice, CUmemLocation location", since=12020)
fn("cuMemDiscardAndPrefetchBatchAsync", IMPLEMENTED, "CUresult",
   "CUdeviceptr *dptrs, size_t *sizes, size_t count, CUmemLocation *prefetchLocs, size_t "
   "*prefetchLocIdxs, size_t numPrefetchLocs, unsigned long long flags, CUstream hStream",
   since=13000, pt="ptsz")
fn("cuMemDiscardBatchAsync", IMPLEMENTED, "CUresult",
   "CUdeviceptr *dptrs, size_t *sizes, size_t count, unsigned long long flags, CUstream hStream",
   since=13000, pt="ptsz")
fn("cuMemPrefetchAsync", IMPLEMENTED, "CUresult",
   "CUdeviceptr devPtr, size_t count, CUdevice dstDevice, CUstream hStream", since=8000, pt="ptsz")
fn("cuMemPrefetchAsync_v2", IMPLEMENTED, "CUresult",
   "CUdeviceptr devPtr, size_t count, CUmemLocation location, unsigned int flags, CUstream hStream",
   since=12020, pt="ptsz")
fn("cuMemPrefetchBatchAsync", IMPLEMENTED, "CUresult",
   "CUdeviceptr *dptrs, size_t *sizes, size_t count, CUmemLocation *prefetchLocs, size_t "
   "*prefetchLocIdxs, size_t numPrefetchLocs, unsigned long long flags, CUstream hStream",
   since=13000, pt="ptsz")
fn("cuMemRangeGetAttribute", IMPLEMENTED, "CUresult",
   "void *data, size_t dataSize, CUmem_range_attribute attribute, CUdeviceptr devPtr, size_t count",
   since=8000)
fn("cuMemRangeGetAttributes", IMPLEMENTED, "CUresult",
   "void **data, size_t *dataSizes, CUmem_range_attribute *attributes, size_t numAttributes, "
   "CUdeviceptr devPtr, size_t count", since=8000)
fn("cuPointerGetAttribute", IMPLEMENTED, "CUresult",
   "void *data, CUpointer_attribute attribute, CUdeviceptr ptr", since=4000)
fn("cuPointerGetAttributes", IMPLEMENTED, "CUresult",
   "unsigned int numAttributes, CUpointer_attribute *attributes, void **data, CUdeviceptr ptr", since=7000)
fn("cuPointerSetAttribute", IMPLEMENTED, "CUresult",
   "const void *value, CUpointer_attribute attribute, CUdeviceptr ptr", since=6000)
