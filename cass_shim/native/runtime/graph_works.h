/* Node parameters of the runtime as works of driver/graph.h; each returns 0 or the code CUDA gives.
 */
#ifndef CASS_GRAPH_WORKS_H
#define CASS_GRAPH_WORKS_H

#include "driver/graph.h"
#include "runtime/runtime.h"

int cass_kernel_work(const struct cudaKernelNodeParams *p, cass_work *work);
/* What cudaKernelNodeParams names a node's kernel by: its stub; NULL for one that has none. */
void *cass_node_function(const cass_kernel_node *node);
int cass_block_work(const struct cudaMemcpy3DParms *p, cass_work *work);
int cass_line_work(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                   cass_work *work);
/* to_symbol: `to` is the symbol; else `from` is. */
int cass_symbol_work(cass_device *device, void *to, const void *from, int to_symbol, size_t count,
                     size_t offset, enum cudaMemcpyKind kind, cass_work *work);
int cass_fill_work(const struct cudaMemsetParams *p, cass_work *work);
int cass_host_work(const struct cudaHostNodeParams *p, cass_work *work);
int cass_event_work(cudaEvent_t event, int type, cass_work *work);

#endif
