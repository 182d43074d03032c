/* Driver API: arrays, and the copies that take part in them. */
#include "driver/api.h"
#include "driver/copy.h"
#include "driver/place.h"

enum { ARRAY_ALIGN = 512 };

static cass_order waiting(void) { return (cass_order){cass_default_stream(), 1}; }
static cass_order queued(CUstream stream) { return (cass_order){cass_stream(stream), 0}; }

int cass_read_format(CUarray_format format, unsigned channels, cass_format_of *out) {
    int bytes, kind;
    if (channels != 1 && channels != 2 && channels != 4) return INVALID_VALUE;
    switch ((int)format) {
    case CU_AD_FORMAT_UNSIGNED_INT8:
        bytes = 1, kind = CASS_CHANNEL_UNSIGNED;
        break;
    case CU_AD_FORMAT_UNSIGNED_INT16:
        bytes = 2, kind = CASS_CHANNEL_UNSIGNED;
        break;
    case CU_AD_FORMAT_UNSIGNED_INT32:
        bytes = 4, kind = CASS_CHANNEL_UNSIGNED;
        break;
    case CU_AD_FORMAT_SIGNED_INT8:
        bytes = 1, kind = CASS_CHANNEL_SIGNED;
        break;
    case CU_AD_FORMAT_SIGNED_INT16:
        bytes = 2, kind = CASS_CHANNEL_SIGNED;
        break;
    case CU_AD_FORMAT_SIGNED_INT32:
        bytes = 4, kind = CASS_CHANNEL_SIGNED;
        break;
    case CU_AD_FORMAT_HALF:
        bytes = 2, kind = CASS_CHANNEL_FLOAT;
        break;
    case CU_AD_FORMAT_FLOAT:
        bytes = 4, kind = CASS_CHANNEL_FLOAT;
        break;
    default:
        return INVALID_VALUE;
    }
    *out = (cass_format_of){kind, (int)channels, bytes};
    return OK;
}

static CUarray_format write_format(cass_format_of format) {
    static const CUarray_format by_kind[3][3] = {
        {CU_AD_FORMAT_SIGNED_INT8, CU_AD_FORMAT_SIGNED_INT16, CU_AD_FORMAT_SIGNED_INT32},
        {CU_AD_FORMAT_UNSIGNED_INT8, CU_AD_FORMAT_UNSIGNED_INT16, CU_AD_FORMAT_UNSIGNED_INT32},
        {CU_AD_FORMAT_HALF, CU_AD_FORMAT_HALF, CU_AD_FORMAT_FLOAT}};
    return by_kind[format.kind][format.channel_bytes / 2];
}

CUresult cass_cuArray3DCreate_v2(CUarray *pHandle, const CUDA_ARRAY3D_DESCRIPTOR *pAllocateArray) {
    ENTER(device);
    cass_format_of format;
    if (!pHandle || !pAllocateArray) return CUDA_ERROR_INVALID_VALUE;
    TRY(device, cass_read_format(pAllocateArray->Format, pAllocateArray->NumChannels, &format));
    return DONE(device, cass_array_create(device, format, pAllocateArray->Width,
                                          pAllocateArray->Height, pAllocateArray->Depth,
                                          pAllocateArray->Flags, (cass_array **)(void *)pHandle));
}

CUresult cass_cuArrayCreate_v2(CUarray *pHandle, const CUDA_ARRAY_DESCRIPTOR *pAllocateArray) {
    if (!pAllocateArray) return CUDA_ERROR_INVALID_VALUE;
    CUDA_ARRAY3D_DESCRIPTOR full = {.Width = pAllocateArray->Width,
                                    .Height = pAllocateArray->Height,
                                    .Format = pAllocateArray->Format,
                                    .NumChannels = pAllocateArray->NumChannels};
    return cass_cuArray3DCreate_v2(pHandle, &full);
}

CUresult cass_cuArrayDestroy(CUarray hArray) {
    ENTER(device);
    cass_array *array = cass_array_of(hArray);
    return array ? DONE(device, cass_array_destroy(array)) : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cass_cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR *pArrayDescriptor, CUarray hArray) {
    ENTER(device);
    (void)device;
    cass_array *array = cass_array_of(hArray);
    if (!array) return CUDA_ERROR_INVALID_HANDLE;
    if (!pArrayDescriptor) return CUDA_ERROR_INVALID_VALUE;
    *pArrayDescriptor = (CUDA_ARRAY3D_DESCRIPTOR){.Width = array->width,
                                                  .Height = array->height,
                                                  .Depth = array->depth,
                                                  .Format = write_format(array->format),
                                                  .NumChannels = (unsigned)array->format.channels,
                                                  .Flags = array->flags};
    return CUDA_SUCCESS;
}

CUresult cass_cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR *pArrayDescriptor, CUarray hArray) {
    CUDA_ARRAY3D_DESCRIPTOR full;
    CUresult result = cass_cuArray3DGetDescriptor_v2(&full, hArray);
    if (!result && !pArrayDescriptor) return CUDA_ERROR_INVALID_VALUE;
    if (!result)
        *pArrayDescriptor =
            (CUDA_ARRAY_DESCRIPTOR){full.Width, full.Height, full.Format, full.NumChannels};
    return result;
}

CUresult cass_cuArrayGetMemoryRequirements(CUDA_ARRAY_MEMORY_REQUIREMENTS *memoryRequirements,
                                           CUarray array, CUdevice device) {
    STARTED();
    cass_array *known = cass_array_of(array);
    if (!memoryRequirements || !known || device < 0 || device >= cass_device_count ||
        !cass_array_deferred(known))
        return CUDA_ERROR_INVALID_VALUE;
    *memoryRequirements = (CUDA_ARRAY_MEMORY_REQUIREMENTS){
        .size = known->slice * (known->depth ? known->depth : 1), .alignment = ARRAY_ALIGN};
    return CUDA_SUCCESS;
}

/* Planes and tiles belong to formats and flags that no array here can have. */
CUresult cass_cuArrayGetPlane(CUarray *pPlaneArray, CUarray hArray, unsigned int planeIdx) {
    STARTED();
    (void)pPlaneArray, (void)planeIdx;
    return cass_array_of(hArray) ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cass_cuArrayGetSparseProperties(CUDA_ARRAY_SPARSE_PROPERTIES *sparseProperties,
                                         CUarray array) {
    STARTED();
    (void)sparseProperties;
    return cass_array_of(array) ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cass_cuMipmappedArrayCreate(CUmipmappedArray *pHandle,
                                     const CUDA_ARRAY3D_DESCRIPTOR *pMipmappedArrayDesc,
                                     unsigned int numMipmapLevels) {
    ENTER(device);
    cass_format_of format;
    const CUDA_ARRAY3D_DESCRIPTOR *d = pMipmappedArrayDesc;
    if (!pHandle || !d) return CUDA_ERROR_INVALID_VALUE;
    TRY(device, cass_read_format(d->Format, d->NumChannels, &format));
    return DONE(device,
                cass_mipmap_create(device, format, d->Width, d->Height, d->Depth, numMipmapLevels,
                                   d->Flags, (cass_mipmap **)(void *)pHandle));
}

CUresult cass_cuMipmappedArrayDestroy(CUmipmappedArray hMipmappedArray) {
    ENTER(device);
    cass_mipmap *mipmap = cass_mipmap_of(hMipmappedArray);
    return mipmap ? DONE(device, cass_mipmap_destroy(mipmap)) : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cass_cuMipmappedArrayGetLevel(CUarray *pLevelArray, CUmipmappedArray hMipmappedArray,
                                       unsigned int level) {
    ENTER(device);
    (void)device;
    cass_mipmap *mipmap = cass_mipmap_of(hMipmappedArray);
    if (!mipmap) return CUDA_ERROR_INVALID_HANDLE;
    if (!pLevelArray || level >= mipmap->levels) return CUDA_ERROR_INVALID_VALUE;
    *pLevelArray = (CUarray)(void *)&mipmap->level[level];
    return CUDA_SUCCESS;
}

static CUresult block_copy(cass_device *device, const cass_block *block, cass_order order) {
    cass_copy copy;
    if (!cass_pitches_ok(&block->to, &block->from, block->width)) return CUDA_ERROR_INVALID_VALUE;
    TRY(device, cass_copy_between(&block->to, &block->from, block->width, block->height,
                                  block->depth, &copy));
    return RESULT(cass_copy_run(device, &copy, order));
}

static CUresult copy_2d(const CUDA_MEMCPY2D *given, cass_order order) {
    ENTER(device);
    cass_block block;
    if (given && (!given->WidthInBytes || !given->Height)) return CUDA_SUCCESS;
    TRY(device, cass_block_from_2d(given, &block));
    return block_copy(device, &block, order);
}

static CUresult copy_3d(const CUDA_MEMCPY3D *given, cass_order order) {
    ENTER(device);
    cass_block block;
    if (given && (!given->WidthInBytes || !given->Height || !given->Depth)) return CUDA_SUCCESS;
    TRY(device, cass_block_from_3d(given, &block));
    return block_copy(device, &block, order);
}

CUresult cass_cuMemcpy2D_v2(const CUDA_MEMCPY2D *pCopy) { return copy_2d(pCopy, waiting()); }
CUresult cass_cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D *pCopy) {
    return copy_2d(pCopy, waiting());
}

CUresult cass_cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *pCopy, CUstream hStream) {
    return copy_2d(pCopy, queued(hStream));
}

CUresult cass_cuMemcpy3D_v2(const CUDA_MEMCPY3D *pCopy) { return copy_3d(pCopy, waiting()); }

CUresult cass_cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D *pCopy, CUstream hStream) {
    return copy_3d(pCopy, queued(hStream));
}

/* All addresses are unified: the contexts only say what the addresses say already. */
static CUresult copy_peer(const CUDA_MEMCPY3D_PEER *p, cass_order order) {
    if (!p) return CUDA_ERROR_INVALID_VALUE;
    if ((p->srcContext && !cass_context_of(p->srcContext)) ||
        (p->dstContext && !cass_context_of(p->dstContext)))
        return CUDA_ERROR_INVALID_CONTEXT; /* as cuMemcpyPeer */
    CUDA_MEMCPY3D plain = {.srcXInBytes = p->srcXInBytes,
                           .srcY = p->srcY,
                           .srcZ = p->srcZ,
                           .srcMemoryType = p->srcMemoryType,
                           .srcHost = p->srcHost,
                           .srcDevice = p->srcDevice,
                           .srcArray = p->srcArray,
                           .srcPitch = p->srcPitch,
                           .srcHeight = p->srcHeight,
                           .dstXInBytes = p->dstXInBytes,
                           .dstY = p->dstY,
                           .dstZ = p->dstZ,
                           .dstMemoryType = p->dstMemoryType,
                           .dstHost = p->dstHost,
                           .dstDevice = p->dstDevice,
                           .dstArray = p->dstArray,
                           .dstPitch = p->dstPitch,
                           .dstHeight = p->dstHeight,
                           .WidthInBytes = p->WidthInBytes,
                           .Height = p->Height,
                           .Depth = p->Depth};
    return copy_3d(&plain, order);
}

CUresult cass_cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER *pCopy) {
    return copy_peer(pCopy, waiting());
}

CUresult cass_cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER *pCopy, CUstream hStream) {
    return copy_peer(pCopy, queued(hStream));
}

/* One-dimensional arrays: a run of bytes inside the first row. */
static CUresult row_copy(cass_place to, cass_place from, size_t bytes, cass_order order) {
    ENTER(device);
    if ((!to.array && !to.pointer) || (!from.array && !from.pointer))
        return CUDA_ERROR_INVALID_HANDLE;
    cass_block block = {to, from, bytes, 1, 1};
    return block_copy(device, &block, order);
}

static cass_place row(CUarray array, size_t offset) {
    return (cass_place){.array = cass_array_of(array), .x = offset};
}

static cass_place host(const void *pointer) {
    return (cass_place){.kind = CASS_PLACE_HOST, .pointer = (void *)(uintptr_t)pointer};
}

static cass_place on_device(CUdeviceptr pointer) {
    return (cass_place){.kind = CASS_PLACE_DEVICE, .pointer = cass_address(pointer)};
}

CUresult cass_cuMemcpyAtoA_v2(CUarray dstArray, size_t dstOffset, CUarray srcArray,
                              size_t srcOffset, size_t ByteCount) {
    return row_copy(row(dstArray, dstOffset), row(srcArray, srcOffset), ByteCount, waiting());
}

CUresult cass_cuMemcpyAtoD_v2(CUdeviceptr dstDevice, CUarray srcArray, size_t srcOffset,
                              size_t ByteCount) {
    return row_copy(on_device(dstDevice), row(srcArray, srcOffset), ByteCount, waiting());
}

CUresult cass_cuMemcpyDtoA_v2(CUarray dstArray, size_t dstOffset, CUdeviceptr srcDevice,
                              size_t ByteCount) {
    return row_copy(row(dstArray, dstOffset), on_device(srcDevice), ByteCount, waiting());
}

CUresult cass_cuMemcpyAtoH_v2(void *dstHost, CUarray srcArray, size_t srcOffset, size_t ByteCount) {
    return row_copy(host(dstHost), row(srcArray, srcOffset), ByteCount, waiting());
}

CUresult cass_cuMemcpyAtoHAsync_v2(void *dstHost, CUarray srcArray, size_t srcOffset,
                                   size_t ByteCount, CUstream hStream) {
    return row_copy(host(dstHost), row(srcArray, srcOffset), ByteCount, queued(hStream));
}

CUresult cass_cuMemcpyHtoA_v2(CUarray dstArray, size_t dstOffset, const void *srcHost,
                              size_t ByteCount) {
    return row_copy(row(dstArray, dstOffset), host(srcHost), ByteCount, waiting());
}

CUresult cass_cuMemcpyHtoAAsync_v2(CUarray dstArray, size_t dstOffset, const void *srcHost,
                                   size_t ByteCount, CUstream hStream) {
    return row_copy(row(dstArray, dstOffset), host(srcHost), ByteCount, queued(hStream));
}

/* rowLength is in elements of the array at the other end; in bytes between two pointers. */
static int operand(const CUmemcpy3DOperand *from, size_t element_bytes, cass_place *to) {
    *to = (cass_place){.kind = CASS_PLACE_UNIFIED};
    if (from->type == CU_MEMCPY_OPERAND_TYPE_ARRAY) {
        to->array = cass_array_of(from->op.array.array);
        to->x = from->op.array.offset.x * element_bytes;
        to->y = from->op.array.offset.y, to->z = from->op.array.offset.z;
        return to->array ? OK : INVALID_HANDLE;
    }
    if (from->type != CU_MEMCPY_OPERAND_TYPE_POINTER || !from->op.ptr.ptr) return INVALID_VALUE;
    to->pointer = cass_address(from->op.ptr.ptr);
    to->pitch = from->op.ptr.rowLength * element_bytes;
    to->rows = from->op.ptr.layerHeight;
    return OK;
}

static size_t element_of(const CUmemcpy3DOperand *end) {
    const cass_array *array =
        end->type == CU_MEMCPY_OPERAND_TYPE_ARRAY ? cass_array_of(end->op.array.array) : NULL;
    return array ? array->element_bytes : 0;
}

static CUresult one_block(cass_device *device, const CUDA_MEMCPY3D_BATCH_OP *op, cass_order order) {
    size_t element = element_of(&op->src) ? element_of(&op->src) : element_of(&op->dst);
    cass_block block = {.height = op->extent.height, .depth = op->extent.depth};
    if (!op->extent.width || !op->extent.height || !op->extent.depth)
        return CUDA_ERROR_INVALID_VALUE;
    if (!element) element = 1;
    block.width = op->extent.width * element;
    TRY(device, operand(&op->src, element, &block.from));
    TRY(device, operand(&op->dst, element, &block.to));
    return block_copy(device, &block, order);
}

CUresult cass_cuMemcpy3DBatchAsync(size_t numOps, CUDA_MEMCPY3D_BATCH_OP *opList, size_t *failIdx,
                                   unsigned long long flags, CUstream hStream) {
    ENTER(device);
    cass_order order = queued(hStream);
    if (failIdx) *failIdx = SIZE_MAX;
    if (!numOps || !opList || flags) return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < numOps; i++) {
        CUresult result = one_block(device, &opList[i], order);
        if (!result) continue;
        if (failIdx) *failIdx = i;
        return result;
    }
    return CUDA_SUCCESS;
}

CUresult cass_cuMemcpy3DBatchAsync_v2(size_t numOps, CUDA_MEMCPY3D_BATCH_OP *opList,
                                      unsigned long long flags, CUstream hStream) {
    return cass_cuMemcpy3DBatchAsync(numOps, opList, NULL, flags, hStream);
}
