"""Texture object management: the rows of this chapter of the CUDA runtime API manual."""

# fmt: off
from __future__ import annotations

from cass_shim.api.spec import IMPLEMENTED, Chapter

chapter = Chapter("runtime", "Texture object management")
fn = chapter.fn

fn("cudaCreateChannelDesc", IMPLEMENTED, "struct cudaChannelFormatDesc",
   "int x, int y, int z, int w, enum cudaChannelFormatKind f", since=3020)
fn("cudaCreateTextureObject", IMPLEMENTED, "cudaError_t",
   "cudaTextureObject_t *pTexObject, const struct cudaResourceDesc *pResDesc, const struct "
   "cudaTextureDesc *pTexDesc, const struct cudaResourceViewDesc *pResViewDesc", since=5000)
fn("cudaCreateTextureObject_v2", IMPLEMENTED, "cudaError_t",
   "cudaTextureObject_t *pTexObject, const struct cudaResourceDesc *pResDesc, const struct "
   "cudaTextureDesc_v2 *pTexDesc, const struct cudaResourceViewDesc *pResViewDesc", since=11080, until=12000)
fn("cudaDestroyTextureObject", IMPLEMENTED, "cudaError_t", "cudaTextureObject_t texObject", since=5000)
fn("cudaGetChannelDesc", IMPLEMENTED, "cudaError_t",
   "struct cudaChannelFormatDesc *desc, cudaArray_const_t array", since=3020)
fn("cudaGetTextureObjectResourceDesc", IMPLEMENTED, "cudaError_t",
   "struct cudaResourceDesc *pResDesc, cudaTextureObject_t texObject", since=5000)
fn("cudaGetTextureObjectResourceViewDesc", IMPLEMENTED, "cudaError_t",
   "struct cudaResourceViewDesc *pResViewDesc, cudaTextureObject_t texObject", since=5000)
fn("cudaGetTextureObjectTextureDesc", IMPLEMENTED, "cudaError_t",
   "struct cudaTextureDesc *pTexDesc, cudaTextureObject_t texObject", since=5000)
fn("cudaGetTextureObjectTextureDesc_v2", IMPLEMENTED, "cudaError_t",
   "struct cudaTextureDesc_v2 *pTexDesc, cudaTextureObject_t texObject", since=11080, until=12000)
