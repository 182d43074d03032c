"""What a program asks of the device: every attribute, the compute capability that a user sets, and (of the kernel)
the clocks. Source: CUDA C++ Programming Guide, Time Function and Nanosleep Function; cuda.h."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.native.runtime_support import NEED_NVCC, build_program, built, run_emulated

pytestmark = pytest.mark.skipif(bool(NEED_NVCC), reason=NEED_NVCC)

PROGRAM = r"""
#include <cstdio>
#include <cuda.h>
#include <cuda_runtime.h>
__global__ void clocks(long long *p) {
    long long before = clock64(), slept;
    clock_t start = clock();
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(slept));
    __nanosleep(100000);
    long long now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    p[0] = clock64() > before, p[1] = clock() != start, p[2] = now >= slept;
}
int main() {
    long long *p, h[3] = {};
    cudaMalloc(&p, sizeof h);
    clocks<<<1, 1>>>(p);
    cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost);
    printf("clocks %lld %lld %lld\n", h[0], h[1], h[2]);
    int value, unanswered = 0, major, minor;
    for (int i = 1; i < CU_DEVICE_ATTRIBUTE_MAX; i++) {
        unanswered += cuDeviceGetAttribute(&value, (CUdevice_attribute)i, 0) != CUDA_SUCCESS;
        unanswered += cudaDeviceGetAttribute(&value, (cudaDeviceAttr)i, 0) != cudaSuccess;
    }
    cudaDeviceProp known;
    cudaGetDeviceProperties(&known, 0);
    cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0);
    cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0);
    printf("unanswered %d\n%d.%d %d.%d\n", unanswered, known.major, known.minor, major, minor);
}
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("attributes")
    (folder / "libcuda.so").symlink_to(built() / "libcuda.so.1")
    (folder / "attributes.cu").write_text(PROGRAM)
    link = (f"-L{folder}", "-lcuda", "-Xlinker", "--allow-shlib-undefined")
    return build_program(folder / "attributes.cu", folder, *link)


def test_clocks_go_on_and_every_attribute_of_the_header_answers(program: Path) -> None:
    assert run_emulated(program).stdout == "clocks 1 1 1\nunanswered 0\n8.9 8.9\n"


@pytest.mark.parametrize(
    ("asked", "answer", "complaint"), [("8.0", "8.0 8.0", ""), ("80", "8.9 8.9", "not of the form")]
)
def test_the_compute_capability_is_the_users_choice(program: Path, asked: str, answer: str, complaint: str) -> None:
    done = run_emulated(program, CASS_COMPUTE_CAPABILITY=asked)
    assert done.stdout.splitlines()[-1] == answer
    assert complaint in done.stderr
