// Memory and descriptors of our own given to the calls for external memory.
#include <cuda.h>
#include <cuda_runtime.h>
#include <fcntl.h>
#include <sys/mman.h>
#include "section.h"
static CUdevice dev;
static void start() { CUcontext primary; cuInit(0); cuDeviceGet(&dev, 0); cuDevicePrimaryCtxRetain(&primary, dev); cuCtxSetCurrent(primary); }
static int exported(size_t bytes, CUmemGenericAllocationHandle *h) {
    CUmemAllocationProp p = {}; p.type = CU_MEM_ALLOCATION_TYPE_PINNED; p.location.type = CU_MEM_LOCATION_TYPE_DEVICE; p.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR; int fd = -1;
    SHOW("create", cuMemCreate(h, bytes, &p, 0)); SHOW("export", cuMemExportToShareableHandle(&fd, *h, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0)); return fd;
}
static void vmm_descriptor() {
    start(); size_t bytes = 2 << 20; CUmemGenericAllocationHandle h; int fd = exported(bytes, &h); CUexternalMemory m = 0; CUDA_EXTERNAL_MEMORY_HANDLE_DESC d = {}; d.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD; d.handle.fd = fd; d.size = bytes; SHOW("import", cuImportExternalMemory(&m, &d));
    if (m) { CUdeviceptr p = 0, q = 0; CUDA_EXTERNAL_MEMORY_BUFFER_DESC b = {}; b.size = bytes; SHOW("map", cuExternalMemoryGetMappedBuffer(&p, m, &b)); b.offset = bytes; b.size = 4096; SHOW("beyond", cuExternalMemoryGetMappedBuffer(&q, m, &b)); b.offset = 65536; SHOW("part", cuExternalMemoryGetMappedBuffer(&q, m, &b)); SHOW("set", cuMemsetD32(p, 7, bytes / 4)); int got = 0; SHOW("get", cuMemcpyDtoH(&got, q, 4)); printf("%d\n", got); SHOW("free", cuMemFree(p)); SHOW("free", cuMemFree(q)); SHOW("destroy", cuDestroyExternalMemory(m)); }
    fd = exported(bytes, &h); d.flags = CUDA_EXTERNAL_MEMORY_DEDICATED; d.handle.fd = fd; SHOW("dedicated", cuImportExternalMemory(&m, &d)); d.flags = 0; fd = exported(bytes, &h); d.handle.fd = fd; d.size = 4096; SHOW("smaller", cuImportExternalMemory(&m, &d)); fd = exported(bytes, &h); d.handle.fd = fd; d.size = 4 * bytes; SHOW("larger", cuImportExternalMemory(&m, &d));
}
static void memfd_descriptor() {
    start(); int fd = memfd_create("memory", 0); SHOW("size", ftruncate(fd, 1 << 20)); CUexternalMemory m = 0; CUDA_EXTERNAL_MEMORY_HANDLE_DESC d = {}; d.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD; d.handle.fd = fd; d.size = 1 << 20; SHOW("import", cuImportExternalMemory(&m, &d)); printf("open %d\n", fcntl(fd, F_GETFD) >= 0);
    cudaExternalMemory_t r = 0; cudaExternalMemoryHandleDesc e = {}; e.type = cudaExternalMemoryHandleTypeOpaqueFd; e.handle.fd = fd; e.size = 1 << 20; SHOW("runtime", cudaImportExternalMemory(&r, &e)); SHOW("last", cudaGetLastError());
}
int main() { SECTION(vmm_descriptor); SECTION(memfd_descriptor); return 0; }
