"""CASS_SHARED: shared memory beyond the 64 KiB of LDS is refused, or lies in an arena by a second code object.

`large_shared.expected`: what `large_shared show` printed on an NVIDIA H200 (driver 580.159.04, CUDA 13.0 V13.0.88).
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.native.runtime_support import NEED_NVCC, build_program, run_emulated

pytestmark = pytest.mark.skipif(bool(NEED_NVCC), reason=NEED_NVCC)

RECORDED = Path(__file__).with_name("large_shared.expected").read_text().splitlines()


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_program(Path(__file__).with_name("large_shared.cu"), tmp_path_factory.mktemp("large"))


@pytest.mark.slow
def test_every_access_finds_its_block_s_memory(program: Path, tmp_path: Path) -> None:
    """Tiles on three streams and in a graph, atomics, generic pointers, ldmatrix, cp.async, barriers, a grid's."""
    done = run_emulated(program, CASS_SHARED="spill", CASS_CACHE_DIR=str(tmp_path), CASS_BEHIND="0")
    assert done.stdout.splitlines() == RECORDED[1:], done.stderr  # the first line is the GPU's own limit
    assert done.returncode == 0


def test_by_default_the_attribute_is_refused_as_cuda_does(program: Path, tmp_path: Path) -> None:
    done = run_emulated(program, CASS_CACHE_DIR=str(tmp_path))
    assert (done.stdout, done.returncode) == ("cudaErrorInvalidValue\n", 3)


SMALL_AND_LARGE = r"""
#include <cstdio>
__global__ void rotate(const int *in, int *out, int far) {
    extern __shared__ int words[];
    words[far + threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = words[far + (threadIdx.x + 1) % blockDim.x];
}
int main() {
    int *memory, most;
    cudaMallocManaged(&memory, 512);
    for (int i = 0; i < 64; i++) memory[i] = 3 * i;
    cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0);
    printf("opt-in %d\n", most);
    for (int bytes : {48 << 10, most}) {
        int wrong = 0;
        cudaError_t set = cudaFuncSetAttribute(rotate, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
        cudaError_t more = cudaFuncSetAttribute(rotate, cudaFuncAttributeMaxDynamicSharedMemorySize, most + 1);
        cudaGetLastError();
        rotate<<<1, 64, bytes>>>(memory, memory + 64, bytes / 4 - 64);
        cudaError_t ran = cudaGetLastError();
        cudaDeviceSynchronize();
        for (int i = 0; i < 64; i++) wrong += memory[64 + i] != 3 * ((i + 1) % 64);
        printf("%d set %d more %d ran %d wrong %d\n", bytes, set, more, ran, wrong);
    }
    return 0;
}
"""


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("both")
    (folder / "both.cu").write_text(SMALL_AND_LARGE)
    return build_program(folder / "both.cu", folder)


def run_both(both: Path, cache: Path, **settings: str) -> tuple[list[str], str, int]:
    """What the program prints, its stderr, and how many code objects the cache holds then."""
    done = run_emulated(both, CASS_CACHE_DIR=str(cache), CASS_BEHIND="0", **settings)
    return done.stdout.splitlines(), done.stderr, len(list(cache.glob("v*/*/code/*/*")))


def test_a_launch_chooses_between_two_code_objects(both: Path, tmp_path: Path) -> None:
    lines, errors, objects = run_both(both, tmp_path, CASS_SHARED="spill", CASS_MIN_EVIDENCE="E1u")
    assert lines == [
        "opt-in 101376",
        "49152 set 0 more 1 ran 0 wrong 0",
        "101376 set 0 more 1 ran 0 wrong 0",
    ], errors
    assert objects == 2


def test_one_code_object_serves_all_of_lds(both: Path, tmp_path: Path) -> None:
    lines, errors, objects = run_both(both, tmp_path)
    assert lines == ["opt-in 65536", "49152 set 0 more 1 ran 0 wrong 0", "65536 set 0 more 1 ran 0 wrong 0"], errors
    assert objects == 1


def test_a_translator_that_cannot_says_so(both: Path, tmp_path: Path) -> None:
    lines, errors, _ = run_both(both, tmp_path, CASS_SHARED="spill", CASS_TRANSLATORS="ptx-hip")
    assert lines[1].endswith("ran 0 wrong 0")
    assert "ran 209 " in lines[2]  # no kernel image for the device
    assert "only the translator lift spills it" in errors
