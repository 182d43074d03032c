"""Chapters of the manuals, each by a program of its own whose answers were recorded on an NVIDIA H200 (driver
580.159.04, CUDA 13.0): ours must be the same, except where the devices differ."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.native.conformance_support import CHAPTERS, SETTINGS, SOURCES, WAITING, differences, sections
from tests.native.runtime_support import CONFORMANCE, NEED_NVCC, build_program, built, run_emulated

pytestmark = pytest.mark.skipif(bool(NEED_NVCC), reason=NEED_NVCC)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("chapters")
    (made / "libcuda.so").symlink_to(built() / "libcuda.so.1")
    return made


@pytest.mark.parametrize("name", CHAPTERS)
def test_answers_are_those_of_a_gpus_driver(folder: Path, name: str) -> None:
    link = (f"-L{folder}", "-lcuda", "-Xlinker", "--allow-shlib-undefined")
    source = CONFORMANCE / f"{SOURCES.get(name, name)}.cu"
    done = run_emulated(build_program(source, folder, *link, *CHAPTERS[name]), **SETTINGS.get(name, {}))
    assert not differences(name, done.stdout), done.stderr


@pytest.mark.parametrize("name", WAITING)
def test_programs_that_wait_for_a_gpu_run_to_their_end(folder: Path, name: str) -> None:
    """What they print is compared once it is recorded; no section of theirs may crash or hang before that."""
    source = CONFORMANCE / f"{name}.cu"
    done = run_emulated(build_program(source, folder, f"-L{folder}", "-lcuda", "-Xlinker", "--allow-shlib-undefined"))
    ended = sections(done.stdout)
    assert list(ended) == re.findall(r"SECTION\((\w+)\)", source.read_text()), done.stderr
    assert not [name for name, lines in ended.items() if not lines or lines[-1].startswith("signal")]


def test_shared_memory_of_the_system_is_not_the_kernel_s(folder: Path) -> None:
    """From sm_90 on, machine code counts the system's first KiB as its own: CUDA's attributes and bounds do not."""
    program = folder / "execution_90"
    subprocess.run(["nvcc", "-arch=sm_90", str(CONFORMANCE / "execution.cu"), "-o", str(program), "-lcuda",
                    f"-L{folder}", "-Xlinker", "--allow-shlib-undefined"], check=True)  # fmt: skip
    done = run_emulated(program)
    assert not differences("execution", done.stdout), done.stderr


FULL = r"""
#include <cstdio>
__global__ void full(int *p, int at) {
    __shared__ int s[48 << 8];
    extern __shared__ int more[];
    s[at] = more[at] = *p;
    __syncthreads();
    *p = s[at + 1] + more[at + 1];
}
int main() {
    cudaFuncAttributes known;
    cudaFuncGetAttributes(&known, full);
    int *p;
    cudaMalloc(&p, 4);
    full<<<1, 1, 1024>>>(p, 0);
    printf("%zu %d %d\n", known.sharedSizeBytes, known.maxDynamicSharedSizeBytes, (int)cudaGetLastError());
}
"""


@pytest.mark.parametrize("code", ["sm_80", "sm_90", "compute_90"])
def test_no_dynamic_shared_memory_beside_48_kib(folder: Path, code: str) -> None:
    """What a kernel may have that did not opt in to more (CUDA Programming Guide, Technical Specifications)."""
    source, program = folder / "full.cu", folder / f"full_{code}"
    source.write_text(FULL)
    generate = f"arch=compute_{code.split('_')[1]},code={code}"
    subprocess.run(["nvcc", "-gencode", generate, str(source), "-o", str(program)], check=True)
    assert run_emulated(program).stdout == "49152 0 1\n"


ORDERED = r"""
#include <cstdio>
#include <cuda.h>
#include <cuda_runtime.h>
__global__ void set(int *p) { *p = 7; }
int main() {
    int *p, value = 0;
    cudaMalloc(&p, 4);
    CUfunction f;
    cudaGetFuncBySymbol(&f, (const void *)set);
    CUevent event;
    cuEventCreate(&event, CU_EVENT_DISABLE_TIMING);
    CUlaunchAttribute one = {};
    one.id = CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT;
    one.value.launchCompletionEvent.event = event;
    CUlaunchConfig config = {1, 1, 1, 1, 1, 1, 0, nullptr, &one, 1};
    void *arguments[] = {&p};
    CUgraph graph = nullptr;
    CUstream other;
    cuStreamCreate(&other, 0);
    printf("%d ", cuStreamBeginCapture(CU_STREAM_PER_THREAD, CU_STREAM_CAPTURE_MODE_GLOBAL));
    printf("%d ", cuLaunchKernelEx(&config, f, arguments, nullptr));
    printf("%d ", cuStreamWaitEvent(other, event, 0));
    printf("%d ", cuEventRecord(event, other));
    printf("%d ", cuStreamWaitEvent(CU_STREAM_PER_THREAD, event, 0));
    printf("%d ", cuStreamEndCapture(CU_STREAM_PER_THREAD, &graph));
    CUgraphExec ready;
    if (!graph || cuGraphInstantiate(&ready, graph, 0)) return 1;
    printf("%d ", cuGraphLaunch(ready, CU_STREAM_PER_THREAD));
    cudaMemcpy(&value, p, 4, cudaMemcpyDeviceToHost);
    printf("%d\n", value);
}
"""


def test_the_event_of_a_launch_is_recorded_in_its_stream(folder: Path) -> None:
    """Also where stream 0 is the thread's own (`_ptsz`): the legacy stream may not be used while that one captures."""
    source, program = folder / "ordered.cu", folder / "ordered"
    source.write_text(ORDERED)
    link = (f"-L{folder}", "-lcuda", "-Xlinker", "--allow-shlib-undefined")
    subprocess.run(["nvcc", "--default-stream", "per-thread", str(source), "-o", str(program), *link], check=True)
    assert run_emulated(program).stdout == "0 0 0 0 0 0 0 7\n"


WRAPPED = r"""
#include <cstdio>
#include <cuda.h>
int main() {
    CUcontext context;
    CUlinkState state;
    unsigned wrapper[] = {0x466243B1, 1, 16, 0}; // the address behind it is not part of what is given
    cuInit(0);
    cuDevicePrimaryCtxRetain(&context, 0);
    cuCtxSetCurrent(context);
    cuLinkCreate(0, nullptr, nullptr, &state);
    printf("%d\n", cuLinkAddData(state, CU_JIT_INPUT_FATBINARY, wrapper, 8, nullptr, 0, nullptr, nullptr));
}
"""


def test_a_wrapper_is_read_as_far_as_it_goes(folder: Path) -> None:
    source, program = folder / "wrapped.cu", folder / "wrapped"
    source.write_text(WRAPPED)
    link = (f"-L{folder}", "-lcuda", "-Xlinker", "--allow-shlib-undefined")
    subprocess.run(["nvcc", str(source), "-o", str(program), *link], check=True)
    assert run_emulated(program).stdout == "200\n"  # CUDA_ERROR_INVALID_IMAGE
