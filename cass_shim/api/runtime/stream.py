"""Stream management: the rows of this chapter of the CUDA runtime API manual."""

# fmt: off
from __future__ import annotations

from cass_shim.api.spec import IMPLEMENTED, Chapter

chapter = Chapter("runtime", "Stream management")
fn = chapter.fn
same = chapter.same

fn("cudaCtxResetPersistingL2Cache", IMPLEMENTED, "cudaError_t", "void", since=11000)
fn("cudaStreamAddCallback", IMPLEMENTED, "cudaError_t",
   "cudaStream_t stream, cudaStreamCallback_t callback, void *userData, unsigned int flags",
   since=5000, pt="ptsz")
fn("cudaStreamAttachMemAsync", IMPLEMENTED, "cudaError_t",
   "cudaStream_t stream, void *devPtr, size_t length, unsigned int flags", since=6000, pt="ptsz")
fn("cudaStreamBeginCapture", IMPLEMENTED, "cudaError_t",
   "cudaStream_t stream, enum cudaStreamCaptureMode mode", since=10000, pt="ptsz")
fn("cudaStreamBeginCaptureToGraph", IMPLEMENTED, "cudaError_t",
   "cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t *dependencies, const "
   "cudaGraphEdgeData *dependencyData, size_t numDependencies, enum cudaStreamCaptureMode mode",
   since=12030, pt="ptsz")
fn("cudaStreamCopyAttributes", IMPLEMENTED, "cudaError_t",
   "cudaStream_t dstStream, cudaStream_t srcStream", since=11000, pt="ptsz")
fn("cudaStreamCreate", IMPLEMENTED, "cudaError_t", "cudaStream_t *pStream", since=3020)
fn("cudaStreamCreateWithFlags", IMPLEMENTED, "cudaError_t", "cudaStream_t *pStream, unsigned int flags", since=5000)
fn("cudaStreamCreateWithPriority", IMPLEMENTED, "cudaError_t",
   "cudaStream_t *pStream, unsigned int flags, int priority", since=5050)
fn("cudaStreamDestroy", IMPLEMENTED, "cudaError_t", "cudaStream_t stream", since=3020)
fn("cudaStreamEndCapture", IMPLEMENTED, "cudaError_t",
   "cudaStream_t stream, cudaGraph_t *pGraph", since=10000, pt="ptsz")
fn("cudaStreamGetAttribute", IMPLEMENTED, "cudaError_t",
   "cudaStream_t stream, cudaLaunchAttributeID attr, cudaLaunchAttributeValue *value", since=11000, pt="ptsz")
fn("cudaStreamGetCaptureInfo", IMPLEMENTED, "cudaError_t",
   "cudaStream_t stream, enum cudaStreamCaptureStatus *captureStatus_out, unsigned long long *id_out",
   since=10010, until=13000, pt="ptsz")
same("cudaStreamGetCaptureInfo", "cudaStreamGetCaptureInfo_v3", since=13000)
fn("cudaStreamGetCaptureInfo_v2", IMPLEMENTED, "cudaError_t",
   "cudaStream_t stream, enum cudaStreamCaptureStatus *captureStatus_out, unsigned long long *id_out, "
   "cudaGraph_t *graph_out, const cudaGraphNode_t **dependencies_out, size_t *numDependencies_out",
   since=11030, until=13000, pt="ptsz")
fn("cudaStreamGetCaptureInfo_v3", IMPLEMENTED, "cudaError_t",
   "cudaStream_t stream, enum cudaStreamCaptureStatus *captureStatus_out, unsigned long long *id_out, "
   "cudaGraph_t *graph_out, const cudaGraphNode_t **dependencies_out, const cudaGraphEdgeData "
   "**edgeData_out, size_t *numDependencies_out", since=12090, until=13000, pt="ptsz")
fn("cudaStreamGetDevice", IMPLEMENTED, "cudaError_t", "cudaStream_t hStream, int *device", since=12080, pt="ptsz")
fn("cudaStreamGetFlags", IMPLEMENTED, "cudaError_t",
   "cudaStream_t hStream, unsigned int *flags", since=5050, pt="ptsz")
fn("cudaStreamGetId", IMPLEMENTED, "cudaError_t",
   "cudaStream_t hStream, unsigned long long *streamId", since=12000, pt="ptsz")
fn("cudaStreamGetPriority", IMPLEMENTED, "cudaError_t", "cudaStream_t hStream, int *priority", since=5050, pt="ptsz")
fn("cudaStreamIsCapturing", IMPLEMENTED, "cudaError_t",
   "cudaStream_t stream, enum cudaStreamCaptureStatus *pCaptureStatus", since=10000, pt="ptsz")
fn("cudaStreamQuery", IMPLEMENTED, "cudaError_t", "cudaStream_t stream", since=3020, pt="ptsz")
fn("cudaStreamSetAttribute", IMPLEMENTED, "cudaError_t",
   "cudaStream_t stream, cudaLaunchAttributeID attr, const cudaLaunchAttributeValue *param",
   since=11000, pt="ptsz")
fn("cudaStreamSynchronize", IMPLEMENTED, "cudaError_t", "cudaStream_t stream", since=3020, pt="ptsz")
fn("cudaStreamUpdateCaptureDependencies", IMPLEMENTED, "cudaError_t",
   "cudaStream_t stream, cudaGraphNode_t *dependencies, size_t numDependencies, unsigned int flags",
   since=11030, until=13000, pt="ptsz")
same("cudaStreamUpdateCaptureDependencies", "cudaStreamUpdateCaptureDependencies_v2", since=13000)
fn("cudaStreamUpdateCaptureDependencies_v2", IMPLEMENTED, "cudaError_t",
   "cudaStream_t stream, cudaGraphNode_t *dependencies, const cudaGraphEdgeData *dependencyData, "
   "size_t numDependencies, unsigned int flags", since=12090, until=13000, pt="ptsz")
fn("cudaStreamWaitEvent", IMPLEMENTED, "cudaError_t",
   "cudaStream_t stream, cudaEvent_t event, unsigned int flags", since=3020, pt="ptsz")
fn("cudaThreadExchangeStreamCaptureMode", IMPLEMENTED, "cudaError_t",
   "enum cudaStreamCaptureMode *mode", since=10010)
fn("cudaStreamBeginRecaptureToGraph", IMPLEMENTED, "cudaError_t",
   "cudaStream_t stream, enum cudaStreamCaptureMode mode, cudaGraph_t graph, struct "
   "cudaGraphRecaptureCallbackData *callbackData", since=13030, pt="ptsz")
