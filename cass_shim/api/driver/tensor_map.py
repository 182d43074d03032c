"""Tensor map objects: the rows of this chapter of the CUDA driver API manual."""

# fmt: off
from __future__ import annotations

from cass_shim.api.spec import STUB, Chapter

chapter = Chapter("driver", "Tensor map objects")
fn = chapter.fn

fn("cuTensorMapEncodeIm2col", STUB, "CUresult",
   "CUtensorMap *tensorMap, CUtensorMapDataType tensorDataType, cuuint32_t tensorRank, void "
   "*globalAddress, const cuuint64_t *globalDim, const cuuint64_t *globalStrides, const int "
   "*pixelBoxLowerCorner, const int *pixelBoxUpperCorner, cuuint32_t channelsPerPixel, cuuint32_t "
   "pixelsPerColumn, const cuuint32_t *elementStrides, CUtensorMapInterleave interleave, "
   "CUtensorMapSwizzle swizzle, CUtensorMapL2promotion l2Promotion, CUtensorMapFloatOOBfill oobFill",
   since=12000,
   note="tensor maps are for TMA, which the translators do not have")
fn("cuTensorMapEncodeIm2colWide", STUB, "CUresult",
   "CUtensorMap *tensorMap, CUtensorMapDataType tensorDataType, cuuint32_t tensorRank, void "
   "*globalAddress, const cuuint64_t *globalDim, const cuuint64_t *globalStrides, int "
   "pixelBoxLowerCornerWidth, int pixelBoxUpperCornerWidth, cuuint32_t channelsPerPixel, cuuint32_t "
   "pixelsPerColumn, const cuuint32_t *elementStrides, CUtensorMapInterleave interleave, "
   "CUtensorMapIm2ColWideMode mode, CUtensorMapSwizzle swizzle, CUtensorMapL2promotion l2Promotion, "
   "CUtensorMapFloatOOBfill oobFill", since=12080,
   note="tensor maps are for TMA, which the translators do not have")
fn("cuTensorMapEncodeTiled", STUB, "CUresult",
   "CUtensorMap *tensorMap, CUtensorMapDataType tensorDataType, cuuint32_t tensorRank, void "
   "*globalAddress, const cuuint64_t *globalDim, const cuuint64_t *globalStrides, const cuuint32_t "
   "*boxDim, const cuuint32_t *elementStrides, CUtensorMapInterleave interleave, CUtensorMapSwizzle "
   "swizzle, CUtensorMapL2promotion l2Promotion, CUtensorMapFloatOOBfill oobFill", since=12000,
   note="tensor maps are for TMA, which the translators do not have")
fn("cuTensorMapReplaceAddress", STUB, "CUresult", "CUtensorMap *tensorMap, void *globalAddress", since=12000,
   note="tensor maps are for TMA, which the translators do not have")
fn("cuTensorMapSetAllocationClass", STUB, "CUresult",
   "CUtensorMap *tensorMap, CUtensorMapAllocClass allocClass, CUtensorMapAllocClass *outAllocClass",
   since=13050,
   note="tensor maps are for TMA, which the translators do not have")
