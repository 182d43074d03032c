/* What the driver's graph node calls share: node parameters as works of graph.h, and how a body
 * adds a node, replaces its work or reads it. Each work function returns 0 or the code CUDA gives.
 */
#ifndef CASS_DRIVER_GRAPH_WORKS_H
#define CASS_DRIVER_GRAPH_WORKS_H

#include "driver/api.h"
#include "driver/graph_calls.h"

int cass_cu_kernel_work(const CUDA_KERNEL_NODE_PARAMS_v1 *p, const void *kern, cass_work *work);
int cass_cu_block_work(const CUDA_MEMCPY3D *p, cass_work *work);
int cass_cu_fill_work(const CUDA_MEMSET_NODE_PARAMS *p, cass_work *work);
int cass_cu_host_work(const CUDA_HOST_NODE_PARAMS *p, cass_work *work);
int cass_cu_event_work(CUevent event, int type, cass_work *work);
/* The kernel of a library; NULL for one of a module, which is a function of its context only. */
CUkernel cass_cu_library_kernel(cass_kernel *kernel);
int cass_cu_alloc_work(CUdeviceptr *address, size_t bytes, cass_work *work);

#define OUT(pointer) ((void **)(void *)(pointer))
#define NODE_ARGUMENTS                                                                             \
    CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,                     \
        size_t numDependencies

/* Adds what `call` makes of the parameters. */
#define ADD(call)                                                                                  \
    ENTER(device);                                                                                 \
    cass_work work;                                                                                \
    TRY(device, call);                                                                             \
    return DONE(device,                                                                            \
                cass_call_add(OUT(phGraphNode), hGraph, dependencies, numDependencies, &work))

/* Replaces the work of `node`, in `exec` where that is not NULL. */
#define SET(exec, node, call)                                                                      \
    ENTER(device);                                                                                 \
    cass_work work;                                                                                \
    TRY(device, call);                                                                             \
    return DONE(device, cass_call_set(exec, node, &work))

#define NEED(exec)                                                                                 \
    if (!(exec)) return CUDA_ERROR_INVALID_VALUE

/* The node's work of this type, or returns from the body. */
#define READ(device, node, type, out)                                                              \
    ENTER(device);                                                                                 \
    cass_work *work;                                                                               \
    if (!(out)) return CUDA_ERROR_INVALID_VALUE;                                                   \
    TRY(device, cass_call_work(node, type, &work))

#endif
