// Conditional nodes whose condition a kernel sets: if, while, switch, nested, and in a capture.
#include <cuda_runtime.h>
#include "section.h"

__global__ void choose(cudaGraphConditionalHandle h, unsigned v) { cudaGraphSetConditional(h, v); }
__global__ void step(int *p, cudaGraphConditionalHandle h) { int left = --p[0]; p[1] += 2; if (threadIdx.x == 0) cudaGraphSetConditional(h, left > 0); }
__global__ void add(int *p, int at, int v) { p[at] += v; }
static void read4(const char *name, const void *p) { int v[4] = {0}; cudaDeviceSynchronize(); cudaMemcpy(v, p, sizeof v, cudaMemcpyDeviceToHost); printf("%s %d %d %d %d last %d\n", name, v[0], v[1], v[2], v[3], (int)cudaGetLastError()); }
static cudaGraphNode_t kernel(cudaGraph_t g, cudaGraphNode_t *after, void *f, void **args) { cudaGraphNode_t n; cudaKernelNodeParams k = {}; k.func = f; k.gridDim = dim3(1); k.blockDim = dim3(1); k.kernelParams = args; SHOW("kernel", cudaGraphAddKernelNode(&n, g, after, after ? 1 : 0, &k)); return n; }
static cudaGraph_t *conditional(cudaGraph_t g, cudaGraphNode_t *after, cudaGraphConditionalHandle h, cudaGraphConditionalNodeType type, unsigned size, cudaGraphNode_t *n) { static cudaGraph_t none[4]; cudaGraphNodeParams c = {}; c.type = cudaGraphNodeTypeConditional; c.conditional.handle = h; c.conditional.type = type; c.conditional.size = size; SHOW("conditional", cudaGraphAddNode(n, g, after, nullptr, after ? 1 : 0, &c)); return c.conditional.phGraph_out ? c.conditional.phGraph_out : none; }

static void whiles() {
    cudaGraph_t g; cudaGraphExec_t x; int *p, start[4] = {5, 0, 0, 0}; cudaGraphNode_t n; cudaMalloc(&p, 64); cudaMemcpy(p, start, 16, cudaMemcpyHostToDevice); cudaGraphCreate(&g, 0); cudaGraphConditionalHandle h; cudaGraphConditionalHandleCreate(&h, g, 1, cudaGraphCondAssignDefault); cudaGraph_t *body = conditional(g, nullptr, h, cudaGraphCondTypeWhile, 1, &n); void *args[] = {&p, &h}; kernel(body[0], nullptr, (void *)step, args); int at = 2, v = 1; void *more[] = {&p, &at, &v}; kernel(body[0], nullptr, (void *)add, more); SHOW("instantiate", cudaGraphInstantiate(&x, g, 0)); SHOW("launch", cudaGraphLaunch(x, 0)); read4("while", p); SHOW("launch", cudaGraphLaunch(x, 0)); read4("again", p);
}
static void ifs() {
    cudaGraph_t g; cudaGraphExec_t x; int *p; cudaGraphNode_t n; cudaMalloc(&p, 64); cudaMemset(p, 0, 64); cudaGraphCreate(&g, 0); cudaGraphConditionalHandle h; cudaGraphConditionalHandleCreate(&h, g, 0, 0); unsigned value = 1; void *set[] = {&h, &value}; cudaGraphNode_t first = kernel(g, nullptr, (void *)choose, set); cudaGraph_t *body = conditional(g, &first, h, cudaGraphCondTypeIf, 2, &n); int at = 0, v = 1; void *yes[] = {&p, &at, &v}; kernel(body[0], nullptr, (void *)add, yes); at = 1; kernel(body[1], nullptr, (void *)add, yes); at = 2; kernel(g, &n, (void *)add, yes); SHOW("instantiate", cudaGraphInstantiate(&x, g, 0)); SHOW("launch", cudaGraphLaunch(x, 0)); read4("if", p); value = 0; cudaKernelNodeParams k = {}; k.func = (void *)choose; k.gridDim = dim3(1); k.blockDim = dim3(1); k.kernelParams = set; SHOW("exec_set", cudaGraphExecKernelNodeSetParams(x, first, &k)); SHOW("launch", cudaGraphLaunch(x, 0)); read4("else", p);
}
static void switches() {
    cudaGraph_t g; int *p; cudaGraphNode_t n; cudaMalloc(&p, 64); cudaMemset(p, 0, 64); for (unsigned value = 0; value < 5; value += 2) { cudaGraphExec_t x; cudaGraphCreate(&g, 0); cudaGraphConditionalHandle h; cudaGraphConditionalHandleCreate(&h, g, 0, 0); void *set[] = {&h, &value}; cudaGraphNode_t first = kernel(g, nullptr, (void *)choose, set); cudaGraph_t *body = conditional(g, &first, h, cudaGraphCondTypeSwitch, 3, &n); for (int i = 0; i < 3; i++) { int v = 10; void *yes[] = {&p, &i, &v}; kernel(body[i], nullptr, (void *)add, yes); } cudaGraphInstantiate(&x, g, 0); SHOW("launch", cudaGraphLaunch(x, 0)); read4("switch", p); }
}
static void captures() {
    cudaGraph_t g, made; cudaGraphExec_t x; cudaStream_t s; int *p, start[4] = {3, 0, 0, 0}; cudaStreamCreate(&s); cudaMalloc(&p, 64); cudaMemcpy(p, start, 16, cudaMemcpyHostToDevice); cudaGraphCreate(&g, 0); cudaGraphConditionalHandle h; cudaGraphConditionalHandleCreate(&h, g, 1, cudaGraphCondAssignDefault); cudaGraphNode_t n; cudaGraph_t *body = conditional(g, nullptr, h, cudaGraphCondTypeWhile, 1, &n); SHOW("begin", cudaStreamBeginCaptureToGraph(s, body[0], nullptr, nullptr, 0, cudaStreamCaptureModeRelaxed)); step<<<1, 1, 0, s>>>(p, h); SHOW("end", cudaStreamEndCapture(s, &made)); printf("same %d\n", made == body[0]); SHOW("instantiate", cudaGraphInstantiate(&x, g, 0)); SHOW("launch", cudaGraphLaunch(x, s)); read4("captured", p);
}
int main() { SECTION(whiles); SECTION(ifs); SECTION(switches); SECTION(captures); return 0; }
