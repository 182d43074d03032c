/* External memory and semaphores, and the graph nodes over them. See driver/external.h. */
#include "driver/external.h"
#include "driver/graph_calls.h"
#include "runtime/format.h"
#include "runtime/runtime.h"

cudaError_t
cass_cudaImportExternalMemory(cudaExternalMemory_t *extMem_out,
                              const struct cudaExternalMemoryHandleDesc *memHandleDesc) {
    ENTER(device);
    const struct cudaExternalMemoryHandleDesc *d = memHandleDesc;
    if (!d) return cudaErrorInvalidValue;
    return (cudaError_t)cass_external_import(device, (int)d->type, d->handle.fd, d->size, d->flags,
                                             (cass_external **)(void *)extMem_out);
}

cudaError_t
cass_cudaExternalMemoryGetMappedBuffer(void **devPtr, cudaExternalMemory_t extMem,
                                       const struct cudaExternalMemoryBufferDesc *bufferDesc) {
    ENTER(device);
    if (!bufferDesc || !cass_all_zero(bufferDesc->reserved, sizeof bufferDesc->reserved))
        return cudaErrorInvalidValue;
    return (cudaError_t)cass_external_buffer(device, extMem, bufferDesc->offset, bufferDesc->size,
                                             bufferDesc->flags, devPtr);
}

cudaError_t cass_cudaExternalMemoryGetMappedMipmappedArray(
    cudaMipmappedArray_t *mipmap, cudaExternalMemory_t extMem,
    const struct cudaExternalMemoryMipmappedArrayDesc *mipmapDesc) {
    ENTER(device);
    const struct cudaExternalMemoryMipmappedArrayDesc *d = mipmapDesc;
    if (!d) return cudaErrorInvalidValue;
    cass_external_image image = {d->offset,       {0},          d->extent.width, d->extent.height,
                                 d->extent.depth, d->numLevels, d->flags};
    TRY(device, cass_format_read(&d->formatDesc, &image.format));
    return (cudaError_t)cass_external_mipmap(device, extMem, &image,
                                             (cass_mipmap **)(void *)mipmap);
}

cudaError_t cass_cudaDestroyExternalMemory(cudaExternalMemory_t extMem) {
    ENTER(device);
    return (cudaError_t)cass_external_destroy(device, extMem);
}

cudaError_t
cass_cudaImportExternalSemaphore(cudaExternalSemaphore_t *extSem_out,
                                 const struct cudaExternalSemaphoreHandleDesc *semHandleDesc) {
    ENTER(device);
    (void)device;
    if (!semHandleDesc) return cudaErrorInvalidValue;
    return (cudaError_t)cass_external_semaphore(extSem_out, (int)semHandleDesc->type,
                                                semHandleDesc->handle.fd, semHandleDesc->flags);
}

cudaError_t cass_cudaSignalExternalSemaphoresAsync(
    const cudaExternalSemaphore_t *extSemArray,
    const struct cudaExternalSemaphoreSignalParams_v1 *paramsArray, unsigned int numExtSems,
    cudaStream_t stream) {
    ENTER(device);
    (void)device, (void)stream;
    (void)extSemArray, (void)paramsArray, (void)numExtSems;
    return cudaErrorInvalidValue;
}

cudaError_t cass_cudaSignalExternalSemaphoresAsync_v2(
    const cudaExternalSemaphore_t *extSemArray,
    const struct cudaExternalSemaphoreSignalParams *paramsArray, unsigned int numExtSems,
    cudaStream_t stream) {
    ENTER(device);
    (void)device, (void)stream;
    (void)extSemArray, (void)paramsArray, (void)numExtSems;
    return cudaErrorInvalidValue;
}

cudaError_t
cass_cudaWaitExternalSemaphoresAsync(const cudaExternalSemaphore_t *extSemArray,
                                     const struct cudaExternalSemaphoreWaitParams_v1 *paramsArray,
                                     unsigned int numExtSems, cudaStream_t stream) {
    ENTER(device);
    (void)device, (void)stream;
    (void)extSemArray, (void)paramsArray, (void)numExtSems;
    return cudaErrorInvalidValue;
}

cudaError_t
cass_cudaWaitExternalSemaphoresAsync_v2(const cudaExternalSemaphore_t *extSemArray,
                                        const struct cudaExternalSemaphoreWaitParams *paramsArray,
                                        unsigned int numExtSems, cudaStream_t stream) {
    ENTER(device);
    (void)device, (void)stream;
    (void)extSemArray, (void)paramsArray, (void)numExtSems;
    return cudaErrorInvalidValue;
}

cudaError_t cass_cudaDestroyExternalSemaphore(cudaExternalSemaphore_t extSem) {
    ENTER(device);
    (void)device, (void)extSem;
    return cudaErrorInvalidValue;
}

#define SEMAPHORES(p, type, work)                                                                  \
    ((p) ? cass_semaphores_work(work, type, (p)->extSemArray, (p)->paramsArray, (p)->numExtSems,   \
                                sizeof *(p)->paramsArray)                                          \
         : INVALID_VALUE)
#define SET(exec, node, p, type)                                                                   \
    ENTER(device);                                                                                 \
    cass_work work;                                                                                \
    TRY(device, SEMAPHORES(p, type, &work));                                                       \
    return DONE(device, cass_call_set(exec, node, &work))

cudaError_t cass_cudaGraphAddExternalSemaphoresSignalNode(
    cudaGraphNode_t *pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *pDependencies,
    size_t numDependencies, const struct cudaExternalSemaphoreSignalNodeParams *nodeParams) {
    ENTER(device);
    cass_work work;
    TRY(device, SEMAPHORES(nodeParams, CASS_NODE_SIGNAL, &work));
    return DONE(device, cass_call_add((void **)(void *)pGraphNode, graph, pDependencies,
                                      numDependencies, &work));
}

cudaError_t cass_cudaGraphExternalSemaphoresSignalNodeGetParams(
    cudaGraphNode_t hNode, struct cudaExternalSemaphoreSignalNodeParams *params_out) {
    ENTER(device);
    cass_work *work;
    if (!params_out) return cudaErrorInvalidValue;
    TRY(device, cass_call_work(hNode, CASS_NODE_SIGNAL, &work));
    *params_out = (struct cudaExternalSemaphoreSignalNodeParams){
        (cudaExternalSemaphore_t *)(void *)work->semaphores.handles,
        (const struct cudaExternalSemaphoreSignalParams *)work->semaphores.parameters,
        work->semaphores.count};
    return cudaSuccess;
}

cudaError_t cass_cudaGraphExternalSemaphoresSignalNodeSetParams(
    cudaGraphNode_t hNode, const struct cudaExternalSemaphoreSignalNodeParams *nodeParams) {
    SET(NULL, hNode, nodeParams, CASS_NODE_SIGNAL);
}

cudaError_t cass_cudaGraphExecExternalSemaphoresSignalNodeSetParams(
    cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode,
    const struct cudaExternalSemaphoreSignalNodeParams *nodeParams) {
    if (!hGraphExec) return cudaErrorInvalidValue;
    SET(hGraphExec, hNode, nodeParams, CASS_NODE_SIGNAL);
}

cudaError_t cass_cudaGraphAddExternalSemaphoresWaitNode(
    cudaGraphNode_t *pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *pDependencies,
    size_t numDependencies, const struct cudaExternalSemaphoreWaitNodeParams *nodeParams) {
    ENTER(device);
    cass_work work;
    TRY(device, SEMAPHORES(nodeParams, CASS_NODE_WAIT, &work));
    return DONE(device, cass_call_add((void **)(void *)pGraphNode, graph, pDependencies,
                                      numDependencies, &work));
}

cudaError_t cass_cudaGraphExternalSemaphoresWaitNodeGetParams(
    cudaGraphNode_t hNode, struct cudaExternalSemaphoreWaitNodeParams *params_out) {
    ENTER(device);
    cass_work *work;
    if (!params_out) return cudaErrorInvalidValue;
    TRY(device, cass_call_work(hNode, CASS_NODE_WAIT, &work));
    *params_out = (struct cudaExternalSemaphoreWaitNodeParams){
        (cudaExternalSemaphore_t *)(void *)work->semaphores.handles,
        (const struct cudaExternalSemaphoreWaitParams *)work->semaphores.parameters,
        work->semaphores.count};
    return cudaSuccess;
}

cudaError_t cass_cudaGraphExternalSemaphoresWaitNodeSetParams(
    cudaGraphNode_t hNode, const struct cudaExternalSemaphoreWaitNodeParams *nodeParams) {
    SET(NULL, hNode, nodeParams, CASS_NODE_WAIT);
}

cudaError_t cass_cudaGraphExecExternalSemaphoresWaitNodeSetParams(
    cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode,
    const struct cudaExternalSemaphoreWaitNodeParams *nodeParams) {
    if (!hGraphExec) return cudaErrorInvalidValue;
    SET(hGraphExec, hNode, nodeParams, CASS_NODE_WAIT);
}
