// External memory and semaphores: what CUDA says of handles that are none, in calls and in graph nodes.
#include <cuda.h>
#include <cuda_runtime.h>
#include <fcntl.h>
#include "section.h"

static CUdevice dev;
static CUcontext primary;
static void start() { cuInit(0); cuDeviceGet(&dev, 0); cuDevicePrimaryCtxRetain(&primary, dev); cuCtxSetCurrent(primary); }

static void memory() {
    start(); CUexternalMemory m = nullptr; CUDA_EXTERNAL_MEMORY_HANDLE_DESC d = {}; CUDA_EXTERNAL_MEMORY_BUFFER_DESC b = {}; CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC a = {}; CUdeviceptr p; CUmipmappedArray mm; b.size = 4096;
    SHOW("null", cuImportExternalMemory(nullptr, &d)); SHOW("no_desc", cuImportExternalMemory(&m, nullptr)); SHOW("type_0", cuImportExternalMemory(&m, &d));
    for (int type = 1; type <= 9; type++) { d = {}; d.type = (CUexternalMemoryHandleType)type; d.size = 4096; d.handle.fd = -1; printf("type %d: %d\n", type, (int)cuImportExternalMemory(&m, &d)); fflush(stdout); }
    int fd = open("/dev/null", O_RDWR); d = {}; d.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD; d.size = 4096; d.handle.fd = fd; SHOW("dev_null", cuImportExternalMemory(&m, &d)); d.size = 0; SHOW("size_0", cuImportExternalMemory(&m, &d)); d.size = 4096; d.flags = 64; SHOW("flags_64", cuImportExternalMemory(&m, &d));
    SHOW("buffer_of_null", cuExternalMemoryGetMappedBuffer(&p, nullptr, &b)); SHOW("buffer_no_desc", cuExternalMemoryGetMappedBuffer(&p, nullptr, nullptr)); SHOW("array_of_null", cuExternalMemoryGetMappedMipmappedArray(&mm, nullptr, &a)); SHOW("destroy_null", cuDestroyExternalMemory(nullptr));
}

static void runtime_memory() {
    cudaExternalMemory_t m = nullptr; cudaExternalMemoryHandleDesc d = {}; cudaExternalMemoryBufferDesc b = {}; cudaExternalMemoryMipmappedArrayDesc a = {}; void *p; cudaMipmappedArray_t mm; b.size = 4096;
    SHOW("null", cudaImportExternalMemory(nullptr, &d)); SHOW("no_desc", cudaImportExternalMemory(&m, nullptr)); SHOW("type_0", cudaImportExternalMemory(&m, &d));
    for (int type = 1; type <= 9; type++) { d = {}; d.type = (cudaExternalMemoryHandleType)type; d.size = 4096; d.handle.fd = -1; printf("type %d: %d\n", type, (int)cudaImportExternalMemory(&m, &d)); fflush(stdout); }
    SHOW("buffer_of_null", cudaExternalMemoryGetMappedBuffer(&p, nullptr, &b)); SHOW("buffer_no_desc", cudaExternalMemoryGetMappedBuffer(&p, nullptr, nullptr)); SHOW("array_of_null", cudaExternalMemoryGetMappedMipmappedArray(&mm, nullptr, &a)); SHOW("destroy_null", cudaDestroyExternalMemory(nullptr)); SHOW("last", cudaGetLastError());
}

static void semaphores() {
    start(); CUexternalSemaphore s = nullptr; CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC d = {}; CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS sp = {}; CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS wp = {};
    SHOW("null", cuImportExternalSemaphore(nullptr, &d)); SHOW("no_desc", cuImportExternalSemaphore(&s, nullptr)); SHOW("type_0", cuImportExternalSemaphore(&s, &d));
    for (int type = 1; type <= 11; type++) { d = {}; d.type = (CUexternalSemaphoreHandleType)type; d.handle.fd = -1; printf("type %d: %d\n", type, (int)cuImportExternalSemaphore(&s, &d)); fflush(stdout); }
    int fd = open("/dev/null", O_RDWR); d = {}; d.type = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD; d.handle.fd = fd; SHOW("dev_null", cuImportExternalSemaphore(&s, &d)); d.flags = 64; SHOW("flags_64", cuImportExternalSemaphore(&s, &d)); d.flags = 0; d.type = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD; d.handle.fd = open("/dev/null", O_RDWR); SHOW("timeline_dev_null", cuImportExternalSemaphore(&s, &d));
    CUexternalSemaphore none = nullptr; SHOW("signal_0", cuSignalExternalSemaphoresAsync(&none, &sp, 0, 0));
}

static void runtime_semaphores() {
    cudaExternalSemaphore_t s = nullptr; cudaExternalSemaphoreHandleDesc d = {}; cudaExternalSemaphoreSignalParams sp = {}; cudaExternalSemaphoreWaitParams wp = {};
    SHOW("null", cudaImportExternalSemaphore(nullptr, &d)); SHOW("no_desc", cudaImportExternalSemaphore(&s, nullptr)); SHOW("type_0", cudaImportExternalSemaphore(&s, &d));
    for (int type = 1; type <= 11; type++) { d = {}; d.type = (cudaExternalSemaphoreHandleType)type; d.handle.fd = -1; printf("type %d: %d\n", type, (int)cudaImportExternalSemaphore(&s, &d)); fflush(stdout); }
    cudaExternalSemaphore_t none = nullptr; SHOW("signal_0", cudaSignalExternalSemaphoresAsync(&none, &sp, 0, 0));
}

static void nodes() {
    start(); CUgraph g; CUgraphNode n, k; CUgraphExec x; cuGraphCreate(&g, 0); cuGraphAddEmptyNode(&k, g, nullptr, 0); CUexternalSemaphore none = nullptr; CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS one = {}; CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS wone = {}; CUDA_EXT_SEM_SIGNAL_NODE_PARAMS s = {&none, &one, 1}, got; CUDA_EXT_SEM_WAIT_NODE_PARAMS w = {&none, &wone, 1}, wgot;
    SHOW("signal", cuGraphAddExternalSemaphoresSignalNode(&n, g, nullptr, 0, &s)); SHOW("signal_no_params", cuGraphAddExternalSemaphoresSignalNode(&n, g, nullptr, 0, nullptr)); SHOW("signal_null", cuGraphAddExternalSemaphoresSignalNode(nullptr, g, nullptr, 0, &s)); s.numExtSems = 0; SHOW("signal_0", cuGraphAddExternalSemaphoresSignalNode(&n, g, nullptr, 0, &s));
    SHOW("wait", cuGraphAddExternalSemaphoresWaitNode(&n, g, nullptr, 0, &w)); SHOW("wait_no_params", cuGraphAddExternalSemaphoresWaitNode(&n, g, nullptr, 0, nullptr)); w.numExtSems = 0; SHOW("wait_0", cuGraphAddExternalSemaphoresWaitNode(&n, g, nullptr, 0, &w));
    SHOW("get_other", cuGraphExternalSemaphoresSignalNodeGetParams(k, &got)); SHOW("set_other", cuGraphExternalSemaphoresSignalNodeSetParams(k, &s)); SHOW("wait_get_other", cuGraphExternalSemaphoresWaitNodeGetParams(k, &wgot)); SHOW("wait_set_other", cuGraphExternalSemaphoresWaitNodeSetParams(k, &w)); SHOW("get_null", cuGraphExternalSemaphoresSignalNodeGetParams(k, nullptr));
    SHOW("instantiate", cuGraphInstantiate(&x, g, 0)); SHOW("exec_set_other", cuGraphExecExternalSemaphoresSignalNodeSetParams(x, k, &s)); SHOW("exec_wait_set_other", cuGraphExecExternalSemaphoresWaitNodeSetParams(x, k, &w)); SHOW("exec_null", cuGraphExecExternalSemaphoresSignalNodeSetParams(nullptr, k, &s));
}

static void runtime_nodes() {
    cudaGraph_t g; cudaGraphNode_t n, k; cudaGraphExec_t x; cudaGraphCreate(&g, 0); cudaGraphAddEmptyNode(&k, g, nullptr, 0); cudaExternalSemaphore_t none = nullptr; cudaExternalSemaphoreSignalParams one = {}; cudaExternalSemaphoreWaitParams wone = {}; cudaExternalSemaphoreSignalNodeParams s = {&none, &one, 1}, got; cudaExternalSemaphoreWaitNodeParams w = {&none, &wone, 1}, wgot;
    SHOW("signal", cudaGraphAddExternalSemaphoresSignalNode(&n, g, nullptr, 0, &s)); SHOW("signal_no_params", cudaGraphAddExternalSemaphoresSignalNode(&n, g, nullptr, 0, nullptr)); s.numExtSems = 0; SHOW("signal_0", cudaGraphAddExternalSemaphoresSignalNode(&n, g, nullptr, 0, &s)); SHOW("wait", cudaGraphAddExternalSemaphoresWaitNode(&n, g, nullptr, 0, &w)); w.numExtSems = 0; SHOW("wait_0", cudaGraphAddExternalSemaphoresWaitNode(&n, g, nullptr, 0, &w));
    SHOW("get_other", cudaGraphExternalSemaphoresSignalNodeGetParams(k, &got)); SHOW("set_other", cudaGraphExternalSemaphoresSignalNodeSetParams(k, &s)); SHOW("wait_get_other", cudaGraphExternalSemaphoresWaitNodeGetParams(k, &wgot)); SHOW("wait_set_other", cudaGraphExternalSemaphoresWaitNodeSetParams(k, &w)); SHOW("instantiate", cudaGraphInstantiate(&x, g, 0)); SHOW("exec_set_other", cudaGraphExecExternalSemaphoresSignalNodeSetParams(x, k, &s)); SHOW("exec_wait_set_other", cudaGraphExecExternalSemaphoresWaitNodeSetParams(x, k, &w));
}

int main() { SECTION(memory); SECTION(runtime_memory); SECTION(semaphores); SECTION(runtime_semaphores); SECTION(nodes); SECTION(runtime_nodes); return 0; }
