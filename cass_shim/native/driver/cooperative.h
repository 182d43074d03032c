/* Cooperative launches: the workspace their grid barrier lives in. */
#ifndef CASS_COOPERATIVE_H
#define CASS_COOPERATIVE_H

#include "driver/launch.h"

typedef struct cass_grid_sync cass_grid_sync;

/* 720 when the whole grid does not fit the device at once. */
int cass_cooperative_check(cass_device *device, cass_kernel *kernel, const cass_launch *launch);

/* Readies a workspace and a binding table of this launch's own, cleared in stream order. *workspace
 * stays NULL for kernels without a grid barrier. */
int cass_cooperative_begin(cass_device *device, const cass_kernel_device *code,
                           const cass_launch *launch, cass_grid_sync **workspace,
                           const uint64_t **bindings);

/* The launch was made: the workspace is free again once the stream has passed this point. */
void cass_cooperative_end(cass_grid_sync *workspace, hipStream_t stream);

/* After a device reset: the workspaces of the device are gone. */
void cass_cooperative_drop(cass_device *device);

#endif
