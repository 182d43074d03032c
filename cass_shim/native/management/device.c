/* NVML: what a device is and what it does now. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "management/nvml.h"
#include "shim/management.h"

enum { /* CUdevice_attribute */
       MULTIPROCESSORS = 16,
       COMPUTE_MODE = 20,
       CLOCK_KHZ = 13,
       MEMORY_CLOCK_KHZ = 36,
       BUS_BITS = 37,
       MAJOR = 75,
       MINOR = 76,
       PCI_BUS = 33,
       PCI_DEVICE = 34,
       PCI_DOMAIN = 50
};
enum { GEFORCE_BRAND = 5, ADA = 8, CORES_EACH = 128, NO_INSTANCE = -1 };
enum { CLOCK_GRAPHICS, CLOCK_SM, CLOCK_MEMORY, CLOCK_VIDEO, CLOCK_COUNT };

typedef struct {
    char legacy[16];
    unsigned domain, bus, device, pci_id, subsystem;
    char address[32];
} nvmlPciInfo_t;

typedef struct {
    unsigned long long total, free, used;
} nvmlMemory_t;

typedef struct {
    unsigned version;
    unsigned long long total, reserved, free, used;
} nvmlMemory_v2_t;

typedef struct {
    unsigned gpu, memory;
} nvmlUtilization_t;

typedef struct {
    unsigned pid;
    unsigned long long used;
    unsigned gpu_instance, compute_instance;
} nvmlProcessInfo_t;

NVML(nvmlDeviceGetName, nvmlDevice_t device, char *name, unsigned length) {
    char text[256] = "";
    NVML_DEVICE(device, name);
    if (cass_management_1.name(device->index, text, sizeof text)) return NVML_ERROR_UNKNOWN;
    return cass_nvml_text(name, length, text);
}

NVML(nvmlDeviceGetIndex, nvmlDevice_t device, unsigned *index) {
    NVML_DEVICE(device, index);
    *index = (unsigned)device->index;
    return NVML_SUCCESS;
}
NVML_ALIAS(nvmlDeviceGetMinorNumber, nvmlDeviceGetIndex);

NVML(nvmlDeviceGetPciInfo_v3, nvmlDevice_t device, nvmlPciInfo_t *pci) {
    NVML_DEVICE(device, pci);
    memset(pci, 0, sizeof *pci);
    cass_nvml_address(device, 4, pci->legacy, sizeof pci->legacy);
    cass_nvml_address(device, 8, pci->address, sizeof pci->address);
    pci->domain = cass_nvml_attribute(device, PCI_DOMAIN);
    pci->bus = cass_nvml_attribute(device, PCI_BUS);
    pci->device = cass_nvml_attribute(device, PCI_DEVICE);
    return NVML_SUCCESS;
}
NVML_ALIAS(nvmlDeviceGetPciInfo_v2, nvmlDeviceGetPciInfo_v3);
NVML_ALIAS(nvmlDeviceGetPciInfo, nvmlDeviceGetPciInfo_v3);

/* The board's own count where the kernel tells it, of all processes; else this process's view. */
static int memory_of(nvmlDevice_t device, unsigned long long *total, unsigned long long *used) {
    size_t left = 0, all = 0;
    if (cass_board_number(device, "mem_info_vram_total", total) &&
        cass_board_number(device, "mem_info_vram_used", used))
        return NVML_SUCCESS;
    if (cass_management_1.memory(device->index, &left, &all)) return NVML_ERROR_UNKNOWN;
    *total = all, *used = all - left;
    return NVML_SUCCESS;
}

NVML(nvmlDeviceGetMemoryInfo, nvmlDevice_t device, nvmlMemory_t *memory) {
    NVML_DEVICE(device, memory);
    int result = memory_of(device, &memory->total, &memory->used);
    memory->free = memory->total - memory->used;
    return result;
}

NVML(nvmlDeviceGetMemoryInfo_v2, nvmlDevice_t device, nvmlMemory_v2_t *memory) {
    NVML_DEVICE(device, memory);
    if (memory->version != (unsigned)(sizeof *memory | 2u << 24))
        return NVML_ERROR_FUNCTION_NOT_FOUND;
    int result = memory_of(device, &memory->total, &memory->used);
    memory->reserved = 0;
    memory->free = memory->total - memory->used;
    return result;
}

NVML(nvmlDeviceGetUtilizationRates, nvmlDevice_t device, nvmlUtilization_t *rates) {
    unsigned long long busy = 0, memory = 0;
    NVML_DEVICE(device, rates);
    if (!cass_board_number(device, "gpu_busy_percent", &busy)) return NVML_ERROR_NOT_SUPPORTED;
    (void)cass_board_number(device, "mem_busy_percent", &memory);
    *rates = (nvmlUtilization_t){(unsigned)busy, (unsigned)memory};
    return NVML_SUCCESS;
}

/* A board's number divided by `unit`, or "not supported". */
static int measured(nvmlDevice_t device, const char *name, unsigned unit, unsigned *out) {
    unsigned long long value = 0;
    if (!cass_board_number(device, name, &value)) return NVML_ERROR_NOT_SUPPORTED;
    *out = (unsigned)(value / unit);
    return NVML_SUCCESS;
}

NVML(nvmlDeviceGetTemperature, nvmlDevice_t device, int sensor, unsigned *celsius) {
    NVML_DEVICE(device, celsius);
    if (sensor) return NVML_ERROR_INVALID_ARGUMENT;
    return measured(device, "hwmon/temp1_input", 1000, celsius);
}

/* Shutdown (0) and slowdown (1) are the kernel's emergency and critical temperatures. */
NVML(nvmlDeviceGetTemperatureThreshold, nvmlDevice_t device, int which, unsigned *celsius) {
    NVML_DEVICE(device, celsius);
    if (which < 0 || which > 7) return NVML_ERROR_INVALID_ARGUMENT;
    if (which > 1) return NVML_ERROR_NOT_SUPPORTED;
    return measured(device, which ? "hwmon/temp1_crit" : "hwmon/temp1_emergency", 1000, celsius);
}

NVML(nvmlDeviceGetPowerUsage, nvmlDevice_t device, unsigned *milliwatts) {
    NVML_DEVICE(device, milliwatts);
    return measured(device, "hwmon/power1_average", 1000, milliwatts);
}

NVML(nvmlDeviceGetPowerManagementLimit, nvmlDevice_t device, unsigned *milliwatts) {
    NVML_DEVICE(device, milliwatts);
    return measured(device, "hwmon/power1_cap", 1000, milliwatts);
}
NVML_ALIAS(nvmlDeviceGetEnforcedPowerLimit, nvmlDeviceGetPowerManagementLimit);

NVML(nvmlDeviceGetPowerManagementDefaultLimit, nvmlDevice_t device, unsigned *milliwatts) {
    NVML_DEVICE(device, milliwatts);
    return measured(device, "hwmon/power1_cap_default", 1000, milliwatts);
}

/* Of the fan's range, 0 to 255. */
NVML(nvmlDeviceGetFanSpeed, nvmlDevice_t device, unsigned *percent) {
    NVML_DEVICE(device, percent);
    int result = measured(device, "hwmon/pwm1", 1, percent);
    if (!result) *percent = *percent * 100 / 255;
    return result;
}

NVML(nvmlDeviceGetClockInfo, nvmlDevice_t device, int clock, unsigned *megahertz) {
    NVML_DEVICE(device, megahertz);
    if (clock < 0 || clock >= CLOCK_COUNT) return NVML_ERROR_INVALID_ARGUMENT;
    if (clock == CLOCK_VIDEO) return NVML_ERROR_NOT_SUPPORTED;
    return measured(device, clock == CLOCK_MEMORY ? "hwmon/freq2_input" : "hwmon/freq1_input",
                    1000000, megahertz);
}

NVML(nvmlDeviceGetMaxClockInfo, nvmlDevice_t device, int clock, unsigned *megahertz) {
    NVML_DEVICE(device, megahertz);
    if (clock < 0 || clock >= CLOCK_COUNT) return NVML_ERROR_INVALID_ARGUMENT;
    if (clock == CLOCK_VIDEO) return NVML_ERROR_NOT_SUPPORTED;
    int which = clock == CLOCK_MEMORY ? MEMORY_CLOCK_KHZ : CLOCK_KHZ;
    *megahertz = cass_nvml_attribute(device, which) / 1000;
    return NVML_SUCCESS;
}

NVML(nvmlDeviceGetCurrPcieLinkWidth, nvmlDevice_t device, unsigned *lanes) {
    NVML_DEVICE(device, lanes);
    return measured(device, "current_link_width", 1, lanes);
}

NVML(nvmlDeviceGetMaxPcieLinkWidth, nvmlDevice_t device, unsigned *lanes) {
    NVML_DEVICE(device, lanes);
    return measured(device, "max_link_width", 1, lanes);
}

NVML(nvmlDeviceGetCudaComputeCapability, nvmlDevice_t device, int *major, int *minor) {
    NVML_DEVICE(device, major && minor);
    *major = (int)cass_nvml_attribute(device, MAJOR);
    *minor = (int)cass_nvml_attribute(device, MINOR);
    return NVML_SUCCESS;
}

NVML(nvmlDeviceGetBrand, nvmlDevice_t device, unsigned *brand) {
    NVML_DEVICE(device, brand);
    *brand = GEFORCE_BRAND;
    return NVML_SUCCESS;
}

NVML(nvmlDeviceGetArchitecture, nvmlDevice_t device, unsigned *architecture) {
    NVML_DEVICE(device, architecture);
    *architecture = ADA; /* of compute capability 8.9, which the device says it has */
    return NVML_SUCCESS;
}

NVML(nvmlDeviceGetNumGpuCores, nvmlDevice_t device, unsigned *cores) {
    NVML_DEVICE(device, cores);
    *cores = cass_nvml_attribute(device, MULTIPROCESSORS) * CORES_EACH;
    return NVML_SUCCESS;
}

NVML(nvmlDeviceGetMemoryBusWidth, nvmlDevice_t device, unsigned *bits) {
    NVML_DEVICE(device, bits);
    *bits = cass_nvml_attribute(device, BUS_BITS);
    return NVML_SUCCESS;
}

NVML(nvmlDeviceGetComputeMode, nvmlDevice_t device, unsigned *mode) {
    NVML_DEVICE(device, mode);
    *mode = cass_nvml_attribute(device, COMPUTE_MODE);
    return NVML_SUCCESS;
}

/* No display hangs on it as far as CUDA programs are concerned; nothing is kept loaded; one board.
 */
NVML(nvmlDeviceGetDisplayMode, nvmlDevice_t device, unsigned *enabled) {
    NVML_DEVICE(device, enabled);
    *enabled = 0;
    return NVML_SUCCESS;
}
NVML_ALIAS(nvmlDeviceGetDisplayActive, nvmlDeviceGetDisplayMode);
NVML_ALIAS(nvmlDeviceGetPersistenceMode, nvmlDeviceGetDisplayMode);
NVML_ALIAS(nvmlDeviceGetMultiGpuBoard, nvmlDeviceGetDisplayMode);
NVML_ALIAS(nvmlDeviceIsMigDeviceHandle, nvmlDeviceGetDisplayMode);
NVML_ALIAS(nvmlDeviceGetMaxMigDeviceCount, nvmlDeviceGetDisplayMode);

/* P0: the highest state, as the kernel says nothing that maps to NVIDIA's numbers. */
NVML(nvmlDeviceGetPerformanceState, nvmlDevice_t device, unsigned *state) {
    NVML_DEVICE(device, state);
    *state = 0;
    return NVML_SUCCESS;
}
NVML_ALIAS(nvmlDeviceGetPowerState, nvmlDeviceGetPerformanceState);

/* This process, when it uses the device: others are not known. */
NVML(nvmlDeviceGetComputeRunningProcesses_v3, nvmlDevice_t device, unsigned *count,
     nvmlProcessInfo_t *list) {
    unsigned long long total = 0, used = 0;
    NVML_DEVICE(device, count);
    unsigned room = *count, found = cass_management_1.active(device->index) ? 1 : 0;
    if (room && !list) return NVML_ERROR_INVALID_ARGUMENT;
    *count = found;
    if (found > room) return NVML_ERROR_INSUFFICIENT_SIZE;
    if (!found) return NVML_SUCCESS;
    (void)memory_of(device, &total, &used);
    *list =
        (nvmlProcessInfo_t){(unsigned)getpid(), used, (unsigned)NO_INSTANCE, (unsigned)NO_INSTANCE};
    return NVML_SUCCESS;
}
NVML_ALIAS(nvmlDeviceGetComputeRunningProcesses_v2, nvmlDeviceGetComputeRunningProcesses_v3);

NVML(nvmlDeviceGetGraphicsRunningProcesses_v3, nvmlDevice_t device, unsigned *count,
     nvmlProcessInfo_t *list) {
    (void)list;
    NVML_DEVICE(device, count);
    *count = 0;
    return NVML_SUCCESS;
}
NVML_ALIAS(nvmlDeviceGetGraphicsRunningProcesses_v2, nvmlDeviceGetGraphicsRunningProcesses_v3);
NVML_ALIAS(nvmlDeviceGetMPSComputeRunningProcesses_v3, nvmlDeviceGetGraphicsRunningProcesses_v3);

NVML(nvmlDeviceOnSameBoard, nvmlDevice_t device, nvmlDevice_t other, int *same) {
    NVML_DEVICE(device, same);
    if (!cass_nvml_is_device(other)) return NVML_ERROR_INVALID_ARGUMENT;
    *same = device == other;
    return NVML_SUCCESS;
}
