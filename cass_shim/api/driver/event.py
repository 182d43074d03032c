"""Event management: the rows of this chapter of the CUDA driver API manual."""

# fmt: off
from __future__ import annotations

from cass_shim.api.spec import IMPLEMENTED, Chapter

chapter = Chapter("driver", "Event management")
fn = chapter.fn

fn("cuEventCreate", IMPLEMENTED, "CUresult", "CUevent *phEvent, unsigned int Flags", since=2000)
fn("cuEventDestroy", IMPLEMENTED, "CUresult", "CUevent hEvent", since=2000)
fn("cuEventDestroy_v2", IMPLEMENTED, "CUresult", "CUevent hEvent", since=4000)
fn("cuEventElapsedTime", IMPLEMENTED, "CUresult", "float *pMilliseconds, CUevent hStart, CUevent hEnd", since=2000)
fn("cuEventElapsedTime_v2", IMPLEMENTED, "CUresult",
   "float *pMilliseconds, CUevent hStart, CUevent hEnd", since=12080)
fn("cuEventQuery", IMPLEMENTED, "CUresult", "CUevent hEvent", since=2000)
fn("cuEventRecord", IMPLEMENTED, "CUresult", "CUevent hEvent, CUstream hStream", since=2000, pt="ptsz")
fn("cuEventRecordWithFlags", IMPLEMENTED, "CUresult",
   "CUevent hEvent, CUstream hStream, unsigned int flags", since=11010, pt="ptsz")
fn("cuEventSynchronize", IMPLEMENTED, "CUresult", "CUevent hEvent", since=2000)
