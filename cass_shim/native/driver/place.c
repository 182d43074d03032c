/* CUDA_MEMCPY2D and 3D as places: see place.h. */
#include "driver/place.h"

static int read_end(CUmemorytype type, const void *host, CUdeviceptr device, CUarray array,
                    cass_place *place) {
    switch (type) {
    case CU_MEMORYTYPE_HOST:
        place->kind = CASS_PLACE_HOST;
        place->pointer = (void *)(uintptr_t)host;
        break;
    case CU_MEMORYTYPE_DEVICE:
    case CU_MEMORYTYPE_UNIFIED:
        place->kind = type == CU_MEMORYTYPE_DEVICE ? CASS_PLACE_DEVICE : CASS_PLACE_UNIFIED;
        place->pointer = cass_address(device);
        break;
    case CU_MEMORYTYPE_ARRAY:
        place->array = cass_array_of(array);
        return place->array ? OK : INVALID_VALUE;
    default:
        return INVALID_VALUE;
    }
    return place->pointer ? OK : INVALID_VALUE;
}

int cass_block_from_3d(const CUDA_MEMCPY3D *c, cass_block *block) {
    if (!c) return INVALID_VALUE;
    *block = (cass_block){.from = {.pitch = c->srcPitch,
                                   .rows = c->srcHeight,
                                   .x = c->srcXInBytes,
                                   .y = c->srcY,
                                   .z = c->srcZ},
                          .to = {.pitch = c->dstPitch,
                                 .rows = c->dstHeight,
                                 .x = c->dstXInBytes,
                                 .y = c->dstY,
                                 .z = c->dstZ},
                          .width = c->WidthInBytes,
                          .height = c->Height,
                          .depth = c->Depth};
    int result = read_end(c->srcMemoryType, c->srcHost, c->srcDevice, c->srcArray, &block->from);
    if (!result)
        result = read_end(c->dstMemoryType, c->dstHost, c->dstDevice, c->dstArray, &block->to);
    return result;
}

int cass_block_from_2d(const CUDA_MEMCPY2D *c, cass_block *block) {
    if (!c) return INVALID_VALUE;
    *block = (cass_block){.from = {.pitch = c->srcPitch, .x = c->srcXInBytes, .y = c->srcY},
                          .to = {.pitch = c->dstPitch, .x = c->dstXInBytes, .y = c->dstY},
                          .width = c->WidthInBytes,
                          .height = c->Height,
                          .depth = 1};
    int result = read_end(c->srcMemoryType, c->srcHost, c->srcDevice, c->srcArray, &block->from);
    if (!result)
        result = read_end(c->dstMemoryType, c->dstHost, c->dstDevice, c->dstArray, &block->to);
    return result;
}

static CUmemorytype write_end(const cass_place *place, const void **host, CUdeviceptr *device,
                              CUarray *array) {
    *array = (CUarray)(void *)place->array;
    if (place->array) return CU_MEMORYTYPE_ARRAY;
    if (place->kind == CASS_PLACE_HOST) {
        *host = place->pointer;
        return CU_MEMORYTYPE_HOST;
    }
    *device = (CUdeviceptr)(uintptr_t)place->pointer;
    return place->kind == CASS_PLACE_DEVICE ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_UNIFIED;
}

void cass_block_to_3d(const cass_block *block, CUDA_MEMCPY3D *c) {
    const void *host = NULL;
    *c = (CUDA_MEMCPY3D){0};
    c->srcXInBytes = block->from.x, c->srcY = block->from.y, c->srcZ = block->from.z;
    c->dstXInBytes = block->to.x, c->dstY = block->to.y, c->dstZ = block->to.z;
    c->srcPitch = block->from.pitch, c->srcHeight = block->from.rows;
    c->dstPitch = block->to.pitch, c->dstHeight = block->to.rows;
    c->WidthInBytes = block->width, c->Height = block->height, c->Depth = block->depth;
    c->srcMemoryType = write_end(&block->from, &c->srcHost, &c->srcDevice, &c->srcArray);
    c->dstMemoryType = write_end(&block->to, &host, &c->dstDevice, &c->dstArray);
    c->dstHost = (void *)(uintptr_t)host;
}
