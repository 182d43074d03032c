"""External resource interoperability: the rows of this chapter of the CUDA driver API manual."""

# fmt: off
from __future__ import annotations

from cass_shim.api.spec import IMPLEMENTED, Chapter

chapter = Chapter("driver", "External resource interoperability")
fn = chapter.fn

fn("cuDestroyExternalMemory", IMPLEMENTED, "CUresult", "CUexternalMemory extMem", since=10000)
fn("cuDestroyExternalSemaphore", IMPLEMENTED, "CUresult", "CUexternalSemaphore extSem", since=10000)
fn("cuExternalMemoryGetMappedBuffer", IMPLEMENTED, "CUresult",
   "CUdeviceptr *devPtr, CUexternalMemory extMem, const CUDA_EXTERNAL_MEMORY_BUFFER_DESC *bufferDesc",
   since=10000)
fn("cuExternalMemoryGetMappedMipmappedArray", IMPLEMENTED, "CUresult",
   "CUmipmappedArray *mipmap, CUexternalMemory extMem, const CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC "
   "*mipmapDesc", since=10000)
fn("cuImportExternalMemory", IMPLEMENTED, "CUresult",
   "CUexternalMemory *extMem_out, const CUDA_EXTERNAL_MEMORY_HANDLE_DESC *memHandleDesc", since=10000)
fn("cuImportExternalSemaphore", IMPLEMENTED, "CUresult",
   "CUexternalSemaphore *extSem_out, const CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC *semHandleDesc", since=10000)
fn("cuSignalExternalSemaphoresAsync", IMPLEMENTED, "CUresult",
   "const CUexternalSemaphore *extSemArray, const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS *paramsArray, "
   "unsigned int numExtSems, CUstream stream", since=10000, pt="ptsz")
fn("cuWaitExternalSemaphoresAsync", IMPLEMENTED, "CUresult",
   "const CUexternalSemaphore *extSemArray, const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS *paramsArray, "
   "unsigned int numExtSems, CUstream stream", since=10000, pt="ptsz")
