/* Texture and surface objects: handles, and the descriptions they were made from, to be asked for
 * again.
 *
 * Device code that samples is refused by the translators so far, so no descriptor reaches the
 * device. */
#ifndef CASS_TEXTURE_H
#define CASS_TEXTURE_H

#include "driver/state.h"

enum { CASS_RESOURCE_BYTES = 160, CASS_SAMPLER_BYTES = 128, CASS_VIEW_BYTES = 128 };
enum { CASS_RESOURCE, CASS_SAMPLER, CASS_VIEW };

typedef struct {
    const void *description; /* as the caller's API lays it out; NULL: none given */
    size_t bytes;
} cass_description;

/* parts: by CASS_RESOURCE, CASS_SAMPLER, CASS_VIEW. The handle is never 0. */
int cass_object_make(const cass_description parts[3], unsigned long long *handle);
int cass_object_drop(unsigned long long handle);

/* Copies one part out, at most `bytes`. 1 for a handle that is none, or a part that was not given.
 */
int cass_object_part(unsigned long long handle, int part, void *out, size_t bytes);

#endif
