/* Contexts and peers. A context is a device: HIP has one per device, and the handle is its address
 * here. */
#include "emulator/hip_calls.h"
#include "emulator/hip_copy.h"

static hipError_t device_exists(int device) {
    if (device >= 0 && device < emu_config.device_count) return hipSuccess;
    return emu_fail(hipErrorInvalidDevice, "device %d does not exist", device);
}

static hipError_t device_of(hipCtx_t ctx, int *ordinal) {
    for (int i = 0; i < emu_config.device_count; i++)
        if ((void *)ctx == (void *)&emu_devices[i]) {
            *ordinal = i;
            return hipSuccess;
        }
    return emu_fail(hipErrorInvalidContext, "not a context: %p", (void *)ctx);
}

static hipError_t give(hipCtx_t *ctx, int device) {
    if (!ctx) return emu_fail(hipErrorInvalidValue, "no context");
    hipError_t error = device_exists(device);
    if (!error) *ctx = (hipCtx_t)(void *)&emu_devices[device];
    return error;
}

static hipError_t push(hipCtx_t ctx, int device) {
    const int room = (int)(sizeof emu_me.context_stack / sizeof emu_me.context_stack[0]);
    if (emu_me.context_depth == room)
        return emu_fail(hipErrorInvalidValue, "more than %d contexts pushed", room);
    if (emu_me.context_depth == 0) emu_me.base_device = emu_me.device;
    emu_me.context_stack[emu_me.context_depth++] = ctx;
    emu_me.device = device;
    return hipSuccess;
}

hipError_t emu_hipCtxCreate(hipCtx_t *ctx, unsigned int flags, int device) {
    hipError_t error = give(ctx, device);
    if (error) return error;
    emu_devices[device].flags = flags;
    return push(*ctx, device);
}

hipError_t emu_hipCtxDestroy(hipCtx_t ctx) {
    int device = 0;
    hipError_t error = device_of(ctx, &device);
    if (error) return error;
    emu_wait_device(&emu_devices[device]);
    if (emu_me.context_depth && emu_me.context_stack[emu_me.context_depth - 1] == ctx)
        return emu_hipCtxPopCurrent(NULL);
    return hipSuccess;
}

hipError_t emu_hipCtxPushCurrent(hipCtx_t ctx) {
    int device = 0;
    hipError_t error = device_of(ctx, &device);
    return error ? error : push(ctx, device);
}

hipError_t emu_hipCtxPopCurrent(hipCtx_t *ctx) {
    if (emu_me.context_depth == 0) return emu_fail(hipErrorInvalidContext, "no context was pushed");
    hipCtx_t top = emu_me.context_stack[--emu_me.context_depth];
    if (ctx) *ctx = top;
    if (emu_me.context_depth == 0) {
        emu_me.device = emu_me.base_device;
        return hipSuccess;
    }
    return device_of(emu_me.context_stack[emu_me.context_depth - 1], &emu_me.device);
}

hipError_t emu_hipCtxSetCurrent(hipCtx_t ctx) {
    if (!ctx) return emu_me.context_depth ? emu_hipCtxPopCurrent(NULL) : hipSuccess;
    hipError_t error = device_of(ctx, &emu_me.device);
    if (!error && emu_me.context_depth) emu_me.context_stack[emu_me.context_depth - 1] = ctx;
    return error;
}

hipError_t emu_hipCtxGetCurrent(hipCtx_t *ctx) { return give(ctx, emu_me.device); }

hipError_t emu_hipCtxGetDevice(hipDevice_t *device) { return emu_hipGetDevice(device); }

hipError_t emu_hipCtxGetApiVersion(hipCtx_t ctx, unsigned int *apiVersion) {
    int device = 0;
    hipError_t error = ctx ? device_of(ctx, &device) : hipSuccess;
    if (error) return error;
    if (!apiVersion) return emu_fail(hipErrorInvalidValue, "no version");
    *apiVersion = 4;
    return hipSuccess;
}

hipError_t emu_hipCtxGetCacheConfig(hipFuncCache_t *cacheConfig) {
    return emu_hipDeviceGetCacheConfig(cacheConfig);
}
hipError_t emu_hipCtxSetCacheConfig(hipFuncCache_t cacheConfig) {
    return emu_hipDeviceSetCacheConfig(cacheConfig);
}
hipError_t emu_hipCtxSetSharedMemConfig(hipSharedMemConfig config) {
    return emu_hipDeviceSetSharedMemConfig(config);
}
hipError_t emu_hipCtxGetSharedMemConfig(hipSharedMemConfig *pConfig) {
    return emu_hipDeviceGetSharedMemConfig(pConfig);
}
hipError_t emu_hipCtxSynchronize(void) { return emu_hipDeviceSynchronize(); }
hipError_t emu_hipCtxGetFlags(unsigned int *flags) { return emu_hipGetDeviceFlags(flags); }

hipError_t emu_hipDevicePrimaryCtxRetain(hipCtx_t *pctx, hipDevice_t dev) {
    return give(pctx, dev);
}
hipError_t emu_hipDevicePrimaryCtxRelease(hipDevice_t dev) { return device_exists(dev); }
hipError_t emu_hipDevicePrimaryCtxReset(hipDevice_t dev) {
    hipError_t error = device_exists(dev);
    if (error) return error;
    int before = emu_me.device;
    emu_me.device = dev;
    error = emu_hipDeviceReset();
    emu_me.device = before;
    return error;
}
hipError_t emu_hipDevicePrimaryCtxSetFlags(hipDevice_t dev, unsigned int flags) {
    hipError_t error = device_exists(dev);
    if (!error) emu_devices[dev].flags = flags;
    return error;
}
hipError_t emu_hipDevicePrimaryCtxGetState(hipDevice_t dev, unsigned int *flags, int *active) {
    hipError_t error = device_exists(dev);
    if (!error && flags) *flags = emu_devices[dev].flags;
    if (!error && active) *active = 1;
    return error;
}

/* Peers: all boards share one memory, so access works; the calls keep HIP's rules about enabling
 * it. */
hipError_t emu_hipDeviceCanAccessPeer(int *canAccessPeer, int deviceId, int peerDeviceId) {
    if (!canAccessPeer) return emu_fail(hipErrorInvalidValue, "no result");
    hipError_t error = device_exists(deviceId);
    if (!error) error = device_exists(peerDeviceId);
    if (!error) *canAccessPeer = deviceId != peerDeviceId;
    return error;
}

hipError_t emu_hipDeviceEnablePeerAccess(int peerDeviceId, unsigned int flags) {
    hipError_t error = device_exists(peerDeviceId);
    if (error) return error;
    if (flags || peerDeviceId == emu_me.device)
        return emu_fail(hipErrorInvalidDevice, "a device is not its own peer");
    unsigned bit = 1u << peerDeviceId, *peers = &emu_current()->peers;
    if (*peers & bit)
        return emu_fail(hipErrorPeerAccessAlreadyEnabled, "access to device %d", peerDeviceId);
    *peers |= bit;
    return hipSuccess;
}

hipError_t emu_hipDeviceDisablePeerAccess(int peerDeviceId) {
    hipError_t error = device_exists(peerDeviceId);
    if (error) return error;
    unsigned bit = 1u << peerDeviceId, *peers = &emu_current()->peers;
    if (!(*peers & bit))
        return emu_fail(hipErrorPeerAccessNotEnabled, "access to device %d", peerDeviceId);
    *peers &= ~bit;
    return hipSuccess;
}

hipError_t emu_hipCtxEnablePeerAccess(hipCtx_t peerCtx, unsigned int flags) {
    int device = 0;
    hipError_t error = device_of(peerCtx, &device);
    return error ? error : emu_hipDeviceEnablePeerAccess(device, flags);
}

hipError_t emu_hipCtxDisablePeerAccess(hipCtx_t peerCtx) {
    int device = 0;
    hipError_t error = device_of(peerCtx, &device);
    return error ? error : emu_hipDeviceDisablePeerAccess(device);
}

hipError_t emu_hipDeviceGetP2PAttribute(int *value, hipDeviceP2PAttr attr, int srcDevice,
                                        int dstDevice) {
    if (!value) return emu_fail(hipErrorInvalidValue, "no value");
    hipError_t error = device_exists(srcDevice);
    if (!error) error = device_exists(dstDevice);
    if (error || srcDevice == dstDevice)
        return error ? error : emu_fail(hipErrorInvalidDevice, "a device is not its own peer");
    *value = attr != hipDevP2PAttrPerformanceRank;
    return hipSuccess;
}

hipError_t emu_hipExtGetLinkTypeAndHopCount(int device1, int device2, uint32_t *linktype,
                                            uint32_t *hopcount) {
    hipError_t error = device_exists(device1);
    if (!error) error = device_exists(device2);
    if (error) return error;
    if (!linktype || !hopcount || device1 == device2)
        return emu_fail(hipErrorInvalidValue, "no result, or one device");
    *linktype = 2; /* HSA_AMD_LINK_INFO_TYPE_PCIE */
    *hopcount = 1;
    return hipSuccess;
}

static hipMemcpy3DParms peer_copy(const hipMemcpy3DPeerParms *p) {
    return (hipMemcpy3DParms){p->srcArray, p->srcPos, p->srcPtr, p->dstArray,
                              p->dstPos,   p->dstPtr, p->extent, hipMemcpyDeviceToDevice};
}

hipError_t emu_hipMemcpy3DPeer(hipMemcpy3DPeerParms *p) {
    if (!p) return emu_fail(hipErrorInvalidValue, "no parameters");
    hipMemcpy3DParms params = peer_copy(p);
    return emu_copy(&params, NULL, false);
}

hipError_t emu_hipMemcpy3DPeerAsync(hipMemcpy3DPeerParms *p, hipStream_t stream) {
    if (!p) return emu_fail(hipErrorInvalidValue, "no parameters");
    hipMemcpy3DParms params = peer_copy(p);
    return emu_copy(&params, stream, true);
}
