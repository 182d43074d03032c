// Peers: two devices where there are two, and what a device says of itself as its peer; a launch in the other's stream.
#include <cuda.h>
#include <cuda_runtime.h>
#include "section.h"

__global__ void add(int *p, int v) { p[threadIdx.x] += v; }
__global__ void gather(const int *there, int *here) { here[threadIdx.x] = there[threadIdx.x] * 10; }
static int count, host[64], given[64], *p[2];
static cudaStream_t s[2];
static void begin() {
    cudaGetDeviceCount(&count);
    if (count > 2) count = 2;
    for (int d = 0; d < count; d++) {
        cudaSetDevice(d), cudaMalloc(&p[d], 4096), cudaMemset(p[d], 0, 4096), cudaStreamCreate(&s[d]);
        cudaDeviceSynchronize();
    }
    cudaSetDevice(0);
    for (int i = 0; i < 64; i++) given[i] = i + 1;
}
static void show(const char *name, const int *from) {
    SHOW(name, cudaMemcpy(host, from, 256, cudaMemcpyDefault));
    printf("%d %d %d\n", host[0], host[1], host[63]);
}
static void devices() { cudaGetDeviceCount(&count); printf("two %d\n", count >= 2); }

static void alone() {
    begin();
    int can = 9, value = 9;
    SHOW("can_itself", cudaDeviceCanAccessPeer(&can, 0, 0)); printf("%d\n", can);
    SHOW("can_99", cudaDeviceCanAccessPeer(&can, 0, 99)); SHOW("can_99_0", cudaDeviceCanAccessPeer(&can, 99, 0));
    SHOW("can_negative", cudaDeviceCanAccessPeer(&can, 0, -1)); SHOW("can_null", cudaDeviceCanAccessPeer(nullptr, 0, 0));
    SHOW("last", cudaGetLastError());
    SHOW("enable_itself", cudaDeviceEnablePeerAccess(0, 0)); SHOW("enable_99", cudaDeviceEnablePeerAccess(99, 0));
    SHOW("enable_flags", cudaDeviceEnablePeerAccess(0, 1)); SHOW("disable_itself", cudaDeviceDisablePeerAccess(0));
    SHOW("disable_99", cudaDeviceDisablePeerAccess(99)); SHOW("last", cudaGetLastError());
    for (int a = 0; a <= 5; a++) { SHOW("attribute", cudaDeviceGetP2PAttribute(&value, (cudaDeviceP2PAttr)a, 0, 0)); }
    SHOW("attribute_99", cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported, 0, 99));
    SHOW("attribute_null", cudaDeviceGetP2PAttribute(nullptr, cudaDevP2PAttrAccessSupported, 0, 0)); SHOW("last", cudaGetLastError());
    cudaMemcpy(p[0], given, 256, cudaMemcpyHostToDevice);
    SHOW("copy_itself", cudaMemcpyPeer(p[0] + 64, 0, p[0], 0, 256)); show("copied", p[0] + 64);
    SHOW("copy_async", cudaMemcpyPeerAsync(p[0] + 128, 0, p[0] + 1, 0, 64, s[0])); SHOW("wait", cudaStreamSynchronize(s[0])); show("copied", p[0] + 128);
    SHOW("copy_99", cudaMemcpyPeer(p[0], 99, p[0], 0, 16)); SHOW("copy_from_99", cudaMemcpyPeer(p[0], 0, p[0], 99, 16));
    SHOW("copy_null", cudaMemcpyPeer(nullptr, 0, p[0], 0, 16)); SHOW("copy_0", cudaMemcpyPeer(p[0], 0, p[0], 0, 0));
    SHOW("copy_beyond", cudaMemcpyPeer(p[0], 0, p[0] + 1020, 0, 4096)); SHOW("last", cudaGetLastError());
    cudaMemcpy3DPeerParms b = {}; b.srcPtr = make_cudaPitchedPtr(p[0], 32, 32, 2); b.dstPtr = make_cudaPitchedPtr(p[0] + 256, 64, 32, 2); b.extent = make_cudaExtent(32, 2, 2);
    SHOW("box", cudaMemcpy3DPeer(&b)); show("boxes", p[0] + 256); SHOW("box_async", cudaMemcpy3DPeerAsync(&b, s[0])); b.dstDevice = 99; SHOW("box_99", cudaMemcpy3DPeer(&b)); SHOW("box_null", cudaMemcpy3DPeer(nullptr)); SHOW("last", cudaGetLastError());
    CUcontext c; cuCtxGetCurrent(&c); SHOW("driver_itself", cuCtxEnablePeerAccess(c, 0)); SHOW("driver_null", cuCtxEnablePeerAccess(nullptr, 0)); SHOW("driver_flags", cuCtxEnablePeerAccess(c, 1)); SHOW("driver_disable", cuCtxDisablePeerAccess(c)); SHOW("driver_disable_null", cuCtxDisablePeerAccess(nullptr)); SHOW("driver_can", cuDeviceCanAccessPeer(&can, 0, 0)); printf("%d\n", can); SHOW("driver_can_99", cuDeviceCanAccessPeer(&can, 0, 99));
    SHOW("driver_copy", cuMemcpyPeer((CUdeviceptr)p[0], c, (CUdeviceptr)(p[0] + 64), c, 64)); SHOW("driver_copy_null", cuMemcpyPeer((CUdeviceptr)p[0], nullptr, (CUdeviceptr)(p[0] + 64), c, 64));
}

static void access() {
    begin(); if (count < 2) { puts("one device"); return; }
    int can = 9, value = 9;
    SHOW("can", cudaDeviceCanAccessPeer(&can, 0, 1)); printf("%d\n", can); SHOW("can_back", cudaDeviceCanAccessPeer(&can, 1, 0)); printf("%d\n", can);
    SHOW("disable_first", cudaDeviceDisablePeerAccess(1)); SHOW("enable_flags", cudaDeviceEnablePeerAccess(1, 7)); SHOW("last", cudaGetLastError());
    SHOW("enable", cudaDeviceEnablePeerAccess(1, 0)); SHOW("enable_twice", cudaDeviceEnablePeerAccess(1, 0)); SHOW("last", cudaGetLastError());
    SHOW("supported", cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported, 0, 1)); printf("%d\n", value); SHOW("rank", cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrPerformanceRank, 0, 1)); SHOW("arrays", cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrCudaArrayAccessSupported, 0, 1));
    cudaMemcpy(p[1], given, 256, cudaMemcpyDefault); gather<<<1, 64>>>(p[1], p[0]); SHOW("kernel", cudaDeviceSynchronize()); show("gathered", p[0]);
    cudaSetDevice(1); SHOW("other_way", cudaDeviceDisablePeerAccess(0)); SHOW("enable_back", cudaDeviceEnablePeerAccess(0, 0)); add<<<1, 64>>>(p[0], 5); SHOW("kernel_back", cudaDeviceSynchronize()); show("added", p[0]); SHOW("disable_back", cudaDeviceDisablePeerAccess(0)); cudaSetDevice(0);
    SHOW("disable", cudaDeviceDisablePeerAccess(1)); SHOW("disable_twice", cudaDeviceDisablePeerAccess(1)); SHOW("last", cudaGetLastError());
}

static void copies() {
    begin(); if (count < 2) { puts("one device"); return; }
    cudaMemcpy(p[0], given, 256, cudaMemcpyHostToDevice); SHOW("peer", cudaMemcpyPeer(p[1], 1, p[0], 0, 256)); show("there", p[1]);
    SHOW("default", cudaMemcpy(p[1] + 64, p[0], 256, cudaMemcpyDefault)); show("there", p[1] + 64); SHOW("device_kind", cudaMemcpy(p[1] + 128, p[0], 256, cudaMemcpyDeviceToDevice)); show("there", p[1] + 128);
    SHOW("wrong_devices", cudaMemcpyPeer(p[1] + 192, 0, p[0], 1, 256)); show("there", p[1] + 192); SHOW("last", cudaGetLastError());
    add<<<1, 64, 0, s[0]>>>(p[0], 100); SHOW("async", cudaMemcpyPeerAsync(p[1] + 256, 1, p[0], 0, 256, s[0])); SHOW("wait", cudaStreamSynchronize(s[0])); show("there", p[1] + 256);
    SHOW("other_stream", cudaMemcpyPeerAsync(p[1] + 320, 1, p[0], 0, 256, s[1])); SHOW("wait", cudaStreamSynchronize(s[1])); show("there", p[1] + 320);
    cudaMemcpy3DPeerParms b = {}; b.srcDevice = 0; b.dstDevice = 1; b.srcPtr = make_cudaPitchedPtr(p[0], 32, 32, 2); b.dstPtr = make_cudaPitchedPtr(p[1] + 384, 64, 32, 2); b.extent = make_cudaExtent(32, 2, 2); SHOW("box", cudaMemcpy3DPeer(&b)); show("boxes", p[1] + 384); SHOW("box_async", cudaMemcpy3DPeerAsync(&b, s[0])); SHOW("wait", cudaStreamSynchronize(s[0]));
    cudaPointerAttributes a = {}; SHOW("whose", cudaPointerGetAttributes(&a, p[1])); printf("%d %d\n", a.type, a.device); void *m; SHOW("managed", cudaMallocManaged(&m, 4096)); memset(m, 1, 4096); cudaSetDevice(1); add<<<1, 64>>>((int *)m, 1); SHOW("there", cudaDeviceSynchronize()); printf("%x\n", *(int *)m);
    SHOW("free_other", cudaFree(p[0])); SHOW("set_other", cudaMemset(p[1], 0, 16)); cudaDeviceSynchronize(); cudaSetDevice(0); SHOW("memset_there", cudaMemset(p[1] + 2, 1, 4)); show("there", p[1]);
}

static void streams() {
    begin(); if (count < 2) { puts("one device"); return; }
    add<<<1, 64, 0, s[1]>>>(p[0], 1); SHOW("launch_other", cudaGetLastError());
}

static void pools() {
    begin(); if (count < 2) { puts("one device"); return; }
    cudaMemPool_t pool; SHOW("pool", cudaDeviceGetDefaultMemPool(&pool, 0)); cudaMemAccessDesc a = {{cudaMemLocationTypeDevice, 1}, cudaMemAccessFlagsProtReadWrite}; SHOW("let", cudaMemPoolSetAccess(pool, &a, 1)); cudaMemAccessFlags f; SHOW("may", cudaMemPoolGetAccess(&f, pool, &a.location)); printf("%d\n", f);
    int *m; SHOW("allocate", cudaMallocAsync(&m, 4096, s[0])); cudaMemcpyAsync(m, given, 256, cudaMemcpyHostToDevice, s[0]); cudaStreamSynchronize(s[0]); cudaSetDevice(1); gather<<<1, 64, 0, s[1]>>>(m, p[1]); SHOW("read", cudaStreamSynchronize(s[1])); show("gathered", p[1]);
    a.location.id = 99; SHOW("let_99", cudaMemPoolSetAccess(pool, &a, 1)); a.location.id = 0; a.flags = cudaMemAccessFlagsProtNone; SHOW("own_none", cudaMemPoolSetAccess(pool, &a, 1)); SHOW("last", cudaGetLastError());
    cudaSetDevice(0); SHOW("stream_of_other", cudaMallocAsync(&m, 4096, s[1])); SHOW("from_other", cudaMallocFromPoolAsync(&m, 4096, pool, s[1])); SHOW("last", cudaGetLastError());
}

static void contexts() {
    begin(); if (count < 2) { puts("one device"); return; }
    CUcontext c[2], now; for (int d = 0; d < 2; d++) cuDevicePrimaryCtxRetain(&c[d], d); cuCtxSetCurrent(c[0]); SHOW("enable", cuCtxEnablePeerAccess(c[1], 0)); SHOW("enable_twice", cuCtxEnablePeerAccess(c[1], 0)); SHOW("runtime", cudaDeviceEnablePeerAccess(1, 0)); SHOW("disable", cuCtxDisablePeerAccess(c[1])); SHOW("disable_twice", cuCtxDisablePeerAccess(c[1])); SHOW("last", cudaGetLastError());
    SHOW("copy", cuMemcpyPeer((CUdeviceptr)p[1], c[1], (CUdeviceptr)p[0], c[0], 64)); SHOW("async", cuMemcpyPeerAsync((CUdeviceptr)p[1], c[1], (CUdeviceptr)p[0], c[0], 64, s[0])); SHOW("set", cuCtxSetCurrent(c[1])); int d = 9; SHOW("device", cudaGetDevice(&d)); printf("%d\n", d); SHOW("push", cuCtxPushCurrent(c[0])); cudaGetDevice(&d); printf("%d\n", d); SHOW("stream_other", cuStreamSynchronize(s[1])); SHOW("pop", cuCtxPopCurrent(&now)); printf("%d\n", now == c[0]);
    CUcontext of; SHOW("pointer", cuPointerGetAttribute(&of, CU_POINTER_ATTRIBUTE_CONTEXT, (CUdeviceptr)p[0])); printf("%d\n", of == c[0]); SHOW("stream_context", cuStreamGetCtx(s[1], &of)); printf("%d\n", of == c[1]);
}

int main() { SECTION(devices); SECTION(alone); SECTION(access); SECTION(copies); SECTION(streams); SECTION(pools); SECTION(contexts); return 0; }
