"""Misaligned accesses of a CUDA program: atomics fail with NVIDIA's code, loads where CASS_EMU_ALIGN asks for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.native.runtime_support import NEED_NVCC, build_program, run_emulated

pytestmark = pytest.mark.skipif(bool(NEED_NVCC), reason=NEED_NVCC)

SOURCE = r"""
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
__global__ void load(const char *p, int *out, int at) { out[threadIdx.x] = *(const int *)(p + at) + 1; }
__global__ void add(char *p, int *out, int at) { out[threadIdx.x] = atomicAdd((int *)(p + at), 1); }
int main() {
    char *memory;
    int *out, at = atoi(getenv("AT"));
    cudaMalloc(&memory, 64), cudaMalloc(&out, 128), cudaMemset(memory, 0, 64);
    if (getenv("ATOMIC")) add<<<1, 32>>>(memory, out, at);
    else load<<<1, 32>>>(memory, out, at);
    cudaError_t first = cudaDeviceSynchronize();
    printf("%d %d\n", first, cudaFree(out));
}
"""
MISALIGNED = "716 716\n"


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("misaligned")
    source = folder / "misaligned.cu"
    source.write_text(SOURCE)
    return build_program(source, folder)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"AT": "4", "ATOMIC": "1"}, "0 0\n"),
        ({"AT": "2", "ATOMIC": "1"}, MISALIGNED),
        ({"AT": "2"}, "0 0\n"),
        ({"AT": "4", "CASS_EMU_ALIGN": "1"}, "0 0\n"),
        ({"AT": "2", "CASS_EMU_ALIGN": "1"}, MISALIGNED),
    ],
)
def test_a_misaligned_access_has_nvidias_code(program: Path, settings: dict[str, str], said: str) -> None:
    done = run_emulated(program, **settings)
    assert done.stdout == said, done.stderr
