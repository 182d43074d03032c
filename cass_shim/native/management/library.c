/* NVML: initialisation, errors, versions, and devices by index and name. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "management/nvml.h"
#include "shim/management.h"

/* The branch of NVIDIA's driver that has CUDA 13.0, which is the version we speak. */
static const char driver_version[] = "580.00", nvml_version[] = "13.580.00";
enum { CUDA_VERSION = 13000, NO_GPUS = 1, NO_ATTACH = 2, UUID_BYTES = 16 };
enum { PCI_BUS = 33, PCI_DEVICE = 34, PCI_DOMAIN = 50 }; /* CUdevice_attribute */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int started; /* how many nvmlInit are open */
static int device_count;
static struct nvmlDevice_st devices[NVML_MOST_DEVICES];

NVML(nvmlInitWithFlags, unsigned flags) {
    int count = 0;
    if (flags & ~(unsigned)(NO_GPUS | NO_ATTACH)) return NVML_ERROR_INVALID_ARGUMENT;
    if (cass_management_1.count(&count)) return NVML_ERROR_DRIVER_NOT_LOADED;
    pthread_mutex_lock(&lock);
    started++;
    device_count = count < NVML_MOST_DEVICES ? count : NVML_MOST_DEVICES;
    for (int i = 0; i < device_count; i++) devices[i].index = i;
    pthread_mutex_unlock(&lock);
    return NVML_SUCCESS;
}

NVML(nvmlInit_v2, void) { return nvmlInitWithFlags(0); }
NVML_ALIAS(nvmlInit, nvmlInit_v2);

NVML(nvmlShutdown, void) {
    pthread_mutex_lock(&lock);
    int result = started ? NVML_SUCCESS : NVML_ERROR_UNINITIALIZED;
    if (started) started--;
    pthread_mutex_unlock(&lock);
    return result;
}

int cass_nvml_started(void) {
    pthread_mutex_lock(&lock);
    int now = started;
    pthread_mutex_unlock(&lock);
    return now > 0;
}

int cass_nvml_is_device(nvmlDevice_t device) {
    return device >= devices && device < devices + device_count;
}

int cass_nvml_text(char *to, unsigned room, const char *text) {
    if (strlen(text) >= room) return NVML_ERROR_INSUFFICIENT_SIZE;
    strcpy(to, text);
    return NVML_SUCCESS;
}

unsigned cass_nvml_attribute(nvmlDevice_t device, int attribute) {
    int value = 0;
    return cass_management_1.attribute(device->index, attribute, &value) || value < 0
               ? 0
               : (unsigned)value;
}

void cass_nvml_address(nvmlDevice_t device, int digits, char *to, size_t bytes) {
    snprintf(to, bytes, "%0*X:%02X:%02X.0", digits, cass_nvml_attribute(device, PCI_DOMAIN),
             cass_nvml_attribute(device, PCI_BUS), cass_nvml_attribute(device, PCI_DEVICE));
}

__attribute__((visibility("default"))) const char *nvmlErrorString(int code);
/* The words are recorded. */
const char *nvmlErrorString(int code) {
    static const char *const texts[] = {
        "Success",
        "Uninitialized",
        "Invalid Argument",
        "Not Supported",
        "Insufficient Permissions",
        "Already Initialized",
        "Not Found",
        "Insufficient Size",
        "Insufficient External Power",
        "Driver Not Loaded",
        "Timeout",
        "Interrupt Request Issue",
        "NVML Shared Library Not Found",
        "Function Not Found",
        "Corrupted infoROM",
        "GPU is lost",
        "GPU requires reset",
        "GPU access blocked by the operating system",
        "Driver/library version mismatch",
        "In use by another client",
        "Insufficient Memory",
        "No data",
        "vGPU ECC not supported",
        "Insufficient Resources",
        "Invalid Frequency",
        "Argument version mismatch",
        "Requested functionality has been deprecated",
        "System is not in ready state",
        "No supported GPUs were found",
        "Resource not in correct state to perform requested operation",
        "Reset type is not supported for given device"};
    if (code >= 0 && code < (int)(sizeof texts / sizeof *texts)) return texts[code];
    return "Unknown Error";
}

/* NVML's own version is known without nvmlInit, and no other (recorded). */
NVML(nvmlSystemGetDriverVersion, char *version, unsigned length) {
    NVML_STARTED();
    return version ? cass_nvml_text(version, length, driver_version) : NVML_ERROR_INVALID_ARGUMENT;
}

NVML(nvmlSystemGetNVMLVersion, char *version, unsigned length) {
    return version ? cass_nvml_text(version, length, nvml_version) : NVML_ERROR_INVALID_ARGUMENT;
}

NVML(nvmlSystemGetCudaDriverVersion_v2, int *version) {
    NVML_STARTED();
    if (!version) return NVML_ERROR_INVALID_ARGUMENT;
    *version = CUDA_VERSION;
    return NVML_SUCCESS;
}
NVML_ALIAS(nvmlSystemGetCudaDriverVersion, nvmlSystemGetCudaDriverVersion_v2);

NVML(nvmlSystemGetProcessName, unsigned pid, char *name, unsigned length) {
    char path[64], found[512] = "";
    NVML_STARTED();
    if (!name || !length) return NVML_ERROR_INVALID_ARGUMENT;
    snprintf(path, sizeof path, "/proc/%u/cmdline", pid);
    FILE *file = fopen(path, "re");
    if (!file) return NVML_ERROR_NOT_FOUND;
    size_t bytes = fread(found, 1, sizeof found - 1, file);
    fclose(file);
    found[bytes] = 0;
    snprintf(name, length, "%s", found);
    return NVML_SUCCESS;
}

NVML(nvmlDeviceGetCount_v2, unsigned *count) {
    NVML_STARTED();
    if (!count) return NVML_ERROR_INVALID_ARGUMENT;
    *count = (unsigned)device_count;
    return NVML_SUCCESS;
}
NVML_ALIAS(nvmlDeviceGetCount, nvmlDeviceGetCount_v2);

NVML(nvmlUnitGetCount, unsigned *count) {
    NVML_STARTED();
    if (!count) return NVML_ERROR_INVALID_ARGUMENT;
    *count = 0; /* units are chassis of the S-class */
    return NVML_SUCCESS;
}

NVML(nvmlDeviceGetHandleByIndex_v2, unsigned index, nvmlDevice_t *device) {
    NVML_STARTED();
    if (!device || index >= (unsigned)device_count) return NVML_ERROR_INVALID_ARGUMENT;
    *device = &devices[index];
    return NVML_SUCCESS;
}
NVML_ALIAS(nvmlDeviceGetHandleByIndex, nvmlDeviceGetHandleByIndex_v2);

NVML(nvmlDeviceGetUUID, nvmlDevice_t device, char *uuid, unsigned length) {
    unsigned char id[UUID_BYTES];
    char text[64];
    NVML_DEVICE(device, uuid);
    if (cass_management_1.uuid(device->index, id)) return NVML_ERROR_UNKNOWN;
    size_t used = (size_t)snprintf(text, sizeof text, "GPU-");
    for (int i = 0; i < UUID_BYTES; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%02x",
                                 i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", id[i]);
    return cass_nvml_text(uuid, length, text);
}

NVML(nvmlDeviceGetHandleByUUID, const char *uuid, nvmlDevice_t *device) {
    char text[64];
    NVML_STARTED();
    if (!uuid || !device) return NVML_ERROR_INVALID_ARGUMENT;
    for (int i = 0; i < device_count; i++)
        if (!nvmlDeviceGetUUID(&devices[i], text, sizeof text) && !strcasecmp(text, uuid)) {
            *device = &devices[i];
            return NVML_SUCCESS;
        }
    return NVML_ERROR_NOT_FOUND;
}

NVML(nvmlDeviceGetHandleBySerial, const char *serial, nvmlDevice_t *device) {
    NVML_STARTED();
    return serial && device ? NVML_ERROR_NOT_FOUND : NVML_ERROR_INVALID_ARGUMENT;
}

NVML(nvmlDeviceGetHandleByPciBusId_v2, const char *address, nvmlDevice_t *device) {
    unsigned domain, bus, slot;
    NVML_STARTED();
    if (!address || !device) return NVML_ERROR_INVALID_ARGUMENT;
    if (sscanf(address, "%x:%x:%x", &domain, &bus, &slot) != 3) {
        domain = 0;
        if (sscanf(address, "%x:%x", &bus, &slot) != 2) return NVML_ERROR_INVALID_ARGUMENT;
    }
    for (int i = 0; i < device_count; i++)
        if (cass_nvml_attribute(&devices[i], PCI_DOMAIN) == domain &&
            cass_nvml_attribute(&devices[i], PCI_BUS) == bus &&
            cass_nvml_attribute(&devices[i], PCI_DEVICE) == slot) {
            *device = &devices[i];
            return NVML_SUCCESS;
        }
    return NVML_ERROR_NOT_FOUND;
}
NVML_ALIAS(nvmlDeviceGetHandleByPciBusId, nvmlDeviceGetHandleByPciBusId_v2);
