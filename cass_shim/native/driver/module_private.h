/* What module.c and kernel.c share. */
#ifndef CASS_MODULE_PRIVATE_H
#define CASS_MODULE_PRIVATE_H

#include "driver/module.h"

void cass_kernel_init(cass_kernel *kernel, cass_module *module, uint32_t index,
                      const cass_kernel_info *info);
/* Forgets a kernel's code on a device; frees it there when `free_memory`. */
void cass_kernel_drop(cass_kernel *kernel, int device, int free_memory);
int cass_module_used_on(const cass_module *module, int device);

/* The module's images on this device, made on first use. */
int cass_module_data_on(cass_module *module, cass_device *device, cass_module_data **out);

/* Copies on the service stream of the thread's device; done when they return. */
int cass_copy_in(void *to, const void *from, size_t bytes);
int cass_copy_out(void *to, const void *from, size_t bytes);

#endif
