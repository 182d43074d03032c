/* Calls whose answer is that nothing happens here: notifications, atomics across the bus; the error
 * log, and a few limits. */
#include "driver/array.h"
#include "driver/graph.h"
#include "driver/log.h"
#include "driver/properties.h"
#include "runtime/format.h"
#include "runtime/runtime.h"

enum { TEXTURE_1D_LINEAR = 69, LAST_ATOMIC = 31 };

static int known_device(int device) { return device >= 0 && device < cass_device_count; }

/* No atomic operation of a device on host or peer memory is native. */
static cudaError_t no_atomics(unsigned *capabilities, const enum cudaAtomicOperation *operations,
                              unsigned count) {
    if (!capabilities || !operations || !count) return cudaErrorInvalidValue;
    for (unsigned i = 0; i < count; i++) {
        if ((unsigned)operations[i] > LAST_ATOMIC) return cudaErrorInvalidValue;
        capabilities[i] = 0;
    }
    return cudaSuccess;
}

cudaError_t cass_cudaDeviceGetHostAtomicCapabilities(unsigned int *capabilities,
                                                     const enum cudaAtomicOperation *operations,
                                                     unsigned int count, int device) {
    ENTER(entered);
    (void)entered;
    return known_device(device) ? no_atomics(capabilities, operations, count)
                                : cudaErrorInvalidDevice;
}

cudaError_t cass_cudaDeviceGetP2PAtomicCapabilities(unsigned int *capabilities,
                                                    const enum cudaAtomicOperation *operations,
                                                    unsigned int count, int srcDevice,
                                                    int dstDevice) {
    ENTER(entered);
    (void)entered;
    if (!known_device(srcDevice) || !known_device(dstDevice) || srcDevice == dstDevice)
        return cudaErrorInvalidDevice;
    return no_atomics(capabilities, operations, count);
}

/* The only notification CUDA has tells that a memory budget was exceeded; there is none to exceed.
 * How many there are of each device; handles are addresses in here. */
static _Atomic int registered[CASS_MAX_DEVICES];

cudaError_t cass_cudaDeviceRegisterAsyncNotification(int device, cudaAsyncCallback callbackFunc,
                                                     void *userData,
                                                     cudaAsyncCallbackHandle_t *callback) {
    ENTER(entered);
    (void)entered, (void)userData;
    if (!known_device(device)) return cudaErrorInvalidDevice;
    if (!callbackFunc || !callback) return cudaErrorInvalidValue;
    registered[device]++;
    *callback = (cudaAsyncCallbackHandle_t)(void *)&registered[device];
    return cudaSuccess;
}

cudaError_t cass_cudaDeviceUnregisterAsyncNotification(int device,
                                                       cudaAsyncCallbackHandle_t callback) {
    ENTER(entered);
    (void)entered;
    if (!known_device(device)) return cudaErrorInvalidDevice;
    if ((void *)callback != &registered[device]) return cudaErrorInvalidValue;
    int left = registered[device];
    while (left && !atomic_compare_exchange_weak(&registered[device], &left, left - 1)) {
    }
    return left ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cass_cudaLogsCurrent(cudaLogIterator *iterator_out, unsigned int flags) {
    (void)flags; /* as cuLogsCurrent */
    if (!iterator_out) return cudaErrorInvalidValue;
    *iterator_out = cass_log_end();
    return cudaSuccess;
}

cudaError_t cass_cudaLogsDumpToFile(cudaLogIterator *iterator, const char *pathToFile,
                                    unsigned int flags) {
    if (!pathToFile || flags) return cudaErrorInvalidValue;
    return (cudaError_t)cass_log_dump_file(iterator, pathToFile);
}

cudaError_t cass_cudaLogsDumpToMemory(cudaLogIterator *iterator, char *buffer, size_t *size,
                                      unsigned int flags) {
    if (!buffer || !size || !*size || flags) return cudaErrorInvalidValue;
    return (cudaError_t)cass_log_dump(iterator, buffer, size);
}

cudaError_t cass_cudaLogsRegisterCallback(cudaLogsCallback_t callbackFunc, void *userData,
                                          cudaLogsCallbackHandle *callback_out) {
    void *handle = NULL;
    if (!callbackFunc) return cudaErrorInvalidValue;
    int result = cass_log_watch((cass_log_reader)(void *)callbackFunc, userData, &handle);
    if (!result && callback_out) *callback_out = (cudaLogsCallbackHandle)handle;
    return (cudaError_t)result;
}

cudaError_t cass_cudaLogsUnregisterCallback(cudaLogsCallbackHandle callback) {
    return (cudaError_t)cass_log_unwatch((const void *)callback);
}

cudaError_t cass_cudaDeviceGetTexture1DLinearMaxWidth(size_t *maxWidthInElements,
                                                      const struct cudaChannelFormatDesc *fmtDesc,
                                                      int device) {
    ENTER(entered);
    cass_format_of format;
    if (!maxWidthInElements) return cudaErrorInvalidValue;
    if (!known_device(device)) return cudaErrorInvalidDevice;
    TRY(entered, cass_format_read(fmtDesc, &format));
    *maxWidthInElements = (size_t)cass_attribute_value(&cass_devices[device], TEXTURE_1D_LINEAR);
    return cudaSuccess;
}

cudaError_t
cass_cudaMipmappedArrayGetMemoryRequirements(struct cudaArrayMemoryRequirements *memoryRequirements,
                                             cudaMipmappedArray_t mipmap, int device) {
    cass_mipmap *known = cass_mipmap_of(mipmap);
    if (!known) return cudaErrorInvalidResourceHandle;
    if (!memoryRequirements || !known_device(device) || !cass_array_deferred(&known->level[0]))
        return cudaErrorInvalidValue;
    *memoryRequirements = (struct cudaArrayMemoryRequirements){0, 512, {0}};
    for (unsigned i = 0; i < known->levels; i++)
        memoryRequirements->size +=
            known->level[i].slice * (known->level[i].depth ? known->level[i].depth : 1);
    return cudaSuccess;
}

cudaError_t
cass_cudaMipmappedArrayGetSparseProperties(struct cudaArraySparseProperties *sparseProperties,
                                           cudaMipmappedArray_t mipmap) {
    (void)sparseProperties;
    return cass_mipmap_of(mipmap) ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle;
}

cudaError_t cass_cudaDeviceGetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attr,
                                                void *value) {
    ENTER(entered);
    if (!known_device(device)) return cudaErrorInvalidDevice;
    return DONE(entered, cass_graph_memory_attribute((int)attr, value, 0));
}

cudaError_t cass_cudaDeviceSetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attr,
                                                void *value) {
    ENTER(entered);
    if (!known_device(device)) return cudaErrorInvalidDevice;
    return DONE(entered, cass_graph_memory_attribute((int)attr, value, 1));
}

cudaError_t cass_cudaDeviceGraphMemTrim(int device) {
    ENTER(entered);
    (void)entered;
    return known_device(device) ? cudaSuccess
                                : cudaErrorInvalidDevice; /* nothing is kept in reserve */
}
