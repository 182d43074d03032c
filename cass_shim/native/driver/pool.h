/* Memory pools: HIP's handles are CUDA's. A library without pools answers "not supported" (801). */
#ifndef CASS_POOL_H
#define CASS_POOL_H

#include "driver/state.h"

/* Whether pools can be shared between processes, by file descriptor. */
int cass_pools_shared(void);

int cass_pool_create(int device, int handle_types, size_t max_bytes, hipMemPool_t *pool);
int cass_pool_destroy(hipMemPool_t pool);
int cass_pool_default(int device, hipMemPool_t *pool);
int cass_pool_current(int device, hipMemPool_t *pool);
int cass_pool_choose(int device, hipMemPool_t pool);
int cass_pool_trim(hipMemPool_t pool, size_t keep_bytes);

/* attribute: cudaMemPoolAttr = CUmemPool_attribute = hipMemPoolAttr, 1..8. */
int cass_pool_attribute(hipMemPool_t pool, int attribute, void *value, int set);
/* What pools and graphs reserve for so many bytes: steps of 32 MiB, as an H200's driver
 * (tests/native/conformance/copies.expected, graph_updates.expected). */
uint64_t cass_pool_steps(uint64_t bytes);
int cass_pool_access(hipMemPool_t pool, int device, int flags, int *flags_out);
int cass_pool_malloc(cass_device *device, void **pointer, size_t bytes, hipMemPool_t pool,
                     hipStream_t stream);

#endif
