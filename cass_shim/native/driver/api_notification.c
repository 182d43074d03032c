/* Driver API: calls whose answer is that nothing happens here (notifications, atomics across the
 * bus), the error log, graph memory, and events of a whole context. */
#include "driver/api.h"
#include "driver/array.h"
#include "driver/graph.h"
#include "driver/log.h"
#include "driver/properties.h"
#include "driver/stream.h"

enum { TEXTURE_1D_LINEAR = 69, LAST_ATOMIC = 31 };

/* No atomic operation of a device on host or peer memory is native. */
static CUresult no_atomics(unsigned *capabilities, const CUatomicOperation *operations,
                           unsigned count) {
    if (!capabilities || !operations || !count) return CUDA_ERROR_INVALID_VALUE;
    for (unsigned i = 0; i < count; i++) {
        if ((unsigned)operations[i] > LAST_ATOMIC) return CUDA_ERROR_INVALID_VALUE;
        capabilities[i] = 0;
    }
    return CUDA_SUCCESS;
}

CUresult cass_cuDeviceGetHostAtomicCapabilities(unsigned int *capabilities,
                                                const CUatomicOperation *operations,
                                                unsigned int count, CUdevice dev) {
    KNOWN_DEVICE(dev);
    return no_atomics(capabilities, operations, count);
}

CUresult cass_cuDeviceGetP2PAtomicCapabilities(unsigned int *capabilities,
                                               const CUatomicOperation *operations,
                                               unsigned int count, CUdevice srcDevice,
                                               CUdevice dstDevice) {
    KNOWN_DEVICE(srcDevice);
    KNOWN_DEVICE(dstDevice);
    if (srcDevice == dstDevice) return CUDA_ERROR_INVALID_DEVICE;
    return no_atomics(capabilities, operations, count);
}

/* How many there are of each device; handles are addresses in here. */
static _Atomic int registered[CASS_MAX_DEVICES];

CUresult cass_cuDeviceRegisterAsyncNotification(CUdevice device, CUasyncCallback callbackFunc,
                                                void *userData, CUasyncCallbackHandle *callback) {
    KNOWN_DEVICE(device);
    (void)userData;
    if (!callbackFunc || !callback) return CUDA_ERROR_INVALID_VALUE;
    registered[device]++;
    *callback = (CUasyncCallbackHandle)(void *)&registered[device];
    return CUDA_SUCCESS;
}

CUresult cass_cuDeviceUnregisterAsyncNotification(CUdevice device, CUasyncCallbackHandle callback) {
    KNOWN_DEVICE(device);
    if ((void *)callback != &registered[device]) return CUDA_ERROR_INVALID_VALUE;
    int left = registered[device];
    while (left && !atomic_compare_exchange_weak(&registered[device], &left, left - 1)) {
    }
    return left ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cass_cuLogsCurrent(CUlogIterator *iterator_out, unsigned int flags) {
    (void)flags; /* an H200's driver takes any: recorded */
    if (!iterator_out) return CUDA_ERROR_INVALID_VALUE;
    *iterator_out = cass_log_end();
    return CUDA_SUCCESS;
}

CUresult cass_cuLogsDumpToFile(CUlogIterator *iterator, const char *pathToFile,
                               unsigned int flags) {
    if (!pathToFile || flags) return CUDA_ERROR_INVALID_VALUE;
    return RESULT(cass_log_dump_file(iterator, pathToFile));
}

CUresult cass_cuLogsDumpToMemory(CUlogIterator *iterator, char *buffer, size_t *size,
                                 unsigned int flags) {
    if (!buffer || !size || !*size || flags) return CUDA_ERROR_INVALID_VALUE;
    return RESULT(cass_log_dump(iterator, buffer, size));
}

CUresult cass_cuLogsRegisterCallback(CUlogsCallback callbackFunc, void *userData,
                                     CUlogsCallbackHandle *callback_out) {
    void *handle = NULL;
    if (!callbackFunc) return CUDA_ERROR_INVALID_VALUE;
    int result = cass_log_watch((cass_log_reader)(void *)callbackFunc, userData, &handle);
    if (!result && callback_out) *callback_out = (CUlogsCallbackHandle)handle;
    return RESULT(result);
}

CUresult cass_cuLogsUnregisterCallback(CUlogsCallbackHandle callback) {
    return RESULT(cass_log_unwatch((const void *)callback));
}

CUresult cass_cuDeviceGetTexture1DLinearMaxWidth(size_t *maxWidthInElements, CUarray_format format,
                                                 unsigned numChannels, CUdevice dev) {
    KNOWN_DEVICE(dev);
    if (!maxWidthInElements || !format ||
        (numChannels != 1 && numChannels != 2 && numChannels != 4))
        return CUDA_ERROR_INVALID_VALUE;
    *maxWidthInElements = (size_t)cass_attribute_value(&cass_devices[dev], TEXTURE_1D_LINEAR);
    return CUDA_SUCCESS;
}

CUresult
cass_cuMipmappedArrayGetMemoryRequirements(CUDA_ARRAY_MEMORY_REQUIREMENTS *memoryRequirements,
                                           CUmipmappedArray mipmap, CUdevice device) {
    KNOWN_DEVICE(device);
    cass_mipmap *known = cass_mipmap_of(mipmap);
    if (!known) return CUDA_ERROR_INVALID_HANDLE;
    if (!memoryRequirements || !cass_array_deferred(&known->level[0]))
        return CUDA_ERROR_INVALID_VALUE;
    const cass_array *first = &known->level[0]; /* its slices hold all levels */
    *memoryRequirements = (CUDA_ARRAY_MEMORY_REQUIREMENTS){
        .size = first->slice * (first->depth ? first->depth : 1), .alignment = 512};
    return CUDA_SUCCESS;
}

CUresult cass_cuMipmappedArrayGetSparseProperties(CUDA_ARRAY_SPARSE_PROPERTIES *sparseProperties,
                                                  CUmipmappedArray mipmap) {
    STARTED();
    (void)sparseProperties;
    return cass_mipmap_of(mipmap) ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cass_cuDeviceGetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attr,
                                           void *value) {
    KNOWN_DEVICE(device);
    return RESULT(cass_graph_memory_attribute((int)attr, value, 0));
}

CUresult cass_cuDeviceSetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attr,
                                           void *value) {
    KNOWN_DEVICE(device);
    return RESULT(cass_graph_memory_attribute((int)attr, value, 1));
}

CUresult cass_cuDeviceGraphMemTrim(CUdevice device) {
    KNOWN_DEVICE(device);
    return CUDA_SUCCESS; /* nothing is kept in reserve */
}

/* The legacy stream waits for, and is waited for by, the context's blocking streams. */
CUresult cass_cuCtxRecordEvent(CUcontext hCtx, CUevent hEvent) {
    ENTER(device);
    if (!cass_context_of(hCtx)) return CUDA_ERROR_INVALID_CONTEXT;
    return RESULT(cass_event_record(device, cass_event(hEvent), NULL, 0));
}

CUresult cass_cuCtxWaitEvent(CUcontext hCtx, CUevent hEvent) {
    ENTER(device);
    if (!cass_context_of(hCtx)) return CUDA_ERROR_INVALID_CONTEXT;
    return RESULT(cass_stream_wait(device, NULL, cass_event(hEvent), 0));
}
