// Streams and events: identities, flags, priorities, order, callbacks, host functions, attributes, memory operations.
#include <cuda.h>
#include <cuda_runtime.h>
#include "section.h"

__global__ void add(int *p, int v) { atomicAdd(p, v); }
static int order[8], seen;
static void CUDART_CB note(void *value) { order[seen++ & 7] = (int)(size_t)value; }
static void CUDART_CB called(cudaStream_t stream, cudaError_t status, void *value) {
    order[seen++ & 7] = (int)(size_t)value + (int)status + (stream ? 0 : 100);
}

static void identity() {
    cudaStream_t a, b; unsigned long long legacy = 0, own = 0, first = 0, second = 0; unsigned flags = 9; int priority = 9;
    SHOW("create", cudaStreamCreate(&a)); SHOW("non_blocking", cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
    SHOW("create_null", cudaStreamCreate(nullptr)); cudaStream_t bad; SHOW("flags_2", cudaStreamCreateWithFlags(&bad, 2));
    SHOW("id", cudaStreamGetId(a, &first)); cudaStreamGetId(b, &second); cudaStreamGetId(nullptr, &legacy);
    cudaStreamGetId(cudaStreamPerThread, &own);
    printf("different %d %d %d\n", first != second, first != legacy, legacy != own);
    unsigned long long again = 0; cudaStreamGetId(cudaStreamLegacy, &again); printf("legacy_same %d\n", again == legacy);
    SHOW("id_null", cudaStreamGetId(a, nullptr));
    SHOW("flags", cudaStreamGetFlags(b, &flags)); printf("%u\n", flags);
    SHOW("flags_legacy", cudaStreamGetFlags(nullptr, &flags)); printf("%u\n", flags);
    SHOW("flags_per_thread", cudaStreamGetFlags(cudaStreamPerThread, &flags)); printf("%u\n", flags);
    int device = 9; SHOW("device", cudaStreamGetDevice(a, &device)); printf("%d\n", device);
    SHOW("destroy", cudaStreamDestroy(a)); SHOW("destroy_legacy", cudaStreamDestroy(nullptr));
    SHOW("destroy_per_thread", cudaStreamDestroy(cudaStreamPerThread));
    int low = 9, high = 9; SHOW("range", cudaDeviceGetStreamPriorityRange(&low, &high)); printf("%d %d\n", low, high);
    SHOW("range_null", cudaDeviceGetStreamPriorityRange(nullptr, nullptr));
    for (int asked : {-9, -5, -1, 0, 3}) {
        SHOW("with_priority", cudaStreamCreateWithPriority(&a, cudaStreamNonBlocking, asked));
        cudaStreamGetPriority(a, &priority); printf("%d\n", priority); cudaStreamDestroy(a);
    }
    SHOW("priority_legacy", cudaStreamGetPriority(nullptr, &priority)); printf("%d\n", priority);
    SHOW("last", cudaGetLastError());
}

static void ordering() {
    int *p, v = 0; cudaMalloc(&p, 4); cudaMemset(p, 0, 4); cudaStream_t s, t; cudaStreamCreate(&s); cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
    add<<<1, 32, 0, s>>>(p, 1);
    SHOW("host", cudaLaunchHostFunc(s, note, (void *)1)); SHOW("callback", cudaStreamAddCallback(s, called, (void *)2, 0));
    SHOW("callback_flags", cudaStreamAddCallback(s, called, nullptr, 1)); SHOW("callback_null", cudaStreamAddCallback(s, nullptr, nullptr, 0));
    SHOW("host_null", cudaLaunchHostFunc(s, nullptr, nullptr)); SHOW("host", cudaLaunchHostFunc(s, note, (void *)3));
    SHOW("wait", cudaStreamSynchronize(s)); printf("order %d %d %d\n", order[0], order[1], order[2]);
    seen = 0; cudaEvent_t e; cudaEventCreateWithFlags(&e, cudaEventDisableTiming); cudaLaunchHostFunc(s, note, (void *)5);
    SHOW("record", cudaEventRecord(e, s)); SHOW("wait_event", cudaStreamWaitEvent(t, e, 0)); cudaLaunchHostFunc(t, note, (void *)6);
    SHOW("synchronize", cudaStreamSynchronize(t)); printf("order %d %d\n", order[0], order[1]);
    seen = 0; SHOW("callback_legacy", cudaStreamAddCallback(nullptr, called, (void *)7, 0)); cudaDeviceSynchronize(); printf("%d\n", order[0]);
    add<<<2, 32, 0, cudaStreamPerThread>>>(p, 1); add<<<2, 32, 0, cudaStreamLegacy>>>(p, 1); cudaDeviceSynchronize();
    cudaMemcpy(&v, p, 4, cudaMemcpyDeviceToHost); printf("sum %d\n", v);
    SHOW("query", cudaStreamQuery(s)); SHOW("wait_flags", cudaStreamWaitEvent(t, e, 7)); SHOW("wait_null", cudaStreamWaitEvent(t, nullptr, 0));
    SHOW("attach_plain", cudaStreamAttachMemAsync(s, p, 0, cudaMemAttachGlobal));
    int *m; cudaMallocManaged(&m, 4096); SHOW("attach", cudaStreamAttachMemAsync(s, m, 0, cudaMemAttachSingle)); SHOW("attach_both", cudaStreamAttachMemAsync(s, m, 0, 3));
    cudaDeviceSynchronize(); cudaGetLastError();
}

static void attributes() {
    cudaStream_t s, t; cudaStreamCreate(&s); cudaStreamCreate(&t); cudaLaunchAttributeValue v; memset(&v, 0, sizeof v);
    SHOW("policy", cudaStreamGetAttribute(s, cudaLaunchAttributeSynchronizationPolicy, &v)); printf("%d\n", (int)v.syncPolicy);
    v.syncPolicy = cudaSyncPolicySpin; SHOW("set", cudaStreamSetAttribute(s, cudaLaunchAttributeSynchronizationPolicy, &v));
    v.syncPolicy = (cudaSynchronizationPolicy)77; SHOW("set_bad", cudaStreamSetAttribute(s, cudaLaunchAttributeSynchronizationPolicy, &v));
    SHOW("copy", cudaStreamCopyAttributes(t, s)); memset(&v, 0, sizeof v);
    SHOW("get", cudaStreamGetAttribute(t, cudaLaunchAttributeSynchronizationPolicy, &v)); printf("%d\n", (int)v.syncPolicy);
    memset(&v, 9, sizeof v); SHOW("priority", cudaStreamGetAttribute(s, cudaLaunchAttributePriority, &v)); printf("%d\n", v.priority);
    v.priority = -2; SHOW("set_priority", cudaStreamSetAttribute(s, cudaLaunchAttributePriority, &v)); int p = 9; cudaStreamGetPriority(s, &p); printf("%d\n", p);
    memset(&v, 0, sizeof v); SHOW("cooperative", cudaStreamGetAttribute(s, cudaLaunchAttributeCooperative, &v)); SHOW("attribute_99", cudaStreamGetAttribute(s, (cudaLaunchAttributeID)99, &v));
    cudaGetLastError();
}

static void events() {
    cudaEvent_t e, f, bad; int *p; cudaMalloc(&p, 4); SHOW("create", cudaEventCreate(&e)); SHOW("create", cudaEventCreate(&f));
    SHOW("create_null", cudaEventCreate(nullptr)); SHOW("flags_8", cudaEventCreateWithFlags(&bad, 8)); SHOW("interprocess_timing", cudaEventCreateWithFlags(&bad, cudaEventInterprocess));
    float ms = -1; SHOW("elapsed_unrecorded", cudaEventElapsedTime(&ms, e, f)); SHOW("query_unrecorded", cudaEventQuery(e)); SHOW("synchronize_unrecorded", cudaEventSynchronize(e));
    SHOW("record", cudaEventRecord(e)); add<<<1, 32>>>(p, 1); SHOW("record_flags", cudaEventRecordWithFlags(f, 0, cudaEventRecordDefault)); SHOW("record_external", cudaEventRecordWithFlags(f, 0, cudaEventRecordExternal)); SHOW("record_flags_7", cudaEventRecordWithFlags(f, 0, 7));
    SHOW("synchronize", cudaEventSynchronize(f)); SHOW("elapsed", cudaEventElapsedTime(&ms, e, f)); printf("%d\n", ms >= 0 && ms < 60000);
    SHOW("elapsed_back", cudaEventElapsedTime(&ms, f, e)); printf("%d\n", ms <= 0); SHOW("elapsed_null", cudaEventElapsedTime(nullptr, e, f)); SHOW("elapsed_no_event", cudaEventElapsedTime(&ms, nullptr, f));
    cudaEvent_t plain; SHOW("disable_timing", cudaEventCreateWithFlags(&plain, cudaEventDisableTiming | cudaEventBlockingSync)); cudaEventRecord(plain); SHOW("elapsed_plain", cudaEventElapsedTime(&ms, e, plain));
    SHOW("record_null", cudaEventRecord(nullptr)); SHOW("query_null", cudaEventQuery(nullptr)); SHOW("destroy", cudaEventDestroy(e)); SHOW("destroy_null", cudaEventDestroy(nullptr));
    cudaGetLastError(); cudaDeviceSynchronize();
}

static void memory_operations() {
    CUdevice d; CUcontext c; cuInit(0); cuDeviceGet(&d, 0); cuDevicePrimaryCtxRetain(&c, d); cuCtxSetCurrent(c); CUdeviceptr p; cuMemAlloc(&p, 64); cuMemsetD32(p, 0, 16); CUstream s; cuStreamCreate(&s, 0);
    unsigned v = 0; unsigned long long w = 0; SHOW("write32", cuStreamWriteValue32(s, p, 7, 0)); SHOW("wait32", cuStreamWaitValue32(s, p, 7, CU_STREAM_WAIT_VALUE_EQ)); SHOW("geq", cuStreamWaitValue32(s, p, 5, CU_STREAM_WAIT_VALUE_GEQ));
    SHOW("and", cuStreamWaitValue32(s, p, 2, CU_STREAM_WAIT_VALUE_AND)); SHOW("nor", cuStreamWaitValue32(s, p, 0x10, CU_STREAM_WAIT_VALUE_NOR)); SHOW("write64", cuStreamWriteValue64(s, p + 8, 1ull << 40, 0));
    SHOW("wait64", cuStreamWaitValue64(s, p + 8, 1ull << 40, CU_STREAM_WAIT_VALUE_EQ)); SHOW("unaligned", cuStreamWriteValue32(s, p + 2, 1, 0)); SHOW("null", cuStreamWriteValue32(s, 0, 1, 0)); SHOW("flags", cuStreamWaitValue32(s, p, 7, 64));
    CUstreamBatchMemOpParams ops[2] = {}; ops[0].operation = CU_STREAM_MEM_OP_WRITE_VALUE_32; ops[0].writeValue.address = p + 16; ops[0].writeValue.value = 3; ops[1] = ops[0]; ops[1].writeValue.address = p + 20; ops[1].writeValue.value = 4;
    SHOW("batch", cuStreamBatchMemOp(s, 2, ops, 0)); SHOW("batch_zero", cuStreamBatchMemOp(s, 0, ops, 0)); SHOW("batch_flags", cuStreamBatchMemOp(s, 1, ops, 1));
    SHOW("synchronize", cuStreamSynchronize(s)); cuMemcpyDtoH(&v, p, 4); cuMemcpyDtoH(&w, p + 8, 8); printf("%u %llu", v, w); cuMemcpyDtoH(&w, p + 16, 8); printf(" %llx\n", w);
}

int main() {
    SECTION(identity); SECTION(ordering); SECTION(attributes); SECTION(events); SECTION(memory_operations);
    return 0;
}
