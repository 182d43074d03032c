"""External resource interoperability: the rows of this chapter of the CUDA runtime API manual."""

# fmt: off
from __future__ import annotations

from cass_shim.api.spec import IMPLEMENTED, Chapter

chapter = Chapter("runtime", "External resource interoperability")
fn = chapter.fn
same = chapter.same

fn("cudaDestroyExternalMemory", IMPLEMENTED, "cudaError_t", "cudaExternalMemory_t extMem", since=10000)
fn("cudaDestroyExternalSemaphore", IMPLEMENTED, "cudaError_t", "cudaExternalSemaphore_t extSem", since=10000)
fn("cudaExternalMemoryGetMappedBuffer", IMPLEMENTED, "cudaError_t",
   "void **devPtr, cudaExternalMemory_t extMem, const struct cudaExternalMemoryBufferDesc *bufferDesc",
   since=10000)
fn("cudaExternalMemoryGetMappedMipmappedArray", IMPLEMENTED, "cudaError_t",
   "cudaMipmappedArray_t *mipmap, cudaExternalMemory_t extMem, const struct "
   "cudaExternalMemoryMipmappedArrayDesc *mipmapDesc", since=10000)
fn("cudaImportExternalMemory", IMPLEMENTED, "cudaError_t",
   "cudaExternalMemory_t *extMem_out, const struct cudaExternalMemoryHandleDesc *memHandleDesc", since=10000)
fn("cudaImportExternalSemaphore", IMPLEMENTED, "cudaError_t",
   "cudaExternalSemaphore_t *extSem_out, const struct cudaExternalSemaphoreHandleDesc *semHandleDesc",
   since=10000)
fn("cudaSignalExternalSemaphoresAsync", IMPLEMENTED, "cudaError_t",
   "const cudaExternalSemaphore_t *extSemArray, const struct cudaExternalSemaphoreSignalParams_v1 "
   "*paramsArray, unsigned int numExtSems, cudaStream_t stream", since=10000, until=13000, pt="ptsz")
same("cudaSignalExternalSemaphoresAsync", "cudaSignalExternalSemaphoresAsync_v2", since=13000)
fn("cudaSignalExternalSemaphoresAsync_v2", IMPLEMENTED, "cudaError_t",
   "const cudaExternalSemaphore_t *extSemArray, const struct cudaExternalSemaphoreSignalParams "
   "*paramsArray, unsigned int numExtSems, cudaStream_t stream", until=13000, pt="ptsz")
fn("cudaWaitExternalSemaphoresAsync", IMPLEMENTED, "cudaError_t",
   "const cudaExternalSemaphore_t *extSemArray, const struct cudaExternalSemaphoreWaitParams_v1 "
   "*paramsArray, unsigned int numExtSems, cudaStream_t stream", since=10000, until=13000, pt="ptsz")
same("cudaWaitExternalSemaphoresAsync", "cudaWaitExternalSemaphoresAsync_v2", since=13000)
fn("cudaWaitExternalSemaphoresAsync_v2", IMPLEMENTED, "cudaError_t",
   "const cudaExternalSemaphore_t *extSemArray, const struct cudaExternalSemaphoreWaitParams "
   "*paramsArray, unsigned int numExtSems, cudaStream_t stream", until=13000, pt="ptsz")
