"""What nvcc-compiled objects call by themselves: registration and launch. In no manual; seen in crt/host_runtime.h."""

# fmt: off
from __future__ import annotations

from cass_shim.api.spec import IMPLEMENTED, STUB, UNDECLARED, Chapter

chapter = Chapter("runtime", "Registration and launch (compiler generated)")
fn = chapter.fn

fn("__cudaRegisterFatBinary", IMPLEMENTED, "void **", "void *fatCubin", pure=True)
fn("__cudaRegisterFatBinaryEnd", IMPLEMENTED, "void", "void **fatCubinHandle", since=10010, pure=True)
fn("__cudaUnregisterFatBinary", IMPLEMENTED, "void", "void **fatCubinHandle", pure=True)
fn("__cudaRegisterFunction", IMPLEMENTED, "void",
   "void **fatCubinHandle, const char *hostFun, char *deviceFun, const char *deviceName, int thread_limit, "
   "uint3 *tid, uint3 *bid, dim3 *bDim, dim3 *gDim, int *wSize", pure=True)
fn("__cudaRegisterVar", IMPLEMENTED, "void",
   "void **fatCubinHandle, char *hostVar, char *deviceAddress, const char *deviceName, int ext, "
   "size_t size, int constant, int global", pure=True)
fn("__cudaRegisterManagedVar", IMPLEMENTED, "void",
   "void **fatCubinHandle, void **hostVarPtrAddress, char *deviceAddress, const char *deviceName, int ext, "
   "size_t size, int constant, int global", pure=True)
fn("__cudaRegisterTexture", IMPLEMENTED, "void",
   "void **fatCubinHandle, const struct textureReference *hostVar, const void **deviceAddress, "
   "const char *deviceName, int dim, int norm, int ext", until=12000, pure=True)
fn("__cudaRegisterSurface", IMPLEMENTED, "void",
   "void **fatCubinHandle, const struct surfaceReference *hostVar, const void **deviceAddress, "
   "const char *deviceName, int dim, int ext", until=12000, pure=True)
fn("__cudaRegisterHostVar", IMPLEMENTED, "void",
   "void **fatCubinHandle, const char *deviceName, char *hostVar, size_t size", since=11000, pure=True)
fn("__cudaRegisterUnifiedTable", STUB, "void **", UNDECLARED, since=12000, pure=True,
   note="unified function tables: parameters in no public header")
fn("__cudaInitModule", IMPLEMENTED, "char", "void **fatCubinHandle")
fn("__cudaPushCallConfiguration", IMPLEMENTED, "unsigned int",
   "dim3 gridDim, dim3 blockDim, size_t sharedMem, struct CUstream_st *stream", pure=True)
fn("__cudaPopCallConfiguration", IMPLEMENTED, "cudaError_t",
   "dim3 *gridDim, dim3 *blockDim, size_t *sharedMem, void *stream")
fn("__cudaGetKernel", IMPLEMENTED, "cudaError_t",
   "cudaKernel_t *kernel, const void *entryFuncAddr", since=12010)
fn("__cudaLaunchKernel", IMPLEMENTED, "cudaError_t",
   "cudaKernel_t kernel, dim3 gridDim, dim3 blockDim, void **args, size_t sharedMem, cudaStream_t stream",
   since=12010, pt="ptsz")
fn("__cudaGetProcAddress", STUB, "void *", UNDECLARED, since=13000,
   note="answers NULL in 13.0 too; parameters in no public header")
