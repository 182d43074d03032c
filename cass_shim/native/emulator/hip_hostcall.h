/* What waves ask of the host: printf and assert of HIP's device library, and memory for its malloc.
 * A launch of a kernel that may ask has a buffer of packets for it (hidden_hostcall_buffer); a wave
 * that has filled one sleeps until it is answered, and the threads that run the waves answer.
 * Source: the device library of ROCm 5 to 7 (ockl: hostcall_impl.cl, services.cl) and the buffer
 * that it expects of the runtime (clr: devhostcall.hpp, devhcmessages.cpp). */
#ifndef CASS_EMU_HIP_HOSTCALL_H
#define CASS_EMU_HIP_HOSTCALL_H

#include "emulator/hip_state.h"

#include <stdio.h>

typedef struct emu_hostcall emu_hostcall;

/* For at most `waves` waves at once; NULL: out of memory. */
emu_hostcall *emu_hostcall_create(emu_device *device, uint64_t waves);
/* again: its launch has ended well, so that every packet is free; the next launch may have it. */
void emu_hostcall_destroy(emu_hostcall *calls, bool again);
/* Its device address. */
uint64_t emu_hostcall_buffer(const emu_hostcall *calls);
/* Answers what has been asked, in the order in which waves asked; nonzero where that ends the
 * launch, and `text` says why. Any thread may call it. `calls`: an emu_hostcall. */
int emu_hostcall_serve(void *calls, char *text, size_t bytes);

/* hip_hostprint.c: carries out one call of printf, which the library has packed into 64-bit words:
 * bit 0 of the first says whether it goes to stderr, then come the format and its arguments,
 * strings padded to whole words. How many characters; negative: not such a message. */
int emu_hostcall_print(const uint64_t *words, size_t count);

/* hip_hostheap.c: the state of the device library's malloc (hidden_heap_v1), a device address; 0:
 * out of memory. It ends with the memory that it gave out (hipDeviceReset). */
uint64_t emu_device_heap(emu_device *device);
void emu_device_heap_reset(emu_device *device);

#endif
