/* The door to the device: the HIP calls that we use, and the one table through which all of them
 * go.
 *
 * In: nothing. Out: cass_hip, filled by cass_hip_open() from AMD's or the emulated libamdhip64.so.
 * Declarations are facts of the HIP 6..10 API (hip_runtime_api.h of those releases); only what we
 * call is here. Functions that a library may lack are NULL in the table: call them with
 * HIP_OPTIONAL. */
#ifndef CASS_HIP_H
#define CASS_HIP_H

#include <stddef.h>
#include <stdint.h>

typedef int hipError_t;
typedef void *hipDeviceptr_t;
typedef struct ihipStream_t *hipStream_t;
typedef struct ihipEvent_t *hipEvent_t;
typedef struct ihipModule_t *hipModule_t;
typedef struct ihipModuleSymbol_t *hipFunction_t;
typedef struct ihipMemPoolHandle_t *hipMemPool_t;
typedef struct ihipMemGenericAllocationHandle *hipMemGenericAllocationHandle_t;
typedef void (*hipHostFn_t)(void *user);
typedef void (*hipStreamCallback_t)(hipStream_t stream, hipError_t status, void *user);

#define HIP_STREAM_LEGACY ((hipStream_t)1)
#define HIP_STREAM_PER_THREAD ((hipStream_t)2)
#define HIP_LAUNCH_BUFFER_POINTER ((void *)1)
#define HIP_LAUNCH_BUFFER_SIZE ((void *)2)
#define HIP_LAUNCH_END ((void *)3)

enum { /* hipMemcpyKind */
       HIP_COPY_HOST_TO_HOST = 0,
       HIP_COPY_HOST_TO_DEVICE = 1,
       HIP_COPY_DEVICE_TO_HOST = 2,
       HIP_COPY_DEVICE_TO_DEVICE = 3,
       HIP_COPY_DEFAULT = 4
};

enum { /* hipDeviceAttribute_t since HIP 6; HIP 5 numbers differ and are refused by version */
       HIP_ATTRIBUTE_CLOCK_RATE = 5,
       HIP_ATTRIBUTE_INTEGRATED = 16,
       HIP_ATTRIBUTE_L2_CACHE_SIZE = 19,
       HIP_ATTRIBUTE_MAX_BLOCK_DIM_X = 26,
       HIP_ATTRIBUTE_MAX_GRID_DIM_X = 29,
       HIP_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 56,
       HIP_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR = 57,
       HIP_ATTRIBUTE_MEMORY_BUS_WIDTH = 59,
       HIP_ATTRIBUTE_MEMORY_CLOCK_RATE = 60,
       HIP_ATTRIBUTE_MULTIPROCESSOR_COUNT = 63,
       HIP_ATTRIBUTE_PCI_BUS_ID = 67,
       HIP_ATTRIBUTE_PCI_DEVICE_ID = 68,
       HIP_ATTRIBUTE_PCI_DOMAIN_ID = 69,
       HIP_ATTRIBUTE_MAX_SHARED_PER_BLOCK = 74,
       HIP_ATTRIBUTE_WARP_SIZE = 87,
       HIP_ATTRIBUTE_MEMORY_POOLS = 88,
       HIP_ATTRIBUTE_VIRTUAL_MEMORY = 89,
       HIP_ATTRIBUTE_WALL_CLOCK_RATE = 10017
};

enum { /* hipFunction_attribute */
       HIP_FUNCTION_MAX_THREADS = 0,
       HIP_FUNCTION_SHARED_BYTES = 1,
       HIP_FUNCTION_LOCAL_BYTES = 3,
       HIP_FUNCTION_REGISTERS = 4
};

enum { HIP_LIMIT_STACK = 0, HIP_LIMIT_PRINTF = 1, HIP_LIMIT_HEAP = 2 };
enum {
    HIP_MEMORY_UNREGISTERED = 0,
    HIP_MEMORY_HOST = 1,
    HIP_MEMORY_DEVICE = 2,
    HIP_MEMORY_MANAGED = 3
};

typedef struct { /* hipPointerAttribute_t */
    int type;
    int device;
    void *device_pointer;
    void *host_pointer;
    int managed;
    unsigned allocation_flags;
} hipPointerAttribute_t;

typedef struct { /* hipMemLocation */
    int type, id;
} hipMemLocation;

typedef struct { /* hipMemPoolProps */
    int allocation_type, handle_types;
    hipMemLocation location;
    void *win32_security;
    size_t max_bytes;
    unsigned char reserved[56];
} hipMemPoolProps;

typedef struct { /* hipMemAllocationProp */
    int type, handle_type;
    hipMemLocation location;
    void *win32_meta;
    struct {
        unsigned char compression, rdma_capable;
        unsigned short usage;
    } flags;
} hipMemAllocationProp;

typedef struct { /* hipMemAccessDesc */
    hipMemLocation location;
    int flags;
} hipMemAccessDesc;

typedef void *hipExternalMemory_t;

typedef struct { /* hipExternalMemoryHandleDesc */
    int type;
    union {
        int fd;
        void *win32[2];
    } handle;
    unsigned long long bytes;
    unsigned flags, reserved[16];
} hipExternalMemoryHandleDesc;

typedef struct { /* hipExternalMemoryBufferDesc */
    unsigned long long offset, bytes;
    unsigned flags, reserved[16];
} hipExternalMemoryBufferDesc;

typedef struct {
    char reserved[64];
} hipIpcMemHandle_t, hipIpcEventHandle_t;

typedef struct {
    char bytes[16];
} hipUUID;

#include "hip/functions.inc"

/* One member per row of functions.inc. */
typedef struct {
#define HIP_FUNCTION(name, ...) hipError_t (*name)(__VA_ARGS__);
    HIP_FUNCTIONS(HIP_FUNCTION, HIP_FUNCTION)
#undef HIP_FUNCTION
    int emulated;       /* the library is ours */
    int device_count;   /* after hipInit */
    char library[1024]; /* what was opened, for messages */
} cass_hip_table;

extern cass_hip_table cass_hip;

/* Opens the library once per process; 0 or a CUDA error code (35 no library, 100 no device) after
 * one line on stderr. Thread-safe; later calls return the first answer. May block while the library
 * starts. */
int cass_hip_open(void);

/* The CUDA code for a HIP status, in the runtime's numbering; codes that CUDA lacks become 999. */
int cass_hip_error(hipError_t status);

/* Writes one line to stderr with the prefix "cass: ", without stdio; keeps errno. */
__attribute__((format(printf, 1, 2))) void cass_complain(const char *format, ...);

static inline int cass_hip_result(hipError_t status) { return status ? cass_hip_error(status) : 0; }

/* Calls a required row and maps its status. */
#define HIP(name, ...) cass_hip_result(cass_hip.name(__VA_ARGS__))
/* Calls an optional row; 801 (not supported) where the library lacks it. */
#define HIP_OPTIONAL(name, ...) (cass_hip.name ? cass_hip_result(cass_hip.name(__VA_ARGS__)) : 801)

#endif
