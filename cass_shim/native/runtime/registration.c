/* Registration: fatbinaries, host stubs and host variables, keyed by runtime copy and host address.
 *
 * Look-ups take no lock: the table is replaced, never changed in a way a reader could trip over,
 * and old tables stay (they double, so they cost as much again as the last one). */
#include "runtime/runtime.h"

#include <stdlib.h>
#include <string.h>

#include "driver/reference.h"

enum {
    WRAPPER_MAGIC = 0x466243B1,
    FIRST_TABLE = 64,
    KERNEL = 1,
    VARIABLE = 2,
    MANAGED = 3,
    TEXTURE = 4,
    SURFACE = 5
};

typedef struct { /* what nvcc emits as __fatDeviceText; crt/host_runtime.h */
    uint32_t magic, version;
    const void *data;
    const void *list;
} fatbin_wrapper;

typedef struct registration {
    cass_module *module;
    uint32_t caller;
    struct registration *next;
} registration;

typedef struct {
    const void *address;
    uint32_t caller;
    int kind, as_float;          /* as_float: of a texture reference */
    registration *_Atomic owner; /* NULL after unregistration */
    const char *name;
    _Atomic(cass_kernel *) kernel;
    _Atomic int variable; /* index plus one */
} record;

typedef struct {
    size_t size; /* power of two */
    _Atomic(record *) slots[];
} record_table;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(record_table *) table;
static size_t used;
static registration *registrations;

static size_t slot_of(const record_table *in, const void *address, uint32_t caller) {
    uint64_t hash = ((uint64_t)(uintptr_t)address + caller) * 0x9E3779B97F4A7C15u;
    return (size_t)(hash >> 32) & (in->size - 1);
}

static record *find(const void *address, uint32_t caller) {
    record_table *in = atomic_load_explicit(&table, memory_order_acquire);
    if (!in) return NULL;
    for (size_t i = slot_of(in, address, caller);; i = (i + 1) & (in->size - 1)) {
        record *at = atomic_load_explicit(&in->slots[i], memory_order_acquire);
        if (!at) return NULL;
        if (at->address == address && at->caller == caller) return at;
    }
}

static void insert(record_table *into, record *one) {
    size_t i = slot_of(into, one->address, one->caller);
    while (atomic_load(&into->slots[i])) i = (i + 1) & (into->size - 1);
    atomic_store_explicit(&into->slots[i], one, memory_order_release);
}

/* Room for one more; the caller holds the lock. */
static int grow(void) {
    record_table *old = table;
    if (old && used * 2 < old->size) return 1;
    size_t size = old ? old->size * 2 : FIRST_TABLE;
    record_table *made = calloc(1, sizeof *made + size * sizeof(made->slots[0]));
    if (!made) return 0;
    made->size = size;
    for (size_t i = 0; old && i < old->size; i++)
        if (old->slots[i]) insert(made, old->slots[i]);
    atomic_store_explicit(&table, made, memory_order_release);
    return 1;
}

static void add(void **handle, const void *address, const char *name, int kind, int as_float) {
    registration *owner = (registration *)(void *)handle;
    if (!owner || !address) return;
    pthread_mutex_lock(&lock);
    record *one = find(address, owner->caller); /* the object was unloaded and loaded again */
    if (!one && grow() && (one = calloc(1, sizeof *one))) {
        one->address = address;
        one->caller = owner->caller;
        used++;
        insert(table, one);
    }
    if (one) {
        atomic_store(&one->kernel, NULL);
        atomic_store(&one->variable, 0);
        one->kind = kind;
        one->as_float = as_float;
        one->name = name;
        atomic_store_explicit(&one->owner, owner, memory_order_release);
    }
    pthread_mutex_unlock(&lock);
}

void **cass___cudaRegisterFatBinary(void *fatCubin) {
    const fatbin_wrapper *wrapper = fatCubin;
    registration *made = calloc(1, sizeof *made);
    if (!made || !wrapper || wrapper->magic != WRAPPER_MAGIC || !wrapper->data) {
        cass_complain("a fatbinary is registered whose wrapper is not CUDA's");
        return (void **)(void *)made;
    }
    made->module = cass_module_create(wrapper->data, cass_image_bytes(wrapper->data), 0);
    made->caller = cass_caller_now()->id;
    pthread_mutex_lock(&lock);
    made->next = registrations;
    registrations = made;
    pthread_mutex_unlock(&lock);
    return (void **)(void *)made;
}

void cass___cudaRegisterFatBinaryEnd(void **fatCubinHandle) { (void)fatCubinHandle; }

/* Forgets what `gone` registered; the caller holds the lock. */
static void disown(const registration *gone) {
    record_table *in = table;
    for (size_t i = 0; in && i < in->size; i++) {
        record *at = in->slots[i];
        if (at && at->owner == gone) atomic_store(&at->owner, NULL);
    }
}

static int unlink_registration(registration *gone) {
    for (registration **link = &registrations; *link; link = &(*link)->next)
        if (*link == gone) {
            *link = gone->next;
            return 1;
        }
    return 0;
}

/* At exit the device library may already be shut down: the module's memory is only given back while
 * it lives. */
void cass___cudaUnregisterFatBinary(void **fatCubinHandle) {
    registration *gone = (registration *)(void *)fatCubinHandle;
    if (!gone) return;
    pthread_mutex_lock(&lock);
    int known = unlink_registration(gone);
    if (known) disown(gone);
    pthread_mutex_unlock(&lock);
    if (!known) return;
    if (gone->module) cass_module_retire(gone->module);
    free(gone);
}

void cass_runtime_copy_gone(const cass_caller *caller) {
    for (;;) {
        pthread_mutex_lock(&lock);
        registration *at = registrations;
        while (at && at->caller != caller->id) at = at->next;
        if (at && unlink_registration(at)) disown(at);
        pthread_mutex_unlock(&lock);
        if (!at) return;
        if (at->module) cass_module_retire(at->module);
        free(at);
    }
}

void cass___cudaRegisterFunction(void **fatCubinHandle, const char *hostFun, char *deviceFun,
                                 const char *deviceName, int thread_limit, uint3 *tid, uint3 *bid,
                                 dim3 *bDim, dim3 *gDim, int *wSize) {
    (void)deviceFun, (void)thread_limit, (void)tid, (void)bid, (void)bDim, (void)gDim, (void)wSize;
    add(fatCubinHandle, hostFun, deviceName, KERNEL, 0);
}

void cass___cudaRegisterVar(void **fatCubinHandle, char *hostVar, char *deviceAddress,
                            const char *deviceName, int ext, size_t size, int constant,
                            int global) {
    (void)deviceAddress, (void)ext, (void)size, (void)constant, (void)global;
    add(fatCubinHandle, hostVar, deviceName, VARIABLE, 0);
}

void cass___cudaRegisterManagedVar(void **fatCubinHandle, void **hostVarPtrAddress,
                                   char *deviceAddress, const char *deviceName, int ext,
                                   size_t size, int constant, int global) {
    (void)deviceAddress, (void)ext, (void)size, (void)constant, (void)global;
    add(fatCubinHandle, hostVarPtrAddress, deviceName, MANAGED, 0);
}

void cass___cudaRegisterHostVar(void **fatCubinHandle, const char *deviceName, char *hostVar,
                                size_t size) {
    (void)size;
    add(fatCubinHandle, hostVar, deviceName, VARIABLE, 0);
}

void cass___cudaRegisterTexture(void **fatCubinHandle, const struct textureReference *hostVar,
                                const void **deviceAddress, const char *deviceName, int dim,
                                int norm, int ext) {
    (void)deviceAddress, (void)dim, (void)ext;
    add(fatCubinHandle, hostVar, deviceName, TEXTURE, norm != 0);
}

void cass___cudaRegisterSurface(void **fatCubinHandle, const struct surfaceReference *hostVar,
                                const void **deviceAddress, const char *deviceName, int dim,
                                int ext) {
    (void)deviceAddress, (void)dim, (void)ext;
    add(fatCubinHandle, hostVar, deviceName, SURFACE, 0);
}

static int resolve_variable(record *at, registration *owner, int *variable) {
    *variable = atomic_load_explicit(&at->variable, memory_order_acquire) - 1;
    int result = cass_module_prepare(owner->module);
    if (result) return result;
    if (*variable < 0) {
        *variable = cass_module_variable(owner->module, at->name);
        if (*variable < 0) return INVALID_SYMBOL;
        atomic_store_explicit(&at->variable, *variable + 1, memory_order_release);
    }
    return OK;
}

int cass_find_variable(const void *symbol, cass_module **module, int *variable) {
    if (!symbol) return INVALID_SYMBOL;
    record *at = find(symbol, cass_caller_now()->id);
    registration *owner = at ? atomic_load_explicit(&at->owner, memory_order_acquire) : NULL;
    if (!owner || (at->kind != VARIABLE && at->kind != MANAGED) || !owner->module)
        return INVALID_SYMBOL;
    *module = owner->module;
    return resolve_variable(at, owner, variable);
}

int cass_find_reference(const void *host, int surface, cass_reference **reference, int *as_float) {
    const int unknown = surface ? cudaErrorInvalidSurface : cudaErrorInvalidTexture;
    record *at = host ? find(host, cass_caller_now()->id) : NULL;
    registration *owner = at ? atomic_load_explicit(&at->owner, memory_order_acquire) : NULL;
    if (!owner || at->kind != (surface ? SURFACE : TEXTURE) || !owner->module) return unknown;
    int result = cass_module_prepare(owner->module);
    if (!result) result = cass_reference_find(owner->module, at->name, surface, reference);
    *as_float = at->as_float;
    return result == SYMBOL_NOT_FOUND ? unknown : result;
}

static int resolve_kernel(record *at, registration *owner, cass_kernel **kernel) {
    int result = cass_module_prepare(owner->module);
    if (result) return result;
    *kernel = cass_module_kernel(owner->module, at->name);
    if (!*kernel) {
        cass_complain("%s: its module has no kernel of that name", at->name);
        return INVALID_FUNCTION;
    }
    atomic_store_explicit(&at->kernel, *kernel, memory_order_release);
    return OK;
}

int cass_find_kernel(const void *function, cass_kernel **kernel) {
    if (!function) return INVALID_FUNCTION;
    record *at = find(function, cass_caller_now()->id);
    registration *owner = at ? atomic_load_explicit(&at->owner, memory_order_acquire) : NULL;
    if (owner && at->kind == KERNEL && owner->module) {
        *kernel = atomic_load_explicit(&at->kernel, memory_order_acquire);
        return *kernel ? OK : resolve_kernel(at, owner, kernel);
    }
    *kernel = cass_kernel_find(function); /* a cudaKernel_t in place of a stub's address */
    if (*kernel) return OK;
    return cass_caller_is_13() ? INVALID_HANDLE : INVALID_FUNCTION; /* recorded with 13.0 */
}

const void *cass_kernel_stub(const cass_kernel *kernel) {
    const uint32_t caller = cass_caller_now()->id;
    record_table *in = atomic_load_explicit(&table, memory_order_acquire);
    for (size_t i = 0; in && i < in->size; i++) {
        record *at = atomic_load_explicit(&in->slots[i], memory_order_acquire);
        if (at && at->kind == KERNEL && at->caller == caller &&
            atomic_load_explicit(&at->owner, memory_order_acquire) &&
            atomic_load_explicit(&at->kernel, memory_order_acquire) == kernel)
            return at->address;
    }
    return NULL;
}

/* Gives host code the addresses of a module's managed variables; 1 when done. */
char cass___cudaInitModule(void **fatCubinHandle) {
    registration *owner = (registration *)(void *)fatCubinHandle;
    cass_device *device;
    if (!owner || !owner->module || cass_enter(&device) || cass_module_prepare(owner->module))
        return 0;
    record_table *in = atomic_load_explicit(&table, memory_order_acquire);
    for (size_t i = 0; in && i < in->size; i++) {
        record *at = atomic_load_explicit(&in->slots[i], memory_order_acquire);
        int variable;
        if (!at || at->owner != owner || at->kind != MANAGED) continue;
        if (resolve_variable(at, owner, &variable) ||
            cass_variable_address(owner->module, variable, device, (void **)(uintptr_t)at->address,
                                  NULL))
            return 0;
    }
    return 1;
}
