/* Streams and events: HIP's handles are CUDA's; beside them we keep what HIP does not answer.
 *
 * A handle is looked up (under a lock) where CUDA must refuse a wrong one, never on the launch or
 * copy path. */
#ifndef CASS_STREAM_H
#define CASS_STREAM_H

#include "driver/state.h"

enum { CASS_STREAM_NON_BLOCKING = 1, CASS_LOWEST_PRIORITY = 0, CASS_HIGHEST_PRIORITY = -5 };
enum { CASS_STREAM_POLICY = 1, CASS_STREAM_PRIORITY = 2 }; /* indices of `attributes` */
enum { CASS_EVENT_BLOCKING = 1, CASS_EVENT_DISABLE_TIMING = 2, CASS_EVENT_INTERPROCESS = 4 };

typedef struct {
    unsigned flags;
    int priority, device;
    uint64_t id;
    cass_context *context;
    unsigned char attributes[4][64]; /* access window, synchronisation policy, priority, domain */
} cass_stream_info;

int cass_stream_create(unsigned flags, int priority, hipStream_t *stream);
int cass_stream_destroy(cass_device *device, hipStream_t stream);

/* What is known of a stream (also of the default ones); 400 for a handle that is none. */
int cass_stream_get(hipStream_t stream, cass_stream_info *out);
int cass_stream_set_attribute(hipStream_t stream, int which, const void *value);

int cass_stream_query(cass_device *device, hipStream_t stream);
int cass_stream_synchronize(cass_device *device, hipStream_t stream);
int cass_stream_wait(cass_device *device, hipStream_t stream, hipEvent_t event, unsigned flags);
/* `to` waits for what is in `from` now; the current device is that of `from`. */
int cass_stream_follow(hipStream_t to, hipStream_t from);
/* A host function in the stream, in which no call may be made (CUDA: 800). */
int cass_stream_host_now(hipStream_t stream, hipHostFn_t function, void *user);
int cass_stream_host(cass_device *device, hipStream_t stream, hipHostFn_t function, void *user);

int cass_event_create(unsigned flags, hipEvent_t *event);
/* Takes in an event that another process made. */
int cass_event_adopt(hipEvent_t event);
int cass_event_destroy(hipEvent_t event);
int cass_event_record(cass_device *device, hipEvent_t event, hipStream_t stream, unsigned flags);
int cass_event_query(cass_device *device, hipEvent_t event);
int cass_event_synchronize(cass_device *device, hipEvent_t event);
int cass_event_elapsed(cass_device *device, float *milliseconds, hipEvent_t start, hipEvent_t stop);

/* Streams made in this context, or on the device of a primary one; default streams are not among
 * them. Returns how many there are, and stores as many as fit. */
size_t cass_streams_of(const cass_context *context, hipStream_t *list, size_t room);

/* After a device reset: the device's streams and events are gone. */
void cass_streams_drop(cass_device *device);

#endif
