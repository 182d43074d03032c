"""Library management: the rows of this chapter of the CUDA runtime API manual."""

# fmt: off
from __future__ import annotations

from cass_shim.api.spec import IMPLEMENTED, Chapter

chapter = Chapter("runtime", "Library management")
fn = chapter.fn

fn("cudaGetExportTable", IMPLEMENTED, "cudaError_t",
   "const void **ppExportTable, const cudaUUID_t *pExportTableId", since=13000)
fn("cudaKernelSetAttributeForDevice", IMPLEMENTED, "cudaError_t",
   "cudaKernel_t kernel, enum cudaFuncAttribute attr, int value, int device", since=12060)
fn("cudaLibraryEnumerateKernels", IMPLEMENTED, "cudaError_t",
   "cudaKernel_t *kernels, unsigned int numKernels, cudaLibrary_t lib", since=12060)
fn("cudaLibraryGetGlobal", IMPLEMENTED, "cudaError_t",
   "void **dptr, size_t *bytes, cudaLibrary_t library, const char *name", since=12060)
fn("cudaLibraryGetKernel", IMPLEMENTED, "cudaError_t",
   "cudaKernel_t *pKernel, cudaLibrary_t library, const char *name", since=12060)
fn("cudaLibraryGetKernelCount", IMPLEMENTED, "cudaError_t", "unsigned int *count, cudaLibrary_t lib", since=12060)
fn("cudaLibraryGetManaged", IMPLEMENTED, "cudaError_t",
   "void **dptr, size_t *bytes, cudaLibrary_t library, const char *name", since=12060)
fn("cudaLibraryGetUnifiedFunction", IMPLEMENTED, "cudaError_t",
   "void **fptr, cudaLibrary_t library, const char *symbol", since=12060)
fn("cudaLibraryLoadData", IMPLEMENTED, "cudaError_t",
   "cudaLibrary_t *library, const void *code, enum cudaJitOption *jitOptions, void **jitOptionsValues, "
   "unsigned int numJitOptions, enum cudaLibraryOption *libraryOptions, void **libraryOptionValues, "
   "unsigned int numLibraryOptions", since=12060)
fn("cudaLibraryLoadFromFile", IMPLEMENTED, "cudaError_t",
   "cudaLibrary_t *library, const char *fileName, enum cudaJitOption *jitOptions, void "
   "**jitOptionsValues, unsigned int numJitOptions, enum cudaLibraryOption *libraryOptions, void "
   "**libraryOptionValues, unsigned int numLibraryOptions", since=12060)
fn("cudaLibraryUnload", IMPLEMENTED, "cudaError_t", "cudaLibrary_t library", since=12060)
