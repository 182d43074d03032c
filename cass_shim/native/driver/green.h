/* Parts of a device's multiprocessors and the contexts made of them ("green" contexts).
 *
 * The device cannot be partitioned: such a context runs on all of it. What programs can ask about
 * (sizes, splits, whose stream is whose) is kept as CUDA has it, on multiprocessors that exist. */
#ifndef CASS_GREEN_H
#define CASS_GREEN_H

#include "driver/stream.h"
#include "shim/cuda_types.h"

enum { INVALID_RESOURCE_TYPE = 914, INVALID_RESOURCE_CONFIGURATION = 915 };

typedef struct CUgreenCtx_st {
    uint32_t magic;
    cass_context *context; /* what cuCtxFromGreenCtx gives */
    unsigned multiprocessors;
} cass_green;

cass_green *cass_green_of(const void *handle);

/* The resource of a context, a green one's or the whole device's. 914 for other types than SM. */
int cass_resource_get(const cass_context *context, CUdevResource *out, int type);

int cass_resource_split(CUdevResource *parts, unsigned *count, const CUdevResource *whole,
                        CUdevResource *rest, unsigned flags, unsigned least);
int cass_resource_split_groups(CUdevResource *parts, unsigned count, const CUdevResource *whole,
                               CUdevResource *rest, CU_DEV_SM_RESOURCE_GROUP_PARAMS *groups);

/* Descriptors live as long as the process, as CUDA's do. */
int cass_resource_describe(CUdevResourceDesc *out, const CUdevResource *parts, unsigned count);

int cass_green_create(cass_green **out, CUdevResourceDesc description, int device);
int cass_green_destroy(cass_green *green);

/* A stream of this context, whatever the thread's current one. */
int cass_context_stream(cass_context *context, unsigned flags, int priority, hipStream_t *stream);

/* The event stands for all work in the context's streams so far; all later work waits for the
 * event. 900 while one of the streams captures. */
int cass_context_record(cass_context *context, hipEvent_t event);
int cass_context_wait(cass_context *context, hipEvent_t event);

#endif
