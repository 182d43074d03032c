/* Device-wide acts: see device.h. */
#include "driver/device.h"

#include <stdio.h>
#include <string.h>

#include "driver/cooperative.h"
#include "driver/copy.h"
#include "driver/heap.h"
#include "driver/limits.h"
#include "driver/module.h"
#include "driver/properties.h"
#include "driver/ring.h"
#include "driver/shared.h"
#include "driver/stream.h"

enum { SCHEDULE_MASK = 7, ALL_FLAGS = 0xff, PCI_BUS = 33, PCI_DEVICE = 34, PCI_DOMAIN = 50 };

int cass_device_reset(int index) {
    cass_device *device = &cass_devices[index];
    cass_context *before = cass_thread.current;
    int result = cass_set_current(&device->primary);
    if (result) return result;
    if (!device->sticky && device->primary.active) cass_wait_device(device);
    cass_modules_reset(device);
    cass_cooperative_drop(device);
    cass_ring_drop(device);
    cass_heap_drop(device);
    cass_shared_drop(device);
    cass_streams_drop(device);
    hipStream_t service = atomic_exchange(&device->service, NULL);
    if (service) HIP(hipStreamDestroy, service);
    if (cass_hip.hipDeviceReset) HIP(hipDeviceReset);
    if (device->sticky) device->lost = 1;
    device->sticky = OK;
    device->peers = 0;
    atomic_fetch_add(&device->epoch, 1);
    atomic_store(&device->primary.active, 0);
    cass_limits_default(device);
    cass_thread.hip_device = 0;
    return cass_set_current(before);
}

int cass_peer_can(int *can, int device, int peer) {
    if (!can) return INVALID_VALUE;
    if (device < 0 || peer < 0 || device >= cass_device_count || peer >= cass_device_count)
        return INVALID_DEVICE;
    *can = 0;
    return device == peer ? OK : HIP_OPTIONAL(hipDeviceCanAccessPeer, can, device, peer);
}

int cass_peer_enable(cass_device *device, int peer, unsigned flags) {
    int can = 0;
    if (flags) return INVALID_VALUE;
    int result = cass_peer_can(&can, cass_device_index(device), peer);
    if (result) return result;
    if (!can) return PEER_UNSUPPORTED;
    if (device->peers & 1u << peer) return PEER_ALREADY_ENABLED;
    result = HIP_OPTIONAL(hipDeviceEnablePeerAccess, peer, 0);
    if (!result || result == PEER_ALREADY_ENABLED) device->peers |= 1u << peer;
    return result;
}

int cass_peer_disable(cass_device *device, int peer) {
    if (peer < 0 || peer >= cass_device_count) return INVALID_DEVICE;
    if (!(device->peers & 1u << peer)) return PEER_NOT_ENABLED;
    device->peers &= ~(1u << peer);
    return HIP_OPTIONAL(hipDeviceDisablePeerAccess, peer);
}

int cass_pci_text(char *text, int bytes, int device) {
    int bus, slot, domain;
    if (!text || bytes < CASS_PCI_TEXT_BYTES) return INVALID_VALUE;
    int result = cass_attribute(device, PCI_BUS, &bus);
    if (result) return result;
    cass_attribute(device, PCI_DEVICE, &slot);
    cass_attribute(device, PCI_DOMAIN, &domain);
    snprintf(text, (size_t)bytes, "%04x:%02x:%02x.0", (unsigned)domain & 0xffff,
             (unsigned)bus & 0xff, (unsigned)slot & 0xff);
    return OK;
}

int cass_pci_find(int *device, const char *text) {
    unsigned wanted[3] = {0};
    if (!device || !text) return INVALID_VALUE;
    if (sscanf(text, "%x:%x:%x", &wanted[0], &wanted[1], &wanted[2]) != 3) {
        wanted[0] = 0;
        if (sscanf(text, "%x:%x", &wanted[1], &wanted[2]) != 2) return INVALID_VALUE;
    }
    for (int i = 0; i < cass_device_count; i++) {
        int bus, slot, domain;
        cass_attribute(i, PCI_BUS, &bus);
        cass_attribute(i, PCI_DEVICE, &slot);
        cass_attribute(i, PCI_DOMAIN, &domain);
        if ((unsigned)domain == wanted[0] && (unsigned)bus == wanted[1] &&
            (unsigned)slot == wanted[2]) {
            *device = i;
            return OK;
        }
    }
    return INVALID_DEVICE;
}

int cass_device_flags_valid(unsigned flags) {
    unsigned schedule = flags & SCHEDULE_MASK;
    return !(flags & ~(unsigned)ALL_FLAGS) && (schedule == 0 || (schedule & (schedule - 1)) == 0);
}
