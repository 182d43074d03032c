// Memory that this process exported, imported again as external memory.
#include <cuda.h>
#include <cuda_runtime.h>
#include <fcntl.h>
#include "section.h"
static CUdevice dev;
static const size_t BYTES = 4 << 20;
static void start() { CUcontext primary; cuInit(0); cuDeviceGet(&dev, 0); cuDevicePrimaryCtxRetain(&primary, dev); cuCtxSetCurrent(primary); }
static int exported(CUmemGenericAllocationHandle *h) {
    CUmemAllocationProp p = {}; p.type = CU_MEM_ALLOCATION_TYPE_PINNED; p.location.type = CU_MEM_LOCATION_TYPE_DEVICE; p.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR; int fd = -1;
    if (cuMemCreate(h, BYTES, &p, 0) || cuMemExportToShareableHandle(&fd, *h, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0)) printf("not exported\n"); return fd;
}
static CUresult import(CUexternalMemory *m, int fd, size_t bytes, unsigned flags) { CUDA_EXTERNAL_MEMORY_HANDLE_DESC d = {}; d.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD; d.handle.fd = fd; d.size = bytes; d.flags = flags; return cuImportExternalMemory(m, &d); }
static CUresult buffer(CUdeviceptr *p, CUexternalMemory m, size_t offset, size_t bytes, unsigned flags) { CUDA_EXTERNAL_MEMORY_BUFFER_DESC b = {}; b.offset = offset; b.size = bytes; b.flags = flags; return cuExternalMemoryGetMappedBuffer(p, m, &b); }
__global__ void fill(int *p, int n, int v) { for (int i = threadIdx.x; i < n; i += blockDim.x) p[i] = v + i; }
static void shared() {
    start(); CUmemGenericAllocationHandle h; int fd = exported(&h); CUexternalMemory m = 0; CUdeviceptr a, p = 0, q = 0, r = 0; CUmemAccessDesc access = {{CU_MEM_LOCATION_TYPE_DEVICE, 0}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE}; int got = 0, v = 17;
    cuMemAddressReserve(&a, BYTES, 0, 0, 0); cuMemMap(a, BYTES, 0, h, 0); cuMemSetAccess(a, BYTES, &access, 1); cuMemcpyHtoD(a + 4096, &v, 4);
    SHOW("import", import(&m, fd, BYTES, 0)); printf("open %d\n", fcntl(fd, F_GETFD) >= 0); SHOW("map", buffer(&p, m, 0, BYTES, 0)); SHOW("again", buffer(&q, m, 0, BYTES, 0)); printf("same %d\n", p == q); SHOW("inside", buffer(&r, m, 4096, 100, 0)); SHOW("get", cuMemcpyDtoH(&got, r, 4)); printf("%d\n", got);
    fill<<<1, 64>>>((int *)p, 1 << 20, 5); SHOW("kernel", cuCtxSynchronize()); SHOW("get", cuMemcpyDtoH(&got, a + BYTES - 4, 4)); printf("%d\n", got);
    unsigned type = 99; int ordinal = 99, managed = 99; CUdeviceptr base = 0; size_t size = 0; SHOW("type", cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p)); printf("%u\n", type); SHOW("ordinal", cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, p)); printf("%d\n", ordinal); SHOW("managed", cuPointerGetAttribute(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, p)); printf("%d\n", managed);
    SHOW("range", cuMemGetAddressRange(&base, &size, p + 64)); printf("%d %zu\n", base == p, size); SHOW("range_inside", cuMemGetAddressRange(&base, &size, r + 10)); printf("%d %d %zu\n", base == r, base == p, size);
    SHOW("free_inside", cuMemFree(r)); SHOW("free_again", cuMemFree(r)); SHOW("free", cuMemFree(q)); SHOW("destroy", cuDestroyExternalMemory(m)); SHOW("get_destroyed", cuMemcpyDtoH(&got, p, 4)); printf("%d\n", got); SHOW("unmap", cuMemUnmap(a, BYTES)); SHOW("release", cuMemRelease(h)); SHOW("get_released", cuMemcpyDtoH(&got, p, 4)); printf("%d\n", got); SHOW("free_destroyed", cuMemFree(p));
}
static void bounds() {
    start(); CUmemGenericAllocationHandle h; CUexternalMemory m = 0; CUdeviceptr p = 0; CUDA_EXTERNAL_MEMORY_BUFFER_DESC b = {};
    SHOW("import", import(&m, exported(&h), BYTES, 0)); SHOW("size_0", buffer(&p, m, 0, 0, 0)); SHOW("flags", buffer(&p, m, 0, 4096, 1)); SHOW("one_more", buffer(&p, m, 0, BYTES + 1, 0)); SHOW("end", buffer(&p, m, BYTES - 4, 4, 0)); SHOW("past", buffer(&p, m, BYTES - 4, 8, 0)); SHOW("odd", buffer(&p, m, 3, 5, 0)); SHOW("huge", buffer(&p, m, ~0ull - 3, 8, 0)); b.size = 64; b.reserved[3] = 1; SHOW("reserved", cuExternalMemoryGetMappedBuffer(&p, m, &b)); SHOW("no_pointer", buffer(nullptr, m, 0, 64, 0)); SHOW("no_desc", cuExternalMemoryGetMappedBuffer(&p, m, nullptr));
    SHOW("smaller", import(&m, exported(&h), 4096, 0)); SHOW("in_smaller", buffer(&p, m, 0, 4096, 0)); SHOW("beyond_smaller", buffer(&p, m, 4096, 4096, 0)); SHOW("larger", import(&m, exported(&h), 4 * BYTES, 0)); SHOW("in_larger", buffer(&p, m, 0, BYTES, 0)); SHOW("beyond_larger", buffer(&p, m, BYTES, 4096, 0)); SHOW("all_larger", buffer(&p, m, 0, 4 * BYTES, 0)); SHOW("odd_size", import(&m, exported(&h), 1000, 0)); SHOW("in_odd", buffer(&p, m, 0, 1000, 0)); SHOW("beyond_odd", buffer(&p, m, 0, 1001, 0));
    SHOW("dedicated", import(&m, exported(&h), BYTES, 1)); SHOW("in_dedicated", buffer(&p, m, 0, BYTES, 0)); SHOW("part_dedicated", buffer(&p, m, 65536, 4096, 0)); int fd = exported(&h), twin = dup(fd); SHOW("first", import(&m, fd, BYTES, 0)); SHOW("second", import(&m, twin, BYTES, 0)); fd = exported(&h); cuMemRelease(h); SHOW("released", import(&m, fd, BYTES, 0)); SHOW("in_released", buffer(&p, m, 0, BYTES, 0)); SHOW("set", cuMemsetD8(p, 1, BYTES));
    SHOW("destroy", cuDestroyExternalMemory(m));
}
static void runtime() {
    start(); cudaSetDevice(0); CUmemGenericAllocationHandle h; int fd = exported(&h), got = 0; cudaExternalMemory_t m = 0; cudaExternalMemoryHandleDesc d = {}; d.type = cudaExternalMemoryHandleTypeOpaqueFd; d.handle.fd = fd; d.size = BYTES; SHOW("import", cudaImportExternalMemory(&m, &d)); printf("open %d\n", fcntl(fd, F_GETFD) >= 0);
    void *p = 0, *q = 0; cudaExternalMemoryBufferDesc b = {}; b.size = BYTES; SHOW("map", cudaExternalMemoryGetMappedBuffer(&p, m, &b)); b.offset = 64; b.size = 64; SHOW("part", cudaExternalMemoryGetMappedBuffer(&q, m, &b)); b.size = BYTES; SHOW("beyond", cudaExternalMemoryGetMappedBuffer(&q + 0, m, &b)); SHOW("last", cudaGetLastError()); fill<<<1, 64>>>((int *)p, 64, 100); SHOW("get", cudaMemcpy(&got, q, 4, cudaMemcpyDeviceToHost)); printf("%d\n", got);
    cudaPointerAttributes a = {}; SHOW("attributes", cudaPointerGetAttributes(&a, q)); printf("%d %d %d %d\n", (int)a.type, a.device, a.devicePointer == q, a.hostPointer == nullptr); SHOW("free_part", cudaFree(q)); SHOW("free", cudaFree(p)); SHOW("destroy", cudaDestroyExternalMemory(m));
}
static void images() {
    start(); CUmemGenericAllocationHandle h; CUexternalMemory m = 0; SHOW("import", import(&m, exported(&h), BYTES, 0)); CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC d = {}; d.arrayDesc.Width = 32; d.arrayDesc.Height = 16; d.arrayDesc.Format = CU_AD_FORMAT_FLOAT; d.arrayDesc.NumChannels = 1; d.numLevels = 1; CUmipmappedArray mm = 0; CUarray a = 0; SHOW("array", cuExternalMemoryGetMappedMipmappedArray(&mm, m, &d));
    if (mm) { SHOW("level", cuMipmappedArrayGetLevel(&a, mm, 0)); float in[512], out[512]; for (int i = 0; i < 512; i++) in[i] = i, out[i] = -1; CUDA_MEMCPY2D c = {}; c.srcMemoryType = CU_MEMORYTYPE_HOST; c.srcHost = in; c.srcPitch = 128; c.dstMemoryType = CU_MEMORYTYPE_ARRAY; c.dstArray = a; c.WidthInBytes = 128; c.Height = 16; SHOW("in", cuMemcpy2D(&c)); c = {}; c.dstMemoryType = CU_MEMORYTYPE_HOST; c.dstHost = out; c.dstPitch = 128; c.srcMemoryType = CU_MEMORYTYPE_ARRAY; c.srcArray = a; c.WidthInBytes = 128; c.Height = 16; SHOW("out", cuMemcpy2D(&c)); printf("%g %g same %d\n", out[0], out[511], !memcmp(in, out, sizeof in)); CUdeviceptr p; SHOW("buffer", buffer(&p, m, 0, 65536, 0)); float raw[512]; SHOW("raw", cuMemcpyDtoH(raw, p, sizeof raw)); printf("first %g\n", raw[0]); SHOW("destroy_array", cuMipmappedArrayDestroy(mm)); }
}
int main() { SECTION(shared); SECTION(bounds); SECTION(runtime); SECTION(images); return 0; }
