// Arrays, block copies, pools, managed memory, symbols: contents and codes.
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>
#define SHOW(name, call) do { int r_ = (int)(call); printf("%s %d\n", name, r_); cudaGetLastError(); } while (0)
__device__ int table[8] = {1, 2, 3, 4, 5, 6, 7, 8};
__managed__ int shared_value = 5;
__global__ void bump(int *p) { p[blockIdx.x * blockDim.x + threadIdx.x] += shared_value; }
__global__ void set_shared(int v) { shared_value = v; }

static void arrays() {
    cudaChannelFormatDesc f = cudaCreateChannelDesc<float>(), got; cudaArray_t a, b, bad; float in[12], out[12] = {0};
    for (int i = 0; i < 12; i++) in[i] = (float)i;
    SHOW("array", cudaMallocArray(&a, &f, 4, 3)); SHOW("array", cudaMallocArray(&b, &f, 4, 3));
    SHOW("array_zero", cudaMallocArray(&bad, &f, 0, 3)); cudaChannelFormatDesc odd = {8, 16, 0, 0, cudaChannelFormatKindUnsigned}; SHOW("array_odd", cudaMallocArray(&bad, &odd, 4, 4));
    SHOW("to", cudaMemcpy2DToArray(a, 0, 0, in, 16, 16, 3, cudaMemcpyHostToDevice));
    SHOW("to_past", cudaMemcpy2DToArray(a, 4, 0, in, 16, 16, 3, cudaMemcpyHostToDevice));
    SHOW("between", cudaMemcpy2DArrayToArray(b, 4, 1, a, 0, 0, 8, 2, cudaMemcpyDeviceToDevice));
    cudaMemcpy2DToArray(b, 0, 0, in, 16, 16, 1, cudaMemcpyHostToDevice);
    SHOW("from", cudaMemcpy2DFromArray(out, 8, b, 4, 1, 8, 2, cudaMemcpyDeviceToHost)); printf("%g %g %g %g\n", out[0], out[1], out[2], out[3]);
    cudaExtent e; unsigned flags; SHOW("info", cudaArrayGetInfo(&got, &e, &flags, a)); printf("%d %d %zu %zu %zu %u\n", got.x, (int)got.f, e.width, e.height, e.depth, flags);
    cudaMemcpy3DParms p = {}; p.srcArray = a; p.dstPtr = make_cudaPitchedPtr(out, 16, 4, 3); p.extent = make_cudaExtent(4, 3, 1); p.kind = cudaMemcpyDeviceToHost;
    SHOW("3d", cudaMemcpy3D(&p)); printf("%g %g %g\n", out[0], out[5], out[11]);
    SHOW("free", cudaFreeArray(a)); SHOW("free_null", cudaFreeArray(nullptr)); cudaFreeArray(b);
    cudaPitchedPtr v; SHOW("malloc3d", cudaMalloc3D(&v, make_cudaExtent(20, 3, 2))); printf("pitch %zu %zu %zu\n", v.pitch, v.xsize, v.ysize);
    SHOW("memset3d", cudaMemset3D(v, 7, make_cudaExtent(20, 3, 2))); unsigned char bytes[120]; memset(bytes, 0, 120);
    cudaMemcpy3DParms q = {}; q.srcPtr = v; q.dstPtr = make_cudaPitchedPtr(bytes, 20, 20, 3); q.extent = make_cudaExtent(20, 3, 2); q.kind = cudaMemcpyDeviceToHost; SHOW("3d_linear", cudaMemcpy3D(&q)); int sum = 0; for (int i = 0; i < 120; i++) sum += bytes[i]; printf("sum %d\n", sum);
    cudaExtent m = make_cudaExtent(8, 8, 0); cudaMipmappedArray_t mm; cudaArray_t level; SHOW("mipmap", cudaMallocMipmappedArray(&mm, &f, m, 3)); SHOW("level", cudaGetMipmappedArrayLevel(&level, mm, 2)); cudaArrayGetInfo(&got, &e, &flags, level); printf("level %zu %zu\n", e.width, e.height); SHOW("level_past", cudaGetMipmappedArrayLevel(&level, mm, 3)); SHOW("mipmap_free", cudaFreeMipmappedArray(mm));
}

static void symbols() {
    int v[8]; SHOW("from", cudaMemcpyFromSymbol(v, table, sizeof v)); printf("%d %d\n", v[0], v[7]);
    int nine = 9; SHOW("to", cudaMemcpyToSymbol(table, &nine, 4, 8)); cudaMemcpyFromSymbol(v, table, sizeof v); printf("%d %d %d\n", v[1], v[2], v[3]);
    void *p; size_t n; SHOW("address", cudaGetSymbolAddress(&p, table)); SHOW("size", cudaGetSymbolSize(&n, table)); printf("%zu\n", n);
    bump<<<1, 8>>>((int *)p); cudaDeviceSynchronize(); cudaMemcpyFromSymbol(v, table, sizeof v); printf("%d %d\n", v[0], v[2]);
    shared_value = 10; bump<<<1, 8>>>((int *)p); cudaDeviceSynchronize(); cudaMemcpyFromSymbol(v, table, sizeof v); printf("%d\n", v[0]);
    set_shared<<<1, 1>>>(77); cudaDeviceSynchronize(); printf("managed %d\n", shared_value);
}

static void pools() {
    cudaStream_t s; cudaStreamCreate(&s); int *p, v = 0; SHOW("async", cudaMallocAsync((void **)&p, 1024, s)); SHOW("set", cudaMemsetAsync(p, 1, 1024, s)); cudaMemcpyAsync(&v, p, 4, cudaMemcpyDeviceToHost, s); SHOW("free", cudaFreeAsync(p, s)); cudaStreamSynchronize(s); printf("%x\n", v);
    cudaMemPool_t d, c, own; SHOW("default", cudaDeviceGetDefaultMemPool(&d, 0)); SHOW("current", cudaDeviceGetMemPool(&c, 0)); printf("same %d\n", d == c);
    unsigned long long keep = 1 << 20, seen = 0; SHOW("threshold", cudaMemPoolSetAttribute(d, cudaMemPoolAttrReleaseThreshold, &keep)); cudaMemPoolGetAttribute(d, cudaMemPoolAttrReleaseThreshold, &seen); printf("%llu\n", seen);
    cudaMemPoolProps props = {}; props.allocType = cudaMemAllocationTypePinned; props.location.type = cudaMemLocationTypeDevice; SHOW("create", cudaMemPoolCreate(&own, &props)); SHOW("from_pool", cudaMallocFromPoolAsync((void **)&p, 256, own, s)); cudaMemPoolGetAttribute(own, cudaMemPoolAttrUsedMemCurrent, &seen); printf("used %d\n", seen >= 256); SHOW("free", cudaFreeAsync(p, s)); cudaStreamSynchronize(s); SHOW("trim", cudaMemPoolTrimTo(own, 0)); SHOW("destroy", cudaMemPoolDestroy(own)); SHOW("destroy_null", cudaMemPoolDestroy(nullptr));
    SHOW("async_null", cudaMallocAsync((void **)nullptr, 16, s)); SHOW("free_async_null", cudaFreeAsync(nullptr, s)); SHOW("async_zero", cudaMallocAsync((void **)&p, 0, s));
}

static void managed() {
    int *p, n; SHOW("malloc", cudaMallocManaged(&p, 4096)); p[0] = 3; cudaMemLocation gpu = {cudaMemLocationTypeDevice, {0}}, cpu = {cudaMemLocationTypeHost, {0}};
    SHOW("advise", cudaMemAdvise(p, 4096, cudaMemAdviseSetReadMostly, gpu)); SHOW("range", cudaMemRangeGetAttribute(&n, 4, cudaMemRangeAttributeReadMostly, p, 4096)); printf("%d\n", n);
    SHOW("preferred", cudaMemAdvise(p, 4096, cudaMemAdviseSetPreferredLocation, cpu)); cudaMemRangeGetAttribute(&n, 4, cudaMemRangeAttributePreferredLocation, p, 4096); printf("%d\n", n);
    SHOW("prefetch", cudaMemPrefetchAsync(p, 4096, gpu, 0, 0)); cudaDeviceSynchronize(); cudaMemRangeGetAttribute(&n, 4, cudaMemRangeAttributeLastPrefetchLocation, p, 4096); printf("%d\n", n);
    int *d; cudaMalloc(&d, 64); SHOW("advise_device", cudaMemAdvise(d, 64, cudaMemAdviseSetReadMostly, gpu)); SHOW("bad_size", cudaMemRangeGetAttribute(&n, 3, cudaMemRangeAttributeReadMostly, p, 4096)); SHOW("bad_advice", cudaMemAdvise(p, 4096, (cudaMemoryAdvise)99, gpu));
    bump<<<1, 4>>>(p); cudaDeviceSynchronize(); printf("%d\n", p[0]); SHOW("free", cudaFree(p));
}

int main() { arrays(); symbols(); pools(); managed(); return 0; }
