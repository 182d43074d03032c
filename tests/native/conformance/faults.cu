// What every kind of call answers after a kernel has faulted, until and after a reset.
#include <cuda.h>
#include <cuda_runtime.h>
#include "section.h"
static CUdevice dev;
__global__ void wild(int *p) { *p = 1; }
__global__ void stop() { asm("trap;"); }
__global__ void fine(int *p) { *p = 5; }
template <typename F> static void fault(F launch) {
    int *p = 0, *host = 0; cudaStream_t s; cudaEvent_t e, t; cudaGraph_t g; cudaMalloc(&p, 64); cudaMallocHost(&host, 64); cudaStreamCreate(&s); cudaEventCreate(&e); cudaEventCreate(&t); cudaGraphCreate(&g, 0); cudaEventRecord(t, s);
    launch(p); SHOW("launched", cudaGetLastError()); cudaStreamSynchronize(s); SHOW("synchronize", cudaDeviceSynchronize()); SHOW("last", cudaGetLastError()); SHOW("last_again", cudaGetLastError()); SHOW("peek", cudaPeekAtLastError());
    void *q = 0; SHOW("malloc", cudaMalloc(&q, 64)); SHOW("host", cudaMallocHost(&q, 64)); SHOW("copy", cudaMemcpy(host, p, 4, cudaMemcpyDeviceToHost)); SHOW("set", cudaMemset(p, 0, 4)); SHOW("query", cudaStreamQuery(s)); SHOW("event_query", cudaEventQuery(e)); SHOW("record", cudaEventRecord(e, s)); float ms; SHOW("elapsed", cudaEventElapsedTime(&ms, t, e)); SHOW("wait", cudaStreamWaitEvent(s, t, 0)); fine<<<1, 1>>>(p); SHOW("launch", cudaGetLastError());
    int n = 0; size_t a, b; cudaFuncAttributes fa; cudaDeviceProp dp; cudaPointerAttributes pa; SHOW("count", cudaGetDeviceCount(&n)); SHOW("device", cudaGetDevice(&n)); SHOW("set_device", cudaSetDevice(0)); SHOW("properties", cudaGetDeviceProperties(&dp, 0)); SHOW("attribute", cudaDeviceGetAttribute(&n, cudaDevAttrWarpSize, 0)); SHOW("info", cudaMemGetInfo(&a, &b)); SHOW("function", cudaFuncGetAttributes(&fa, fine)); SHOW("pointer", cudaPointerGetAttributes(&pa, p)); SHOW("version", cudaDriverGetVersion(&n)); SHOW("occupancy", cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, fine, 32, 0)); SHOW("limit", cudaDeviceGetLimit(&a, cudaLimitStackSize)); SHOW("set_limit", cudaDeviceSetLimit(cudaLimitStackSize, 2048));
    cudaStream_t s2; cudaEvent_t e2; cudaGraph_t g2; cudaGraphExec_t x; SHOW("stream", cudaStreamCreate(&s2)); SHOW("event", cudaEventCreate(&e2)); SHOW("graph", cudaGraphCreate(&g2, 0)); SHOW("instantiate", cudaGraphInstantiate(&x, g, 0)); SHOW("capture", cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal)); SHOW("async", cudaMallocAsync(&q, 64, s)); SHOW("managed", cudaMallocManaged(&q, 64)); SHOW("host_func", cudaLaunchHostFunc(s, [](void *) {}, 0));
    SHOW("priority", cudaStreamGetPriority(s, &n)); unsigned flags; SHOW("flags", cudaStreamGetFlags(s, &flags)); SHOW("free", cudaFree(p)); SHOW("free_host", cudaFreeHost(host)); SHOW("destroy_event", cudaEventDestroy(e)); SHOW("destroy_stream", cudaStreamDestroy(s)); SHOW("destroy_graph", cudaGraphDestroy(g));
    CUcontext c; CUdeviceptr dp2; SHOW("cu_current", cuCtxGetCurrent(&c)); printf("%d\n", c != 0); SHOW("cu_synchronize", cuCtxSynchronize()); SHOW("cu_alloc", cuMemAlloc(&dp2, 64)); SHOW("cu_device", cuCtxGetDevice(&dev)); SHOW("cu_attribute", cuDeviceGetAttribute(&n, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0)); unsigned version; SHOW("cu_version", cuCtxGetApiVersion(c, &version)); SHOW("cu_push", cuCtxPushCurrent(c)); SHOW("cu_pop", cuCtxPopCurrent(&c)); unsigned long long id; SHOW("cu_id", cuCtxGetId(c, &id)); CUcontext c2; SHOW("cu_retain", cuDevicePrimaryCtxRetain(&c2, 0)); SHOW("cu_reset", cuDevicePrimaryCtxReset(0)); 
    SHOW("after_malloc", cudaMalloc(&q, 64)); SHOW("last", cudaGetLastError()); SHOW("reset", cudaDeviceReset()); SHOW("again", cudaMalloc(&q, 64));
}
static void illegal() { fault([](int *) { wild<<<1, 1>>>((int *)16); }); }
static void trapped() { fault([](int *) { stop<<<1, 1>>>(); }); }
int main() { SECTION(illegal); SECTION(trapped); return 0; }
