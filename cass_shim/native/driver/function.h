/* What a program may ask and set of a kernel, for the runtime and the driver alike. */
#ifndef CASS_FUNCTION_H
#define CASS_FUNCTION_H

#include "driver/module.h"

/* cudaFuncAttribute / CUfunction_attribute numbers. 1 for one that cannot be set or a value out of
 * range. */
int cass_function_set(cass_kernel *kernel, int attribute, int value);
int cass_function_get(cass_kernel *kernel, int attribute, int *value);

/* Offset and size of a parameter in the block; 1 past the last. Either pointer may be NULL. */
int cass_function_parameter(const cass_kernel *kernel, size_t index, size_t *offset, size_t *bytes);

/* Dynamic shared memory a block may have when `blocks` are to share a multiprocessor. */
int cass_available_shared(const cass_kernel *kernel, int blocks, int threads, size_t *bytes);

/* The block size, a multiple of the warp, that fills a multiprocessor best, and the grid that fills
 * the device. shared_of: dynamic shared memory as a function of the block size, or NULL for
 * `shared_bytes`. limit 0: none. */
int cass_best_block(cass_kernel *kernel, cass_device *device, size_t (*shared_of)(int),
                    size_t shared_bytes, int limit, int *grid, int *block);

#endif
