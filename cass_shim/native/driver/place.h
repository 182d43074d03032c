/* CUDA_MEMCPY2D and 3D as places, for copies and for graph nodes. */
#ifndef CASS_DRIVER_PLACE_H
#define CASS_DRIVER_PLACE_H

#include "driver/api.h"
#include "driver/array.h"

typedef struct {
    cass_place to, from;
    size_t width, height, depth; /* width in bytes */
} cass_block;

/* 1 for a memory type that is none, 400 for an array that is none. */
int cass_block_from_3d(const CUDA_MEMCPY3D *copy, cass_block *block);
int cass_block_from_2d(const CUDA_MEMCPY2D *copy, cass_block *block);
void cass_block_to_3d(const cass_block *block, CUDA_MEMCPY3D *copy);

#endif
