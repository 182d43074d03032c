/* The device limits a program may read and set: values of an 8.9 device. */
#ifndef CASS_LIMITS_H
#define CASS_LIMITS_H

#include "driver/state.h"

/* Fills device->limits with the values a fresh context has. */
void cass_limits_default(cass_device *device);

/* One limit by its cudaLimit number. 215 for a limit this device lacks, 1 for a number that is
 * none. */
int cass_limit_get(cass_device *device, int limit, size_t *value);
int cass_limit_set(cass_device *device, int limit, size_t value);

#endif
