/* Devices, contexts and threads: see state.h. */
#include "driver/state.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "driver/limits.h"
#include "driver/module.h"
#include "shim/call.h"

enum { CONTEXT_MAGIC = 0x43435458, PAGE_BYTES = 4096, NON_BLOCKING = 1 };

cass_device cass_devices[CASS_MAX_DEVICES];
_Atomic int cass_device_count;
_Thread_local cass_thread_state cass_thread;

static pthread_once_t start_once = PTHREAD_ONCE_INIT;
static int start_result;
static _Atomic uint64_t next_context_id = 1;
/* One page that the kernel clears in every child (MADV_WIPEONFORK), however the child was made. */
static _Atomic(volatile int *) owner_page;

int cass_is_forked_child(void) {
    volatile int *page = atomic_load_explicit(&owner_page, memory_order_acquire);
    return page && !*page;
}

static void mark_owner(void) {
    void *page = mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED || madvise(page, PAGE_BYTES, MADV_WIPEONFORK)) return;
    *(volatile int *)page = 1;
    atomic_store_explicit(&owner_page, page, memory_order_release);
}

int cass_launch_blocking;

/* CUDA_VISIBLE_DEVICES that names no device hides all of them, as CUDA has it. */
static int all_hidden(void) {
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");
    return visible && (!*visible || *visible == '-' || !strcmp(visible, "NoDevFiles"));
}

static void start(void) {
    const char *blocking = getenv("CUDA_LAUNCH_BLOCKING");
    cass_launch_blocking = blocking && *blocking == '1';
    mark_owner();
    start_result = all_hidden() ? NO_DEVICE : cass_hip_open();
    if (start_result) return;
    int count = cass_hip.device_count < CASS_MAX_DEVICES ? cass_hip.device_count : CASS_MAX_DEVICES;
    for (int i = 0; i < count; i++) {
        cass_device *device = &cass_devices[i];
        pthread_mutex_init(&device->lock, NULL);
        pthread_mutex_init(&device->heap_lock, NULL);
        device->primary =
            (cass_context){.magic = CONTEXT_MAGIC, .device = i, .primary = 1, .flags = 0};
        device->primary.id = atomic_fetch_add(&next_context_id, 1);
        cass_limits_default(device);
    }
    cass_module_watch_exit();
    cass_shim_mark_initialised();
    atomic_store_explicit(&cass_device_count, count, memory_order_release);
}

int cass_start(void) {
    if (cass_is_forked_child()) return NOT_INITIALIZED;
    if (atomic_load_explicit(&cass_device_count, memory_order_acquire)) return OK;
    pthread_once(&start_once, start);
    return start_result;
}

static int tell_hip(int device) {
    if (cass_thread.hip_device == device + 1) return OK;
    if (cass_thread.in_host_function) return NOT_PERMITTED; /* it would wait for itself */
    int result = HIP(hipSetDevice, device);
    if (!result) cass_thread.hip_device = device + 1;
    return result;
}

/* With no device told, every call comes to tell_hip: the fast path pays nothing for this. */
int cass_host_function_begin(void) {
    int told = cass_thread.hip_device;
    cass_thread.in_host_function++;
    cass_thread.hip_device = 0;
    return told;
}

void cass_host_function_end(int told) {
    cass_thread.in_host_function--;
    cass_thread.hip_device = told;
}

/* The fast path of every call: one load of the owner page, one of the sticky error. */
static int finish_enter(cass_device **out) {
    cass_device *device = &cass_devices[cass_thread.current->device];
    if (out) *out = device;
    if (cass_thread.hip_device != cass_thread.current->device + 1) {
        int result = tell_hip(cass_thread.current->device);
        if (result) return result;
    }
    if (atomic_load_explicit(&device->lost, memory_order_relaxed)) return DEVICES_UNAVAILABLE;
    return atomic_load_explicit(&device->sticky, memory_order_relaxed);
}

int cass_enter(cass_device **out) {
    if (cass_is_forked_child()) return NOT_INITIALIZED;
    if (!cass_thread.current) {
        int result = cass_start();
        if (result) return result;
        cass_context *primary = &cass_devices[cass_thread.device].primary;
        atomic_store(&primary->active, 1);
        cass_thread.current = primary;
    } else if (cass_thread.current->primary) {
        /* the runtime revives a primary context that was reset */
        if (!atomic_load_explicit(&cass_thread.current->active, memory_order_relaxed))
            atomic_store(&cass_thread.current->active, 1);
    } else if (!atomic_load_explicit(&cass_thread.current->active, memory_order_relaxed)) {
        return CONTEXT_DESTROYED;
    }
    return finish_enter(out);
}

int cass_enter_after_fault(cass_device **out) {
    *out = NULL;
    int result = cass_enter(out);
    return result && *out && result == atomic_load(&(*out)->sticky) ? OK : result;
}

int cass_enter_driver(cass_device **out) {
    if (cass_is_forked_child() || !atomic_load(&cass_device_count)) return NOT_INITIALIZED;
    if (!cass_thread.current) return INVALID_CONTEXT;
    if (!atomic_load_explicit(&cass_thread.current->active, memory_order_relaxed))
        return cass_thread.current->primary ? INVALID_CONTEXT : CONTEXT_DESTROYED;
    return finish_enter(out);
}

/* HIP has one code for launches that fail; the emulated device says which of them met a misaligned
 * address (emulator/core.h, EMU_MISALIGNED). */
static int which_failure(int code) {
    enum { FAULT_MISALIGNED = 3, MISALIGNED_ADDRESS = 716 };
    if (code != LAUNCH_FAILURE || !cass_hip.hipCassFaultStatus) return code;
    return (int)cass_hip.hipCassFaultStatus() == FAULT_MISALIGNED ? MISALIGNED_ADDRESS : code;
}

/* Once a fault: which kernel, instruction, wave, lane and address; AMD's library tells nobody. The
 * program gets CUDA's code only. (The length of the text, which the library returns, is no status.)
 */
static void tell_fault(void) {
    char text[512] = "";
    if (!cass_hip.hipCassLastFault) return;
    cass_hip.hipCassLastFault(text, sizeof text);
    if (*text) cass_complain("%s", text);
}

int cass_note_failure(cass_device *device, int code) {
    code = which_failure(code);
    switch (code) {
    case 214: /* uncorrectable memory error */
    case ILLEGAL_ADDRESS:
    case 702: /* launch timeout */
    case ASSERTION:
    case 714: /* stack error, illegal instruction, misaligned, address space, program counter */
    case 715:
    case 716:
    case 717:
    case 718:
    case LAUNCH_FAILURE: {
        int none = OK;
        if (atomic_compare_exchange_strong(&device->sticky, &none, code)) tell_fault();
        return atomic_load(&device->sticky);
    }
    default:
        return code;
    }
}

int cass_set_current(cass_context *context) {
    cass_thread.current = context;
    return context ? tell_hip(context->device) : OK;
}

cass_context *cass_context_of(const void *handle) {
    if (!handle || (uintptr_t)handle % _Alignof(cass_context)) return NULL;
    cass_context *context = (cass_context *)(uintptr_t)handle;
    return context->magic == CONTEXT_MAGIC && (context->primary || context->active) ? context
                                                                                    : NULL;
}

int cass_context_fault(const void *handle) {
    const cass_context *context = handle;
    int known = context && (uintptr_t)handle % _Alignof(cass_context) == 0 &&
                context->magic == CONTEXT_MAGIC;
    return known ? CONTEXT_DESTROYED : INVALID_CONTEXT;
}

cass_context *cass_context_create(int device, unsigned flags) {
    cass_context *context = calloc(1, sizeof *context);
    if (!context) return NULL;
    *context =
        (cass_context){.magic = CONTEXT_MAGIC, .device = device, .flags = flags, .active = 1};
    context->id = atomic_fetch_add(&next_context_id, 1);
    return context;
}

/* The memory stays: other threads may have it current, and then get "context is destroyed". */
int cass_context_destroy(cass_context *context) {
    atomic_store(&context->active, 0);
    return OK;
}

int cass_service_stream(cass_device *device, hipStream_t *stream) {
    *stream = atomic_load_explicit(&device->service, memory_order_acquire);
    if (*stream) return OK;
    pthread_mutex_lock(&device->lock);
    int result = OK;
    *stream = atomic_load(&device->service);
    if (!*stream) {
        result = HIP(hipStreamCreateWithFlags, stream, NON_BLOCKING);
        if (!result) atomic_store_explicit(&device->service, *stream, memory_order_release);
    }
    pthread_mutex_unlock(&device->lock);
    return result;
}
