/* cudaMemcpy3D's two ends as places: see place.h. */
#include "runtime/place.h"

static int read_end(cudaArray_t array, struct cudaPos position, struct cudaPitchedPtr pointer,
                    int host, int any, cass_place *place) {
    *place = (cass_place){.kind = any    ? CASS_PLACE_UNIFIED
                                  : host ? CASS_PLACE_HOST
                                         : CASS_PLACE_DEVICE,
                          .pointer = pointer.ptr,
                          .pitch = pointer.pitch,
                          .rows = pointer.ysize,
                          .x = position.x,
                          .y = position.y,
                          .z = position.z};
    if (!array) return pointer.ptr ? OK : INVALID_VALUE;
    if (pointer.ptr) return INVALID_VALUE;
    place->array = cass_array_of(array);
    if (!place->array) return INVALID_HANDLE;
    place->x *= place->array->element_bytes;
    return OK;
}

int cass_block_read(const struct cudaMemcpy3DParms *p, cass_block *block) {
    if (!p) return INVALID_VALUE;
    if ((unsigned)p->kind > cudaMemcpyDefault) return INVALID_DIRECTION;
    int any = p->kind == cudaMemcpyDefault;
    int from_host = p->kind == cudaMemcpyHostToDevice || p->kind == cudaMemcpyHostToHost;
    int to_host = p->kind == cudaMemcpyDeviceToHost || p->kind == cudaMemcpyHostToHost;
    int result = read_end(p->srcArray, p->srcPos, p->srcPtr, from_host, any, &block->from);
    if (!result) result = read_end(p->dstArray, p->dstPos, p->dstPtr, to_host, any, &block->to);
    if (result) return result;
    const cass_array *array = block->from.array ? block->from.array : block->to.array;
    block->width = p->extent.width * (array ? array->element_bytes : 1);
    block->height = p->extent.height;
    block->depth = p->extent.depth;
    return OK;
}

static void write_end(const cass_place *place, cudaArray_t *array, struct cudaPos *position,
                      struct cudaPitchedPtr *pointer) {
    size_t unit = place->array ? place->array->element_bytes : 1;
    *array = (cudaArray_t)(void *)place->array;
    *position = (struct cudaPos){place->x / unit, place->y, place->z};
    *pointer = (struct cudaPitchedPtr){place->pointer, place->pitch, place->pitch, place->rows};
}

void cass_block_write(const cass_block *block, struct cudaMemcpy3DParms *p) {
    write_end(&block->from, &p->srcArray, &p->srcPos, &p->srcPtr);
    write_end(&block->to, &p->dstArray, &p->dstPos, &p->dstPtr);
    const cass_array *array = block->from.array ? block->from.array : block->to.array;
    p->extent = (struct cudaExtent){block->width / (array ? array->element_bytes : 1),
                                    block->height, block->depth};
    int from_host = !block->from.array && block->from.kind == CASS_PLACE_HOST;
    int to_host = !block->to.array && block->to.kind == CASS_PLACE_HOST;
    if (block->from.kind == CASS_PLACE_UNIFIED || block->to.kind == CASS_PLACE_UNIFIED)
        p->kind = cudaMemcpyDefault;
    else if (from_host) p->kind = to_host ? cudaMemcpyHostToHost : cudaMemcpyHostToDevice;
    else p->kind = to_host ? cudaMemcpyDeviceToHost : cudaMemcpyDeviceToDevice;
}
