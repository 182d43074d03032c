/* Batches of memory operations in stream order: waiting for a word, writing one; what a batch of
 * copies may be. */
#ifndef CASS_BATCH_H
#define CASS_BATCH_H

#include "driver/graph.h"

enum { CASS_BATCH_MOST = 256 };

/* 1 for an operation or an address that CUDA refuses. */
int cass_batch_check(const CUstreamBatchMemOpParams *operations, unsigned count, unsigned flags);

/* Checks, then does the operations or records them as one node of a capture. */
int cass_batch_run(cass_device *device, hipStream_t stream,
                   const CUstreamBatchMemOpParams *operations, unsigned count, unsigned flags);

/* The same at once, never recorded: what a graph's node does. */
int cass_batch_now(hipStream_t stream, const CUstreamBatchMemOpParams *operations, unsigned count);

/* A node's work with a copy of the operations. */
int cass_batch_work(cass_work *work, void *context, const CUstreamBatchMemOpParams *operations,
                    unsigned count, unsigned flags);
int cass_batch_copy(cass_work *to, const cass_work *from);

/* 1 where CUDA refuses a batch of copies: no attributes, a first index that is not 0, an unknown
 * order, a copy of no bytes, the legacy stream. cudaMemcpyAttributes has the same layout. */
int cass_copies_check(const size_t *sizes, size_t count, const CUmemcpyAttributes *attributes,
                      const size_t *indices, size_t attribute_count, CUstream stream);

#endif
