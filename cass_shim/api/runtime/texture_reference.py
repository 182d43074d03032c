"""Texture and surface references: the rows of this chapter of the CUDA runtime API manual."""

# fmt: off
from __future__ import annotations

from cass_shim.api.spec import IMPLEMENTED, Chapter

chapter = Chapter("runtime", "Texture and surface references")
fn = chapter.fn

fn("cudaBindSurfaceToArray", IMPLEMENTED, "cudaError_t",
   "const struct surfaceReference *surfref, cudaArray_const_t array, const struct "
   "cudaChannelFormatDesc *desc", since=3020, until=12000)
fn("cudaBindTexture", IMPLEMENTED, "cudaError_t",
   "size_t *offset, const struct textureReference *texref, const void *devPtr, const struct "
   "cudaChannelFormatDesc *desc, size_t size", since=3020, until=12000)
fn("cudaBindTexture2D", IMPLEMENTED, "cudaError_t",
   "size_t *offset, const struct textureReference *texref, const void *devPtr, const struct "
   "cudaChannelFormatDesc *desc, size_t width, size_t height, size_t pitch", since=3020, until=12000)
fn("cudaBindTextureToArray", IMPLEMENTED, "cudaError_t",
   "const struct textureReference *texref, cudaArray_const_t array, const struct cudaChannelFormatDesc "
   "*desc", since=3020, until=12000)
fn("cudaBindTextureToMipmappedArray", IMPLEMENTED, "cudaError_t",
   "const struct textureReference *texref, cudaMipmappedArray_const_t mipmappedArray, const struct "
   "cudaChannelFormatDesc *desc", since=5000, until=12000)
fn("cudaGetSurfaceReference", IMPLEMENTED, "cudaError_t",
   "const struct surfaceReference **surfref, const void *symbol", since=3020, until=12000)
fn("cudaGetTextureAlignmentOffset", IMPLEMENTED, "cudaError_t",
   "size_t *offset, const struct textureReference *texref", since=3020, until=12000)
fn("cudaGetTextureReference", IMPLEMENTED, "cudaError_t",
   "const struct textureReference **texref, const void *symbol", since=3020, until=12000)
fn("cudaUnbindTexture", IMPLEMENTED, "cudaError_t", "const struct textureReference *texref", since=3020, until=12000)
