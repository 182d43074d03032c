/* Driver API: what the device says it has not (by its attributes), refused as the manual has it:
 * wrong arguments with 1 or 101, the rest with 801. */
#include <signal.h>
#include <unistd.h>

#include "driver/api.h"
#include "driver/memory.h"

enum { NVSCI_SIGNAL_AND_WAIT = 3, HOST_PAGE = 4096 };

/* Multicast objects span devices joined by NVLink switches (attribute 132 is 0 here), so no handle
 * of one can exist; nothing else is looked at (recorded). */

CUresult cass_cuMulticastGetGranularity(size_t *granularity, const CUmulticastObjectProp *prop,
                                        CUmulticastGranularity_flags option) {
    STARTED();
    (void)granularity, (void)prop, (void)option;
    return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cass_cuMulticastCreate(CUmemGenericAllocationHandle *mcHandle,
                                const CUmulticastObjectProp *prop) {
    STARTED();
    (void)mcHandle, (void)prop;
    return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cass_cuMulticastAddDevice(CUmemGenericAllocationHandle mcHandle, CUdevice dev) {
    STARTED();
    (void)mcHandle, (void)dev;
    return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cass_cuMulticastBindMem(CUmemGenericAllocationHandle mcHandle, size_t mcOffset,
                                 CUmemGenericAllocationHandle memHandle, size_t memOffset,
                                 size_t size, unsigned long long flags) {
    STARTED();
    (void)mcHandle, (void)mcOffset, (void)memHandle, (void)memOffset, (void)size, (void)flags;
    return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cass_cuMulticastBindMem_v2(CUmemGenericAllocationHandle mcHandle, CUdevice dev,
                                    size_t mcOffset, CUmemGenericAllocationHandle memHandle,
                                    size_t memOffset, size_t size, unsigned long long flags) {
    STARTED();
    (void)mcHandle, (void)dev, (void)mcOffset, (void)memHandle, (void)memOffset, (void)size,
        (void)flags;
    return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cass_cuMulticastBindAddr(CUmemGenericAllocationHandle mcHandle, size_t mcOffset,
                                  CUdeviceptr memptr, size_t size, unsigned long long flags) {
    STARTED();
    (void)mcHandle, (void)mcOffset, (void)memptr, (void)size, (void)flags;
    return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cass_cuMulticastBindAddr_v2(CUmemGenericAllocationHandle mcHandle, CUdevice dev,
                                     size_t mcOffset, CUdeviceptr memptr, size_t size,
                                     unsigned long long flags) {
    STARTED();
    (void)mcHandle, (void)dev, (void)mcOffset, (void)memptr, (void)size, (void)flags;
    return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cass_cuMulticastUnbind(CUmemGenericAllocationHandle mcHandle, CUdevice dev,
                                size_t mcOffset, size_t size) {
    STARTED();
    (void)mcHandle, (void)dev, (void)mcOffset, (void)size;
    return CUDA_ERROR_NOT_SUPPORTED;
}

/* Logical endpoints, and copies between fabrics, which take them (attributes 153 to 155). */

CUresult cass_cuLogicalEndpointIdReserve(CUlogicalEndpointId *baseLeId, cuuint32_t count) {
    STARTED();
    if (!baseLeId || !count) return CUDA_ERROR_INVALID_VALUE;
    return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cass_cuLogicalEndpointIdRelease(CUlogicalEndpointId baseLeId, cuuint32_t count) {
    STARTED();
    (void)baseLeId;
    if (!count) return CUDA_ERROR_INVALID_VALUE;
    return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cass_cuLogicalEndpointCreate(CUlogicalEndpointId leId, const CUlogicalEndpointProp *prop) {
    STARTED();
    (void)leId;
    if (!prop) return CUDA_ERROR_INVALID_VALUE;
    return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cass_cuLogicalEndpointDestroy(CUlogicalEndpointId leId) {
    STARTED();
    (void)leId;
    return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cass_cuLogicalEndpointAddDevice(CUlogicalEndpointId leId, CUdevice dev) {
    KNOWN_DEVICE(dev);
    (void)leId;
    return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cass_cuLogicalEndpointBindAddr(CUlogicalEndpointId leId, CUdevice dev, cuuint64_t offset,
                                        void *ptr, cuuint64_t size, unsigned long long flags) {
    KNOWN_DEVICE(dev);
    (void)leId, (void)offset, (void)flags;
    if (!ptr || !size) return CUDA_ERROR_INVALID_VALUE;
    return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cass_cuLogicalEndpointBindMem(CUlogicalEndpointId leId, CUdevice dev, cuuint64_t offset,
                                       CUmemGenericAllocationHandle memHandle, cuuint64_t memOffset,
                                       cuuint64_t size, unsigned long long flags) {
    KNOWN_DEVICE(dev);
    (void)leId, (void)offset, (void)memOffset, (void)flags;
    if (!memHandle || !size) return CUDA_ERROR_INVALID_VALUE;
    return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cass_cuLogicalEndpointUnbind(CUlogicalEndpointId leId, CUdevice dev, cuuint64_t offset,
                                      cuuint64_t size) {
    KNOWN_DEVICE(dev);
    (void)leId, (void)offset;
    if (!size) return CUDA_ERROR_INVALID_VALUE;
    return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cass_cuLogicalEndpointExport(void *handle, CUlogicalEndpointId leId,
                                      CUlogicalEndpointIpcHandleType handleType) {
    STARTED();
    (void)leId, (void)handleType;
    if (!handle) return CUDA_ERROR_INVALID_VALUE;
    return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cass_cuLogicalEndpointImport(CUlogicalEndpointId leId, const void *handle,
                                      CUlogicalEndpointIpcHandleType handleType) {
    STARTED();
    (void)leId, (void)handleType;
    if (!handle) return CUDA_ERROR_INVALID_VALUE;
    return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cass_cuLogicalEndpointGetLimits(cuuint64_t *bindAlignment, cuuint64_t *maxSize,
                                         const CUlogicalEndpointProp *prop) {
    STARTED();
    (void)bindAlignment, (void)maxSize;
    if (!prop) return CUDA_ERROR_INVALID_VALUE;
    return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cass_cuLogicalEndpointQuery(CUlogicalEndpointId leId, cuuint32_t count, int *queryStatus) {
    STARTED();
    (void)leId;
    if (!count || !queryStatus) return CUDA_ERROR_INVALID_VALUE;
    return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cass_cuFabricCpyBatchAsync(size_t numOps, CUDA_FABRIC_COPY_BATCH_OP *opList,
                                    unsigned long long flags, CUstream hStream) {
    STARTED();
    (void)flags, (void)hStream;
    if (!numOps || !opList) return CUDA_ERROR_INVALID_VALUE;
    return CUDA_ERROR_NOT_SUPPORTED;
}

/* Cliques and clusters of a fabric. */

CUresult cass_cuDeviceGetCliqueCount(size_t *count, CUdevice dev) {
    KNOWN_DEVICE(dev);
    if (!count) return CUDA_ERROR_INVALID_VALUE;
    return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cass_cuDeviceGetCliqueInfo(CUcliqueInfo *cliqueInfo, size_t *count, CUdevice dev) {
    KNOWN_DEVICE(dev);
    (void)cliqueInfo;
    if (!count) return CUDA_ERROR_INVALID_VALUE;
    return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cass_cuDeviceGetFabricClusterUuid(CUuuid *uuid, CUdevice dev) {
    KNOWN_DEVICE(dev);
    if (!uuid) return CUDA_ERROR_INVALID_VALUE;
    return CUDA_ERROR_NOT_SUPPORTED;
}

/* Memory handed to other drivers as dma_buf (attribute 124). */

CUresult cass_cuMemGetHandleForAddressRange(void *handle, CUdeviceptr dptr, size_t size,
                                            CUmemRangeHandleType handleType,
                                            unsigned long long flags) {
    ENTER(device);
    (void)device, (void)flags;
    cass_pointer found;
    cass_pointer_get(cass_address(dptr), &found);
    if (!handle || !size || dptr % HOST_PAGE || size % HOST_PAGE ||
        found.type != HIP_MEMORY_DEVICE || handleType != CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD)
        return CUDA_ERROR_INVALID_VALUE;
    return CUDA_ERROR_NOT_SUPPORTED;
}

/* NvSciSync is of NVIDIA's embedded systems. */

CUresult cass_cuDeviceGetNvSciSyncAttributes(void *nvSciSyncAttrList, CUdevice dev, int flags) {
    KNOWN_DEVICE(dev);
    if (flags <= 0 || flags > NVSCI_SIGNAL_AND_WAIT) return CUDA_ERROR_INVALID_VALUE;
    if (!nvSciSyncAttrList) return CUDA_ERROR_INVALID_HANDLE;
    return CUDA_ERROR_NOT_SUPPORTED;
}

/* A process cannot be frozen and thawed: there is no driver beside it that could keep its device's
 * state. It is always running; of others only that they exist is known. Codes are recorded. */
static CUresult process(int pid) {
    if (pid == (int)getpid()) return cass_device_count ? CUDA_SUCCESS : CUDA_ERROR_NOT_INITIALIZED;
    return kill(pid, 0) ? CUDA_ERROR_OPERATING_SYSTEM : CUDA_ERROR_NOT_INITIALIZED;
}

CUresult cass_cuCheckpointProcessGetState(int pid, CUprocessState *state) {
    if (!state) return CUDA_ERROR_INVALID_VALUE;
    CUresult result = process(pid);
    if (!result) *state = CU_PROCESS_STATE_RUNNING;
    return result;
}

/* The thread that a restore would have to run in: the process's first. */
CUresult cass_cuCheckpointProcessGetRestoreThreadId(int pid, int *tid) {
    if (!tid) return CUDA_ERROR_INVALID_VALUE;
    CUresult result = process(pid);
    if (!result) *tid = pid;
    return result;
}

CUresult cass_cuCheckpointProcessLock(int pid, CUcheckpointLockArgs *args) {
    (void)args;
    CUresult result = process(pid);
    return result ? result : CUDA_ERROR_NOT_SUPPORTED;
}

/* These want a locked or a checkpointed process. */
static CUresult not_while_running(int pid) {
    CUresult result = process(pid);
    return result ? result : CUDA_ERROR_ILLEGAL_STATE;
}

CUresult cass_cuCheckpointProcessUnlock(int pid, CUcheckpointUnlockArgs *args) {
    (void)args;
    return not_while_running(pid);
}

CUresult cass_cuCheckpointProcessCheckpoint(int pid, CUcheckpointCheckpointArgs *args) {
    (void)args;
    return not_while_running(pid);
}

CUresult cass_cuCheckpointProcessRestore(int pid, CUcheckpointRestoreArgs *args) {
    (void)args;
    return not_while_running(pid);
}

CUresult cass_cuCheckpointOperationComplete(CUcheckpointOperationHandle handle) {
    STARTED();
    (void)handle;
    return CUDA_ERROR_NOT_SUPPORTED;
}
