/* Driver API: stream capture and stream attributes. */
#include <string.h>

#include "driver/api.h"
#include "driver/capture.h"
#include "driver/stream.h"

/* Index into cass_stream_info.attributes; -1 for an attribute that streams do not keep. */
static int kept(CUstreamAttrID attribute) {
    switch ((int)attribute) {
    case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
        return 0;
    case CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY:
        return 1;
    case CU_LAUNCH_ATTRIBUTE_PRIORITY:
        return 2;
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
        return 3;
    default:
        return -1;
    }
}

CUresult cass_cuStreamBeginCapture_v2(CUstream hStream, CUstreamCaptureMode mode) {
    ENTER(device);
    return DONE(device, cass_capture_begin(cass_stream(hStream), (int)mode, NULL, NULL, 0));
}

CUresult cass_cuStreamBeginCapture(CUstream hStream) {
    return cass_cuStreamBeginCapture_v2(hStream, CU_STREAM_CAPTURE_MODE_GLOBAL);
}

CUresult cass_cuStreamBeginCaptureToGraph(CUstream hStream, CUgraph hGraph,
                                          const CUgraphNode *dependencies,
                                          const CUgraphEdgeData *dependencyData,
                                          size_t numDependencies, CUstreamCaptureMode mode) {
    ENTER(device);
    (void)dependencyData;
    cass_graph *into = cass_graph_of(hGraph);
    if (!into || (numDependencies && !dependencies)) return CUDA_ERROR_INVALID_VALUE;
    return DONE(device, cass_capture_begin(cass_stream(hStream), (int)mode, into,
                                           (cass_node *const *)dependencies, numDependencies));
}

CUresult cass_cuStreamEndCapture(CUstream hStream, CUgraph *phGraph) {
    ENTER(device);
    return DONE(device, cass_capture_end(cass_stream(hStream), (cass_graph **)(void *)phGraph));
}

CUresult cass_cuStreamIsCapturing(CUstream hStream, CUstreamCaptureStatus *captureStatus) {
    ENTER(device);
    cass_capture_info info;
    if (!captureStatus) return CUDA_ERROR_INVALID_VALUE;
    TRY(device, cass_capture_status(cass_stream(hStream), &info));
    *captureStatus = (CUstreamCaptureStatus)info.status;
    return CUDA_SUCCESS;
}

CUresult cass_cuStreamGetCaptureInfo_v3(CUstream hStream, CUstreamCaptureStatus *captureStatus_out,
                                        cuuint64_t *id_out, CUgraph *graph_out,
                                        const CUgraphNode **dependencies_out,
                                        const CUgraphEdgeData **edgeData_out,
                                        size_t *numDependencies_out) {
    ENTER(device);
    cass_capture_info info;
    if (!captureStatus_out) return CUDA_ERROR_INVALID_VALUE;
    TRY(device, cass_capture_status(cass_stream(hStream), &info));
    *captureStatus_out = (CUstreamCaptureStatus)info.status;
    if (!info.status) return CUDA_SUCCESS;
    if (id_out) *id_out = info.id;
    if (graph_out) *graph_out = info.graph;
    if (dependencies_out) *dependencies_out = (const CUgraphNode *)info.nodes;
    if (edgeData_out) *edgeData_out = NULL;
    if (numDependencies_out) *numDependencies_out = info.count;
    return CUDA_SUCCESS;
}

CUresult cass_cuStreamGetCaptureInfo_v2(CUstream hStream, CUstreamCaptureStatus *captureStatus_out,
                                        cuuint64_t *id_out, CUgraph *graph_out,
                                        const CUgraphNode **dependencies_out,
                                        size_t *numDependencies_out) {
    return cass_cuStreamGetCaptureInfo_v3(hStream, captureStatus_out, id_out, graph_out,
                                          dependencies_out, NULL, numDependencies_out);
}

CUresult cass_cuStreamGetCaptureInfo(CUstream hStream, CUstreamCaptureStatus *captureStatus_out,
                                     cuuint64_t *id_out) {
    return cass_cuStreamGetCaptureInfo_v3(hStream, captureStatus_out, id_out, NULL, NULL, NULL,
                                          NULL);
}

CUresult cass_cuStreamUpdateCaptureDependencies(CUstream hStream, CUgraphNode *dependencies,
                                                size_t numDependencies, unsigned int flags) {
    ENTER(device);
    return DONE(device, cass_capture_update(cass_stream(hStream), (cass_node *const *)dependencies,
                                            numDependencies, flags));
}

CUresult cass_cuStreamUpdateCaptureDependencies_v2(CUstream hStream, CUgraphNode *dependencies,
                                                   const CUgraphEdgeData *dependencyData,
                                                   size_t numDependencies, unsigned int flags) {
    (void)dependencyData;
    return cass_cuStreamUpdateCaptureDependencies(hStream, dependencies, numDependencies, flags);
}

CUresult cass_cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode) {
    if (!mode) return CUDA_ERROR_INVALID_VALUE;
    *mode = (CUstreamCaptureMode)cass_capture_exchange((int)*mode);
    return CUDA_SUCCESS;
}

CUresult cass_cuStreamSetAttribute(CUstream hStream, CUstreamAttrID attr,
                                   const CUstreamAttrValue *param) {
    ENTER(device);
    int which = kept(attr);
    if (!param || which < 0) return CUDA_ERROR_INVALID_VALUE;
    return DONE(device, cass_stream_set_attribute(cass_stream(hStream), which, param));
}

CUresult cass_cuStreamGetAttribute(CUstream hStream, CUstreamAttrID attr,
                                   CUstreamAttrValue *value) {
    ENTER(device);
    cass_stream_info info;
    int which = kept(attr);
    if (!value || which < 0) return CUDA_ERROR_INVALID_VALUE;
    TRY(device, cass_stream_get(cass_stream(hStream), &info));
    if (attr == CU_LAUNCH_ATTRIBUTE_PRIORITY) value->priority = info.priority;
    else memcpy(value, info.attributes[which], sizeof info.attributes[which]);
    return CUDA_SUCCESS;
}

CUresult cass_cuStreamCopyAttributes(CUstream dstStream, CUstream srcStream) {
    ENTER(device);
    cass_stream_info info;
    TRY(device, cass_stream_get(cass_stream(srcStream), &info));
    for (int i = 0; i < 4; i++)
        if (i != CASS_STREAM_PRIORITY)
            TRY(device, cass_stream_set_attribute(cass_stream(dstStream), i, info.attributes[i]));
    return CUDA_SUCCESS;
}
