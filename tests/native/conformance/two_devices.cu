// One executable graph launched in a stream of one device, then in one of the other (needs two devices).
#include <cuda_runtime.h>
#include "section.h"

__global__ void add(int *p, int v) { p[threadIdx.x] += v; }
static void graphs() {
    cudaGraph_t g; cudaGraphExec_t x; cudaStream_t a, b; int *p, v[4], one = 1; cudaGraphNode_t n; cudaSetDevice(0); cudaMalloc(&p, 64); cudaMemset(p, 0, 64); cudaDeviceSynchronize(); cudaStreamCreate(&a); cudaGraphCreate(&g, 0); void *args[] = {&p, &one}; cudaKernelNodeParams k = {}; k.func = (void *)add; k.gridDim = dim3(1); k.blockDim = dim3(4); k.kernelParams = args; cudaGraphAddKernelNode(&n, g, nullptr, 0, &k); cudaMemsetParams m = {}; m.dst = p + 3; m.elementSize = 4; m.width = 1; m.height = 1; m.value = 50; cudaGraphNode_t s; SHOW("memset", cudaGraphAddMemsetNode(&s, g, &n, 1, &m)); SHOW("instantiate", cudaGraphInstantiate(&x, g, 0)); SHOW("launch_0", cudaGraphLaunch(x, a));
    SHOW("device_1", cudaSetDevice(1)); SHOW("stream", cudaStreamCreate(&b)); SHOW("launch_1", cudaGraphLaunch(x, b)); SHOW("sync_b", cudaStreamSynchronize(b)); SHOW("launch_0", cudaGraphLaunch(x, a)); SHOW("launch_1", cudaGraphLaunch(x, b)); SHOW("sync_b", cudaStreamSynchronize(b)); cudaSetDevice(0); SHOW("sync_a", cudaStreamSynchronize(a)); SHOW("copy", cudaMemcpy(v, p, 16, cudaMemcpyDeviceToHost)); printf("%d %d %d %d\n", v[0], v[1], v[2], v[3]); SHOW("last", cudaGetLastError());
}
int main() { SECTION(graphs); return 0; }
