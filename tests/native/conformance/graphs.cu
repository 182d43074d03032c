// Graphs: capture across streams, explicit nodes, update, clone, enabling, child graphs, host nodes, memory nodes.
#include <cstdio>
#include <cuda_runtime.h>
#define SHOW(name, call) do { int r_ = (int)(call); printf("%s %d\n", name, r_); cudaGetLastError(); } while (0)

__global__ void add(int *p, int v) { p[blockIdx.x * blockDim.x + threadIdx.x] += v; }
__global__ void scale(int *p, int v) { p[blockIdx.x * blockDim.x + threadIdx.x] *= v; }
static int host_calls;
static void count(void *by) { host_calls += *(int *)by; }

static void read(const char *name, int *p) {
    int v[4] = {0};
    cudaDeviceSynchronize();
    cudaMemcpy(v, p, sizeof v, cudaMemcpyDeviceToHost);
    printf("%s %d %d %d %d host %d\n", name, v[0], v[1], v[2], v[3], host_calls);
}

static void captured(int *p) {
    cudaStream_t a, b; cudaEvent_t fork, join; cudaGraph_t g; cudaGraphExec_t x; int one = 1; size_t n = 0, e = 0;
    cudaStreamCreate(&a); cudaStreamCreate(&b); cudaEventCreate(&fork); cudaEventCreate(&join);
    cudaMemset(p, 0, 16);
    SHOW("begin", cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
    cudaMemsetAsync(p, 0, 16, a);
    add<<<1, 4, 0, a>>>(p, 3);
    SHOW("fork", cudaEventRecord(fork, a)); SHOW("wait", cudaStreamWaitEvent(b, fork, 0));
    cudaStreamCaptureStatus s; unsigned long long id; cudaStreamIsCapturing(b, &s); printf("other captures %d\n", (int)s); (void)id;
    SHOW("host", cudaLaunchHostFunc(b, count, &one));
    SHOW("query_event", cudaEventQuery(fork));
    SHOW("end_after_misuse", cudaStreamEndCapture(a, &g));
    SHOW("begin", cudaStreamBeginCapture(a, cudaStreamCaptureModeRelaxed));
    cudaMemsetAsync(p, 0, 16, a);
    add<<<1, 4, 0, a>>>(p, 3);
    cudaEventRecord(fork, a); cudaStreamWaitEvent(b, fork, 0); cudaLaunchHostFunc(b, count, &one);
    SHOW("unjoined", cudaStreamEndCapture(a, &g));
    cudaStreamBeginCapture(a, cudaStreamCaptureModeThreadLocal);
    cudaEventRecord(fork, a); cudaStreamWaitEvent(b, fork, 0);
    SHOW("end_wrong_stream", cudaStreamEndCapture(b, &g)); SHOW("end_then", cudaStreamEndCapture(a, &g));
    cudaStreamBeginCapture(a, cudaStreamCaptureModeThreadLocal);
    cudaMemsetAsync(p, 0, 16, a);
    add<<<1, 4, 0, a>>>(p, 3);
    cudaEventRecord(fork, a); cudaStreamWaitEvent(b, fork, 0); cudaLaunchHostFunc(b, count, &one); cudaEventRecord(join, b);
    scale<<<1, 4, 0, a>>>(p, 5);
    cudaStreamWaitEvent(a, join, 0);
    add<<<1, 4, 0, a>>>(p, 1);
    SHOW("end", cudaStreamEndCapture(a, &g));
    read("nothing ran", p);
    cudaGraphGetNodes(g, nullptr, &n); cudaGraphGetEdges(g, nullptr, nullptr, nullptr, &e); printf("nodes %zu edges %zu\n", n, e);
    SHOW("instantiate", cudaGraphInstantiate(&x, g, 0));
    SHOW("launch", cudaGraphLaunch(x, a)); read("once", p);
    cudaGraphLaunch(x, a); cudaGraphLaunch(x, b); read("thrice", p);
    SHOW("launch_null", cudaGraphLaunch(nullptr, a)); SHOW("destroy", cudaGraphDestroy(g));
    cudaGraphLaunch(x, a); read("graph gone", p); SHOW("exec_destroy", cudaGraphExecDestroy(x));
    cudaStreamDestroy(a); cudaStreamDestroy(b);
}

static void explicit_nodes(int *p) {
    cudaGraph_t g, clone, child; cudaGraphNode_t fill, k1, k2, host, found, nested, empty, copy; cudaGraphExec_t x; int v = 7, w = 2, ten = 10; host_calls = 0;
    SHOW("create", cudaGraphCreate(&g, 0)); SHOW("create_flags", cudaGraphCreate(&clone, 3));
    cudaMemsetParams m = {}; m.dst = p; m.elementSize = 4; m.width = 4; m.height = 1; m.value = 1; m.pitch = 16;
    SHOW("memset", cudaGraphAddMemsetNode(&fill, g, nullptr, 0, &m));
    void *a1[] = {&p, &v}, *a2[] = {&p, &w};
    cudaKernelNodeParams k = {}; k.func = (void *)add; k.gridDim = dim3(1); k.blockDim = dim3(4); k.kernelParams = a1;
    SHOW("kernel", cudaGraphAddKernelNode(&k1, g, &fill, 1, &k));
    k.func = (void *)scale; k.kernelParams = a2;
    SHOW("kernel", cudaGraphAddKernelNode(&k2, g, &k1, 1, &k));
    cudaHostNodeParams h = {count, &ten}; SHOW("host", cudaGraphAddHostNode(&host, g, &k2, 1, &h));
    k.blockDim = dim3(2000); SHOW("bad_block", cudaGraphAddKernelNode(&empty, g, nullptr, 0, &k)); k.blockDim = dim3(4);
    k.func = nullptr; SHOW("bad_function", cudaGraphAddKernelNode(&empty, g, nullptr, 0, &k)); k.func = (void *)scale;
    SHOW("empty", cudaGraphAddEmptyNode(&empty, g, &host, 1));
    SHOW("edge_again", cudaGraphAddDependencies(g, &fill, &k1, nullptr, 1));
    SHOW("self", cudaGraphAddDependencies(g, &k1, &k1, nullptr, 1));
    SHOW("instantiate", cudaGraphInstantiate(&x, g, 0)); cudaGraphLaunch(x, 0); read("explicit", p);
    v = 100; read("copied at add", p); cudaGraphLaunch(x, 0); read("again", p);
    w = 3; SHOW("exec_set", cudaGraphExecKernelNodeSetParams(x, k2, &k)); cudaGraphLaunch(x, 0); read("scaled by 3", p);
    SHOW("disable", cudaGraphNodeSetEnabled(x, k1, 0)); cudaGraphLaunch(x, 0); read("without add", p); unsigned on = 9; cudaGraphNodeGetEnabled(x, k1, &on); printf("enabled %u\n", on);
    SHOW("disable_host", cudaGraphNodeSetEnabled(x, host, 0));
    cudaKernelNodeParams got; SHOW("get", cudaGraphKernelNodeGetParams(k1, &got)); printf("grid %u block %u value %d\n", got.gridDim.x, got.blockDim.x, *(int *)got.kernelParams[1]);
    cudaGraphNodeType t; cudaGraphNodeGetType(host, &t); printf("type %d\n", (int)t); SHOW("get_wrong_type", cudaGraphKernelNodeGetParams(fill, &got));
    SHOW("clone", cudaGraphClone(&clone, g)); SHOW("find", cudaGraphNodeFindInClone(&found, k1, clone)); SHOW("find_backwards", cudaGraphNodeFindInClone(&found, found, g));
    SHOW("cycle", cudaGraphAddDependencies(g, &k2, &fill, nullptr, 1)); cudaGraphExec_t bad; SHOW("instantiate_cycle", cudaGraphInstantiate(&bad, g, 0));
    SHOW("uncycle", cudaGraphRemoveDependencies(g, &k2, &fill, nullptr, 1)); SHOW("remove_missing", cudaGraphRemoveDependencies(g, &k2, &fill, nullptr, 1));
    v = 50; k.func = (void *)add; k.kernelParams = a1; SHOW("set", cudaGraphKernelNodeSetParams(k1, &k));
    cudaGraphExecUpdateResultInfo info; SHOW("update", cudaGraphExecUpdate(x, g, &info)); printf("result %d\n", (int)info.result); cudaGraphLaunch(x, 0); read("updated", p);
    SHOW("destroy_node", cudaGraphDestroyNode(empty)); SHOW("update_topology", cudaGraphExecUpdate(x, g, &info)); printf("result %d\n", (int)info.result);
    cudaGraphCreate(&child, 0); SHOW("child", cudaGraphAddChildGraphNode(&nested, child, nullptr, 0, g));
    SHOW("copy1d", cudaGraphAddMemcpyNode1D(&copy, child, &nested, 1, p + 2, p, 8, cudaMemcpyDeviceToDevice));
    cudaGraphExec_t y; SHOW("instantiate_child", cudaGraphInstantiate(&y, child, 0)); cudaGraphLaunch(y, 0); read("nested", p);
    size_t n = 1; cudaGraphNode_t roots[4]; n = 4; cudaGraphGetRootNodes(child, roots, &n); printf("roots %zu %d\n", n, roots[0] == nested);
    n = 4; cudaGraphNode_t deps[4]; cudaGraphNodeGetDependencies(copy, deps, nullptr, &n); printf("deps %zu %d\n", n, deps[0] == nested);
    n = 4; cudaGraphNodeGetDependentNodes(nested, deps, nullptr, &n); printf("dependents %zu %d\n", n, deps[0] == copy);
    SHOW("destroy", cudaGraphDestroy(g)); SHOW("destroy_child", cudaGraphDestroy(child)); SHOW("destroy_clone", cudaGraphDestroy(clone)); SHOW("exec", cudaGraphExecDestroy(x)); cudaGraphExecDestroy(y);
}

int main() {
    int *p; cudaMalloc(&p, 64);
    captured(p);
    explicit_nodes(p);
    return 0;
}
