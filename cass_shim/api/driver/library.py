"""Library management: the rows of this chapter of the CUDA driver API manual."""

# fmt: off
from __future__ import annotations

from cass_shim.api.spec import IMPLEMENTED, Chapter

chapter = Chapter("driver", "Library management")
fn = chapter.fn

fn("cuKernelGetAttribute", IMPLEMENTED, "CUresult",
   "int *pi, CUfunction_attribute attrib, CUkernel kernel, CUdevice dev", since=12000)
fn("cuKernelGetFunction", IMPLEMENTED, "CUresult", "CUfunction *pFunc, CUkernel kernel", since=12000)
fn("cuKernelGetLibrary", IMPLEMENTED, "CUresult", "CUlibrary *pLib, CUkernel kernel", since=12050)
fn("cuKernelGetName", IMPLEMENTED, "CUresult", "const char **name, CUkernel hfunc", since=12030)
fn("cuKernelGetParamInfo", IMPLEMENTED, "CUresult",
   "CUkernel kernel, size_t paramIndex, size_t *paramOffset, size_t *paramSize", since=12040)
fn("cuKernelSetAttribute", IMPLEMENTED, "CUresult",
   "CUfunction_attribute attrib, int val, CUkernel kernel, CUdevice dev", since=12000)
fn("cuKernelSetCacheConfig", IMPLEMENTED, "CUresult",
   "CUkernel kernel, CUfunc_cache config, CUdevice dev", since=12000)
fn("cuLibraryEnumerateKernels", IMPLEMENTED, "CUresult",
   "CUkernel *kernels, unsigned int numKernels, CUlibrary lib", since=12040)
fn("cuLibraryGetGlobal", IMPLEMENTED, "CUresult",
   "CUdeviceptr *dptr, size_t *bytes, CUlibrary library, const char *name", since=12000)
fn("cuLibraryGetKernel", IMPLEMENTED, "CUresult",
   "CUkernel *pKernel, CUlibrary library, const char *name", since=12000)
fn("cuLibraryGetKernelCount", IMPLEMENTED, "CUresult", "unsigned int *count, CUlibrary lib", since=12040)
fn("cuLibraryGetManaged", IMPLEMENTED, "CUresult",
   "CUdeviceptr *dptr, size_t *bytes, CUlibrary library, const char *name", since=12000)
fn("cuLibraryGetModule", IMPLEMENTED, "CUresult", "CUmodule *pMod, CUlibrary library", since=12000)
fn("cuLibraryGetUnifiedFunction", IMPLEMENTED, "CUresult",
   "void **fptr, CUlibrary library, const char *symbol", since=12000)
fn("cuLibraryLoadData", IMPLEMENTED, "CUresult",
   "CUlibrary *library, const void *code, CUjit_option *jitOptions, void **jitOptionsValues, unsigned "
   "int numJitOptions, CUlibraryOption *libraryOptions, void **libraryOptionValues, unsigned int "
   "numLibraryOptions", since=12000)
fn("cuLibraryLoadFromFile", IMPLEMENTED, "CUresult",
   "CUlibrary *library, const char *fileName, CUjit_option *jitOptions, void **jitOptionsValues, "
   "unsigned int numJitOptions, CUlibraryOption *libraryOptions, void **libraryOptionValues, unsigned "
   "int numLibraryOptions", since=12000)
fn("cuLibraryUnload", IMPLEMENTED, "CUresult", "CUlibrary library", since=12000)
fn("cuKernelGetParamCount", IMPLEMENTED, "CUresult", "CUkernel kernel, size_t *paramCount", since=13020)
