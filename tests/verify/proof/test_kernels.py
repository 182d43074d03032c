"""Proofs of kernels whose words have to be found in memory, in other lanes or behind a call; a bug planted in each."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest

from cass_shim.decode import decode_kernel
from cass_shim.device import Device
from cass_shim.extract.cubin import read_cubin
from cass_shim.verify.proof.classify import classify
from cass_shim.verify.proof.prove import DIFFERENT, PROVED, UNKNOWN
from tests.verify.proof.subjects import Subject

pytest.importorskip("z3", reason="z3-solver is not installed")

pytestmark = [
    pytest.mark.timeout(240),
    pytest.mark.nvcc,
    pytest.mark.skipif(shutil.which("nvcc") is None, reason="no nvcc"),
]
BUDGET = 60.0
SOURCE = """
#define INDEX int i = blockIdx.x * blockDim.x + threadIdx.x
__constant__ float table[16];
extern "C" __global__ void constants(const int *x, float *out, int n) {
    INDEX;
    if (i < n) out[i] = table[3] * x[i] + table[x[i] & 15];
}
extern "C" __global__ void functions(const float *x, float *out, int n) {
    INDEX;
    if (i < n) out[i] = rsqrtf(x[i]) + __expf(x[i]) - __log2f(x[i]);
}
extern "C" __global__ void results(const int *x, int *bins, int *out, int n) {
    INDEX;
    if (i < n) out[i] = atomicAdd(&bins[x[i] & 7], x[i]) + x[i];
}
extern "C" __global__ void swaps(const int *x, int *bins, int *out, int n) {
    INDEX;
    if (i < n) out[i] = atomicCAS(&bins[x[i] & 7], 0, x[i]) ^ atomicExch(&bins[i], 3);
}
extern "C" __global__ void permuted(const int *x, int *out) {
    __shared__ int held[32];
    held[threadIdx.x] = x[blockIdx.x * 32 + threadIdx.x];
    __syncthreads();
    out[blockIdx.x * 32 + threadIdx.x] = held[x[threadIdx.x] & 31];
}
extern "C" __global__ void counted(const unsigned char *x, unsigned *out) {
    __shared__ unsigned bins[64];
    bins[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&bins[x[blockIdx.x * 64 + threadIdx.x] & 63], 1u);
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = bins[threadIdx.x];
}
extern "C" __global__ void local_array(const int *x, int *out, int n) {
    int held[4];
    INDEX;
    if (i >= n) return;
    for (int k = 0; k < 4; ++k) held[k] = x[i + k];
    held[x[i] & 3] = 7;
    out[i] = held[x[i + 1] & 3];
}
extern "C" __global__ void reduced(const unsigned *x, unsigned *out) {
    out[threadIdx.x] = __reduce_add_sync(~0u, x[threadIdx.x]) + __reduce_max_sync(~0u, x[threadIdx.x + 1]);
}
extern "C" __global__ void in_rows(const int *x, int *out, int width, int height) {
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column < width && row < height) out[row * width + column] = x[column * height + row];
}
static __noinline__ __device__ int twice(int a, int b) { return a * b ^ (a + 3); }
extern "C" __global__ void calls(const int *x, int *out, int n) {
    INDEX;
    if (i < n) out[i] = twice(x[i], i) + twice(x[i + 1], 5);
}
"""
BUGS = {
    "constants": ("v_and_b32_e32 v3, 60, v3", "v_and_b32_e32 v3, 28, v3"),
    "functions": ("v_rsq_f32_e32", "v_rcp_f32_e32"),
    "results": ("v_add_nc_u32_e32 v2, v2, v4", "v_add_nc_u32_e32 v2, v2, v2"),
    "swaps": ("v_dual_mov_b32 v8, 3", "v_dual_mov_b32 v8, 4"),
    "permuted": ("v_and_b32_e32 v0, 0x7c, v0", "v_and_b32_e32 v0, 0x3c, v0"),
    "counted": ("ds_add_u32", "ds_max_u32"),
    "local_array": ("v_cmp_eq_u32_e32 vcc_lo, 4, v7", "v_cmp_eq_u32_e32 vcc_lo, 8, v7"),
    "reduced": ("s_max_u32", "s_min_u32"),
    "in_rows": ("v_cmp_gt_i32_e32 vcc_lo", "v_cmp_ge_i32_e32 vcc_lo"),
    "calls": ("v_add_nc_u32_e32 v1, 3, v4", "v_add_nc_u32_e32 v1, 4, v4"),
}


@pytest.fixture(scope="module")
def subjects(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Subject]:
    folder = tmp_path_factory.mktemp("proof")
    source, built = folder / "k.cu", folder / "k.cubin"
    source.write_text(SOURCE)
    subprocess.run(["nvcc", "-w", "-cubin", "-arch=sm_80", "-o", str(built), str(source)], check=True)
    cubin = read_cubin(built.read_bytes(), "k")
    return {name: Subject(decode_kernel(kernel, cubin), cubin) for name, kernel in cubin.kernels.items()}


@pytest.mark.parametrize("name", BUGS)
def test_a_kernel_is_proved_and_a_bug_in_it_shown(name: str, subjects: dict[str, Subject], device: Device) -> None:
    subject = subjects[name]
    proof = classify(subject.code(), subject.kernel, subject.cubin, device, budget_s=BUDGET)
    assert proof.verdict == PROVED, proof.reason
    proof = classify(subject.code(BUGS[name]), subject.kernel, subject.cubin, device, budget_s=BUDGET)
    assert proof.verdict == DIFFERENT, (proof.verdict, proof.reason)
    assert re.search(r"0x[0-9a-f]+ instead of 0x[0-9a-f]+", proof.reason)


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        # the operation's place among the thread's other accesses: another value may be there behind it
        ("results", "global_load_b32 v2, v[2:3], off", "v_mov_b32_e32 v2, v6"),
        # another thread's count is not one's own
        ("counted", "ds_add_u32 v3, v4", "ds_add_u32 v0, v4"),
        ("swaps", "global_atomic_swap_b32 v3, v[4:5]", "global_atomic_swap_b32 v3, v[6:7]"),
    ],
)
def test_what_other_threads_may_do_is_not_proved_away(
    name: str, old: str, new: str, subjects: dict[str, Subject], device: Device
) -> None:
    subject = subjects[name]
    proof = classify(subject.code((old, new)), subject.kernel, subject.cubin, device, budget_s=20.0)
    assert proof.verdict in (DIFFERENT, UNKNOWN), proof.verdict
