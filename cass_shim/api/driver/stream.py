"""Stream management: the rows of this chapter of the CUDA driver API manual."""

# fmt: off
from __future__ import annotations

from cass_shim.api.spec import IMPLEMENTED, STUB, Chapter

chapter = Chapter("driver", "Stream management")
fn = chapter.fn

fn("cuStreamAddCallback", IMPLEMENTED, "CUresult",
   "CUstream hStream, CUstreamCallback callback, void *userData, unsigned int flags", since=5000, pt="ptsz")
fn("cuStreamAttachMemAsync", IMPLEMENTED, "CUresult",
   "CUstream hStream, CUdeviceptr dptr, size_t length, unsigned int flags", since=6000, pt="ptsz")
fn("cuStreamBeginCapture", IMPLEMENTED, "CUresult", "CUstream hStream", since=10000, pt="ptsz")
fn("cuStreamBeginCapture_v2", IMPLEMENTED, "CUresult",
   "CUstream hStream, CUstreamCaptureMode mode", since=10010, pt="ptsz")
fn("cuStreamBeginCaptureToGraph", IMPLEMENTED, "CUresult",
   "CUstream hStream, CUgraph hGraph, const CUgraphNode *dependencies, const CUgraphEdgeData "
   "*dependencyData, size_t numDependencies, CUstreamCaptureMode mode", since=12030, pt="ptsz")
fn("cuStreamCopyAttributes", IMPLEMENTED, "CUresult",
   "CUstream dstStream, CUstream srcStream", since=11000, pt="ptsz")
fn("cuStreamCreate", IMPLEMENTED, "CUresult", "CUstream *phStream, unsigned int Flags", since=2000)
fn("cuStreamCreateWithPriority", IMPLEMENTED, "CUresult",
   "CUstream *phStream, unsigned int flags, int priority", since=5050)
fn("cuStreamDestroy", IMPLEMENTED, "CUresult", "CUstream hStream", since=2000)
fn("cuStreamDestroy_v2", IMPLEMENTED, "CUresult", "CUstream hStream", since=4000)
fn("cuStreamEndCapture", IMPLEMENTED, "CUresult", "CUstream hStream, CUgraph *phGraph", since=10000, pt="ptsz")
fn("cuStreamGetAttribute", IMPLEMENTED, "CUresult",
   "CUstream hStream, CUstreamAttrID attr, CUstreamAttrValue *value", since=11000, pt="ptsz")
fn("cuStreamGetCaptureInfo", IMPLEMENTED, "CUresult",
   "CUstream hStream, CUstreamCaptureStatus *captureStatus_out, cuuint64_t *id_out", since=10010, pt="ptsz")
fn("cuStreamGetCaptureInfo_v2", IMPLEMENTED, "CUresult",
   "CUstream hStream, CUstreamCaptureStatus *captureStatus_out, cuuint64_t *id_out, CUgraph "
   "*graph_out, const CUgraphNode **dependencies_out, size_t *numDependencies_out", since=11030, pt="ptsz")
fn("cuStreamGetCaptureInfo_v3", IMPLEMENTED, "CUresult",
   "CUstream hStream, CUstreamCaptureStatus *captureStatus_out, cuuint64_t *id_out, CUgraph "
   "*graph_out, const CUgraphNode **dependencies_out, const CUgraphEdgeData **edgeData_out, size_t "
   "*numDependencies_out", since=12030, pt="ptsz")
fn("cuStreamGetCtx", IMPLEMENTED, "CUresult", "CUstream hStream, CUcontext *pctx", since=9020, pt="ptsz")
fn("cuStreamGetCtx_v2", IMPLEMENTED, "CUresult",
   "CUstream hStream, CUcontext *pCtx, CUgreenCtx *pGreenCtx", since=12050, pt="ptsz")
fn("cuStreamGetDevice", IMPLEMENTED, "CUresult", "CUstream hStream, CUdevice *device", since=12080, pt="ptsz")
fn("cuStreamGetFlags", IMPLEMENTED, "CUresult", "CUstream hStream, unsigned int *flags", since=5050, pt="ptsz")
fn("cuStreamGetId", IMPLEMENTED, "CUresult",
   "CUstream hStream, unsigned long long *streamId", since=12000, pt="ptsz")
fn("cuStreamGetPriority", IMPLEMENTED, "CUresult", "CUstream hStream, int *priority", since=5050, pt="ptsz")
fn("cuStreamIsCapturing", IMPLEMENTED, "CUresult",
   "CUstream hStream, CUstreamCaptureStatus *captureStatus", since=10000, pt="ptsz")
fn("cuStreamQuery", IMPLEMENTED, "CUresult", "CUstream hStream", since=2000, pt="ptsz")
fn("cuStreamSetAttribute", IMPLEMENTED, "CUresult",
   "CUstream hStream, CUstreamAttrID attr, const CUstreamAttrValue *param", since=11000, pt="ptsz")
fn("cuStreamSynchronize", IMPLEMENTED, "CUresult", "CUstream hStream", since=2000, pt="ptsz")
fn("cuStreamUpdateCaptureDependencies", IMPLEMENTED, "CUresult",
   "CUstream hStream, CUgraphNode *dependencies, size_t numDependencies, unsigned int flags",
   since=11030, pt="ptsz")
fn("cuStreamUpdateCaptureDependencies_v2", IMPLEMENTED, "CUresult",
   "CUstream hStream, CUgraphNode *dependencies, const CUgraphEdgeData *dependencyData, size_t "
   "numDependencies, unsigned int flags", since=12030, pt="ptsz")
fn("cuStreamWaitEvent", IMPLEMENTED, "CUresult",
   "CUstream hStream, CUevent hEvent, unsigned int Flags", since=3020, pt="ptsz")
fn("cuThreadExchangeStreamCaptureMode", IMPLEMENTED, "CUresult", "CUstreamCaptureMode *mode", since=10010)
fn("cuStreamBeginCaptureToCig", STUB, "CUresult",
   "CUstream hStream, CUstreamCigCaptureParams *streamCigCaptureParams", since=13020, pt="ptsz",
   note="CUDA in graphics: no such context here")
fn("cuStreamEndCaptureToCig", STUB, "CUresult", "CUstream hStream", since=13020, pt="ptsz",
   note="CUDA in graphics: no such context here")
fn("cuStreamBeginRecaptureToGraph", IMPLEMENTED, "CUresult",
   "CUstream hStream, CUstreamCaptureMode mode, CUgraph hGraph, CUgraphRecaptureCallback callbackFunc, "
   "void *userData", since=13030, pt="ptsz")
