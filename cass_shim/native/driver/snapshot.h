/* A launch as it is before it is made: its parameters and the memory that they lead to.
 *
 * In: a launch on the entered device. Out: what the client sends along (client.h). Everything that
 * looks like an address is followed: in the parameters, in the module's images, and in what those
 * lead to. Made once per kernel and only where the client asks (CASS_CAPTURE): waits for the
 * launch's stream, allocates and copies. */
#ifndef CASS_SNAPSHOT_H
#define CASS_SNAPSHOT_H

#include "driver/launch.h"

typedef struct cass_snapshot cass_snapshot;

/* NULL, and (asked: somebody wants it) one line on stderr, when it would hold more than
 * CASS_CAPTURE_LIMIT, or the stream is not done in time. The launch goes on either way. */
cass_snapshot *cass_snapshot_take(cass_device *device, const cass_kernel *kernel,
                                  const cass_launch *launch, int asked);

/* What was captured; NULL for NULL. */
const cass_captured *cass_snapshot_launch(const cass_snapshot *snapshot);
void cass_snapshot_free(cass_snapshot *snapshot);

#endif
