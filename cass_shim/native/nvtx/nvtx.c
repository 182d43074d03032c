/* libnvToolsExt.so.1: NVTX of CUDA 10 to 12, with no tool attached. Version 3 is a header and needs
 * no library. Answers are those that nvToolsExt.h names for "no tool": ranges are not tracked,
 * handles are NULL. */
#include <stddef.h>
#include <stdint.h>

enum { NO_PUSH_POP_TRACKING = -2 };

#define EXPORTED(result, name, ...)                                                                \
    __attribute__((visibility("default"))) result name(__VA_ARGS__);                               \
    result name(__VA_ARGS__)
#define UNUSED __attribute__((unused))

/* A call without a result and one parameter, or two. */
#define IGNORED(name)                                                                              \
    EXPORTED(void, name, const void *what UNUSED) {}
#define NAMED(name)                                                                                \
    EXPORTED(void, name, const void *what UNUSED, const void *text UNUSED) {}
#define HANDLE(name)                                                                               \
    EXPORTED(void *, name, const void *domain UNUSED, const void *what UNUSED) { return NULL; }
#define RANGE(name)                                                                                \
    EXPORTED(uint64_t, name, const void *what UNUSED) { return 0; }
#define LEVEL(name)                                                                                \
    EXPORTED(int, name, const void *what UNUSED) { return NO_PUSH_POP_TRACKING; }

IGNORED(nvtxInitialize)
IGNORED(nvtxMarkEx)
IGNORED(nvtxMarkA)
IGNORED(nvtxMarkW)
RANGE(nvtxRangeStartEx)
RANGE(nvtxRangeStartA)
RANGE(nvtxRangeStartW)
EXPORTED(void, nvtxRangeEnd, uint64_t range UNUSED) {}
LEVEL(nvtxRangePushEx)
LEVEL(nvtxRangePushA)
LEVEL(nvtxRangePushW)
EXPORTED(int, nvtxRangePop, void) { return NO_PUSH_POP_TRACKING; }

EXPORTED(void, nvtxNameCategoryA, uint32_t category UNUSED, const char *name UNUSED) {}
EXPORTED(void, nvtxNameCategoryW, uint32_t category UNUSED, const wchar_t *name UNUSED) {}
EXPORTED(void, nvtxNameOsThreadA, uint32_t thread UNUSED, const char *name UNUSED) {}
EXPORTED(void, nvtxNameOsThreadW, uint32_t thread UNUSED, const wchar_t *name UNUSED) {}

EXPORTED(void *, nvtxDomainCreateA, const char *name UNUSED) { return NULL; }
EXPORTED(void *, nvtxDomainCreateW, const wchar_t *name UNUSED) { return NULL; }
IGNORED(nvtxDomainDestroy)
NAMED(nvtxDomainMarkEx)
EXPORTED(uint64_t, nvtxDomainRangeStartEx, const void *domain UNUSED, const void *what UNUSED) {
    return 0;
}
EXPORTED(void, nvtxDomainRangeEnd, const void *domain UNUSED, uint64_t range UNUSED) {}
EXPORTED(int, nvtxDomainRangePushEx, const void *domain UNUSED, const void *what UNUSED) {
    return NO_PUSH_POP_TRACKING;
}
LEVEL(nvtxDomainRangePop)
HANDLE(nvtxDomainResourceCreate)
IGNORED(nvtxDomainResourceDestroy)
EXPORTED(void, nvtxDomainNameCategoryA, const void *domain UNUSED, uint32_t category UNUSED,
         const char *name UNUSED) {}
EXPORTED(void, nvtxDomainNameCategoryW, const void *domain UNUSED, uint32_t category UNUSED,
         const wchar_t *name UNUSED) {}
HANDLE(nvtxDomainRegisterStringA)
HANDLE(nvtxDomainRegisterStringW)

HANDLE(nvtxDomainSyncUserCreate)
IGNORED(nvtxDomainSyncUserDestroy)
IGNORED(nvtxDomainSyncUserAcquireStart)
IGNORED(nvtxDomainSyncUserAcquireFailed)
IGNORED(nvtxDomainSyncUserAcquireSuccess)
IGNORED(nvtxDomainSyncUserReleasing)

EXPORTED(void, nvtxNameCuDeviceA, int device UNUSED, const char *name UNUSED) {}
EXPORTED(void, nvtxNameCuDeviceW, int device UNUSED, const wchar_t *name UNUSED) {}
EXPORTED(void, nvtxNameCudaDeviceA, int device UNUSED, const char *name UNUSED) {}
EXPORTED(void, nvtxNameCudaDeviceW, int device UNUSED, const wchar_t *name UNUSED) {}
NAMED(nvtxNameCuContextA)
NAMED(nvtxNameCuContextW)
NAMED(nvtxNameCuStreamA)
NAMED(nvtxNameCuStreamW)
NAMED(nvtxNameCuEventA)
NAMED(nvtxNameCuEventW)
NAMED(nvtxNameCudaStreamA)
NAMED(nvtxNameCudaStreamW)
NAMED(nvtxNameCudaEventA)
NAMED(nvtxNameCudaEventW)
