/* The printf ring: what device code printed, on its way to the host's stdout.
 *
 * Layout: cass_shim.model.kernel_abi (PRINTF_*). One ring per device, in host memory that the
 * device can reach, made when the first kernel that prints is prepared. */
#ifndef CASS_RING_H
#define CASS_RING_H

#include "driver/state.h"

/* Device address of the ring, made on first use. */
int cass_ring_address(cass_device *device, uint64_t *address);

/* Prints what has arrived. `idle`: no kernel of the device runs, so the ring may be emptied.
 * Returns ASSERTION when an assertion's record was among them, else OK. Cheap when no kernel
 * prints: one load. */
int cass_ring_drain(cass_device *device, int idle);

/* After a device reset: forgets the ring and frees it. */
void cass_ring_drop(cass_device *device);

/* One printf record to stdout. arguments: the packed argument block; bytes: its length. */
void cass_format(const char *format, const unsigned char *arguments, size_t bytes);

/* A string of device memory as a malloc'ed copy; NULL when the address is not readable. */
char *cass_device_string(uint64_t address);

#endif
