// Graph nodes: reading their parameters back and replacing them, in graphs and in executable graphs; identifiers.
#include <vector>
#include <cuda.h>
#include <cuda_runtime.h>
#include "section.h"
__global__ void add(int *p, int v) { p[threadIdx.x] += v; }
__global__ void put(int *p, int v) { p[threadIdx.x] = v; }
__device__ int variable[8];
static void count(void *p) { ++*(int *)p; }
static void ten(void *p) { *(int *)p += 10; }
static int *p, host[8], calls;
static cudaStream_t s;
static void begin() { cudaMalloc(&p, 32); cudaMemset(p, 0, 32); cudaStreamCreate(&s); cudaDeviceSynchronize(); }
static void show(const char *name, cudaGraphExec_t x) {
    SHOW(name, cudaGraphLaunch(x, s)); cudaStreamSynchronize(s); cudaMemcpy(host, p, 32, cudaMemcpyDeviceToHost);
    printf("%d %d %d %d calls %d\n", host[0], host[1], host[4], host[7], calls);
}
static void captured() {
    begin(); cudaGraph_t g; cudaGraphExec_t x; size_t n = 0;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal); put<<<1, 8, 0, s>>>(p, 1); add<<<1, 4, 0, s>>>(p, 2);
    cudaLaunchHostFunc(s, count, &calls); SHOW("end", cudaStreamEndCapture(s, &g)); cudaGraphGetNodes(g, nullptr, &n);
    std::vector<cudaGraphNode_t> nodes(n); cudaGraphGetNodes(g, nodes.data(), &n); SHOW("instantiate", cudaGraphInstantiate(&x, g, 0)); show("launch", x);
    for (auto node : nodes) {
        cudaGraphNodeType t; cudaGraphNodeGetType(node, &t); printf("type %d\n", t);
        if (t != cudaGraphNodeTypeKernel) continue;
        cudaKernelNodeParams k = {}; SHOW("get", cudaGraphKernelNodeGetParams(node, &k));
        printf("put %d add %d grid %u block %u shared %u params %d extra %d\n", k.func == (void *)put, k.func == (void *)add, k.gridDim.x, k.blockDim.x, k.sharedMemBytes, k.kernelParams != nullptr, k.extra != nullptr);
        printf("argument %d\n", k.kernelParams ? *(int *)k.kernelParams[1] : -1);
        if (k.func == (void *)put) { int v = 7; void *a[] = {&p, &v}; k.kernelParams = a; SHOW("set", cudaGraphExecKernelNodeSetParams(x, node, &k)); }
    }
    show("again", x);
}
static void foreign() {
    begin(); cudaGraph_t g; SHOW("create", cudaGraphCreate(&g, 0)); CUfunction f; CUgraphNode node; int v = 5; void *a[] = {&p, &v};
    SHOW("function", cudaGetFuncBySymbol(&f, (void *)add)); CUDA_KERNEL_NODE_PARAMS d = {}; d.func = f; d.gridDimX = d.gridDimY = d.gridDimZ = 1; d.blockDimX = 8; d.blockDimY = d.blockDimZ = 1; d.kernelParams = a;
    SHOW("add", cuGraphAddKernelNode(&node, g, nullptr, 0, &d)); cudaKernelNodeParams k = {}; SHOW("get", cudaGraphKernelNodeGetParams(node, &k)); printf("add %d handle %d\n", k.func == (void *)add, k.func == (void *)f);
    CUDA_KERNEL_NODE_PARAMS e = {}; SHOW("driver", cuGraphKernelNodeGetParams(node, &e)); printf("func %d kern %d ctx %d\n", e.func == f, e.kern != nullptr, e.ctx != nullptr);
    cudaKernelNodeParams r = {}; r.func = (void *)add; r.gridDim = dim3(1); r.blockDim = dim3(8); r.kernelParams = a; cudaGraphNode_t other; SHOW("runtime_add", cudaGraphAddKernelNode(&other, g, nullptr, 0, &r));
    e = {}; SHOW("driver_get", cuGraphKernelNodeGetParams(other, &e)); printf("func %d kern %d ctx %d\n", e.func == f, e.kern != nullptr, e.ctx != nullptr);
}
static const char text[] = ".version 7.0\n.target sm_50\n.address_size 64\n.visible .entry other(.param .u64 p) { ret; }\n";
static void of_a_module() {
    begin(); CUmodule m; CUfunction f; CUgraph g; CUgraphNode node, again; SHOW("load", cuModuleLoadData(&m, text)); SHOW("function", cuModuleGetFunction(&f, m, "other")); cuGraphCreate(&g, 0); void *a[] = {&p};
    CUDA_KERNEL_NODE_PARAMS d = {}; d.func = f; d.gridDimX = d.gridDimY = d.gridDimZ = d.blockDimX = d.blockDimY = d.blockDimZ = 1; d.kernelParams = a; SHOW("add", cuGraphAddKernelNode(&node, g, nullptr, 0, &d));
    cudaKernelNodeParams k = {}; SHOW("get", cudaGraphKernelNodeGetParams(node, &k)); SHOW("last", cudaGetLastError()); printf("handle %d\n", k.func == (void *)f); k = {}; k.func = (void *)f; k.gridDim = k.blockDim = dim3(1); k.kernelParams = a;
    SHOW("runtime_add", cudaGraphAddKernelNode(&again, g, nullptr, 0, &k)); SHOW("last", cudaGetLastError()); SHOW("launch", cudaLaunchKernel((void *)f, dim3(1), dim3(1), a, 0, s)); SHOW("last", cudaGetLastError());
    CUkernel kern; CUlibrary l; SHOW("library", cuLibraryLoadData(&l, text, nullptr, nullptr, 0, nullptr, nullptr, 0)); SHOW("kernel", cuLibraryGetKernel(&kern, l, "other")); k.func = (void *)kern; SHOW("by_kernel", cudaGraphAddKernelNode(&again, g, nullptr, 0, &k)); cudaKernelNodeParams b = {}; SHOW("get", cudaGraphKernelNodeGetParams(again, &b)); printf("handle %d\n", b.func == (void *)kern);
    SHOW("last", cudaGetLastError()); CUDA_KERNEL_NODE_PARAMS e = {}; SHOW("driver", cuGraphKernelNodeGetParams(again, &e)); printf("func %d kern %d\n", e.func != nullptr, e.kern == kern);
}
static void copies() {
    begin(); cudaGraph_t g; cudaGraphExec_t x; cudaGraphNode_t in, from, to; cudaGraphCreate(&g, 0); int a[8] = {1, 2, 3, 4, 5, 6, 7, 8}, b[8] = {9, 9, 9, 9, 9, 9, 9, 9};
    SHOW("in", cudaGraphAddMemcpyNode1D(&in, g, nullptr, 0, p, a, 32, cudaMemcpyHostToDevice));
    SHOW("to", cudaGraphAddMemcpyNodeToSymbol(&to, g, &in, 1, variable, a, 16, 16, cudaMemcpyHostToDevice));
    SHOW("from", cudaGraphAddMemcpyNodeFromSymbol(&from, g, &to, 1, p, variable, 16, 16, cudaMemcpyDeviceToDevice));
    SHOW("instantiate", cudaGraphInstantiate(&x, g, 0)); show("launch", x);
    SHOW("set1d", cudaGraphExecMemcpyNodeSetParams1D(x, in, p, b, 32, cudaMemcpyHostToDevice)); show("second", x);
    SHOW("set_to", cudaGraphExecMemcpyNodeSetParamsToSymbol(x, to, variable, b, 16, 16, cudaMemcpyHostToDevice)); show("third", x);
    SHOW("set_from", cudaGraphExecMemcpyNodeSetParamsFromSymbol(x, from, p, variable, 16, 16, cudaMemcpyDeviceToDevice)); show("fourth", x);
    SHOW("size", cudaGraphExecMemcpyNodeSetParams1D(x, in, p, b, 16, cudaMemcpyHostToDevice)); cudaGetLastError(); show("fifth", x);
    SHOW("direction", cudaGraphExecMemcpyNodeSetParams1D(x, in, b, p, 32, cudaMemcpyDeviceToHost)); cudaGetLastError();
    cudaMemcpy3DParms c = {}; SHOW("get", cudaGraphMemcpyNodeGetParams(in, &c)); printf("%d %zu %zu %zu kind %d\n", c.srcPtr.ptr == a, c.extent.width, c.extent.height, c.extent.depth, c.kind);
    c.srcPtr.ptr = b; SHOW("set", cudaGraphMemcpyNodeSetParams(in, &c)); SHOW("exec_set", cudaGraphExecMemcpyNodeSetParams(x, in, &c));
    SHOW("graph_to", cudaGraphMemcpyNodeSetParamsToSymbol(to, variable, b, 8, 0, cudaMemcpyHostToDevice)); SHOW("graph_from", cudaGraphMemcpyNodeSetParamsFromSymbol(from, p, variable, 8, 0, cudaMemcpyDeviceToDevice)); SHOW("graph_1d", cudaGraphMemcpyNodeSetParams1D(in, p, b, 8, cudaMemcpyHostToDevice));
    SHOW("beyond", cudaGraphAddMemcpyNodeToSymbol(&to, g, nullptr, 0, variable, a, 32, 16, cudaMemcpyHostToDevice)); cudaGetLastError();
}
static void others() {
    begin(); cudaGraph_t g, child, got; cudaGraphExec_t x; cudaGraphNode_t fill, fn, sub, rec, wait; cudaEvent_t e, f, back; cudaEventCreate(&e); cudaEventCreate(&f); cudaGraphCreate(&g, 0); cudaGraphCreate(&child, 0);
    cudaMemsetParams m = {}; m.dst = p; m.value = 3; m.elementSize = 4; m.width = 8; m.height = 1; SHOW("fill", cudaGraphAddMemsetNode(&fill, g, nullptr, 0, &m));
    cudaHostNodeParams h = {count, &calls}; SHOW("host", cudaGraphAddHostNode(&fn, g, &fill, 1, &h));
    cudaKernelNodeParams k = {}; int v = 4; void *a[] = {&p, &v}; k.func = (void *)add; k.gridDim = dim3(1); k.blockDim = dim3(8); k.kernelParams = a; cudaGraphNode_t inner; SHOW("inner", cudaGraphAddKernelNode(&inner, child, nullptr, 0, &k));
    SHOW("child", cudaGraphAddChildGraphNode(&sub, g, &fn, 1, child)); SHOW("record", cudaGraphAddEventRecordNode(&rec, g, &sub, 1, e)); SHOW("wait", cudaGraphAddEventWaitNode(&wait, g, &rec, 1, e));
    SHOW("instantiate", cudaGraphInstantiate(&x, g, 0)); show("launch", x); SHOW("recorded", cudaEventQuery(e));
    cudaMemsetParams n = {}; SHOW("get_fill", cudaGraphMemsetNodeGetParams(fill, &n)); printf("%u %zu %u\n", n.value, n.width, n.elementSize); n.value = 5; SHOW("set_fill", cudaGraphMemsetNodeSetParams(fill, &n)); show("same", x); SHOW("exec_fill", cudaGraphExecMemsetNodeSetParams(x, fill, &n)); show("filled", x);
    n.width = 4; SHOW("narrower", cudaGraphExecMemsetNodeSetParams(x, fill, &n)); cudaGetLastError(); n.elementSize = 1; SHOW("smaller", cudaGraphExecMemsetNodeSetParams(x, fill, &n)); cudaGetLastError(); show("narrow", x);
    cudaHostNodeParams t = {ten, &calls}, back_h = {}; SHOW("exec_host", cudaGraphExecHostNodeSetParams(x, fn, &t)); show("ten", x); SHOW("get_host", cudaGraphHostNodeGetParams(fn, &back_h)); printf("%d\n", back_h.fn == count); SHOW("set_host", cudaGraphHostNodeSetParams(fn, &t));
    SHOW("get_child", cudaGraphChildGraphNodeGetGraph(sub, &got)); printf("clone %d\n", got != child); v = 40; SHOW("set_inner", cudaGraphKernelNodeSetParams(inner, &k)); SHOW("exec_child", cudaGraphExecChildGraphNodeSetParams(x, sub, child)); show("forty", x);
    SHOW("get_record", cudaGraphEventRecordNodeGetEvent(rec, &back)); printf("%d\n", back == e); SHOW("set_record", cudaGraphEventRecordNodeSetEvent(rec, f)); SHOW("exec_record", cudaGraphExecEventRecordNodeSetEvent(x, rec, f)); SHOW("get_wait", cudaGraphEventWaitNodeGetEvent(wait, &back)); printf("%d\n", back == e); SHOW("set_wait", cudaGraphEventWaitNodeSetEvent(wait, f)); SHOW("exec_wait", cudaGraphExecEventWaitNodeSetEvent(x, wait, f)); show("events", x);
    SHOW("wrong_type", cudaGraphExecHostNodeSetParams(x, fill, &t)); cudaGetLastError(); SHOW("not_in_it", cudaGraphExecKernelNodeSetParams(x, inner, &k)); cudaGetLastError(); SHOW("null", cudaGraphExecMemsetNodeSetParams(x, fill, nullptr)); cudaGetLastError();
    unsigned on = 9; SHOW("enabled", cudaGraphNodeGetEnabled(x, fill, &on)); printf("%u\n", on); SHOW("disable", cudaGraphNodeSetEnabled(x, fill, 0)); SHOW("enabled", cudaGraphNodeGetEnabled(x, fill, &on)); printf("%u\n", on); show("disabled", x); SHOW("disable_host", cudaGraphNodeSetEnabled(x, fn, 0)); cudaGetLastError();
    unsigned long long flags = 9; SHOW("flags", cudaGraphExecGetFlags(x, &flags)); printf("%llu\n", flags);
}
static void updates() {
    begin(); cudaGraph_t a, b; cudaGraphExec_t x; cudaGraphNode_t k1, k2, e; int v = 1; void *args[] = {&p, &v}; cudaGraphCreate(&a, 0); cudaGraphCreate(&b, 0);
    cudaKernelNodeParams k = {}; k.func = (void *)add; k.gridDim = dim3(1); k.blockDim = dim3(8); k.kernelParams = args; cudaGraphAddKernelNode(&k1, a, nullptr, 0, &k); v = 100; cudaGraphAddKernelNode(&k2, b, nullptr, 0, &k); cudaGraphInstantiate(&x, a, 0); show("one", x);
    cudaGraphExecUpdateResultInfo r = {}; SHOW("update", cudaGraphExecUpdate(x, b, &r)); printf("result %d\n", r.result); show("hundred", x);
    cudaGraphAddEmptyNode(&e, b, &k2, 1); r = {}; SHOW("more_nodes", cudaGraphExecUpdate(x, b, &r)); cudaGetLastError(); printf("result %d node %d from %d\n", r.result, r.errorNode != nullptr, r.errorFromNode != nullptr);
    cudaGraph_t c; cudaGraphCreate(&c, 0); cudaGraphAddEmptyNode(&e, c, nullptr, 0); r = {}; SHOW("other_type", cudaGraphExecUpdate(x, c, &r)); cudaGetLastError(); printf("result %d node %d\n", r.result, r.errorNode == e);
    cudaGraph_t d; cudaGraphCreate(&d, 0); k.func = (void *)put; cudaGraphAddKernelNode(&k2, d, nullptr, 0, &k); r = {}; SHOW("other_kernel", cudaGraphExecUpdate(x, d, &r)); cudaGetLastError(); printf("result %d\n", r.result); show("put", x);
}
static void memory() {
    begin(); cudaGraph_t g; cudaGraphExec_t x; cudaGraphNode_t alloc, k1, release; cudaGraphCreate(&g, 0); cudaMemAllocNodeParams m = {}; m.poolProps.allocType = cudaMemAllocationTypePinned; m.poolProps.location.type = cudaMemLocationTypeDevice; m.bytesize = 4096;
    SHOW("alloc", cudaGraphAddMemAllocNode(&alloc, g, nullptr, 0, &m)); printf("%d\n", m.dptr != nullptr); int v = 6; void *a[] = {&m.dptr, &v}; cudaKernelNodeParams k = {}; k.func = (void *)put; k.gridDim = dim3(1); k.blockDim = dim3(8); k.kernelParams = a; SHOW("kernel", cudaGraphAddKernelNode(&k1, g, &alloc, 1, &k));
    cudaGraphNode_t out; SHOW("out", cudaGraphAddMemcpyNode1D(&out, g, &k1, 1, p, m.dptr, 32, cudaMemcpyDeviceToDevice)); SHOW("free", cudaGraphAddMemFreeNode(&release, g, &out, 1, m.dptr)); SHOW("free_twice", cudaGraphAddMemFreeNode(&k1, g, &release, 1, m.dptr)); cudaGetLastError();
    void *back = nullptr; SHOW("get_free", cudaGraphMemFreeNodeGetParams(release, &back)); printf("%d\n", back == m.dptr); cudaMemAllocNodeParams n = {}; SHOW("get_alloc", cudaGraphMemAllocNodeGetParams(alloc, &n)); printf("%zu %d\n", n.bytesize, n.dptr == m.dptr);
    SHOW("instantiate", cudaGraphInstantiate(&x, g, 0)); show("launch", x); show("twice", x); cudaGraph_t clone; SHOW("clone", cudaGraphClone(&clone, g)); cudaGetLastError(); cudaGraphExec_t y; SHOW("second_exec", cudaGraphInstantiate(&y, g, 0)); cudaGetLastError(); SHOW("remove", cudaGraphDestroyNode(release)); cudaGetLastError();
    unsigned long long used = 1; SHOW("attribute", cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &used)); printf("%llu\n", used); used = 5; SHOW("set", cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &used)); cudaGetLastError(); used = 0; SHOW("set_zero", cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &used)); SHOW("trim", cudaDeviceGraphMemTrim(0)); SHOW("trim_wrong", cudaDeviceGraphMemTrim(99)); cudaGetLastError();
}
int main() { SECTION(captured); SECTION(foreign); SECTION(of_a_module); SECTION(copies); SECTION(others); SECTION(updates); SECTION(memory); return 0; }
