/* Driver API: external memory and semaphores, and the graph nodes over them. See external.h. */
#include "driver/external.h"
#include "driver/graph_works.h"

CUresult cass_cuImportExternalMemory(CUexternalMemory *extMem_out,
                                     const CUDA_EXTERNAL_MEMORY_HANDLE_DESC *memHandleDesc) {
    ENTER(device);
    (void)device;
    if (!memHandleDesc) return CUDA_ERROR_INVALID_VALUE;
    return RESULT(cass_external_memory(extMem_out, (int)memHandleDesc->type, memHandleDesc->size,
                                       memHandleDesc->flags));
}

CUresult cass_cuExternalMemoryGetMappedBuffer(CUdeviceptr *devPtr, CUexternalMemory extMem,
                                              const CUDA_EXTERNAL_MEMORY_BUFFER_DESC *bufferDesc) {
    ENTER(device);
    (void)device, (void)extMem;
    (void)devPtr, (void)bufferDesc;
    return CUDA_ERROR_INVALID_VALUE;
}

CUresult cass_cuExternalMemoryGetMappedMipmappedArray(
    CUmipmappedArray *mipmap, CUexternalMemory extMem,
    const CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC *mipmapDesc) {
    ENTER(device);
    (void)device, (void)extMem;
    (void)mipmap, (void)mipmapDesc;
    return CUDA_ERROR_INVALID_VALUE;
}

CUresult cass_cuDestroyExternalMemory(CUexternalMemory extMem) {
    ENTER(device);
    (void)device, (void)extMem;
    return CUDA_ERROR_INVALID_VALUE;
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
