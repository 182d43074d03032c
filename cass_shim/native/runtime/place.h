/* cudaMemcpy3D's two ends as places, for copies and for graph nodes. */
#ifndef CASS_PLACE_H
#define CASS_PLACE_H

#include "driver/array.h"
#include "runtime/runtime.h"

typedef struct {
    cass_place to, from;
    size_t width, height, depth; /* width in bytes */
} cass_block;

/* Reads the parameters: an extent is in elements where an array takes part. 1 for both or neither
 * of array and pointer, 21 for a kind that is none. */
int cass_block_read(const struct cudaMemcpy3DParms *parameters, cass_block *block);

/* The other way round, for GetParams. */
void cass_block_write(const cass_block *block, struct cudaMemcpy3DParms *parameters);

#endif
