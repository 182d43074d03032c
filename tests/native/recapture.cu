// Capture once more into a graph that is there (CUDA 13.3): new parameters, the callback, what does not fit.
#include <cstdio>
#include <cuda.h>
#include <cuda_runtime.h>
#include <dlfcn.h>
#define SHOW(name, call) do { printf("%s %d\n", name, (int)(call)); cudaGetLastError(); } while (0)
typedef cudaError_t (*told)(void *, cudaGraphNode_t, const cudaGraphNodeParams *, const cudaGraphNodeParams *, int);
struct callback { told function; void *user; };
typedef cudaError_t (*begin_t)(cudaStream_t, cudaStreamCaptureMode, cudaGraph_t, callback *);
typedef CUresult (*cu_begin_t)(CUstream, CUstreamCaptureMode, CUgraph, void *, void *);
static begin_t again;
static cudaStream_t s, t;
static cudaEvent_t fork_event, join_event;
static int *p, calls, sum, refuse;
__global__ void add(int *p, int v) { p[threadIdx.x] += v; }
__global__ void scale(int *p, int v) { p[threadIdx.x] *= v; }
static void host(void *by) { sum += *(int *)by; }
static int one = 1, ten = 10;
static cudaError_t tell(void *user, cudaGraphNode_t node, const cudaGraphNodeParams *old, const cudaGraphNodeParams *now, int status) {
    cudaGraphNodeType type; cudaStreamCaptureStatus capturing; cudaGraphNodeGetType(node, &type); cudaStreamIsCapturing(s, &capturing);
    printf("told %d type %d %d %d status %d capturing %d", user == &calls, (int)type, (int)old->type, (int)now->type, status, (int)capturing);
    if (type == cudaGraphNodeTypeKernel) printf(" blocks %u %u value %d %d", old->kernel.blockDim.x, now->kernel.blockDim.x, *(int *)old->kernel.kernelParams[1], *(int *)now->kernel.kernelParams[1]);
    if (type == cudaGraphNodeTypeMemset) printf(" fill %u %u", old->memset.value, now->memset.value);
    printf("\n"); calls++; return refuse ? cudaErrorUnknown : cudaSuccess;
}
// a memset, a kernel, and beside a second kernel a host function in another stream
static void work(int fill, int value, int *by, int threads) {
    cudaMemsetAsync(p, fill, 16, s); add<<<1, threads, 0, s>>>(p, value); cudaEventRecord(fork_event, s); cudaStreamWaitEvent(t, fork_event, 0); cudaLaunchHostFunc(t, host, by); scale<<<1, 4, 0, s>>>(p, 2); cudaEventRecord(join_event, t); cudaStreamWaitEvent(s, join_event, 0);
}
static void run(const char *name, cudaGraph_t g) {
    cudaGraphExec_t x; int v[4] = {}; sum = 0; SHOW("instantiate", cudaGraphInstantiate(&x, g, 0)); SHOW("launch", cudaGraphLaunch(x, s)); cudaStreamSynchronize(s); cudaMemcpy(v, p, 16, cudaMemcpyDeviceToHost); printf("%s %d %d %d %d host %d\n", name, v[0], v[1], v[2], v[3], sum); cudaGraphExecDestroy(x);
}
static cudaGraph_t fresh() { cudaGraph_t g; cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal); work(0, 3, &one, 4); SHOW("captured", cudaStreamEndCapture(s, &g)); return g; }
static void release(void *what) { printf("released %d\n", *(int *)what); }
int main() {
    void *runtime = dlopen("libcudart.so.13", RTLD_NOW), *driver = dlopen("libcuda.so.1", RTLD_NOW); again = (begin_t)dlsym(runtime, "cudaStreamBeginRecaptureToGraph"); if (!again) return printf("no entry\n"), 1;
    cudaStreamCreate(&s); cudaStreamCreate(&t); cudaEventCreate(&fork_event); cudaEventCreate(&join_event); cudaMalloc(&p, 16); callback how = {tell, &calls};
    cudaGraph_t g = fresh(), got = 0; size_t before = 0, after = 0; cudaGraphGetNodes(g, nullptr, &before); run("first", g);
    cudaUserObject_t object; cudaUserObjectCreate(&object, &ten, release, 1, cudaUserObjectNoDestructorSync); cudaGraphRetainUserObject(g, object, 1, cudaGraphUserObjectMove);
    SHOW("again", again(s, cudaStreamCaptureModeGlobal, g, &how)); work(0, 3, &one, 4); SHOW("end", cudaStreamEndCapture(s, &got)); printf("same %d calls %d\n", got == g, calls);
    SHOW("again", again(s, cudaStreamCaptureModeGlobal, g, &how)); work(1, 5, &ten, 2); SHOW("end", cudaStreamEndCapture(s, &got)); printf("same %d calls %d\n", got == g, calls); cudaGraphGetNodes(g, nullptr, &after); printf("nodes %d\n", before == after); run("second", g);
    SHOW("quiet", again(s, cudaStreamCaptureModeGlobal, g, nullptr)); work(0, 7, &one, 4); SHOW("end", cudaStreamEndCapture(s, &got)); run("third", g);
    refuse = 1; SHOW("again", again(s, cudaStreamCaptureModeGlobal, g, &how)); SHOW("refused", cudaMemsetAsync(p, 9, 16, s)); SHOW("after", cudaMemsetAsync(p, 0, 16, s)); SHOW("end", cudaStreamEndCapture(s, &got)); refuse = 0; cudaGraphDestroy(g);
    g = fresh(); SHOW("again", again(s, cudaStreamCaptureModeGlobal, g, nullptr)); add<<<1, 4, 0, s>>>(p, 1); SHOW("other_type", cudaGetLastError()); SHOW("end", cudaStreamEndCapture(s, &got)); cudaGraphDestroy(g);
    g = fresh(); SHOW("again", again(s, cudaStreamCaptureModeGlobal, g, nullptr)); cudaMemsetAsync(p, 0, 16, s); SHOW("missing", cudaStreamEndCapture(s, &got)); cudaGraphDestroy(g);
    g = fresh(); SHOW("again", again(s, cudaStreamCaptureModeGlobal, g, nullptr)); work(0, 3, &one, 4); SHOW("one_more", cudaMemsetAsync(p, 0, 16, s)); SHOW("end", cudaStreamEndCapture(s, &got)); cudaGraphDestroy(g);
    void *m = 0, *n = 0; cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal); cudaMallocAsync(&m, 64, s); cudaFreeAsync(m, s); SHOW("memory", cudaStreamEndCapture(s, &g)); SHOW("again", again(s, cudaStreamCaptureModeGlobal, g, &how)); SHOW("malloc", cudaMallocAsync(&n, 64, s)); printf("same %d\n", m == n); SHOW("free", cudaFreeAsync(n, s)); SHOW("end", cudaStreamEndCapture(s, &got)); SHOW("again", again(s, cudaStreamCaptureModeGlobal, g, &how)); SHOW("larger", cudaMallocAsync(&n, 128, s)); SHOW("end", cudaStreamEndCapture(s, &got)); cudaGraphDestroy(g);
    g = fresh(); cu_begin_t cu = (cu_begin_t)dlsym(driver, "cuStreamBeginRecaptureToGraph"); SHOW("driver", cu((CUstream)s, CU_STREAM_CAPTURE_MODE_RELAXED, (CUgraph)g, nullptr, nullptr)); work(0, 4, &ten, 4); SHOW("end", cudaStreamEndCapture(s, &got)); run("driver", g);
    SHOW("null", again(s, cudaStreamCaptureModeGlobal, nullptr, &how)); SHOW("legacy", again(nullptr, cudaStreamCaptureModeGlobal, g, &how)); SHOW("mode", again(s, (cudaStreamCaptureMode)9, g, &how)); cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal); SHOW("capturing", again(s, cudaStreamCaptureModeGlobal, g, &how)); cudaStreamEndCapture(s, &got);
    unsigned long long used = 0, now = 0; cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &used); cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal); cudaStreamQuery(s); SHOW("invalid", cudaMallocAsync(&n, 4096, s)); cudaStreamEndCapture(s, &got); cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &now); printf("kept %d\n", (int)(now - used));
    printf("calls %d\n", calls); return 0;
}
