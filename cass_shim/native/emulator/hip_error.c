/* Error names, texts, and the calling thread's last error. */
#include "emulator/hip_calls.h"
#include "emulator/hip_state.h"

typedef struct {
    hipError_t error;
    const char *name, *text;
} error_row;

#define ROW(name, text) {name, #name, text}
static const error_row rows[] = {
    ROW(hipSuccess, "no error"),
    ROW(hipErrorInvalidValue, "invalid argument"),
    ROW(hipErrorOutOfMemory, "out of memory"),
    ROW(hipErrorNotInitialized, "initialization error"),
    ROW(hipErrorDeinitialized, "driver shutting down"),
    ROW(hipErrorProfilerDisabled, "profiler disabled"),
    ROW(hipErrorProfilerNotInitialized, "profiler not initialized"),
    ROW(hipErrorProfilerAlreadyStarted, "profiler already started"),
    ROW(hipErrorProfilerAlreadyStopped, "profiler already stopped"),
    ROW(hipErrorInvalidConfiguration, "invalid configuration argument"),
    ROW(hipErrorInvalidPitchValue, "invalid pitch argument"),
    ROW(hipErrorInvalidSymbol, "invalid device symbol"),
    ROW(hipErrorInvalidDevicePointer, "invalid device pointer"),
    ROW(hipErrorInvalidMemcpyDirection, "invalid copy direction"),
    ROW(hipErrorInsufficientDriver, "driver version is insufficient for runtime version"),
    ROW(hipErrorMissingConfiguration, "launch configuration is missing"),
    ROW(hipErrorPriorLaunchFailure, "failure of a previous launch"),
    ROW(hipErrorInvalidDeviceFunction, "invalid device function"),
    ROW(hipErrorNoDevice, "no device"),
    ROW(hipErrorInvalidDevice, "invalid device ordinal"),
    ROW(hipErrorInvalidImage, "device image is invalid"),
    ROW(hipErrorInvalidContext, "invalid device context"),
    ROW(hipErrorContextAlreadyCurrent, "context is already current"),
    ROW(hipErrorMapFailed, "mapping failed"),
    ROW(hipErrorUnmapFailed, "unmapping failed"),
    ROW(hipErrorArrayIsMapped, "array is mapped"),
    ROW(hipErrorAlreadyMapped, "already mapped"),
    ROW(hipErrorNoBinaryForGpu, "no code object for this device"),
    ROW(hipErrorAlreadyAcquired, "already acquired"),
    ROW(hipErrorNotMapped, "not mapped"),
    ROW(hipErrorNotMappedAsArray, "not mapped as array"),
    ROW(hipErrorNotMappedAsPointer, "not mapped as pointer"),
    ROW(hipErrorECCNotCorrectable, "uncorrectable ECC error"),
    ROW(hipErrorUnsupportedLimit, "limit is not supported"),
    ROW(hipErrorContextAlreadyInUse, "context is already in use"),
    ROW(hipErrorPeerAccessUnsupported, "peer access is not supported between these devices"),
    ROW(hipErrorInvalidKernelFile, "invalid kernel file"),
    ROW(hipErrorInvalidGraphicsContext, "invalid graphics context"),
    ROW(hipErrorInvalidSource, "device kernel image is invalid"),
    ROW(hipErrorFileNotFound, "file not found"),
    ROW(hipErrorSharedObjectSymbolNotFound, "shared object symbol not found"),
    ROW(hipErrorSharedObjectInitFailed, "shared object initialization failed"),
    ROW(hipErrorOperatingSystem, "operating system call failed"),
    ROW(hipErrorInvalidHandle, "invalid resource handle"),
    ROW(hipErrorIllegalState, "operation is not allowed in this state"),
    ROW(hipErrorNotFound, "named symbol not found"),
    ROW(hipErrorNotReady, "device not ready"),
    ROW(hipErrorIllegalAddress, "an illegal memory access was encountered"),
    ROW(hipErrorLaunchOutOfResources, "too many resources requested for launch"),
    ROW(hipErrorLaunchTimeOut, "the launch timed out and was terminated"),
    ROW(hipErrorPeerAccessAlreadyEnabled, "peer access is already enabled"),
    ROW(hipErrorPeerAccessNotEnabled, "peer access has not been enabled"),
    ROW(hipErrorSetOnActiveProcess, "cannot set while the device is active in this process"),
    ROW(hipErrorContextIsDestroyed, "context is destroyed"),
    ROW(hipErrorAssert, "device-side assert triggered"),
    ROW(hipErrorHostMemoryAlreadyRegistered, "host memory is already registered"),
    ROW(hipErrorHostMemoryNotRegistered, "host memory is not registered"),
    ROW(hipErrorLaunchFailure, "unspecified launch failure"),
    ROW(hipErrorCooperativeLaunchTooLarge, "too many workgroups in a cooperative launch"),
    ROW(hipErrorNotSupported, "operation not supported"),
    ROW(hipErrorStreamCaptureUnsupported, "operation not permitted while a stream is capturing"),
    ROW(hipErrorStreamCaptureInvalidated, "the capture was invalidated by an earlier error"),
    ROW(hipErrorStreamCaptureMerge, "operation would merge two captures"),
    ROW(hipErrorStreamCaptureUnmatched, "the capture was not started on this stream"),
    ROW(hipErrorStreamCaptureUnjoined, "a captured stream was not joined to the origin stream"),
    ROW(hipErrorStreamCaptureIsolation, "dependency crosses the capture's boundary"),
    ROW(hipErrorStreamCaptureImplicit, "operation would depend on the legacy stream implicitly"),
    ROW(hipErrorCapturedEvent, "operation not permitted on an event last recorded in a capture"),
    ROW(hipErrorStreamCaptureWrongThread, "the capture was started by another thread"),
    ROW(hipErrorGraphExecUpdateFailure, "the graph update was not performed"),
    ROW(hipErrorInvalidChannelDescriptor, "invalid channel descriptor"),
    ROW(hipErrorInvalidTexture, "invalid texture"),
    ROW(hipErrorStreamDetached, "stream is detached"),
    ROW(hipErrorUnknown, "unknown error"),
    ROW(hipErrorRuntimeMemory, "runtime memory call failed"),
    ROW(hipErrorRuntimeOther, "runtime call other than memory failed"),
    ROW(hipErrorInvalidClusterSize, "invalid cluster size"),
};

static const error_row *row_of(hipError_t error) {
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].error == error) return &rows[i];
    return NULL;
}

const char *emu_hipGetErrorName(hipError_t hip_error) {
    const error_row *row = row_of(hip_error);
    return row ? row->name : "hipErrorUnknown";
}

const char *emu_hipGetErrorString(hipError_t hipError) {
    const error_row *row = row_of(hipError);
    return row ? row->text : "unknown error";
}

hipError_t emu_hipDrvGetErrorName(hipError_t hipError, const char **errorString) {
    const error_row *row = row_of(hipError);
    if (!errorString || !row) return hipErrorInvalidValue;
    *errorString = row->name;
    return hipSuccess;
}

hipError_t emu_hipDrvGetErrorString(hipError_t hipError, const char **errorString) {
    const error_row *row = row_of(hipError);
    if (!errorString || !row) return hipErrorInvalidValue;
    *errorString = row->text;
    return hipSuccess;
}

/* A sticky error stays: only hipDeviceReset clears it. */
hipError_t emu_hipGetLastError(void) {
    hipError_t last = emu_hipPeekAtLastError();
    emu_me.last = hipSuccess;
    return last;
}

hipError_t emu_hipPeekAtLastError(void) {
    int fault = atomic_load(&emu_current()->fault);
    return fault ? (hipError_t)fault : emu_me.last;
}

hipError_t emu_hipExtGetLastError(void) { return emu_hipGetLastError(); }
