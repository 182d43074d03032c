// Virtual memory: access, handles of addresses, properties, export and import; pools between processes; multicast.
#include <cuda.h>
#include <cuda_runtime.h>
#include "section.h"

static CUdevice dev;
static CUcontext primary;
static void start() { cuInit(0); cuDeviceGet(&dev, 0); cuDevicePrimaryCtxRetain(&primary, dev); cuCtxSetCurrent(primary); }
static CUmemAllocationProp props(CUmemAllocationHandleType type) { CUmemAllocationProp p = {}; p.type = CU_MEM_ALLOCATION_TYPE_PINNED; p.location.type = CU_MEM_LOCATION_TYPE_DEVICE; p.location.id = 0; p.requestedHandleTypes = type; return p; }

static void mapped() {
    start(); CUmemAllocationProp p = props(CU_MEM_HANDLE_TYPE_NONE), got; size_t grain = 0; CUmemGenericAllocationHandle h, again = 0; CUdeviceptr a = 0; unsigned long long flags = 99; CUmemLocation here = {CU_MEM_LOCATION_TYPE_DEVICE, 0}, host = {CU_MEM_LOCATION_TYPE_HOST, 0}; int v = 42, w = 0;
    SHOW("granularity", cuMemGetAllocationGranularity(&grain, &p, CU_MEM_ALLOC_GRANULARITY_MINIMUM)); printf("%zu\n", grain);
    SHOW("create", cuMemCreate(&h, grain, &p, 0)); SHOW("create_odd", cuMemCreate(&again, 100, &p, 0)); SHOW("create_null", cuMemCreate(nullptr, grain, &p, 0)); SHOW("create_flags", cuMemCreate(&again, grain, &p, 1));
    SHOW("reserve", cuMemAddressReserve(&a, grain * 2, 0, 0, 0)); SHOW("reserve_odd", cuMemAddressReserve(&a + 0, 100, 0, 0, 0)); cuMemAddressReserve(&a, grain * 2, 0, 0, 0);
    SHOW("access_unmapped", cuMemGetAccess(&flags, &here, a)); SHOW("map", cuMemMap(a, grain, 0, h, 0)); SHOW("map_twice", cuMemMap(a, grain, 0, h, 0)); SHOW("access_mapped", cuMemGetAccess(&flags, &here, a)); printf("flags %llu\n", flags);
    CUmemAccessDesc access = {here, CU_MEM_ACCESS_FLAGS_PROT_READWRITE}; SHOW("set", cuMemSetAccess(a, grain, &access, 1)); SHOW("access", cuMemGetAccess(&flags, &here, a)); printf("flags %llu\n", flags); SHOW("access_inside", cuMemGetAccess(&flags, &here, a + 128)); printf("flags %llu\n", flags);
    SHOW("access_host", cuMemGetAccess(&flags, &host, a)); SHOW("access_null", cuMemGetAccess(nullptr, &here, a)); SHOW("access_no_location", cuMemGetAccess(&flags, nullptr, a)); SHOW("access_elsewhere", cuMemGetAccess(&flags, &here, 4096)); CUmemLocation far_away = {CU_MEM_LOCATION_TYPE_DEVICE, 99}; SHOW("access_99", cuMemGetAccess(&flags, &far_away, a));
    SHOW("write", cuMemcpyHtoD(a, &v, 4)); SHOW("read", cuMemcpyDtoH(&w, a, 4)); printf("%d\n", w);
    memset(&got, 0xff, sizeof got); SHOW("properties", cuMemGetAllocationPropertiesFromHandle(&got, h)); printf("type %d handles %d place %d %d compression %d rdma %d usage %d\n", (int)got.type, (int)got.requestedHandleTypes, (int)got.location.type, got.location.id, (int)got.allocFlags.compressionType, (int)got.allocFlags.gpuDirectRDMACapable, (int)got.allocFlags.usage); SHOW("properties_null", cuMemGetAllocationPropertiesFromHandle(nullptr, h)); SHOW("properties_0", cuMemGetAllocationPropertiesFromHandle(&got, 0));
    SHOW("retain", cuMemRetainAllocationHandle(&again, (void *)a)); printf("same %d\n", again == h); SHOW("retain_inside", cuMemRetainAllocationHandle(&again, (void *)(a + 64))); SHOW("retain_unmapped", cuMemRetainAllocationHandle(&again, (void *)(a + grain))); SHOW("retain_null", cuMemRetainAllocationHandle(nullptr, (void *)a)); CUdeviceptr plain; cuMemAlloc(&plain, 64); SHOW("retain_plain", cuMemRetainAllocationHandle(&again, (void *)plain)); SHOW("access_plain", cuMemGetAccess(&flags, &here, plain));
    SHOW("release_1", cuMemRelease(h)); SHOW("release_2", cuMemRelease(h)); SHOW("release_3", cuMemRelease(h)); w = 0; SHOW("read_released", cuMemcpyDtoH(&w, a, 4)); printf("%d\n", w); SHOW("retain_released", cuMemRetainAllocationHandle(&again, (void *)a)); SHOW("release_again", cuMemRelease(again)); SHOW("unmap", cuMemUnmap(a, grain)); SHOW("unmap_again", cuMemUnmap(a, grain)); SHOW("free", cuMemAddressFree(a, grain * 2));
}

static void exported() {
    start(); CUmemAllocationProp p = props(CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR), got; CUmemGenericAllocationHandle h, in = 0; size_t grain; int fd = -1, v = 9, w = 0, supported = -1;
    cuDeviceGetAttribute(&supported, CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED, dev); printf("supported %d\n", supported); cuDeviceGetAttribute(&supported, CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_WIN32_HANDLE_SUPPORTED, dev); printf("win32 %d\n", supported);
    cuMemGetAllocationGranularity(&grain, &p, CU_MEM_ALLOC_GRANULARITY_MINIMUM); SHOW("create", cuMemCreate(&h, grain, &p, 0)); SHOW("export", cuMemExportToShareableHandle(&fd, h, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0)); printf("fd %d\n", fd >= 0);
    SHOW("export_win32", cuMemExportToShareableHandle(&fd + 0, h, CU_MEM_HANDLE_TYPE_WIN32, 0)); SHOW("export_flags", cuMemExportToShareableHandle(&w, h, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 1)); SHOW("export_null", cuMemExportToShareableHandle(nullptr, h, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0)); SHOW("export_0", cuMemExportToShareableHandle(&w, 0, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    SHOW("import", cuMemImportFromShareableHandle(&in, (void *)(uintptr_t)fd, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)); printf("another %d\n", in != h); SHOW("import_bad_fd", cuMemImportFromShareableHandle(&in + 0, (void *)(uintptr_t)500, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)); cuMemImportFromShareableHandle(&in, (void *)(uintptr_t)fd, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR); SHOW("import_stdout", cuMemImportFromShareableHandle(nullptr, (void *)(uintptr_t)1, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)); CUmemGenericAllocationHandle odd; SHOW("import_other_file", cuMemImportFromShareableHandle(&odd, (void *)(uintptr_t)1, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
    memset(&got, 0, sizeof got); SHOW("properties", cuMemGetAllocationPropertiesFromHandle(&got, in)); printf("type %d handles %d place %d %d\n", (int)got.type, (int)got.requestedHandleTypes, (int)got.location.type, got.location.id);
    CUdeviceptr a, b; cuMemAddressReserve(&a, grain, 0, 0, 0); cuMemAddressReserve(&b, grain, 0, 0, 0); CUmemAccessDesc access = {{CU_MEM_LOCATION_TYPE_DEVICE, 0}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE}; cuMemMap(a, grain, 0, h, 0); SHOW("map_imported", cuMemMap(b, grain, 0, in, 0)); cuMemSetAccess(a, grain, &access, 1); cuMemSetAccess(b, grain, &access, 1); cuMemcpyHtoD(a, &v, 4); SHOW("read_imported", cuMemcpyDtoH(&w, b, 4)); printf("%d\n", w);
    CUmemAllocationProp q = props(CU_MEM_HANDLE_TYPE_NONE); CUmemGenericAllocationHandle local; cuMemCreate(&local, grain, &q, 0); SHOW("export_unrequested", cuMemExportToShareableHandle(&fd, local, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
}

static void between_processes() {
    // the child of this section makes and exports; its own child, forked before CUDA was touched, imports
    int to[2], back[2]; if (pipe(to) || pipe(back)) return;
    // the descriptor cannot travel through a pipe: the importer opens the exporter's through pidfd_getfd(2)
    pid_t child = fork();
    if (!child) {
        int said[2]; if (read(to[0], said, sizeof said) != sizeof said) _exit(1);
        int pidfd = (int)syscall(434, said[0], 0), fd = (int)syscall(438, pidfd, said[1], 0);
        start(); CUmemGenericAllocationHandle in; CUdeviceptr a; int w = 0, v = 78; size_t grain = 2 << 20; SHOW("import", cuMemImportFromShareableHandle(&in, (void *)(uintptr_t)fd, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
        cuMemAddressReserve(&a, grain, 0, 0, 0); SHOW("map", cuMemMap(a, grain, 0, in, 0)); CUmemAccessDesc access = {{CU_MEM_LOCATION_TYPE_DEVICE, 0}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE}; cuMemSetAccess(a, grain, &access, 1); SHOW("read", cuMemcpyDtoH(&w, a, 4)); printf("%d\n", w); SHOW("write", cuMemcpyHtoD(a, &v, 4)); fflush(stdout); if (write(back[1], &v, 4) != 4) _exit(1); _exit(0);
    }
    start(); CUmemAllocationProp p = props(CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR); CUmemGenericAllocationHandle h; CUdeviceptr a; size_t grain = 2 << 20; int fd = -1, v = 77, w = 0; cuMemCreate(&h, grain, &p, 0); cuMemAddressReserve(&a, grain, 0, 0, 0); cuMemMap(a, grain, 0, h, 0); CUmemAccessDesc access = {{CU_MEM_LOCATION_TYPE_DEVICE, 0}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE}; cuMemSetAccess(a, grain, &access, 1); cuMemcpyHtoD(a, &v, 4); cuMemExportToShareableHandle(&fd, h, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0);
    int said[2] = {(int)getpid(), fd}; if (write(to[1], said, sizeof said) != sizeof said) return; close(back[1]); if (read(back[0], &v, 4) != 4) printf("no answer\n"); waitpid(child, nullptr, 0); cuMemcpyDtoH(&w, a, 4); printf("changed to %d\n", w);
}

static void pools() {
    start(); CUmemPoolProps p = {}; p.allocType = CU_MEM_ALLOCATION_TYPE_PINNED; p.handleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR; p.location.type = CU_MEM_LOCATION_TYPE_DEVICE; CUmemoryPool pool, plain, in; int fd = -1, handles = -1; cuDeviceGetAttribute(&handles, CU_DEVICE_ATTRIBUTE_MEMPOOL_SUPPORTED_HANDLE_TYPES, dev); printf("handles %d\n", handles);
    SHOW("create", cuMemPoolCreate(&pool, &p)); SHOW("export", cuMemPoolExportToShareableHandle(&fd, pool, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0)); printf("fd %d\n", fd >= 0); SHOW("export_none", cuMemPoolExportToShareableHandle(&fd + 0, pool, CU_MEM_HANDLE_TYPE_NONE, 0)); SHOW("export_null", cuMemPoolExportToShareableHandle(nullptr, pool, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0)); int other; SHOW("export_flags", cuMemPoolExportToShareableHandle(&other, pool, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 4));
    p.handleTypes = CU_MEM_HANDLE_TYPE_NONE; SHOW("create_plain", cuMemPoolCreate(&plain, &p)); SHOW("export_plain", cuMemPoolExportToShareableHandle(&other, plain, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0)); SHOW("import_bad", cuMemPoolImportFromShareableHandle(&in, (void *)(uintptr_t)1, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0)); SHOW("import_closed", cuMemPoolImportFromShareableHandle(&in, (void *)(uintptr_t)500, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0)); SHOW("import_own", cuMemPoolImportFromShareableHandle(&in, (void *)(uintptr_t)fd, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    CUdeviceptr a, b, c; CUmemPoolPtrExportData data; SHOW("alloc", cuMemAllocFromPoolAsync(&a, 4096, pool, 0)); cuStreamSynchronize(0); SHOW("export_pointer", cuMemPoolExportPointer(&data, a)); cuMemAlloc(&b, 64); SHOW("export_foreign", cuMemPoolExportPointer(&data, b)); SHOW("export_pointer_null", cuMemPoolExportPointer(nullptr, a)); cuMemAllocFromPoolAsync(&c, 64, plain, 0); SHOW("export_plain_pointer", cuMemPoolExportPointer(&data, c)); cuMemPoolExportPointer(&data, a); SHOW("import_pointer_into_own", cuMemPoolImportPointer(&c, pool, &data)); SHOW("import_pointer_null", cuMemPoolImportPointer(nullptr, pool, &data)); 
    SHOW("alloc_from_imported", cuMemAllocFromPoolAsync(&c, 64, in, 0));
}

static void pool_between_processes() {
    int to[2], back[2]; if (pipe(to) || pipe(back)) return; struct Said { int pid, fd; CUmemPoolPtrExportData data; } said;
    pid_t child = fork();
    if (!child) {
        if (read(to[0], &said, sizeof said) != (ssize_t)sizeof said) _exit(1); int pidfd = (int)syscall(434, said.pid, 0), fd = (int)syscall(438, pidfd, said.fd, 0), w = 0, v = 22; start(); CUmemoryPool in; CUdeviceptr p; CUmemAccessDesc access = {{CU_MEM_LOCATION_TYPE_DEVICE, 0}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
        SHOW("import", cuMemPoolImportFromShareableHandle(&in, (void *)(uintptr_t)fd, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0)); SHOW("access", cuMemPoolSetAccess(in, &access, 1)); SHOW("pointer", cuMemPoolImportPointer(&p, in, &said.data)); SHOW("read", cuMemcpyDtoH(&w, p, 4)); printf("%d\n", w); SHOW("write", cuMemcpyHtoD(p, &v, 4)); CUdeviceptr q; SHOW("alloc_from_imported", cuMemAllocFromPoolAsync(&q, 64, in, 0)); SHOW("free", cuMemFreeAsync(p, 0)); SHOW("export_imported", cuMemPoolExportToShareableHandle(&fd, in, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0)); fflush(stdout); if (write(back[1], &v, 4) != 4) _exit(1); _exit(0);
    }
    start(); CUmemPoolProps p = {}; p.allocType = CU_MEM_ALLOCATION_TYPE_PINNED; p.handleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR; p.location.type = CU_MEM_LOCATION_TYPE_DEVICE; CUmemoryPool pool; CUdeviceptr a; int fd = -1, v = 21, w = 0; cuMemPoolCreate(&pool, &p); cuMemPoolExportToShareableHandle(&fd, pool, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0); cuMemAllocFromPoolAsync(&a, 4096, pool, 0); cuMemcpyHtoD(a, &v, 4); said.pid = getpid(); said.fd = fd; cuMemPoolExportPointer(&said.data, a);
    if (write(to[1], &said, sizeof said) != (ssize_t)sizeof said) return; close(back[1]); if (read(back[0], &v, 4) != 4) printf("no answer\n"); waitpid(child, nullptr, 0); cuMemcpyDtoH(&w, a, 4); printf("changed to %d\n", w);
}

static void sparse() { start(); CUarrayMapInfo info; memset(&info, 0, sizeof info); int s = -1; cuDeviceGetAttribute(&s, CU_DEVICE_ATTRIBUTE_SPARSE_CUDA_ARRAY_SUPPORTED, dev); printf("sparse %d\n", s); SHOW("null", cuMemMapArrayAsync(nullptr, 1, 0)); SHOW("none", cuMemMapArrayAsync(&info, 0, 0)); SHOW("zeroed", cuMemMapArrayAsync(&info, 1, 0)); }

static void multicast() {
    start(); int s = -1, fabric = -1; cuDeviceGetAttribute(&s, CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED, dev); cuDeviceGetAttribute(&fabric, CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_FABRIC_SUPPORTED, dev); printf("multicast %d fabric %d\n", s, fabric); CUmulticastObjectProp p = {}; p.numDevices = 1; p.size = 2 << 20; size_t grain = 0; CUmemGenericAllocationHandle h = 0;
    SHOW("granularity", cuMulticastGetGranularity(&grain, &p, CU_MULTICAST_GRANULARITY_MINIMUM)); SHOW("granularity_null", cuMulticastGetGranularity(nullptr, &p, CU_MULTICAST_GRANULARITY_MINIMUM)); SHOW("create_1", cuMulticastCreate(&h, &p)); p.numDevices = 2; SHOW("create_2", cuMulticastCreate(&h, &p)); SHOW("create_null", cuMulticastCreate(nullptr, &p)); p.numDevices = 0; SHOW("create_0", cuMulticastCreate(&h, &p)); SHOW("add_0", cuMulticastAddDevice(0, dev)); SHOW("bind_0", cuMulticastBindMem(0, 0, 0, 0, 2 << 20, 0)); SHOW("address_0", cuMulticastBindAddr(0, 0, 0, 2 << 20, 0)); SHOW("unbind_0", cuMulticastUnbind(0, dev, 0, 2 << 20));
    CUmemAllocationProp q = props(CU_MEM_HANDLE_TYPE_FABRIC); CUmemGenericAllocationHandle f; SHOW("fabric", cuMemCreate(&f, 2 << 20, &q, 0));
}

int main() { SECTION(mapped); SECTION(exported); SECTION(between_processes); SECTION(pools); SECTION(pool_between_processes); SECTION(sparse); SECTION(multicast); return 0; }
