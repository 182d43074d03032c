// Memory and events between processes, and children of processes that have started CUDA.
#include <cuda_runtime.h>
#include "section.h"

__global__ void put(int *p, int v) { p[threadIdx.x] = v + threadIdx.x; }
static char *self;

/* Runs this program again with `what` and sends it `bytes` on its standard input. */
static int again(const char *what, const void *bytes, size_t size) {
    int ends[2];
    if (pipe(ends)) return -1;
    fflush(stdout);
    pid_t child = fork();
    if (!child) { dup2(ends[0], 0); close(ends[0]); close(ends[1]); execl(self, self, what, (char *)nullptr); _exit(99); }
    close(ends[0]);
    if (write(ends[1], bytes, size) < 0) puts("not sent");
    close(ends[1]);
    int status; waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

struct shared { cudaIpcMemHandle_t memory; cudaIpcEventHandle_t event; };
static void between() {
    int *p, h[4]; cudaEvent_t e; shared s; cudaMalloc(&p, 4096); put<<<1, 4>>>(p, 10); SHOW("event", cudaEventCreateWithFlags(&e, cudaEventInterprocess | cudaEventDisableTiming)); SHOW("memory_handle", cudaIpcGetMemHandle(&s.memory, p)); SHOW("event_handle", cudaIpcGetEventHandle(&s.event, e)); SHOW("record", cudaEventRecord(e)); cudaDeviceSynchronize();
    printf("child %d\n", again("open", &s, sizeof s)); cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost); printf("%d %d %d %d\n", h[0], h[1], h[2], h[3]);
    cudaEvent_t plain; cudaEventCreateWithFlags(&plain, cudaEventDisableTiming); SHOW("plain_event", cudaIpcGetEventHandle(&s.event, plain)); int *m; cudaMallocManaged(&m, 64); SHOW("managed", cudaIpcGetMemHandle(&s.memory, m)); SHOW("host", cudaIpcGetMemHandle(&s.memory, h)); void *q; SHOW("open_own", cudaIpcOpenMemHandle(&q, s.memory, 1)); SHOW("close_own", cudaIpcCloseMemHandle(p));
}
static int opened() {
    shared s; int *p, h[4]; cudaEvent_t e; if (read(0, &s, sizeof s) != (ssize_t)sizeof s) return 98; SHOW("open_event", cudaIpcOpenEventHandle(&e, s.event)); SHOW("query", cudaEventQuery(e)); SHOW("open_flags_0", cudaIpcOpenMemHandle((void **)&p, s.memory, 0)); SHOW("open", cudaIpcOpenMemHandle((void **)&p, s.memory, cudaIpcMemLazyEnablePeerAccess)); cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost); printf("%d %d\n", h[0], h[3]); put<<<1, 2>>>(p, 70); SHOW("synchronize", cudaDeviceSynchronize()); SHOW("close", cudaIpcCloseMemHandle(p)); SHOW("close_again", cudaIpcCloseMemHandle(p)); SHOW("destroy", cudaEventDestroy(e)); return 7;
}

struct pool_shared { cudaMemPoolPtrExportData data; int descriptor; };
static void pools() {
    int support = 0; cudaDeviceGetAttribute(&support, cudaDevAttrMemoryPoolSupportedHandleTypes, 0); printf("descriptors %d\n", support & 1); cudaMemPool_t pool; cudaMemPoolProps props = {}; props.allocType = cudaMemAllocationTypePinned; props.handleTypes = cudaMemHandleTypePosixFileDescriptor; props.location.type = cudaMemLocationTypeDevice; SHOW("create", cudaMemPoolCreate(&pool, &props)); pool_shared s = {}; s.descriptor = -1; SHOW("export", cudaMemPoolExportToShareableHandle(&s.descriptor, pool, cudaMemHandleTypePosixFileDescriptor, 0)); printf("%d\n", s.descriptor >= 0); s.descriptor = dup(s.descriptor); int *p; SHOW("allocate", cudaMallocFromPoolAsync((void **)&p, 4096, pool, 0)); put<<<1, 4>>>(p, 30); SHOW("pointer", cudaMemPoolExportPointer(&s.data, p)); SHOW("synchronize", cudaDeviceSynchronize());
    printf("child %d\n", again("pool", &s, sizeof s)); int h[4]; cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost); printf("%d %d\n", h[0], h[2]); cudaMemPool_t plain; cudaDeviceGetDefaultMemPool(&plain, 0); int d = -1; SHOW("export_default", cudaMemPoolExportToShareableHandle(&d, plain, cudaMemHandleTypePosixFileDescriptor, 0)); SHOW("export_flags", cudaMemPoolExportToShareableHandle(&d, pool, cudaMemHandleTypePosixFileDescriptor, 1)); SHOW("export_type", cudaMemPoolExportToShareableHandle(&d, pool, cudaMemHandleTypeNone, 0)); int *other; cudaMallocAsync((void **)&other, 64, 0); SHOW("pointer_default", cudaMemPoolExportPointer(&s.data, other)); SHOW("free", cudaFreeAsync(p, 0)); SHOW("destroy", cudaMemPoolDestroy(pool));
}
static int pooled() {
    pool_shared s; int *p, h[4]; if (read(0, &s, sizeof s) != (ssize_t)sizeof s) return 98; cudaMemPool_t pool; SHOW("import", cudaMemPoolImportFromShareableHandle(&pool, (void *)(size_t)s.descriptor, cudaMemHandleTypePosixFileDescriptor, 0)); SHOW("import_pointer", cudaMemPoolImportPointer((void **)&p, pool, &s.data)); cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost); printf("%d %d\n", h[0], h[3]); put<<<1, 2>>>(p, 80); SHOW("synchronize", cudaDeviceSynchronize()); int *q; SHOW("allocate", cudaMallocFromPoolAsync((void **)&q, 64, pool, 0)); SHOW("free", cudaFreeAsync(p, 0)); SHOW("synchronize", cudaDeviceSynchronize()); SHOW("destroy", cudaMemPoolDestroy(pool)); return 7;
}

static void forked() {
    int *p; cudaMalloc(&p, 64); fflush(stdout); pid_t child = fork();
    if (!child) { SHOW("malloc", cudaMalloc(&p, 64)); SHOW("count", cudaGetDeviceCount((int *)&child)); put<<<1, 1>>>(p, 1); SHOW("launch", cudaGetLastError()); SHOW("synchronize", cudaDeviceSynchronize()); fflush(stdout); _exit(5); }
    int status; waitpid(child, &status, 0); printf("child %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1); SHOW("parent", cudaDeviceSynchronize()); printf("exec %d\n", again("fresh", "", 1));
}
static int fresh() { int *p, v = 0; SHOW("malloc", cudaMalloc(&p, 64)); put<<<1, 1>>>(p, 6); cudaMemcpy(&v, p, 4, cudaMemcpyDeviceToHost); printf("%d\n", v); return 3; }

int main(int count, char **arguments) {
    self = arguments[0];
    if (count > 1) return !strcmp(arguments[1], "open") ? opened() : !strcmp(arguments[1], "pool") ? pooled() : fresh();
    SECTION(between); SECTION(pools); SECTION(forked);
    return 0;
}
