/* NVML: what has no meaning on this device. "Not supported", after the same checks of state and
 * handle. */
#include "management/nvml.h"

#define UNUSED __attribute__((unused))

/* nvmlReturn_t name(device, out, ...): at least one result is asked for. */
#define REFUSED(name, ...)                                                                         \
    NVML(name, nvmlDevice_t device, void *out, ##__VA_ARGS__) {                                    \
        NVML_DEVICE(device, out);                                                                  \
        return NVML_ERROR_NOT_SUPPORTED;                                                           \
    }

/* The result comes after a selector. */
#define REFUSED_SELECTED(name)                                                                     \
    NVML(name, nvmlDevice_t device, int which, void *out) {                                        \
        (void)which;                                                                               \
        NVML_DEVICE(device, out);                                                                  \
        return NVML_ERROR_NOT_SUPPORTED;                                                           \
    }

REFUSED(nvmlDeviceGetSerial, unsigned length UNUSED)
REFUSED(nvmlDeviceGetVbiosVersion, unsigned length UNUSED)
REFUSED(nvmlDeviceGetBoardPartNumber, unsigned length UNUSED)
REFUSED(nvmlDeviceGetInforomImageVersion, unsigned length UNUSED)
REFUSED(nvmlDeviceGetBAR1MemoryInfo)
REFUSED(nvmlDeviceGetNumFans)
REFUSED(nvmlDeviceGetPowerManagementMode)
REFUSED(nvmlDeviceGetPowerManagementLimitConstraints, unsigned *most UNUSED)
REFUSED(nvmlDeviceGetCurrPcieLinkGeneration)
REFUSED(nvmlDeviceGetMaxPcieLinkGeneration)
REFUSED(nvmlDeviceGetBoardId)
REFUSED(nvmlDeviceGetAccountingMode)
REFUSED(nvmlDeviceGetInforomConfigurationChecksum)
REFUSED(nvmlDeviceGetPcieReplayCounter)
REFUSED(nvmlDeviceGetIrqNum)
REFUSED(nvmlDeviceGetPcieSpeed)
REFUSED(nvmlDeviceGetAdaptiveClockInfoStatus)
REFUSED(nvmlDeviceGetGspFirmwareMode, unsigned *default_mode UNUSED)
REFUSED(nvmlDeviceGetEccMode, unsigned *pending UNUSED)
REFUSED(nvmlDeviceGetMigMode, unsigned *pending UNUSED)
REFUSED(nvmlDeviceGetTotalEnergyConsumption)
REFUSED(nvmlDeviceGetCurrentClocksThrottleReasons)
REFUSED(nvmlDeviceGetCurrentClocksEventReasons)
REFUSED(nvmlDeviceGetSupportedClocksThrottleReasons)
REFUSED(nvmlDeviceGetEncoderUtilization, unsigned *period UNUSED)
REFUSED(nvmlDeviceGetDecoderUtilization, unsigned *period UNUSED)
REFUSED(nvmlDeviceGetVirtualizationMode)
REFUSED(nvmlDeviceGetSupportedMemoryClocks, unsigned *clocks UNUSED)
REFUSED(nvmlDeviceGetRemappedRows, unsigned *more UNUSED, unsigned *pending UNUSED,
        unsigned *failed UNUSED)
REFUSED_SELECTED(nvmlDeviceGetApplicationsClock)
REFUSED_SELECTED(nvmlDeviceGetPcieThroughput)
REFUSED_SELECTED(nvmlDeviceGetNvLinkState)
REFUSED_SELECTED(nvmlDeviceGetAPIRestriction)
