/* Initialisation, settings, the guards around every exported call, and the registry of live
 * handles. */
#include "emulator/hip_state.h"
#include "emulator/hip_calls.h"
#include "emulator/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

_Thread_local emu_thread emu_me;
emu_device emu_devices[EMU_MAX_DEVICES];
emu_settings emu_config;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static _Atomic int state; /* 0 not started, 1 ready, 2 failed, 3 forked */

uint64_t emu_now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t emu_setting(const char *name, uint64_t fallback) {
    const char *text = getenv(name);
    if (!text || !*text) return fallback;
    char *end;
    uint64_t value = strtoull(text, &end, 0);
    if (end == text) return fallback;
    static const char units[] = "KMG";
    const char *unit = *end ? strchr(units, *end & ~0x20) : NULL;
    return unit ? value << (10 * (unit - units + 1)) : value;
}

/* The board's 24 GiB, or less where the machine could not back them. */
static uint64_t default_memory(void) {
    uint64_t machine = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t share = machine / 4 * 3, board = 24ull << 30;
    return share < board ? share & ~0xfffffull : board;
}

static uint64_t limit_of(__rlimit_resource_t which) {
    struct rlimit limit;
    if (getrlimit(which, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return UINT64_MAX;
    return limit.rlim_cur;
}

/* Where the process may use little address space (daemon workers run under RLIMIT_AS), the range
 * takes a quarter; where it may have little data (RLIMIT_DATA), the range's map, a byte a page,
 * takes an eighth. */
static uint64_t arena_limit(void) {
    uint64_t space = limit_of(RLIMIT_AS) / 4, data = limit_of(RLIMIT_DATA) / 8;
    return data < space / EMU_PAGE ? data * EMU_PAGE : space;
}

static void read_settings(void) {
    uint64_t devices = emu_setting("CASS_EMU_DEVICES", 1), units = emu_setting("CASS_EMU_CUS", 48);
    emu_config.device_count = devices > EMU_MAX_DEVICES ? EMU_MAX_DEVICES : (int)devices;
    emu_config.compute_units = units < 1 || units > 4096 ? 48 : (int)units;
    emu_config.memory_bytes = emu_setting("CASS_EMU_MEMORY", default_memory());
    uint64_t arena = emu_setting("CASS_EMU_ARENA", 256ull << 30), limit = arena_limit();
    emu_config.arena_bytes = (arena < limit ? arena : limit) & ~(uint64_t)(EMU_PAGE - 1);
    emu_config.most_instructions = emu_setting("CASS_EMU_LIMIT", 0);
    emu_config.instruction_limit = emu_config.most_instructions;
    emu_config.strict = emu_setting("CASS_EMU_STRICT", 0) != 0;
    emu_config.check = emu_setting("CASS_EMU_CHECK", 0) != 0;
    emu_config.count = getenv("CASS_EMU_COUNT") != NULL;
}

static void forked(void) { atomic_store(&state, 3); }

static void start(void) {
    read_settings();
    if (!emu_memory_start()) {
        atomic_store(&state, 2);
        return;
    }
    if (emu_config.memory_bytes > emu_space.size / 4 * 3)
        emu_config.memory_bytes = emu_space.size / 4 * 3;
    for (int i = 0; i < EMU_MAX_DEVICES; i++) {
        emu_device *device = &emu_devices[i];
        device->ordinal = i;
        device->limits[hipLimitStackSize] = 1024;
        device->limits[hipLimitPrintfFifoSize] = 1u << 20;
        device->limits[hipLimitMallocHeapSize] = 8u << 20;
        pthread_mutex_init(&device->fault_lock, NULL);
    }
    pthread_atfork(NULL, NULL, forked);
    atomic_store(&state, 1);
}

bool emu_after_fork(void) { return atomic_load(&state) == 3; }

static hipError_t ready(void) {
    if (atomic_load_explicit(&state, memory_order_acquire) == 1) return hipSuccess;
    if (!emu_after_fork()) pthread_once(&once, start);
    switch (atomic_load(&state)) {
    case 1:
        return hipSuccess;
    case 3:
        return emu_fail(hipErrorNotInitialized,
                        "this process was forked from one that used the device");
    default:
        return emu_fail(hipErrorOutOfMemory,
                        "no address space for device memory (ulimit -v, ulimit -d, or "
                        "CASS_EMU_ARENA)");
    }
}

hipError_t emu_enter(emu_guard guard, int per_thread_default) {
    emu_me.per_thread_default = per_thread_default != 0;
    if (guard == EMU_GUARD_NONE) return hipSuccess;
    hipError_t error = ready();
    if (error) return error;
    if (emu_config.device_count == 0) return hipErrorNoDevice;
    if (guard == EMU_GUARD_HOST) return hipSuccess;
    return (hipError_t)atomic_load(&emu_current()->fault);
}

hipError_t emu_leave(hipError_t error) {
    if (error != hipSuccess && error != hipErrorNotReady) emu_me.last = error;
    return error;
}

hipError_t emu_leave_peek(hipError_t error) { return error; }

hipError_t emu_fail(hipError_t error, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(emu_me.reason, sizeof emu_me.reason, format, arguments);
    va_end(arguments);
    return error;
}

hipError_t emu_not_supported(const char *name) {
    return emu_fail(hipErrorNotSupported, "%s is not supported by the emulated device", name);
}

void emu_device_fault(emu_device *device, hipError_t error, const char *text) {
    pthread_mutex_lock(&device->fault_lock);
    if (atomic_load(&device->fault) == hipSuccess) {
        snprintf(device->fault_text, sizeof device->fault_text, "%s", text);
        atomic_store(&device->fault, (int)error);
    }
    pthread_mutex_unlock(&device->fault_lock);
}

size_t emu_hipCassLastFault(char *text, size_t bytes) {
    emu_device *device = emu_current();
    const char *reason = emu_me.reason;
    int fault = atomic_load(&device->fault);
    char copy[EMU_REASON_BYTES];
    if (fault) {
        pthread_mutex_lock(&device->fault_lock);
        memcpy(copy, device->fault_text, sizeof copy);
        pthread_mutex_unlock(&device->fault_lock);
        reason = copy;
    }
    if (text && bytes) snprintf(text, bytes, "%s", reason);
    return strlen(reason);
}

/* Open-addressed table of (handle, kind); a removed slot keeps key 1 so that probing goes on past
 * it. The first is no allocation, so that a program short of memory has handles at all. */
typedef struct {
    uint64_t handle;
    emu_handle_kind kind;
} handle_slot;
enum { FIRST_SLOTS = 256 };
static handle_slot first_slots[FIRST_SLOTS], *table = first_slots;
static size_t table_size = FIRST_SLOTS, table_used;
static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;

static size_t slot_of(uint64_t handle) {
    return (size_t)((handle >> 4) * 0x9e3779b97f4a7c15ull >> 20) & (table_size - 1);
}

static void place(uint64_t handle, emu_handle_kind kind) {
    size_t at = slot_of(handle);
    while (table[at].handle > 1) at = (at + 1) & (table_size - 1);
    table_used += table[at].handle == 0;
    table[at].handle = handle;
    table[at].kind = kind;
}

/* Stays as it is when memory is out: it then fills further. */
static void grow_table(void) {
    size_t old_size = table_size, live = 0, size = FIRST_SLOTS;
    handle_slot *old = table;
    for (size_t i = 0; i < old_size; i++) live += old[i].handle > 1;
    while (size < live * 4) size *= 2;
    handle_slot *larger = calloc(size, sizeof *larger);
    if (!larger) return;
    table = larger;
    table_size = size;
    table_used = 0;
    for (size_t i = 0; i < old_size; i++)
        if (old[i].handle > 1) place(old[i].handle, old[i].kind);
    if (old != first_slots) free(old);
}

/* Without memory and with a full table the handle stays unknown: its use is refused as that of no
 * live object. One slot stays empty, where probing ends. */
void emu_handle_add(const void *handle, emu_handle_kind kind) {
    pthread_mutex_lock(&table_lock);
    if ((table_used + 1) * 2 > table_size) grow_table();
    if (table_used + 1 < table_size) place((uint64_t)handle, kind);
    pthread_mutex_unlock(&table_lock);
}

static size_t find_slot(uint64_t handle, emu_handle_kind kind) {
    if (handle <= 1) return SIZE_MAX;
    for (size_t at = slot_of(handle); table[at].handle; at = (at + 1) & (table_size - 1))
        if (table[at].handle == handle && table[at].kind == kind) return at;
    return SIZE_MAX;
}

bool emu_handle_is(const void *handle, emu_handle_kind kind) {
    pthread_mutex_lock(&table_lock);
    bool found = find_slot((uint64_t)handle, kind) != SIZE_MAX;
    pthread_mutex_unlock(&table_lock);
    return found;
}

bool emu_handle_remove(const void *handle, emu_handle_kind kind) {
    pthread_mutex_lock(&table_lock);
    size_t at = find_slot((uint64_t)handle, kind);
    if (at != SIZE_MAX) table[at].handle = 1;
    pthread_mutex_unlock(&table_lock);
    return at != SIZE_MAX;
}
