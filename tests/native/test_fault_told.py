"""What a program that ends with a device fault is told on stderr: kernel, instruction, wave, lane and address, once.

CUDA's own answer is a code. Outside us: what the source does (lane 2 is the first beyond an array of 4,096 bytes).
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.native.runtime_support import NEED_NVCC, build_program, run_emulated

pytestmark = pytest.mark.skipif(bool(NEED_NVCC), reason=NEED_NVCC)

PROGRAM = r"""
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
__global__ void wild(int *p, int n) { p[(blockIdx.x * blockDim.x + threadIdx.x) * 1000] = n; }
__global__ void race(int *p) { p[threadIdx.x & 3] = blockIdx.x; }
int main() {
    int *p;
    cudaMalloc(&p, 4096);
    if (getenv("RACE")) race<<<4, 64>>>(p);
    else wild<<<2, 64>>>(p, 3);
    for (int i = 0; i < 3; i++) printf("%d\n", cudaDeviceSynchronize());
}
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("fault")
    (folder / "fault.cu").write_text(PROGRAM)
    return build_program(folder / "fault.cu", folder)


def lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("cass: ")]


def test_a_wild_store_names_kernel_lane_and_address(program: Path) -> None:
    done = run_emulated(program)
    assert done.stdout.split() == ["700"] * 3
    (told,) = lines(done.stderr)
    assert re.match(r"cass: kernel _Z4wildPii: illegal address: global_store_b32", told)
    assert re.search(r"group \(0,0,0\) wave 0 lane 2; 3904 bytes past the end of 4096 bytes of device memory", told)


def test_a_race_names_both_waves(program: Path) -> None:
    run_emulated(program)  # translated without checking first (docs/emulator.md)
    done = run_emulated(program, CASS_EMU_CHECK="2", RACE="1")
    assert done.stdout.split() == ["719"] * 3
    (told,) = lines(done.stderr)
    assert re.match(r"cass: kernel _Z4racePi: race: global_store_b32: nothing orders it behind group", told)
