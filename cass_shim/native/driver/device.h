/* Device-wide acts: reset, peers, PCI identity. */
#ifndef CASS_DEVICE_H
#define CASS_DEVICE_H

#include "driver/state.h"

enum { CASS_DRIVER_VERSION = 13000, CASS_PCI_TEXT_BYTES = 13 };

/* Everything made on the device is gone afterwards; modules are rebuilt on next use. After a fault
 * the device stays unavailable (46) for this process: recorded with driver 580. */
int cass_device_reset(int device);

int cass_peer_can(int *can, int device, int peer);
int cass_peer_enable(cass_device *device, int peer, unsigned flags);
int cass_peer_disable(cass_device *device, int peer);

/* "0000:03:00.0" into at least 13 bytes; and back. */
int cass_pci_text(char *text, int bytes, int device);
int cass_pci_find(int *device, const char *text);

/* cudaSetDeviceFlags and friends: valid flags, 0x08 (map host) always set when read. */
int cass_device_flags_valid(unsigned flags);

#endif
