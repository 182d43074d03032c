"""Device code of several files: linked when the program was built, and (cuLink) while it runs."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.native.runtime_support import GENERATE, NEED_NVCC, run_emulated

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
    subprocess.run(["nvcc", *GENERATE, "-rdc=true", *map(str, sources), "-o", str(program)], check=True)
    done = run_emulated(program)
    assert done.stdout == f"one\nand two more\n{34**0.5 * 3:g} 0\n", done.stderr
