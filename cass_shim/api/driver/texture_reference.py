"""Texture and surface references: the rows of this chapter of the CUDA driver API manual."""

# fmt: off
from __future__ import annotations

from cass_shim.api.spec import STUB, Chapter

chapter = Chapter("driver", "Texture and surface references")
fn = chapter.fn

fn("cuModuleGetSurfRef", STUB, "CUresult", "CUsurfref *pSurfRef, CUmodule hmod, const char *name", since=3000)
fn("cuModuleGetTexRef", STUB, "CUresult", "CUtexref *pTexRef, CUmodule hmod, const char *name", since=2000)
fn("cuParamSetTexRef", STUB, "CUresult", "CUfunction hfunc, int texunit, CUtexref hTexRef", since=2000)
fn("cuSurfRefGetArray", STUB, "CUresult", "CUarray *phArray, CUsurfref hSurfRef", since=3000)
fn("cuSurfRefSetArray", STUB, "CUresult",
   "CUsurfref hSurfRef, CUarray hArray, unsigned int Flags", since=3000)
fn("cuTexRefCreate", STUB, "CUresult", "CUtexref *pTexRef", since=2000)
fn("cuTexRefDestroy", STUB, "CUresult", "CUtexref hTexRef", since=2000)
fn("cuTexRefGetAddress", STUB, "CUresult", "CUdeviceptr_v1 *pdptr, CUtexref hTexRef", since=2000)
fn("cuTexRefGetAddress_v2", STUB, "CUresult", "CUdeviceptr *pdptr, CUtexref hTexRef", since=3020)
fn("cuTexRefGetAddressMode", STUB, "CUresult", "CUaddress_mode *pam, CUtexref hTexRef, int dim", since=2000)
fn("cuTexRefGetArray", STUB, "CUresult", "CUarray *phArray, CUtexref hTexRef", since=2000)
fn("cuTexRefGetBorderColor", STUB, "CUresult", "float *pBorderColor, CUtexref hTexRef", since=8000)
fn("cuTexRefGetFilterMode", STUB, "CUresult", "CUfilter_mode *pfm, CUtexref hTexRef", since=2000)
fn("cuTexRefGetFlags", STUB, "CUresult", "unsigned int *pFlags, CUtexref hTexRef", since=2000)
fn("cuTexRefGetFormat", STUB, "CUresult",
   "CUarray_format *pFormat, int *pNumChannels, CUtexref hTexRef", since=2000)
fn("cuTexRefGetMaxAnisotropy", STUB, "CUresult", "int *pmaxAniso, CUtexref hTexRef", since=5000)
fn("cuTexRefGetMipmapFilterMode", STUB, "CUresult", "CUfilter_mode *pfm, CUtexref hTexRef", since=5000)
fn("cuTexRefGetMipmapLevelBias", STUB, "CUresult", "float *pbias, CUtexref hTexRef", since=5000)
fn("cuTexRefGetMipmapLevelClamp", STUB, "CUresult",
   "float *pminMipmapLevelClamp, float *pmaxMipmapLevelClamp, CUtexref hTexRef", since=5000)
fn("cuTexRefGetMipmappedArray", STUB, "CUresult",
   "CUmipmappedArray *phMipmappedArray, CUtexref hTexRef", since=5000)
fn("cuTexRefSetAddress", STUB, "CUresult",
   "unsigned int *ByteOffset, CUtexref hTexRef, CUdeviceptr_v1 dptr, unsigned int bytes", since=2000)
fn("cuTexRefSetAddress_v2", STUB, "CUresult",
   "size_t *ByteOffset, CUtexref hTexRef, CUdeviceptr dptr, size_t bytes", since=3020)
fn("cuTexRefSetAddress2D", STUB, "CUresult",
   "CUtexref hTexRef, const CUDA_ARRAY_DESCRIPTOR_v1 *desc, CUdeviceptr_v1 dptr, unsigned int Pitch",
   since=2020)
fn("cuTexRefSetAddress2D_v2", STUB, "CUresult",
   "CUtexref hTexRef, const CUDA_ARRAY_DESCRIPTOR *desc, CUdeviceptr dptr, size_t Pitch", since=3020)
fn("cuTexRefSetAddress2D_v3", STUB, "CUresult",
   "CUtexref hTexRef, const CUDA_ARRAY_DESCRIPTOR *desc, CUdeviceptr dptr, size_t Pitch", since=4010)
fn("cuTexRefSetAddressMode", STUB, "CUresult", "CUtexref hTexRef, int dim, CUaddress_mode am", since=2000)
fn("cuTexRefSetArray", STUB, "CUresult", "CUtexref hTexRef, CUarray hArray, unsigned int Flags", since=2000)
fn("cuTexRefSetBorderColor", STUB, "CUresult", "CUtexref hTexRef, float *pBorderColor", since=8000)
fn("cuTexRefSetFilterMode", STUB, "CUresult", "CUtexref hTexRef, CUfilter_mode fm", since=2000)
fn("cuTexRefSetFlags", STUB, "CUresult", "CUtexref hTexRef, unsigned int Flags", since=2000)
fn("cuTexRefSetFormat", STUB, "CUresult",
   "CUtexref hTexRef, CUarray_format fmt, int NumPackedComponents", since=2000)
fn("cuTexRefSetMaxAnisotropy", STUB, "CUresult", "CUtexref hTexRef, unsigned int maxAniso", since=5000)
fn("cuTexRefSetMipmapFilterMode", STUB, "CUresult", "CUtexref hTexRef, CUfilter_mode fm", since=5000)
fn("cuTexRefSetMipmapLevelBias", STUB, "CUresult", "CUtexref hTexRef, float bias", since=5000)
fn("cuTexRefSetMipmapLevelClamp", STUB, "CUresult",
   "CUtexref hTexRef, float minMipmapLevelClamp, float maxMipmapLevelClamp", since=5000)
fn("cuTexRefSetMipmappedArray", STUB, "CUresult",
   "CUtexref hTexRef, CUmipmappedArray hMipmappedArray, unsigned int Flags", since=5000)
