"""A first launch on a full device says so (2), the next one tries again: lazy loading is no verdict on the kernel."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.native.runtime_support import NEED_NVCC, run_emulated

pytestmark = pytest.mark.skipif(bool(NEED_NVCC), reason=NEED_NVCC)

PROGRAM = r"""
#include <cstdio>
__device__ int table[1 << 20];
__global__ void plain(int *p) { *p = 3; }
__global__ void variable(int *p) { *p += table[*p] + 1; }
__global__ void heap(int *p) { int *q = (int *)malloc(64); *q = 5; *p += *q; free(q); }
template <class K> static void attempt(const char *name, K kernel, int *p) {
    kernel<<<1, 1>>>(p);
    int launched = cudaGetLastError(), value = 0;
    cudaMemcpy(&value, p, 4, cudaMemcpyDeviceToHost);
    printf("%s %d: %d\n", name, launched, value);
}
int main() {
    int *p;
    char *rest, *last;
    size_t room, total;
    cudaMalloc(&p, 1 << 20);
    attempt("plain", plain, p);
    cudaMemGetInfo(&room, &total);
    while (room >= 4096 && cudaMalloc(&rest, room) != cudaSuccess) room -= 4096;
    while (cudaMalloc(&last, 1) == cudaSuccess) {}
    cudaGetLastError();
    attempt("variable", variable, p);
    attempt("heap", heap, p);
    cudaFree(rest);
    attempt("variable", variable, p);
    attempt("heap", heap, p);
}
"""


def test_a_launch_that_found_no_memory_is_no_verdict_on_its_kernel(tmp_path: Path) -> None:
    source, program = tmp_path / "full.cu", tmp_path / "full"
    source.write_text(PROGRAM)
    subprocess.run(["nvcc", "-arch=sm_80", str(source), "-o", str(program)], check=True)
    done = run_emulated(program, CASS_EMU_MEMORY="64M")
    assert done.stdout.splitlines() == ["plain 0: 3", "variable 2: 3", "heap 2: 3", "variable 0: 4", "heap 0: 9"]
    assert "has no address" not in done.stderr
