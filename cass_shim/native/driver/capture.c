/* Stream capture: see capture.h. */
#include "driver/capture.h"

_Atomic int cass_captures;

cass_capture *cass_capture_of(hipStream_t stream) {
    (void)stream;
    return NULL;
}

int cass_capture_kernel(cass_device *device, cass_kernel *kernel, const cass_launch *launch) {
    return cass_launch_now(device, kernel, launch);
}

int cass_capture_collides(void) { return OK; }

int cass_capture_copy(cass_capture *capture, const cass_copy *copy) { (void)capture, (void)copy; return NOT_SUPPORTED; }
int cass_capture_fill(cass_capture *capture, const cass_fill *fill) { (void)capture, (void)fill; return NOT_SUPPORTED; }
int cass_capture_host(cass_capture *capture, hipHostFn_t function, void *user) { (void)capture, (void)function, (void)user; return NOT_SUPPORTED; }

int cass_capture_record(cass_capture *capture, hipEvent_t event, unsigned flags) { (void)capture, (void)event, (void)flags; return NOT_SUPPORTED; }
int cass_capture_wait(hipStream_t stream, hipEvent_t event, unsigned flags, int *taken) { (void)stream, (void)event, (void)flags; *taken = 0; return OK; }
void cass_capture_forget_event(hipEvent_t event) { (void)event; }
int cass_capture_holds_event(hipEvent_t event) { (void)event; return 0; }
int cass_capture_break(hipStream_t stream, int code) { (void)stream; return code; }
void cass_capture_abandon(hipStream_t stream) { (void)stream; }
int cass_capture_malloc(cass_capture *capture, void **pointer, size_t bytes) { (void)capture, (void)pointer, (void)bytes; return NOT_SUPPORTED; }
int cass_capture_free(cass_capture *capture, void *pointer) { (void)capture, (void)pointer; return NOT_SUPPORTED; }
