"""Library management: the rows of this chapter of the CUDA driver API manual."""
# fmt: off
from __future__ import annotations

from cass_shim.api.spec import STUB, Chapter

chapter = Chapter("driver", "Library management")
fn = chapter.fn

fn("cuKernelGetAttribute", STUB, "CUresult",
   "int *pi, CUfunction_attribute attrib, CUkernel kernel, CUdevice dev", since=12000)
fn("cuKernelGetFunction", STUB, "CUresult", "CUfunction *pFunc, CUkernel kernel", since=12000)
fn("cuKernelGetLibrary", STUB, "CUresult", "CUlibrary *pLib, CUkernel kernel", since=12050)
fn("cuKernelGetName", STUB, "CUresult", "const char **name, CUkernel hfunc", since=12030)
fn("cuKernelGetParamInfo", STUB, "CUresult",
   "CUkernel kernel, size_t paramIndex, size_t *paramOffset, size_t *paramSize", since=12040)
fn("cuKernelSetAttribute", STUB, "CUresult",
   "CUfunction_attribute attrib, int val, CUkernel kernel, CUdevice dev", since=12000)
fn("cuKernelSetCacheConfig", STUB, "CUresult",
   "CUkernel kernel, CUfunc_cache config, CUdevice dev", since=12000)
fn("cuLibraryEnumerateKernels", STUB, "CUresult",
   "CUkernel *kernels, unsigned int numKernels, CUlibrary lib", since=12040)
fn("cuLibraryGetGlobal", STUB, "CUresult",
   "CUdeviceptr *dptr, size_t *bytes, CUlibrary library, const char *name", since=12000)
fn("cuLibraryGetKernel", STUB, "CUresult",
   "CUkernel *pKernel, CUlibrary library, const char *name", since=12000)
fn("cuLibraryGetKernelCount", STUB, "CUresult", "unsigned int *count, CUlibrary lib", since=12040)
fn("cuLibraryGetManaged", STUB, "CUresult",
   "CUdeviceptr *dptr, size_t *bytes, CUlibrary library, const char *name", since=12000)
fn("cuLibraryGetModule", STUB, "CUresult", "CUmodule *pMod, CUlibrary library", since=12000)
fn("cuLibraryGetUnifiedFunction", STUB, "CUresult",
   "void **fptr, CUlibrary library, const char *symbol", since=12000)
fn("cuLibraryLoadData", STUB, "CUresult",
   "CUlibrary *library, const void *code, CUjit_option *jitOptions, void **jitOptionsValues, unsigned "
   "int numJitOptions, CUlibraryOption *libraryOptions, void **libraryOptionValues, unsigned int "
   "numLibraryOptions", since=12000)
fn("cuLibraryLoadFromFile", STUB, "CUresult",
   "CUlibrary *library, const char *fileName, CUjit_option *jitOptions, void **jitOptionsValues, "
   "unsigned int numJitOptions, CUlibraryOption *libraryOptions, void **libraryOptionValues, unsigned "
   "int numLibraryOptions", since=12000)
fn("cuLibraryUnload", STUB, "CUresult", "CUlibrary library", since=12000)
fn("cuKernelGetParamCount", STUB, "CUresult", "CUkernel kernel, size_t *paramCount", since=13020)

