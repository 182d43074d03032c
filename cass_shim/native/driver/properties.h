/* What the device says of itself: CUDA's attributes, of compute capability 8.9 unless
 * CASS_COMPUTE_CAPABILITY. */
#ifndef CASS_PROPERTIES_H
#define CASS_PROPERTIES_H

#include "driver/state.h"

enum { /* one multiprocessor, as occupancy is computed */
       CASS_SM_THREADS = 1536,
       CASS_SM_BLOCKS = 24,
       CASS_SM_REGISTERS = 65536,
       CASS_SM_SHARED = 102400,
       CASS_RESERVED_SHARED = 1024
};

enum { CASS_ATTRIBUTE_MULTIPROCESSORS = 16, CASS_ATTRIBUTE_COUNT = 148 };

/* One attribute by its number (cudaDeviceAttr and CUdevice_attribute agree). 1 for an unknown
 * number or NULL, 101 for an unknown device. Asks HIP the first time, then answers from memory. */
int cass_attribute(int device, int attribute, int *value);

/* The same for a known device and attribute. */
int cass_attribute_value(const cass_device *device, int attribute);

/* Name (256 bytes), memory in bytes, UUID (16 bytes). 0 or a CUDA code. */
int cass_device_name(int device, char *name, size_t bytes);
int cass_device_memory(int device, size_t *bytes);
int cass_device_uuid(int device, unsigned char *uuid);

#endif
