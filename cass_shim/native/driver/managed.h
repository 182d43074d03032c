/* Advice on managed memory: kept per allocation so that it can be read back, passed to HIP where it
 * takes it. */
#ifndef CASS_MANAGED_H
#define CASS_MANAGED_H

#include "driver/state.h"

enum { CASS_CPU = -1, CASS_NOWHERE = -2 }; /* cudaCpuDeviceId, cudaInvalidDeviceId */

/* advice: cudaMemoryAdvise. location: a device, or CASS_CPU. 1 for memory that is not managed. */
int cass_advise(const void *pointer, size_t bytes, int advice, int location);
int cass_prefetch(cass_device *device, const void *pointer, size_t bytes, int location,
                  hipStream_t stream);

/* Whether this is managed memory, as far as `bytes`; 0: whatever its length. */
int cass_is_managed(const void *pointer, size_t bytes);

/* 1 where one of the ranges is not. */
/* Whether managed memory may be attached so: all of an allocation, to one stream that has a name.
 */
int cass_attach_ok(const void *pointer, size_t bytes, hipStream_t stream, unsigned flags);
int cass_all_managed(const void *const *pointers, const size_t *sizes, size_t count);

/* attribute: cudaMemRangeAttribute; data_bytes: 4, or 4 per device for AccessedBy. */
int cass_range_get(void *data, size_t data_bytes, int attribute, const void *pointer, size_t bytes);

#endif
