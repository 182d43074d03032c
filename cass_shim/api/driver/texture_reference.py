"""Texture and surface references: the rows of this chapter of the CUDA driver API manual."""

# fmt: off
from __future__ import annotations

from cass_shim.api.spec import IMPLEMENTED, Chapter

chapter = Chapter("driver", "Texture and surface references")
fn = chapter.fn

fn("cuModuleGetSurfRef", IMPLEMENTED, "CUresult", "CUsurfref *pSurfRef, CUmodule hmod, const char *name", since=3000)
fn("cuModuleGetTexRef", IMPLEMENTED, "CUresult", "CUtexref *pTexRef, CUmodule hmod, const char *name", since=2000)
fn("cuParamSetTexRef", IMPLEMENTED, "CUresult", "CUfunction hfunc, int texunit, CUtexref hTexRef", since=2000)
fn("cuSurfRefGetArray", IMPLEMENTED, "CUresult", "CUarray *phArray, CUsurfref hSurfRef", since=3000)
fn("cuSurfRefSetArray", IMPLEMENTED, "CUresult",
   "CUsurfref hSurfRef, CUarray hArray, unsigned int Flags", since=3000)
fn("cuTexRefCreate", IMPLEMENTED, "CUresult", "CUtexref *pTexRef", since=2000)
fn("cuTexRefDestroy", IMPLEMENTED, "CUresult", "CUtexref hTexRef", since=2000)
fn("cuTexRefGetAddress", IMPLEMENTED, "CUresult", "CUdeviceptr_v1 *pdptr, CUtexref hTexRef", since=2000)
fn("cuTexRefGetAddress_v2", IMPLEMENTED, "CUresult", "CUdeviceptr *pdptr, CUtexref hTexRef", since=3020)
fn("cuTexRefGetAddressMode", IMPLEMENTED, "CUresult", "CUaddress_mode *pam, CUtexref hTexRef, int dim", since=2000)
fn("cuTexRefGetArray", IMPLEMENTED, "CUresult", "CUarray *phArray, CUtexref hTexRef", since=2000)
fn("cuTexRefGetBorderColor", IMPLEMENTED, "CUresult", "float *pBorderColor, CUtexref hTexRef", since=8000)
fn("cuTexRefGetFilterMode", IMPLEMENTED, "CUresult", "CUfilter_mode *pfm, CUtexref hTexRef", since=2000)
fn("cuTexRefGetFlags", IMPLEMENTED, "CUresult", "unsigned int *pFlags, CUtexref hTexRef", since=2000)
fn("cuTexRefGetFormat", IMPLEMENTED, "CUresult",
   "CUarray_format *pFormat, int *pNumChannels, CUtexref hTexRef", since=2000)
fn("cuTexRefGetMaxAnisotropy", IMPLEMENTED, "CUresult", "int *pmaxAniso, CUtexref hTexRef", since=5000)
fn("cuTexRefGetMipmapFilterMode", IMPLEMENTED, "CUresult", "CUfilter_mode *pfm, CUtexref hTexRef", since=5000)
fn("cuTexRefGetMipmapLevelBias", IMPLEMENTED, "CUresult", "float *pbias, CUtexref hTexRef", since=5000)
fn("cuTexRefGetMipmapLevelClamp", IMPLEMENTED, "CUresult",
   "float *pminMipmapLevelClamp, float *pmaxMipmapLevelClamp, CUtexref hTexRef", since=5000)
fn("cuTexRefGetMipmappedArray", IMPLEMENTED, "CUresult",
   "CUmipmappedArray *phMipmappedArray, CUtexref hTexRef", since=5000)
fn("cuTexRefSetAddress", IMPLEMENTED, "CUresult",
   "unsigned int *ByteOffset, CUtexref hTexRef, CUdeviceptr_v1 dptr, unsigned int bytes", since=2000)
fn("cuTexRefSetAddress_v2", IMPLEMENTED, "CUresult",
   "size_t *ByteOffset, CUtexref hTexRef, CUdeviceptr dptr, size_t bytes", since=3020)
fn("cuTexRefSetAddress2D", IMPLEMENTED, "CUresult",
   "CUtexref hTexRef, const CUDA_ARRAY_DESCRIPTOR_v1 *desc, CUdeviceptr_v1 dptr, unsigned int Pitch",
   since=2020)
fn("cuTexRefSetAddress2D_v2", IMPLEMENTED, "CUresult",
   "CUtexref hTexRef, const CUDA_ARRAY_DESCRIPTOR *desc, CUdeviceptr dptr, size_t Pitch", since=3020)
fn("cuTexRefSetAddress2D_v3", IMPLEMENTED, "CUresult",
   "CUtexref hTexRef, const CUDA_ARRAY_DESCRIPTOR *desc, CUdeviceptr dptr, size_t Pitch", since=4010)
fn("cuTexRefSetAddressMode", IMPLEMENTED, "CUresult", "CUtexref hTexRef, int dim, CUaddress_mode am", since=2000)
fn("cuTexRefSetArray", IMPLEMENTED, "CUresult", "CUtexref hTexRef, CUarray hArray, unsigned int Flags", since=2000)
fn("cuTexRefSetBorderColor", IMPLEMENTED, "CUresult", "CUtexref hTexRef, float *pBorderColor", since=8000)
fn("cuTexRefSetFilterMode", IMPLEMENTED, "CUresult", "CUtexref hTexRef, CUfilter_mode fm", since=2000)
fn("cuTexRefSetFlags", IMPLEMENTED, "CUresult", "CUtexref hTexRef, unsigned int Flags", since=2000)
fn("cuTexRefSetFormat", IMPLEMENTED, "CUresult",
   "CUtexref hTexRef, CUarray_format fmt, int NumPackedComponents", since=2000)
fn("cuTexRefSetMaxAnisotropy", IMPLEMENTED, "CUresult", "CUtexref hTexRef, unsigned int maxAniso", since=5000)
fn("cuTexRefSetMipmapFilterMode", IMPLEMENTED, "CUresult", "CUtexref hTexRef, CUfilter_mode fm", since=5000)
fn("cuTexRefSetMipmapLevelBias", IMPLEMENTED, "CUresult", "CUtexref hTexRef, float bias", since=5000)
fn("cuTexRefSetMipmapLevelClamp", IMPLEMENTED, "CUresult",
   "CUtexref hTexRef, float minMipmapLevelClamp, float maxMipmapLevelClamp", since=5000)
fn("cuTexRefSetMipmappedArray", IMPLEMENTED, "CUresult",
   "CUtexref hTexRef, CUmipmappedArray hMipmappedArray, unsigned int Flags", since=5000)
