/* Memory and semaphores of other APIs (Vulkan, Direct3D, NvSci). None can be taken in, so no handle
 * of one exists. The codes are those a GPU's driver gives for handles that are none (recorded). */
#ifndef CASS_EXTERNAL_H
#define CASS_EXTERNAL_H

#include "driver/state.h"

/* What importing a memory or a semaphore of this type answers: 999 where the system refuses the
 * handle, 801 for kinds of other systems, 1 for kinds whose handle must be a pointer and for no
 * kind. */
int cass_external_memory(const void *out, int type, uint64_t bytes, unsigned flags);
int cass_external_semaphore(const void *out, int type, int descriptor, unsigned flags);

#endif
