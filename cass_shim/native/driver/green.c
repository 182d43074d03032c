/* Green contexts: see green.h. */
#include "driver/green.h"

#include <stdlib.h>
#include <string.h>

#include "driver/capture.h"
#include "driver/properties.h"

enum { GREEN_MAGIC = 0x47524e43, MAJOR = 75, IGNORE_COSCHEDULING = 1 };

struct CUdevResourceDesc_st {
    int device;
    unsigned multiprocessors;
};

/* What the driver keeps in the part of a resource that programs leave alone. */
typedef struct {
    uint32_t magic;
    int device;
    uint64_t split; /* 0: not the output of one */
} hidden;

static _Atomic uint64_t next_split = 1;

static hidden hidden_of(const CUdevResource *resource) {
    hidden found;
    memcpy(&found, resource->_internal_padding + 4, sizeof found);
    return found;
}

/* Smallest part and multiple, by compute capability (CUDA driver API manual,
 * cuDevSmResourceSplitByCount of 12.4): 6.x 1 and 1, 7.x 2 and 2, 8.x 4 and 2, from 9.0 on 8 and 8;
 * without co-scheduling 2 and 2 there. */
static void granularity(int device, unsigned flags, unsigned *least, unsigned *multiple) {
    int major = cass_attribute_value(&cass_devices[device], MAJOR);
    *multiple = major < 7 ? 1 : major < 9 || flags & IGNORE_COSCHEDULING ? 2 : 8;
    *least = major == 8 && !(flags & IGNORE_COSCHEDULING) ? 4 : *multiple;
}

static void fill(CUdevResource *out, int device, unsigned multiprocessors, uint64_t split,
                 unsigned flags) {
    hidden own = {GREEN_MAGIC, device, split};
    memset(out, 0, sizeof *out);
    out->type = multiprocessors ? CU_DEV_RESOURCE_TYPE_SM : CU_DEV_RESOURCE_TYPE_INVALID;
    memcpy(out->_internal_padding + 4, &own, sizeof own);
    out->sm.smCount = multiprocessors;
    granularity(device, flags, &out->sm.minSmPartitionSize, &out->sm.smCoscheduledAlignment);
}

cass_green *cass_green_of(const void *handle) {
    cass_green *green = (cass_green *)(uintptr_t)handle;
    return green && (uintptr_t)handle % 8 == 0 && green->magic == GREEN_MAGIC ? green : NULL;
}

int cass_resource_get(const cass_context *context, CUdevResource *out, int type) {
    if (type != CU_DEV_RESOURCE_TYPE_SM) return INVALID_RESOURCE_TYPE;
    const cass_device *device = &cass_devices[context->device];
    unsigned all = (unsigned)cass_attribute_value(device, CASS_ATTRIBUTE_MULTIPROCESSORS);
    fill(out, context->device, context->green ? context->green->multiprocessors : all, 0, 0);
    return OK;
}

static int is_whole(const CUdevResource *whole) {
    if (whole->type != CU_DEV_RESOURCE_TYPE_SM) return INVALID_RESOURCE_TYPE;
    hidden own = hidden_of(whole);
    if (own.magic != GREEN_MAGIC || own.device < 0 || own.device >= cass_device_count)
        return INVALID_VALUE;
    return own.split ? INVALID_RESOURCE_CONFIGURATION : OK;
}

static unsigned rounded_up(unsigned value, unsigned multiple) {
    return (value + multiple - 1) / multiple * multiple;
}

int cass_resource_split(CUdevResource *parts, unsigned *count, const CUdevResource *whole,
                        CUdevResource *rest, unsigned flags, unsigned least) {
    if (!count || !whole) return INVALID_VALUE; /* unknown flags are let pass (recorded) */
    int result = is_whole(whole);
    if (result) return result;
    unsigned smallest, multiple, all = whole->sm.smCount;
    int device = hidden_of(whole).device;
    if (parts && !*count) return INVALID_VALUE;
    if (least > all) return INVALID_RESOURCE_CONFIGURATION;
    granularity(device, flags, &smallest, &multiple);
    unsigned each = rounded_up(least > smallest ? least : smallest, multiple);
    unsigned possible = each <= all ? all / each : least <= all && all ? 1 : 0;
    if (each > all) each = all;
    if (parts && *count < possible) possible = *count;
    *count = possible;
    if (!parts) return OK;
    uint64_t split = atomic_fetch_add(&next_split, 1);
    for (unsigned i = 0; i < possible; i++) fill(&parts[i], device, each, split, flags);
    if (rest) fill(rest, device, all - possible * each, split, flags);
    return OK;
}

/* Multiprocessors of one group, or 0 where the group cannot be had. */
static unsigned group_size(const CU_DEV_SM_RESOURCE_GROUP_PARAMS *group, unsigned left,
                           unsigned multiple) {
    unsigned together = group->coscheduledSmCount ? group->coscheduledSmCount : multiple;
    if (!group->smCount) return left / together * together;
    if (group->smCount % 2 || group->smCount % together || group->smCount > left) return 0;
    return group->smCount;
}

int cass_resource_split_groups(CUdevResource *parts, unsigned count, const CUdevResource *whole,
                               CUdevResource *rest, CU_DEV_SM_RESOURCE_GROUP_PARAMS *groups) {
    if (!count || !whole || !groups) return INVALID_VALUE;
    int result = is_whole(whole);
    if (result) return result;
    unsigned smallest, multiple, left = whole->sm.smCount;
    int device = hidden_of(whole).device;
    granularity(device, 0, &smallest, &multiple);
    uint64_t split = atomic_fetch_add(&next_split, 1);
    for (unsigned i = 0; i < count; i++) {
        unsigned size = group_size(&groups[i], left, multiple);
        if (!size && (parts || groups[i].smCount)) return INVALID_RESOURCE_CONFIGURATION;
        groups[i].smCount = size;
        if (parts) fill(&parts[i], device, size, split, 0);
        left -= size;
    }
    if (rest) fill(rest, device, left, split, 0);
    return OK;
}

int cass_resource_describe(CUdevResourceDesc *out, const CUdevResource *parts, unsigned count) {
    if (!out || !parts || !count) return INVALID_VALUE;
    hidden first = hidden_of(parts);
    unsigned together = 0;
    for (unsigned i = 0; i < count; i++) {
        hidden own = hidden_of(&parts[i]);
        if (parts[i].type != CU_DEV_RESOURCE_TYPE_SM) return INVALID_RESOURCE_TYPE;
        if (own.magic != GREEN_MAGIC) return INVALID_VALUE;
        if (own.device != first.device || own.split != first.split || (i && !own.split))
            return INVALID_RESOURCE_CONFIGURATION;
        together += parts[i].sm.smCount;
    }
    CUdevResourceDesc made = calloc(1, sizeof *made);
    if (!made) return OUT_OF_MEMORY;
    *made = (struct CUdevResourceDesc_st){first.device, together};
    *out = made;
    return OK;
}

int cass_green_create(cass_green **out, CUdevResourceDesc description, int device) {
    if (!out || (description && description->device != device)) return INVALID_VALUE;
    cass_green *made = calloc(1, sizeof *made);
    if (!made) return OUT_OF_MEMORY;
    made->context = cass_context_create(device, 0);
    if (!made->context) {
        free(made);
        return OUT_OF_MEMORY;
    }
    made->magic = GREEN_MAGIC;
    /* no descriptor: all of the device (recorded that it is accepted) */
    made->multiprocessors =
        description
            ? description->multiprocessors
            : (unsigned)cass_attribute_value(&cass_devices[device], CASS_ATTRIBUTE_MULTIPROCESSORS);
    made->context->green = made;
    *out = made;
    return OK;
}

int cass_green_destroy(cass_green *green) {
    cass_context *context = green->context;
    if (context->gate) (void)HIP(hipEventDestroy, context->gate);
    if (context->joint) (void)HIP(hipStreamDestroy, context->joint);
    context->gate = NULL, context->joint = NULL, context->green = NULL;
    green->magic = 0;
    free(green);
    return cass_context_destroy(context);
}

int cass_context_stream(cass_context *context, unsigned flags, int priority, hipStream_t *stream) {
    cass_context *before = cass_thread.current;
    int result = cass_set_current(context);
    if (!result) result = cass_stream_create(flags, priority, stream);
    int back = cass_set_current(before);
    return result ? result : back;
}

/* The context's streams with the default one last; a primary context has all of the device's. */
static hipStream_t *streams_of(const cass_context *context, size_t *count) {
    size_t room = cass_streams_of(context, NULL, 0) + 16;
    hipStream_t *list = calloc(room, sizeof *list);
    if (!list) return NULL;
    *count = cass_streams_of(context, list, room - 1);
    if (*count > room - 1) *count = room - 1;
    list[(*count)++] = NULL;
    for (size_t i = 0; i < *count; i++)
        if (cass_capturing(list[i])) {
            cass_capture_break(list[i], CAPTURE_UNSUPPORTED);
            *count = 0;
        }
    return list;
}

static int joint_of(cass_context *context) {
    if (context->joint) return OK;
    return HIP(hipStreamCreateWithFlags, &context->joint, CASS_STREAM_NON_BLOCKING);
}

int cass_context_record(cass_context *context, hipEvent_t event) {
    size_t count = 0;
    int result = joint_of(context);
    hipStream_t *list = result ? NULL : streams_of(context, &count);
    if (!result && (!list || !count)) result = list ? CAPTURE_UNSUPPORTED : OUT_OF_MEMORY;
    for (size_t i = 0; i < count && !result; i++)
        result = cass_stream_follow(context->joint, list[i]);
    free(list);
    return result ? result : HIP(hipEventRecord, event, context->joint);
}

/* The gate keeps back the streams that are made later. */
int cass_context_wait(cass_context *context, hipEvent_t event) {
    size_t count = 0;
    int result = joint_of(context);
    if (!result && !context->gate)
        result = HIP(hipEventCreateWithFlags, &context->gate, CASS_EVENT_DISABLE_TIMING);
    hipStream_t *list = result ? NULL : streams_of(context, &count);
    if (!result && (!list || !count)) result = list ? CAPTURE_UNSUPPORTED : OUT_OF_MEMORY;
    for (size_t i = 0; i < count && !result; i++)
        result = HIP(hipStreamWaitEvent, list[i], event, 0);
    free(list);
    if (!result) result = HIP(hipStreamWaitEvent, context->joint, event, 0);
    return result ? result : HIP(hipEventRecord, context->gate, context->joint);
}
