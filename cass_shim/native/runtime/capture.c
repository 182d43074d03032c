/* Stream capture and stream attributes. */
#include "driver/capture.h"

#include <string.h>

#include "driver/stream.h"
#include "runtime/runtime.h"

enum { /* cudaLaunchAttributeID that streams keep; the index into cass_stream_info.attributes */
       KEPT_ATTRIBUTES = 4
};

static int kept(cudaLaunchAttributeID attribute) {
    switch ((int)attribute) {
    case cudaLaunchAttributeAccessPolicyWindow:
        return 0;
    case cudaLaunchAttributeSynchronizationPolicy:
        return 1;
    case cudaLaunchAttributePriority:
        return 2;
    case cudaLaunchAttributeMemSyncDomainMap:
        return 3;
    default:
        return -1;
    }
}

cudaError_t cass_cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode) {
    ENTER(device);
    return DONE(device, cass_capture_begin(cass_stream(stream), (int)mode, NULL, NULL, 0));
}

cudaError_t cass_cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                               const cudaGraphNode_t *dependencies,
                                               const cudaGraphEdgeData *dependencyData,
                                               size_t numDependencies,
                                               enum cudaStreamCaptureMode mode) {
    ENTER(device);
    (void)dependencyData;
    cass_graph *into = cass_graph_of(graph);
    if (!into || (numDependencies && !dependencies)) return cudaErrorInvalidValue;
    return DONE(device, cass_capture_begin(cass_stream(stream), (int)mode, into,
                                           (cass_node *const *)dependencies, numDependencies));
}

cudaError_t cass_cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *pGraph) {
    ENTER(device);
    return DONE(device, cass_capture_end(cass_stream(stream), (cass_graph **)(void *)pGraph));
}

cudaError_t cass_cudaStreamIsCapturing(cudaStream_t stream,
                                       enum cudaStreamCaptureStatus *pCaptureStatus) {
    ENTER(device);
    cass_capture_info info;
    if (!pCaptureStatus) return cudaErrorInvalidValue;
    TRY(device, cass_capture_status(cass_stream(stream), &info));
    *pCaptureStatus = (enum cudaStreamCaptureStatus)info.status;
    return cudaSuccess;
}

cudaError_t cass_cudaStreamGetCaptureInfo_v3(cudaStream_t stream,
                                             enum cudaStreamCaptureStatus *captureStatus_out,
                                             unsigned long long *id_out, cudaGraph_t *graph_out,
                                             const cudaGraphNode_t **dependencies_out,
                                             const cudaGraphEdgeData **edgeData_out,
                                             size_t *numDependencies_out) {
    ENTER(device);
    cass_capture_info info;
    if (!captureStatus_out) return cudaErrorInvalidValue;
    TRY(device, cass_capture_status(cass_stream(stream), &info));
    *captureStatus_out = (enum cudaStreamCaptureStatus)info.status;
    if (!info.status) return cudaSuccess;
    if (id_out) *id_out = info.id;
    if (graph_out) *graph_out = info.graph;
    if (dependencies_out) *dependencies_out = (const cudaGraphNode_t *)info.nodes;
    if (edgeData_out) *edgeData_out = NULL; /* all edges are plain */
    if (numDependencies_out) *numDependencies_out = info.count;
    return cudaSuccess;
}

cudaError_t cass_cudaStreamGetCaptureInfo_v2(cudaStream_t stream,
                                             enum cudaStreamCaptureStatus *captureStatus_out,
                                             unsigned long long *id_out, cudaGraph_t *graph_out,
                                             const cudaGraphNode_t **dependencies_out,
                                             size_t *numDependencies_out) {
    return cass_cudaStreamGetCaptureInfo_v3(stream, captureStatus_out, id_out, graph_out,
                                            dependencies_out, NULL, numDependencies_out);
}

cudaError_t cass_cudaStreamGetCaptureInfo(cudaStream_t stream,
                                          enum cudaStreamCaptureStatus *captureStatus_out,
                                          unsigned long long *id_out) {
    return cass_cudaStreamGetCaptureInfo_v3(stream, captureStatus_out, id_out, NULL, NULL, NULL,
                                            NULL);
}

cudaError_t cass_cudaStreamUpdateCaptureDependencies(cudaStream_t stream,
                                                     cudaGraphNode_t *dependencies,
                                                     size_t numDependencies, unsigned int flags) {
    ENTER(device);
    return DONE(device, cass_capture_update(cass_stream(stream), (cass_node *const *)dependencies,
                                            numDependencies, flags));
}

cudaError_t cass_cudaStreamUpdateCaptureDependencies_v2(cudaStream_t stream,
                                                        cudaGraphNode_t *dependencies,
                                                        const cudaGraphEdgeData *dependencyData,
                                                        size_t numDependencies,
                                                        unsigned int flags) {
    (void)dependencyData;
    return cass_cudaStreamUpdateCaptureDependencies(stream, dependencies, numDependencies, flags);
}

cudaError_t cass_cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode) {
    if (!mode) return cudaErrorInvalidValue;
    *mode = (enum cudaStreamCaptureMode)cass_capture_exchange((int)*mode);
    return cudaSuccess;
}

cudaError_t cass_cudaStreamSetAttribute(cudaStream_t stream, cudaLaunchAttributeID attr,
                                        const cudaLaunchAttributeValue *param) {
    ENTER(device);
    int which = kept(attr);
    if (!param || which < 0) return cudaErrorInvalidValue;
    return DONE(device, cass_stream_set_attribute(cass_stream(stream), which, param));
}

cudaError_t cass_cudaStreamGetAttribute(cudaStream_t stream, cudaLaunchAttributeID attr,
                                        cudaLaunchAttributeValue *value) {
    ENTER(device);
    cass_stream_info info;
    int which = kept(attr);
    if (!value || which < 0) return cudaErrorInvalidValue;
    TRY(device, cass_stream_get(cass_stream(stream), &info));
    if (attr == cudaLaunchAttributePriority) value->priority = info.priority;
    else memcpy(value, info.attributes[which], sizeof info.attributes[which]);
    return cudaSuccess;
}

cudaError_t cass_cudaStreamCopyAttributes(cudaStream_t dstStream, cudaStream_t srcStream) {
    ENTER(device);
    cass_stream_info info;
    TRY(device, cass_stream_get(cass_stream(srcStream), &info));
    for (int i = 0; i < KEPT_ATTRIBUTES; i++)
        if (i != CASS_STREAM_PRIORITY)
            TRY(device, cass_stream_set_attribute(cass_stream(dstStream), i, info.attributes[i]));
    return cudaSuccess;
}
