/* Streams and events: see stream.h. */
#include "driver/stream.h"

#include <stdlib.h>
#include <string.h>

#include "driver/capture.h"

enum { NO_POLICY = -1, LAST_POLICY = 4 };
enum { BUCKETS = 256, HIP_HIGH = -1, HIP_NORMAL = 0, WAIT_EXTERNAL = 1, RECORD_EXTERNAL = 1 };

typedef struct handle {
    const void *value; /* hipStream_t or hipEvent_t */
    int is_event, device;
    unsigned flags;
    cass_stream_info stream;
    struct handle *next;
} handle;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static handle *buckets[BUCKETS];
static uint64_t next_id = 3; /* 1 and 2 are the legacy and the per-thread stream */

static handle **bucket(const void *value) {
    return &buckets[((uintptr_t)value >> 4) * 0x9E3779B1u % BUCKETS];
}

/* The caller holds the lock. */
static handle *find(const void *value, int is_event) {
    handle *at = *bucket(value);
    while (at && (at->value != value || at->is_event != is_event)) at = at->next;
    return at;
}

static int known(const void *value, int is_event, unsigned *flags) {
    pthread_mutex_lock(&lock);
    handle *at = value ? find(value, is_event) : NULL;
    if (at && flags) *flags = at->flags;
    pthread_mutex_unlock(&lock);
    return at != NULL;
}

static int add(const void *value, int is_event, unsigned flags, int priority) {
    handle *made = calloc(1, sizeof *made);
    if (!made) return OUT_OF_MEMORY;
    made->value = value;
    made->is_event = is_event;
    made->flags = flags;
    made->device = cass_thread.current->device;
    made->stream = (cass_stream_info){flags, priority, made->device, 0, cass_thread.current, {{0}}};
    memset(made->stream.attributes[CASS_STREAM_POLICY], 0xff,
           sizeof(int)); /* reads -1 until set (recorded) */
    pthread_mutex_lock(&lock);
    if (!is_event) made->stream.id = next_id++;
    made->next = *bucket(value);
    *bucket(value) = made;
    pthread_mutex_unlock(&lock);
    return OK;
}

static int forget(const void *value, int is_event) {
    pthread_mutex_lock(&lock);
    for (handle **link = bucket(value); *link; link = &(*link)->next) {
        handle *at = *link;
        if (at->value != value || at->is_event != is_event) continue;
        *link = at->next;
        pthread_mutex_unlock(&lock);
        free(at);
        return 1;
    }
    pthread_mutex_unlock(&lock);
    return 0;
}

void cass_streams_drop(cass_device *device) {
    pthread_mutex_lock(&lock);
    for (int i = 0; i < BUCKETS; i++)
        for (handle **link = &buckets[i]; *link;) {
            handle *at = *link;
            if (at->device != cass_device_index(device)) {
                link = &at->next;
                continue;
            }
            *link = at->next;
            if (at->is_event) HIP(hipEventDestroy, (hipEvent_t)(uintptr_t)at->value);
            else HIP(hipStreamDestroy, (hipStream_t)(uintptr_t)at->value);
            free(at);
        }
    pthread_mutex_unlock(&lock);
}

size_t cass_streams_of(const cass_context *context, hipStream_t *list, size_t room) {
    size_t found = 0;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < BUCKETS; i++)
        for (const handle *at = buckets[i]; at; at = at->next) {
            if (at->is_event || at->device != context->device) continue;
            if (!context->primary && at->stream.context != context) continue;
            if (found < room) list[found] = (hipStream_t)(uintptr_t)at->value;
            found++;
        }
    pthread_mutex_unlock(&lock);
    return found;
}

static int limited(int priority) {
    if (priority > CASS_LOWEST_PRIORITY) return CASS_LOWEST_PRIORITY;
    return priority < CASS_HIGHEST_PRIORITY ? CASS_HIGHEST_PRIORITY : priority;
}

int cass_stream_create(unsigned flags, int priority, hipStream_t *stream) {
    if (!stream || flags > CASS_STREAM_NON_BLOCKING) return INVALID_VALUE;
    priority = limited(priority);
    int result;
    hipStream_t made = NULL;
    if (priority < CASS_LOWEST_PRIORITY && cass_hip.hipStreamCreateWithPriority)
        result = HIP(hipStreamCreateWithPriority, &made, flags, HIP_HIGH);
    else result = HIP(hipStreamCreateWithFlags, &made, flags);
    if (!result && cass_thread.current->gate)
        result = HIP(hipStreamWaitEvent, made, cass_thread.current->gate, 0);
    if (!result) result = add(made, 0, flags, priority);
    if (!result) *stream = made;
    else if (made) (void)HIP(hipStreamDestroy, made);
    return result;
}

static int is_default(hipStream_t stream) {
    return !stream || stream == HIP_STREAM_LEGACY || stream == HIP_STREAM_PER_THREAD;
}

int cass_stream_destroy(cass_device *device, hipStream_t stream) {
    if (is_default(stream) || !known(stream, 0, NULL)) return INVALID_HANDLE;
    if (cass_capturing(stream)) cass_capture_abandon(stream);
    forget(stream, 0);
    return cass_note(device, HIP(hipStreamDestroy, stream));
}

int cass_stream_get(hipStream_t stream, cass_stream_info *out) {
    if (is_default(stream)) {
        *out = (cass_stream_info){0,
                                  0,
                                  cass_thread.current->device,
                                  stream == HIP_STREAM_PER_THREAD ? 2 : 1,
                                  cass_thread.current,
                                  {{0}}};
        return OK;
    }
    pthread_mutex_lock(&lock);
    handle *at = find(stream, 0);
    if (at) *out = at->stream;
    pthread_mutex_unlock(&lock);
    return at ? OK : INVALID_HANDLE;
}

int cass_stream_set_attribute(hipStream_t stream, int which, const void *value) {
    int number;
    memcpy(&number, value, sizeof number);
    if (which == CASS_STREAM_POLICY && (number < NO_POLICY || number > LAST_POLICY))
        return INVALID_VALUE;
    if (is_default(stream)) return OK;
    pthread_mutex_lock(&lock);
    handle *at = find(stream, 0);
    if (at) memcpy(at->stream.attributes[which], value, sizeof at->stream.attributes[which]);
    if (at && which == CASS_STREAM_PRIORITY) at->stream.priority = limited(number);
    pthread_mutex_unlock(&lock);
    return at ? OK : INVALID_HANDLE;
}

int cass_stream_query(cass_device *device, hipStream_t stream) {
    if (cass_capturing(stream)) return cass_capture_break(stream, CAPTURE_UNSUPPORTED);
    return cass_after_wait(device, HIP(hipStreamQuery, stream), 0);
}

int cass_stream_synchronize(cass_device *device, hipStream_t stream) {
    if (cass_capturing(stream)) return cass_capture_break(stream, CAPTURE_UNSUPPORTED);
    return cass_wait_stream(device, stream);
}

int cass_stream_wait(cass_device *device, hipStream_t stream, hipEvent_t event, unsigned flags) {
    if (!known(event, 1, NULL)) return INVALID_HANDLE;
    if (flags > WAIT_EXTERNAL) return INVALID_VALUE;
    int taken;
    int result = cass_capture_wait(stream, event, flags, &taken);
    if (taken || result) return result;
    return cass_note(device, HIP(hipStreamWaitEvent, stream, event, 0));
}

typedef struct {
    hipHostFn_t function;
    void *user;
} host_call;

/* After a fault CUDA calls no host function any more. HIP's hipLaunchHostFunc would not tell us
 * then, and the call would stay allocated: hence its callback, which is told. */
static void run_host_call(hipStream_t stream, hipError_t status, void *call) {
    (void)stream;
    host_call what = *(host_call *)call;
    free(call);
    if (status) return;
    int told = cass_host_function_begin();
    what.function(what.user);
    cass_host_function_end(told);
}

int cass_stream_host_now(hipStream_t stream, hipHostFn_t function, void *user) {
    host_call *call = malloc(sizeof *call);
    if (!call) return OUT_OF_MEMORY;
    *call = (host_call){function, user};
    int result = HIP_OPTIONAL(hipStreamAddCallback, stream, run_host_call, call, 0);
    if (result) free(call);
    return result;
}

int cass_stream_host(cass_device *device, hipStream_t stream, hipHostFn_t function, void *user) {
    if (!function) return INVALID_VALUE;
    cass_capture *capture = cass_capturing(stream);
    if (capture) return cass_capture_host(capture, function, user);
    return cass_note(device, cass_stream_host_now(stream, function, user));
}

int cass_event_create(unsigned flags, hipEvent_t *event) {
    const unsigned all = CASS_EVENT_BLOCKING | CASS_EVENT_DISABLE_TIMING | CASS_EVENT_INTERPROCESS;
    if (!event || flags & ~all) return INVALID_VALUE;
    if (flags & CASS_EVENT_INTERPROCESS && !(flags & CASS_EVENT_DISABLE_TIMING))
        return INVALID_VALUE;
    hipEvent_t made = NULL;
    int result = HIP(hipEventCreateWithFlags, &made, flags);
    if (result) return result;
    result = add(made, 1, flags, 0);
    if (!result) *event = made;
    else (void)HIP(hipEventDestroy, made);
    return result;
}

int cass_event_adopt(hipEvent_t event) {
    return add(event, 1, CASS_EVENT_DISABLE_TIMING | CASS_EVENT_INTERPROCESS, 0);
}

int cass_event_destroy(hipEvent_t event) {
    if (!event || !forget(event, 1)) return INVALID_HANDLE;
    cass_capture_forget_event(event);
    return HIP(hipEventDestroy, event);
}

int cass_event_record(cass_device *device, hipEvent_t event, hipStream_t stream, unsigned flags) {
    if (!known(event, 1, NULL)) return INVALID_HANDLE;
    if (flags > RECORD_EXTERNAL) return INVALID_VALUE;
    cass_capture *capture = cass_capturing(stream);
    if (capture) return cass_capture_record(capture, event, flags);
    if (flags) return ILLEGAL_STATE; /* "external" means something to a capture only (recorded) */
    cass_capture_forget_event(event);
    return cass_note(device, HIP(hipEventRecord, event, stream));
}

int cass_event_query(cass_device *device, hipEvent_t event) {
    if (!known(event, 1, NULL)) return INVALID_HANDLE;
    if (cass_capture_holds_event(event)) return CAPTURED_EVENT;
    return cass_after_wait(device, HIP(hipEventQuery, event), 0);
}

int cass_event_synchronize(cass_device *device, hipEvent_t event) {
    if (!known(event, 1, NULL)) return INVALID_HANDLE;
    if (cass_capture_holds_event(event)) return CAPTURED_EVENT;
    return cass_after_wait(device, HIP(hipEventSynchronize, event), 0);
}

int cass_event_elapsed(cass_device *device, float *milliseconds, hipEvent_t start,
                       hipEvent_t stop) {
    unsigned first = 0, second = 0;
    if (!known(start, 1, &first) || !known(stop, 1, &second)) return INVALID_HANDLE;
    if (!milliseconds) return INVALID_VALUE;
    if ((first | second) & CASS_EVENT_DISABLE_TIMING) return INVALID_HANDLE;
    return cass_note(device, HIP(hipEventElapsedTime, milliseconds, start, stop));
}

int cass_stream_follow(hipStream_t to, hipStream_t from) {
    hipEvent_t event = NULL;
    int result = HIP(hipEventCreateWithFlags, &event, CASS_EVENT_DISABLE_TIMING);
    if (result) return result;
    result = HIP(hipEventRecord, event, from);
    if (!result) result = HIP(hipStreamWaitEvent, to, event, 0);
    (void)HIP(hipEventDestroy, event);
    return result;
}
