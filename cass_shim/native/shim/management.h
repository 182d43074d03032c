/* What libnvidia-ml.so.1 asks libcass_shim.so: the devices as the CUDA driver sees them. */
#ifndef CASS_MANAGEMENT_H
#define CASS_MANAGEMENT_H

#include <stddef.h>

/* Each answers 0 or a CUDA code. Thread-safe; the first call opens the device library. */
typedef struct {
    int (*count)(int *devices);
    int (*name)(int device, char *name, size_t bytes);
    int (*uuid)(int device, unsigned char *uuid);            /* 16 bytes */
    int (*attribute)(int device, int attribute, int *value); /* CUdevice_attribute */
    int (*memory)(int device, size_t *free_bytes, size_t *total_bytes);
    int (*active)(int device); /* 1 when this process uses the device */
} cass_management;

extern const cass_management cass_management_1 __attribute__((visibility("default")));

#endif
