// Core dump attributes, logs, checkpoint states, export tables: settings that have nothing to do with kernels.
#include <cuda.h>
#include <cuda_runtime.h>
#include "section.h"

static CUdevice dev;
static CUcontext primary;
static void start() { cuInit(0); cuDeviceGet(&dev, 0); cuDevicePrimaryCtxRetain(&primary, dev); cuCtxSetCurrent(primary); }

static void show_flag(const char *name, CUcoredumpSettings which, bool global) {
    bool value = false; size_t size = sizeof value;
    int result = global ? cuCoredumpGetAttributeGlobal(which, &value, &size) : cuCoredumpGetAttribute(which, &value, &size);
    printf("%s %d value %d size %zu\n", name, result, (int)value, size);
    fflush(stdout);
}

static void coredump() {
    SHOW("before_init", [] { bool v; size_t n = 1; return cuCoredumpGetAttributeGlobal(CU_COREDUMP_TRIGGER_HOST, &v, &n); }());
    cuInit(0);
    show_flag("global_enable", CU_COREDUMP_ENABLE_ON_EXCEPTION, true);
    show_flag("global_trigger", CU_COREDUMP_TRIGGER_HOST, true);
    show_flag("global_lightweight", CU_COREDUMP_LIGHTWEIGHT, true);
    show_flag("global_user", CU_COREDUMP_ENABLE_USER_TRIGGER, true);
    SHOW("no_context", [] { bool v; size_t n = 1; return cuCoredumpGetAttribute(CU_COREDUMP_TRIGGER_HOST, &v, &n); }());
    start();
    show_flag("enable", CU_COREDUMP_ENABLE_ON_EXCEPTION, false);
    show_flag("trigger", CU_COREDUMP_TRIGGER_HOST, false);
    show_flag("lightweight", CU_COREDUMP_LIGHTWEIGHT, false);
    show_flag("user", CU_COREDUMP_ENABLE_USER_TRIGGER, false);
    char text[1100]; size_t size = sizeof text; memset(text, 0, sizeof text);
    SHOW("file", cuCoredumpGetAttribute(CU_COREDUMP_FILE, text, &size)); printf("'%s' %zu\n", text, size);
    size = sizeof text; memset(text, 0, sizeof text);
    SHOW("pipe", cuCoredumpGetAttribute(CU_COREDUMP_PIPE, text, &size)); printf("'%.13s' %zu\n", text, size);
    size = 0; SHOW("file_size", cuCoredumpGetAttribute(CU_COREDUMP_FILE, nullptr, &size)); printf("%zu\n", size);
    int flags = -1; size = sizeof flags;
    SHOW("flags", cuCoredumpGetAttribute(CU_COREDUMP_GENERATION_FLAGS, &flags, &size)); printf("%d %zu\n", flags, size);
    SHOW("null_size", cuCoredumpGetAttribute(CU_COREDUMP_FILE, text, nullptr));
    size = 1; SHOW("flag_small", cuCoredumpGetAttribute(CU_COREDUMP_GENERATION_FLAGS, &flags, &size)); printf("%zu\n", size);
    size = 0; SHOW("bool_small", cuCoredumpGetAttribute(CU_COREDUMP_LIGHTWEIGHT, &flags, &size)); printf("%zu\n", size);
    size = 100; SHOW("bool_large", cuCoredumpGetAttribute(CU_COREDUMP_LIGHTWEIGHT, &flags, &size)); printf("%zu\n", size);
    size = 4; SHOW("attribute_0", cuCoredumpGetAttribute((CUcoredumpSettings)0, &flags, &size));
    size = 4; SHOW("attribute_8", cuCoredumpGetAttribute(CU_COREDUMP_MAX, &flags, &size));
    bool on = true, off = false; size = 1;
    SHOW("set_enable", cuCoredumpSetAttribute(CU_COREDUMP_ENABLE_ON_EXCEPTION, &on, &size)); show_flag("enable", CU_COREDUMP_ENABLE_ON_EXCEPTION, false); show_flag("global_enable", CU_COREDUMP_ENABLE_ON_EXCEPTION, true);
    size = 1; SHOW("set_light", cuCoredumpSetAttribute(CU_COREDUMP_LIGHTWEIGHT, &on, &size)); size = 4;
    SHOW("flags", cuCoredumpGetAttribute(CU_COREDUMP_GENERATION_FLAGS, &flags, &size)); printf("%d\n", flags);
    size = 1; SHOW("set_trigger", cuCoredumpSetAttribute(CU_COREDUMP_TRIGGER_HOST, &off, &size)); size = 4;
    SHOW("flags", cuCoredumpGetAttribute(CU_COREDUMP_GENERATION_FLAGS, &flags, &size)); printf("%d\n", flags);
    flags = CU_COREDUMP_SKIP_GLOBAL_MEMORY; size = 4;
    SHOW("set_flags", cuCoredumpSetAttribute(CU_COREDUMP_GENERATION_FLAGS, &flags, &size)); show_flag("lightweight", CU_COREDUMP_LIGHTWEIGHT, false); show_flag("trigger", CU_COREDUMP_TRIGGER_HOST, false);
    flags = 1 << 12; size = 4; SHOW("set_flags_unknown", cuCoredumpSetAttribute(CU_COREDUMP_GENERATION_FLAGS, &flags, &size));
    size = 1; SHOW("set_user", cuCoredumpSetAttribute(CU_COREDUMP_ENABLE_USER_TRIGGER, &on, &size));
    const char *name = "/tmp/dump.%p"; size = strlen(name) + 1;
    SHOW("set_file", cuCoredumpSetAttribute(CU_COREDUMP_FILE, (void *)name, &size)); size = sizeof text; memset(text, 0, sizeof text);
    SHOW("file", cuCoredumpGetAttribute(CU_COREDUMP_FILE, text, &size)); printf("'%s' %zu\n", text, size);
    size = 5; memset(text, '#', 16); text[16] = 0; SHOW("file_short", cuCoredumpGetAttribute(CU_COREDUMP_FILE, text, &size)); printf("'%s' %zu\n", text, size);
    size = strlen(name) + 1; SHOW("set_pipe", cuCoredumpSetAttribute(CU_COREDUMP_PIPE, (void *)name, &size));
    char lengthy[1200]; memset(lengthy, 'x', sizeof lengthy); lengthy[1199] = 0; size = 1200; SHOW("set_long", cuCoredumpSetAttribute(CU_COREDUMP_FILE, lengthy, &size));
    size = 1; SHOW("set_null", cuCoredumpSetAttribute(CU_COREDUMP_LIGHTWEIGHT, nullptr, &size)); SHOW("set_null_size", cuCoredumpSetAttribute(CU_COREDUMP_LIGHTWEIGHT, &on, nullptr));
    size = 1; SHOW("global_set", cuCoredumpSetAttributeGlobal(CU_COREDUMP_ENABLE_ON_EXCEPTION, &on, &size)); show_flag("global_enable", CU_COREDUMP_ENABLE_ON_EXCEPTION, true);
    size = 1; SHOW("global_set_light", cuCoredumpSetAttributeGlobal(CU_COREDUMP_LIGHTWEIGHT, &on, &size)); show_flag("global_lightweight", CU_COREDUMP_LIGHTWEIGHT, true); show_flag("lightweight", CU_COREDUMP_LIGHTWEIGHT, false);
    size = strlen(name) + 1; SHOW("global_set_file", cuCoredumpSetAttributeGlobal(CU_COREDUMP_FILE, (void *)name, &size));
    size = 4; SHOW("global_set_max", cuCoredumpSetAttributeGlobal(CU_COREDUMP_MAX, &flags, &size));
}

static void checkpoint() {
    CUprocessState state = (CUprocessState)-1; int tid = -1; CUcheckpointLockArgs lock = {}; CUcheckpointCheckpointArgs point = {};
    SHOW("before_init", cuCheckpointProcessGetState(getpid(), &state)); printf("%d\n", (int)state);
    start();
    SHOW("own", cuCheckpointProcessGetState(getpid(), &state)); printf("%d\n", (int)state);
    SHOW("parent", cuCheckpointProcessGetState(getppid(), &state));
    SHOW("none", cuCheckpointProcessGetState(999999999, &state));
    SHOW("null", cuCheckpointProcessGetState(getpid(), nullptr));
    SHOW("thread", cuCheckpointProcessGetRestoreThreadId(getpid(), &tid)); printf("%d\n", tid > 0);
    SHOW("thread_none", cuCheckpointProcessGetRestoreThreadId(999999999, &tid));
    SHOW("lock_none", cuCheckpointProcessLock(999999999, &lock)); SHOW("unlock_none", cuCheckpointProcessUnlock(999999999, nullptr));
    SHOW("checkpoint_none", cuCheckpointProcessCheckpoint(999999999, &point)); SHOW("restore_none", cuCheckpointProcessRestore(999999999, nullptr));
    SHOW("unlock_running", cuCheckpointProcessUnlock(getpid(), nullptr)); SHOW("checkpoint_running", cuCheckpointProcessCheckpoint(getpid(), nullptr)); SHOW("restore_running", cuCheckpointProcessRestore(getpid(), nullptr));
}

static void tables() {
    const void *table = (void *)1; CUuuid none = {}; for (int i = 0; i < 16; i++) none.bytes[i] = (char)(i * 7 + 1);
    SHOW("before_init", cuGetExportTable(&table, &none)); printf("%d\n", table == nullptr);
    start(); table = (void *)1;
    SHOW("unknown", cuGetExportTable(&table, &none)); printf("%d\n", table == nullptr);
    SHOW("null", cuGetExportTable(nullptr, &none)); SHOW("null_id", cuGetExportTable(&table, nullptr));
    cudaUUID_t id; memcpy(&id, &none, 16); SHOW("runtime", cudaGetExportTable(&table, &id));
}

static void flushes() {
    start();
    int options = -1, order = -1;
    cuDeviceGetAttribute(&options, CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS, dev); cuDeviceGetAttribute(&order, CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WRITES_ORDERING, dev); printf("options %d order %d\n", options, order);
    SHOW("owner", cuFlushGPUDirectRDMAWrites(CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TARGET_CURRENT_CTX, CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_OWNER));
    SHOW("all", cuFlushGPUDirectRDMAWrites(CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TARGET_CURRENT_CTX, CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_ALL_DEVICES));
    SHOW("target_5", cuFlushGPUDirectRDMAWrites((CUflushGPUDirectRDMAWritesTarget)5, CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_OWNER));
    SHOW("scope_7", cuFlushGPUDirectRDMAWrites(CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TARGET_CURRENT_CTX, (CUflushGPUDirectRDMAWritesScope)7));
    SHOW("runtime", cudaDeviceFlushGPUDirectRDMAWrites(cudaFlushGPUDirectRDMAWritesTargetCurrentDevice, cudaFlushGPUDirectRDMAWritesToOwner));
    SHOW("runtime_all", cudaDeviceFlushGPUDirectRDMAWrites(cudaFlushGPUDirectRDMAWritesTargetCurrentDevice, cudaFlushGPUDirectRDMAWritesToAllDevices));
    char sync[4096]; SHOW("sci", cuDeviceGetNvSciSyncAttributes(sync, dev, CUDA_NVSCISYNC_ATTR_SIGNAL)); SHOW("sci_null", cuDeviceGetNvSciSyncAttributes(nullptr, dev, CUDA_NVSCISYNC_ATTR_SIGNAL)); SHOW("sci_flags_0", cuDeviceGetNvSciSyncAttributes(sync, dev, 0)); SHOW("sci_flags_8", cuDeviceGetNvSciSyncAttributes(sync, dev, 8)); SHOW("sci_device", cuDeviceGetNvSciSyncAttributes(sync, 99, 1));
    SHOW("sci_runtime", cudaDeviceGetNvSciSyncAttributes(sync, 0, 1)); SHOW("sci_runtime_null", cudaDeviceGetNvSciSyncAttributes(nullptr, 0, 1));
    int fd = -1; CUdeviceptr p; cuMemAlloc(&p, 1 << 21);
    int dmabuf = -1; cuDeviceGetAttribute(&dmabuf, CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED, dev); printf("dmabuf %d\n", dmabuf);
    SHOW("range_handle", cuMemGetHandleForAddressRange(&fd, p, 1 << 21, CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD, 0)); SHOW("range_type", cuMemGetHandleForAddressRange(&fd, p, 1 << 21, (CUmemRangeHandleType)9, 0)); SHOW("range_null", cuMemGetHandleForAddressRange(nullptr, p, 1 << 21, CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD, 0)); SHOW("range_odd", cuMemGetHandleForAddressRange(&fd, p + 5, 100, CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD, 0)); SHOW("range_host", cuMemGetHandleForAddressRange(&fd, (CUdeviceptr)&fd & ~4095ull, 4096, CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD, 0));
}

static void decompress() {
    start();
    CUdeviceptr p; size_t bad = 99; cuMemAlloc(&p, 4096); int mask = -1, most = -1; cuDeviceGetAttribute(&mask, CU_DEVICE_ATTRIBUTE_MEM_DECOMPRESS_ALGORITHM_MASK, dev); cuDeviceGetAttribute(&most, CU_DEVICE_ATTRIBUTE_MEM_DECOMPRESS_MAXIMUM_LENGTH, dev); printf("mask %d most %d\n", mask, most);
    CUmemDecompressParams d = {}; d.srcNumBytes = 64; d.dstNumBytes = 64; d.src = (void *)p; d.dst = (void *)(p + 1024); cuuint32_t got = 0; d.dstActBytes = &got; d.algo = CU_MEM_DECOMPRESS_ALGORITHM_DEFLATE;
    SHOW("deflate", cuMemBatchDecompressAsync(&d, 1, 0, &bad, nullptr)); printf("%zu\n", bad); SHOW("none", cuMemBatchDecompressAsync(&d, 0, 0, &bad, nullptr)); SHOW("null", cuMemBatchDecompressAsync(nullptr, 1, 0, &bad, nullptr)); SHOW("flags", cuMemBatchDecompressAsync(&d, 1, 5, &bad, nullptr));
}

int main() { SECTION(coredump); SECTION(checkpoint); SECTION(tables); SECTION(flushes); SECTION(decompress); return 0; }
