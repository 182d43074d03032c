/* NVML's types and codes, as far as programs that only ask need them, and what the files here
 * share. Source of names, numbers and layouts: NVML API Reference Guide. */
#ifndef CASS_NVML_H
#define CASS_NVML_H

#include <stddef.h>

enum {
    NVML_SUCCESS = 0,
    NVML_ERROR_UNINITIALIZED = 1,
    NVML_ERROR_INVALID_ARGUMENT = 2,
    NVML_ERROR_NOT_SUPPORTED = 3,
    NVML_ERROR_NO_PERMISSION = 4,
    NVML_ERROR_NOT_FOUND = 6,
    NVML_ERROR_INSUFFICIENT_SIZE = 7,
    NVML_ERROR_DRIVER_NOT_LOADED = 9,
    NVML_ERROR_FUNCTION_NOT_FOUND = 13, /* also an unknown version of a struct (recorded) */
    NVML_ERROR_UNKNOWN = 999
};

enum { NVML_MOST_DEVICES = 32 };

typedef struct nvmlDevice_st {
    int index;
} *nvmlDevice_t;

/* An exported function: its prototype and its head. */
#define NVML(name, ...)                                                                            \
    __attribute__((visibility("default"))) int name(__VA_ARGS__);                                  \
    int name(__VA_ARGS__)

/* A second exported name for the same function. */
#define NVML_ALIAS(other, name)                                                                    \
    extern __typeof__(name) other __attribute__((alias(#name), visibility("default")))

/* Returns from the function unless NVML is initialised. */
#define NVML_STARTED()                                                                             \
    do {                                                                                           \
        if (!cass_nvml_started()) return NVML_ERROR_UNINITIALIZED;                                 \
    } while (0)

/* ... and the handle is a device's, and there is somewhere to put the answer. */
#define NVML_DEVICE(device, out)                                                                   \
    NVML_STARTED();                                                                                \
    if (!cass_nvml_is_device(device) || !(out)) return NVML_ERROR_INVALID_ARGUMENT

int cass_nvml_started(void);
int cass_nvml_is_device(nvmlDevice_t device);

/* Stores a text. NVML_ERROR_INSUFFICIENT_SIZE when it does not fit. */
int cass_nvml_text(char *to, unsigned room, const char *text);

/* A CUdevice_attribute, 0 where there is none. */
unsigned cass_nvml_attribute(nvmlDevice_t device, int attribute);

/* domain:bus:device.function with `digits` digits of the domain. */
void cass_nvml_address(nvmlDevice_t device, int digits, char *to, size_t bytes);

/* A number from the kernel's files about the board, below its PCI address (Linux kernel, amdgpu
 * documentation, "GPU sysfs interfaces"); `name` may begin with "hwmon/". 0 when there is none. */
int cass_board_number(nvmlDevice_t device, const char *name, unsigned long long *value);

#endif
