"""Texture object management: the rows of this chapter of the CUDA driver API manual."""

# fmt: off
from __future__ import annotations

from cass_shim.api.spec import IMPLEMENTED, Chapter

chapter = Chapter("driver", "Texture object management")
fn = chapter.fn

fn("cuTexObjectCreate", IMPLEMENTED, "CUresult",
   "CUtexObject *pTexObject, const CUDA_RESOURCE_DESC *pResDesc, const CUDA_TEXTURE_DESC *pTexDesc, "
   "const CUDA_RESOURCE_VIEW_DESC *pResViewDesc", since=5000)
fn("cuTexObjectDestroy", IMPLEMENTED, "CUresult", "CUtexObject texObject", since=5000)
fn("cuTexObjectGetResourceDesc", IMPLEMENTED, "CUresult",
   "CUDA_RESOURCE_DESC *pResDesc, CUtexObject texObject", since=5000)
fn("cuTexObjectGetResourceViewDesc", IMPLEMENTED, "CUresult",
   "CUDA_RESOURCE_VIEW_DESC *pResViewDesc, CUtexObject texObject", since=5000)
fn("cuTexObjectGetTextureDesc", IMPLEMENTED, "CUresult",
   "CUDA_TEXTURE_DESC *pTexDesc, CUtexObject texObject", since=5000)
