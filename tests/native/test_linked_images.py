"""Device code of several files: linked when the program was built, and (cuLink) while it runs."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.native.conformance_support import build_parts, differences, sections
from tests.native.runtime_support import CONFORMANCE, NEED_NVCC, build_program, built, run_emulated

pytestmark = pytest.mark.skipif(bool(NEED_NVCC), reason=NEED_NVCC)

FIRST = r"""
#include <cstdio>
__global__ void first(double *p) { p[0] = pow(p[0], p[1]) + 2; printf("one\n"); }
void second_too(double *p);
int main() {
    double *p, h[2] = {2, 5};
    cudaMalloc(&p, sizeof h); cudaMemcpy(p, h, sizeof h, cudaMemcpyHostToDevice);
    first<<<1, 1>>>(p); second_too(p); cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost);
    printf("%g %d\n", h[0], (int)cudaGetLastError());
}
"""
SECOND = r"""
#include <cstdio>
__constant__ double unit[2] = {0.5, 0.25};
__global__ void second(double *p) { p[0] = pow(p[0], unit[0]) * 3; printf("and two %s\n", "more"); }
void second_too(double *p) { second<<<1, 1>>>(p); }
"""


def test_each_file_keeps_its_own_strings_and_local_functions(tmp_path: Path) -> None:
    """nvlink leaves local symbols of one name: `$str` and the library's pow are there twice."""
    sources = [tmp_path / "first.cu", tmp_path / "second.cu"]
    for path, text in zip(sources, (FIRST, SECOND), strict=True):
        path.write_text(text)
    program = tmp_path / "two_files"
    subprocess.run(["nvcc", "-arch=sm_80", "-rdc=true", *map(str, sources), "-o", str(program)], check=True)
    done = run_emulated(program)
    assert done.stdout == f"one\nand two more\n{34**0.5 * 3:g} 0\n", done.stderr


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("parts")
    build_parts(folder)
    (folder / "libcuda.so").symlink_to(built() / "libcuda.so.1")
    return folder


def run_linked(name: str, parts: Path) -> str:
    link = (f"-L{parts}", "-lcuda", "-Xlinker", "--allow-shlib-undefined")
    return run_emulated(build_program(CONFORMANCE / f"{name}.cu", parts, *link)).stdout


@pytest.fixture(scope="module")
def output(parts: Path) -> str:
    return run_linked("machine_links", parts)


def test_machine_code_is_linked_as_on_a_gpu(output: str) -> None:
    """Calls, function pointers, recursion, tables and variables across cubins, fatbinaries, objects and libraries."""
    assert not differences("machine_links", output)


def test_what_is_there_twice_or_of_another_size(output: str) -> None:
    """nvlink refuses these; the driver's answers are not recorded, its code for what is missing is 300."""
    answers = sections(output)
    for name in ("twice_defined", "variable_twice", "other_size"):
        assert "complete 300" in answers[name]


def test_ptx_beside_machine_code_that_it_does_not_use(parts: Path) -> None:
    """Two modules behind one handle; in `texts` two PTX texts have a `$str` of their own."""
    assert not differences("halves", run_linked("halves", parts))


def test_ptx_that_uses_machine_code_without_ptx_is_refused_by_name(output: str) -> None:
    answers = sections(output)
    assert "complete 801" in answers["with_ptx"] and "complete 801" in answers["ptx_calls"]


CALLS = r"""
#include <cstdio>
#include <cuda_runtime.h>
static int answers[4];
static void inside(void *) {
    int *p;
    answers[0] = cudaMalloc(&p, 16), answers[1] = cudaDeviceSynchronize();
}
static void after(cudaStream_t s, cudaError_t, void *) { answers[2] = cudaStreamSynchronize(s); }
__global__ void store(int *p) { *p = 7; }
int main() {
    cudaStream_t s; int *p, got = 0; cudaGraph_t g, made; cudaGraphExec_t x;
    cudaStreamCreate(&s); cudaMalloc(&p, 4);
    cudaLaunchHostFunc(s, inside, nullptr); cudaStreamAddCallback(s, after, nullptr, 0); cudaStreamSynchronize(s);
    cudaGraphCreate(&g, 0); cudaGraphAddHostNode((cudaGraphNode_t *)&made, g, nullptr, 0,
                         new cudaHostNodeParams{inside, nullptr});
    cudaGraphInstantiate(&x, g, 0); answers[0] = 0; cudaGraphLaunch(x, s); cudaStreamSynchronize(s);
    printf("%d %d %d\n", answers[0], answers[1], answers[2]);
    cudaGraphCreate(&g, 0); cudaStreamBeginCaptureToGraph(s, g, nullptr, nullptr, 0, cudaStreamCaptureModeGlobal);
    store<<<1, 1, 0, s>>>(p); printf("end %d\n", (int)cudaStreamEndCapture(s, nullptr));
    cudaGraphInstantiate(&x, g, 0); cudaGraphLaunch(x, s); cudaStreamSynchronize(s);
    cudaMemcpy(&got, p, 4, cudaMemcpyDeviceToHost); printf("%d %d\n", got, (int)cudaGetLastError());
}
"""


def test_host_functions_may_make_no_calls_and_who_captures_to_a_graph_has_it(tmp_path: Path) -> None:
    """CUDA runtime manual, cudaLaunchHostFunc and cudaStreamAddCallback: cudaErrorNotPermitted; NVIDIA's sample
    graphConditionalNodes ends a capture to a graph without asking for it."""
    (tmp_path / "calls.cu").write_text(CALLS)
    done = run_emulated(build_program(tmp_path / "calls.cu", tmp_path))
    assert done.stdout == "800 800 800\nend 0\n7 0\n", done.stderr
