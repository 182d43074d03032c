"""Device `malloc` beyond a launch, and output of device `printf` that is longer than what a verification holds."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.native.runtime_support import NEED_NVCC, build_program, run_emulated

pytestmark = pytest.mark.skipif(bool(NEED_NVCC), reason=NEED_NVCC)

# "Allocation Persisting Between Kernel Launches" and "Per Thread Block Allocation" of the CUDA Programming Guide.
HEAP = r"""
#include <cstdio>
#include <cuda_runtime.h>
__device__ int *kept[128];
__global__ void keep(int n) {
    int *p = (int *)malloc(n * sizeof(int));
    kept[blockIdx.x * blockDim.x + threadIdx.x] = p;
    if (p) for (int i = 0; i < n; i++) p[i] = i + threadIdx.x;
}
__global__ void use(int n, int *out) {
    int t = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    if (kept[t]) { for (int i = 0; i < n; i++) sum += kept[t][i]; free(kept[t]); }
    out[t] = sum;
}
__global__ void together(int *out) {
    __shared__ int *block;
    if (threadIdx.x == 0) block = (int *)malloc(blockDim.x * sizeof(int));
    __syncthreads();
    if (!block) return;
    block[threadIdx.x] = threadIdx.x * threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = block[blockDim.x - 1 - threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) free(block);
}
int main() {
    int *out, host[128];
    cudaMalloc(&out, sizeof host);
    keep<<<2, 64>>>(100);
    use<<<2, 64>>>(100, out);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int t = 0; t < 128; t++) wrong += host[t] != 4950 + 100 * (t % 64);
    together<<<1, 16>>>(out);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    for (int t = 0; t < 16; t++) wrong += host[t] != (15 - t) * (15 - t);
    printf("wrong %d last %d\n", wrong, (int)cudaGetLastError());
}
"""

# 64 threads' lines take 1.5 MB in the ring: more than the verifier's.
LINES = r"""
#include <cstdio>
#include <cuda_runtime.h>
__global__ void many() { for (int i = 0; i < 1000; i++) printf("%d %d\n", threadIdx.x, i); }
int main() {
    many<<<1, 64>>>();
    int waited = (int)cudaDeviceSynchronize();
    printf("end %d %d\n", waited, (int)cudaGetLastError());
}
"""


def run(tmp_path: Path, text: str) -> list[str]:
    source = tmp_path / "program.cu"
    source.write_text(text)
    done = run_emulated(build_program(source, tmp_path), CASS_CACHE_DIR=str(tmp_path / "cache"))
    assert "no translation" not in done.stderr and "not translated" not in done.stderr, done.stderr
    return done.stdout.splitlines()


def test_blocks_outlive_the_launch_that_allocated_them(tmp_path: Path) -> None:
    assert run(tmp_path, HEAP) == ["wrong 0 last 0"]


def test_every_line_of_a_long_output_comes(tmp_path: Path) -> None:
    """Those of one thread in their order."""
    *lines, end = run(tmp_path, LINES)
    assert end == "end 0 0"
    of_thread = {t: [int(line.split()[1]) for line in lines if line.split()[0] == str(t)] for t in range(64)}
    assert all(found == list(range(1000)) for found in of_thread.values())
