/* Driver API: external memory and semaphores, and the graph nodes over them. See external.h. */
#include "driver/api.h"
#include "driver/external.h"
#include "driver/graph_works.h"

CUresult cass_cuImportExternalMemory(CUexternalMemory *extMem_out,
                                     const CUDA_EXTERNAL_MEMORY_HANDLE_DESC *memHandleDesc) {
    ENTER(device);
    const CUDA_EXTERNAL_MEMORY_HANDLE_DESC *d = memHandleDesc;
    if (!d) return CUDA_ERROR_INVALID_VALUE;
    return RESULT(cass_external_import(device, (int)d->type, d->handle.fd, d->size, d->flags,
                                       (cass_external **)(void *)extMem_out));
}

CUresult cass_cuExternalMemoryGetMappedBuffer(CUdeviceptr *devPtr, CUexternalMemory extMem,
                                              const CUDA_EXTERNAL_MEMORY_BUFFER_DESC *bufferDesc) {
    ENTER(device);
    void *pointer = NULL;
    if (!devPtr || !bufferDesc || !cass_all_zero(bufferDesc->reserved, sizeof bufferDesc->reserved))
        return CUDA_ERROR_INVALID_VALUE;
    int result = cass_external_buffer(device, extMem, bufferDesc->offset, bufferDesc->size,
                                      bufferDesc->flags, &pointer);
    if (!result) *devPtr = (CUdeviceptr)(uintptr_t)pointer;
    return RESULT(result);
}

CUresult cass_cuExternalMemoryGetMappedMipmappedArray(
    CUmipmappedArray *mipmap, CUexternalMemory extMem,
    const CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC *mipmapDesc) {
    ENTER(device);
    if (!mipmapDesc || !extMem) return CUDA_ERROR_INVALID_VALUE;
    const CUDA_ARRAY3D_DESCRIPTOR *d = &mipmapDesc->arrayDesc;
    cass_external_image image = {mipmapDesc->offset,    {0},     d->Width, d->Height, d->Depth,
                                 mipmapDesc->numLevels, d->Flags};
    TRY(device, cass_read_format(d->Format, d->NumChannels, &image.format));
    return RESULT(cass_external_mipmap(device, extMem, &image, (cass_mipmap **)(void *)mipmap));
}

CUresult cass_cuDestroyExternalMemory(CUexternalMemory extMem) {
    ENTER(device);
    return RESULT(cass_external_destroy(device, extMem));
}

CUresult cass_cuImportExternalSemaphore(CUexternalSemaphore *extSem_out,
                                        const CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC *semHandleDesc) {
    ENTER(device);
    (void)device;
    if (!semHandleDesc) return CUDA_ERROR_INVALID_VALUE;
    return RESULT(cass_external_semaphore(extSem_out, (int)semHandleDesc->type,
                                          semHandleDesc->handle.fd, semHandleDesc->flags));
}

CUresult
cass_cuSignalExternalSemaphoresAsync(const CUexternalSemaphore *extSemArray,
                                     const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS *paramsArray,
                                     unsigned int numExtSems, CUstream stream) {
    ENTER(device);
    (void)device, (void)stream;
    (void)extSemArray, (void)paramsArray, (void)numExtSems;
    return CUDA_ERROR_INVALID_VALUE;
}

CUresult cass_cuWaitExternalSemaphoresAsync(const CUexternalSemaphore *extSemArray,
                                            const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS *paramsArray,
                                            unsigned int numExtSems, CUstream stream) {
    ENTER(device);
    (void)device, (void)stream;
    (void)extSemArray, (void)paramsArray, (void)numExtSems;
    return CUDA_ERROR_INVALID_VALUE;
}

CUresult cass_cuDestroyExternalSemaphore(CUexternalSemaphore extSem) {
    ENTER(device);
    (void)device, (void)extSem;
    return CUDA_ERROR_INVALID_VALUE;
}

#define SEMAPHORES(p, type, work)                                                                  \
    ((p) ? cass_semaphores_work(work, type, (p)->extSemArray, (p)->paramsArray, (p)->numExtSems,   \
                                sizeof *(p)->paramsArray)                                          \
         : INVALID_VALUE)

CUresult
cass_cuGraphAddExternalSemaphoresSignalNode(NODE_ARGUMENTS,
                                            const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *nodeParams) {
    ADD(SEMAPHORES(nodeParams, CASS_NODE_SIGNAL, &work));
}

CUresult
cass_cuGraphExternalSemaphoresSignalNodeGetParams(CUgraphNode hNode,
                                                  CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *params_out) {
    READ(device, hNode, CASS_NODE_SIGNAL, params_out);
    *params_out = (CUDA_EXT_SEM_SIGNAL_NODE_PARAMS){
        (CUexternalSemaphore *)(void *)work->semaphores.handles,
        (const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS *)work->semaphores.parameters,
        work->semaphores.count};
    return CUDA_SUCCESS;
}

CUresult cass_cuGraphExternalSemaphoresSignalNodeSetParams(
    CUgraphNode hNode, const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *nodeParams) {
    SET(NULL, hNode, SEMAPHORES(nodeParams, CASS_NODE_SIGNAL, &work));
}

CUresult cass_cuGraphExecExternalSemaphoresSignalNodeSetParams(
    CUgraphExec hGraphExec, CUgraphNode hNode, const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *nodeParams) {
    NEED(hGraphExec);
    SET(hGraphExec, hNode, SEMAPHORES(nodeParams, CASS_NODE_SIGNAL, &work));
}

CUresult
cass_cuGraphAddExternalSemaphoresWaitNode(NODE_ARGUMENTS,
                                          const CUDA_EXT_SEM_WAIT_NODE_PARAMS *nodeParams) {
    ADD(SEMAPHORES(nodeParams, CASS_NODE_WAIT, &work));
}

CUresult
cass_cuGraphExternalSemaphoresWaitNodeGetParams(CUgraphNode hNode,
                                                CUDA_EXT_SEM_WAIT_NODE_PARAMS *params_out) {
    READ(device, hNode, CASS_NODE_WAIT, params_out);
    *params_out = (CUDA_EXT_SEM_WAIT_NODE_PARAMS){
        (CUexternalSemaphore *)(void *)work->semaphores.handles,
        (const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS *)work->semaphores.parameters,
        work->semaphores.count};
    return CUDA_SUCCESS;
}

CUresult
cass_cuGraphExternalSemaphoresWaitNodeSetParams(CUgraphNode hNode,
                                                const CUDA_EXT_SEM_WAIT_NODE_PARAMS *nodeParams) {
    SET(NULL, hNode, SEMAPHORES(nodeParams, CASS_NODE_WAIT, &work));
}

CUresult cass_cuGraphExecExternalSemaphoresWaitNodeSetParams(
    CUgraphExec hGraphExec, CUgraphNode hNode, const CUDA_EXT_SEM_WAIT_NODE_PARAMS *nodeParams) {
    NEED(hGraphExec);
    SET(hGraphExec, hNode, SEMAPHORES(nodeParams, CASS_NODE_WAIT, &work));
}
