"""Event management: the rows of this chapter of the CUDA runtime API manual."""

# fmt: off
from __future__ import annotations

from cass_shim.api.spec import IMPLEMENTED, Chapter

chapter = Chapter("runtime", "Event management")
fn = chapter.fn

fn("cudaEventCreate", IMPLEMENTED, "cudaError_t", "cudaEvent_t *event", since=3020)
fn("cudaEventCreateWithFlags", IMPLEMENTED, "cudaError_t", "cudaEvent_t *event, unsigned int flags", since=3020)
fn("cudaEventDestroy", IMPLEMENTED, "cudaError_t", "cudaEvent_t event", since=3020)
fn("cudaEventElapsedTime", IMPLEMENTED, "cudaError_t", "float *ms, cudaEvent_t start, cudaEvent_t end", since=3020)
fn("cudaEventElapsedTime_v2", IMPLEMENTED, "cudaError_t",
   "float *ms, cudaEvent_t start, cudaEvent_t end", since=12090, until=13000)
fn("cudaEventQuery", IMPLEMENTED, "cudaError_t", "cudaEvent_t event", since=3020)
fn("cudaEventRecord", IMPLEMENTED, "cudaError_t", "cudaEvent_t event, cudaStream_t stream", since=3020, pt="ptsz")
fn("cudaEventRecordWithFlags", IMPLEMENTED, "cudaError_t",
   "cudaEvent_t event, cudaStream_t stream, unsigned int flags", since=11010, pt="ptsz")
fn("cudaEventSynchronize", IMPLEMENTED, "cudaError_t", "cudaEvent_t event", since=3020)
