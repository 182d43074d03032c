"""Stream memory operations: the rows of this chapter of the CUDA driver API manual."""

# fmt: off
from __future__ import annotations

from cass_shim.api.spec import IMPLEMENTED, Chapter

chapter = Chapter("driver", "Stream memory operations")
fn = chapter.fn

fn("cuStreamBatchMemOp", IMPLEMENTED, "CUresult",
   "CUstream stream, unsigned int count, CUstreamBatchMemOpParams *paramArray, unsigned int flags",
   since=8000, pt="ptsz")
fn("cuStreamBatchMemOp_v2", IMPLEMENTED, "CUresult",
   "CUstream stream, unsigned int count, CUstreamBatchMemOpParams *paramArray, unsigned int flags",
   since=11070, pt="ptsz")
fn("cuStreamWaitValue32", IMPLEMENTED, "CUresult",
   "CUstream stream, CUdeviceptr addr, cuuint32_t value, unsigned int flags", since=8000, pt="ptsz")
fn("cuStreamWaitValue32_v2", IMPLEMENTED, "CUresult",
   "CUstream stream, CUdeviceptr addr, cuuint32_t value, unsigned int flags", since=11070, pt="ptsz")
fn("cuStreamWaitValue64", IMPLEMENTED, "CUresult",
   "CUstream stream, CUdeviceptr addr, cuuint64_t value, unsigned int flags", since=9000, pt="ptsz")
fn("cuStreamWaitValue64_v2", IMPLEMENTED, "CUresult",
   "CUstream stream, CUdeviceptr addr, cuuint64_t value, unsigned int flags", since=11070, pt="ptsz")
fn("cuStreamWriteValue32", IMPLEMENTED, "CUresult",
   "CUstream stream, CUdeviceptr addr, cuuint32_t value, unsigned int flags", since=8000, pt="ptsz")
fn("cuStreamWriteValue32_v2", IMPLEMENTED, "CUresult",
   "CUstream stream, CUdeviceptr addr, cuuint32_t value, unsigned int flags", since=11070, pt="ptsz")
fn("cuStreamWriteValue64", IMPLEMENTED, "CUresult",
   "CUstream stream, CUdeviceptr addr, cuuint64_t value, unsigned int flags", since=9000, pt="ptsz")
fn("cuStreamWriteValue64_v2", IMPLEMENTED, "CUresult",
   "CUstream stream, CUdeviceptr addr, cuuint64_t value, unsigned int flags", since=11070, pt="ptsz")
