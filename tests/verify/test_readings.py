"""What parameters are taken to be: kernels whose code hides it from the survey are verified all the same."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from cass_shim.assemble.llvm import assemble_llvm
from cass_shim.decode import decode_kernel
from cass_shim.extract.cubin import read_cubin
from cass_shim.lift import lift_kernel
from cass_shim.model.artifacts import Evidence
from cass_shim.model.errors import DeviceFailed, ToolFailed
from cass_shim.verify import verify_kernel
from cass_shim.verify.kernel import open_device
from cass_shim.verify.values import CHAINS, fill

SOURCE = """
#include <cooperative_groups.h>
struct Tree { const int *key, *left, *right; };
static __noinline__ __device__ int depth(Tree tree, int node, int key) {
    if (node < 0) return 0;
    if (key == tree.key[node]) return 1;
    return 1 + depth(tree, key < tree.key[node] ? tree.left[node] : tree.right[node], key);
}
extern "C" __global__ void pointers_through_a_call(Tree tree, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = depth(tree, 0, i);
}
extern "C" __global__ void links_are_followed(const int *parent, int *root, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, v = i;
    if (i >= n) return;
    while (parent[v] != v) v = parent[v];
    root[i] = v;
}
extern "C" __global__ void rows_lie_apart(const char *image, size_t pitch, double *out, int width) {
    int i = threadIdx.x;
    double sum = 0;
    for (int y = 0; y < 3; ++y) sum += ((const double *)(image + y * pitch))[i];
    if (i < width) out[i] = sum;
}
extern "C" __global__ void the_grid_meets(int *a, int *b, int n) {
    int i = threadIdx.x;
    if (i < n) a[i] += i;
    cooperative_groups::this_grid().sync();
    if (i < n) b[i] = a[n - 1 - i];
}
// minimised from generated kernel 286: a block of one thread counts in cells that nobody set
extern "C" __global__ void cells_of_the_whole_block(const unsigned *x, unsigned *out) {
    __shared__ unsigned cells[64];
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x, own = x[t];
    cells[threadIdx.x] = t;
    __syncthreads();
    atomicMax(&cells[own & 63], own);
    __syncthreads();
    unsigned seen = x[cells[own & 63] & 63];
    atomicAdd(&out[128 + (seen & 63)], seen >> 7);
}
extern "C" __global__ void shared_memory_of_both_kinds(const float *x, float *out, int n) {
    extern __shared__ float score[];
    __shared__ float query[32];
    int t = threadIdx.x;
    query[t & 31] = x[t];
    __syncthreads();
    for (int i = t; i < n; i += blockDim.x) score[i] = query[i & 31] * x[i];
    __syncthreads();
    float sum = 0;
    for (int i = 0; i < n; ++i) sum += score[i];
    out[t] = sum;
}
static __noinline__ __device__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
extern "C" __global__ void work_grows_with_the_thread(int *out, int n) {
    out[threadIdx.x] = fibonacci(n + threadIdx.x);
}
"""


@pytest.mark.nvcc
@pytest.mark.skipif(shutil.which("nvcc") is None, reason="no nvcc")
def test_kernels_whose_parameters_are_hard_to_read_are_verified(tmp_path: Path) -> None:
    source, built = tmp_path / "k.cu", tmp_path / "k.cubin"
    source.write_text(SOURCE)
    subprocess.run(["nvcc", "-w", "-cubin", "-arch=sm_80", "-o", str(built), str(source)], check=True)
    cubin = read_cubin(built.read_bytes(), "k")
    try:
        device = open_device("emulated")
    except (ToolFailed, DeviceFailed) as error:
        pytest.skip(f"no emulated device: {error}")
    assert len(cubin.kernels) == 7
    for name, kernel in cubin.kernels.items():
        sass = decode_kernel(kernel, cubin)
        verified = verify_kernel(assemble_llvm(lift_kernel(sass), sass.abi), sass, cubin, device)
        assert verified.evidence >= Evidence.E1U, (name, verified.report["skipped"])
        ran, total = verified.report["instructions_covered"]  # type: ignore[misc]
        assert ran > total / 2, name
        if name == "cells_of_the_whole_block":  # one thread alone is no input for it
            assert "small/(1, 1, 1): reads what nobody wrote" in verified.report["skipped"]  # type: ignore[operator]


@pytest.mark.parametrize("values", CHAINS)
@pytest.mark.parametrize("size", [1, 5, 92, 1000])
def test_links_come_to_an_end(values: str, size: int) -> None:
    """Whoever follows them from any element arrives at one that leads to itself, or at -1."""
    origin = 64
    links = fill("i32", 8192, values, size, np.random.default_rng(size), origin).view(np.int32)[origin // 4 :]
    for start in range(size):
        at, steps = start, 0
        while at >= 0 and links[at] != at:
            at, steps = int(links[at]), steps + 1
            assert steps <= size + 1
