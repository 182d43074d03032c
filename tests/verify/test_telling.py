"""What agreement says: results that were seen in memory, and none left that only a racing input would have shown."""

from __future__ import annotations

import shutil
import subprocess

import numpy as np
import pytest

from cass_shim.assemble.llvm import generate_assembly
from cass_shim.assemble.text import assemble_text
from cass_shim.decode import decode_kernel
from cass_shim.extract.cubin import read_cubin
from cass_shim.lift import lift_kernel
from cass_shim.model.artifacts import AmdgcnAsm, Cubin, Evidence, SassKernel
from cass_shim.model.errors import DeviceFailed, Rejected, ToolFailed
from cass_shim.model.kernel_abi import AbiClass
from cass_shim.verify import verify_kernel
from cass_shim.verify.compare import Reference, telling
from cass_shim.verify.interpreter import Outcome
from cass_shim.verify.kernel import open_device
from cass_shim.verify.memory import Arena

SOURCE = """
extern "C" __global__ void onto_itself(int *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) ((volatile int *)x)[i] = ((volatile int *)x)[i];
}
// of samples/linear_algebra/lu_decomposition.cu: nothing to do unless k is less than n, nothing changes by denormals
extern "C" __global__ void update_rest(double *a, int n, int k) {
    int j = k + 1 + blockIdx.x * blockDim.x + threadIdx.x, i = k + 1 + blockIdx.y * blockDim.y + threadIdx.y;
    if (i < n && j < n) a[i * n + j] = fma(-a[i * n + k], a[k * n + j], a[i * n + j]);
}
// of graph/floyd_warshall.cu, with rows that others change: nearly every input races
extern "C" __global__ void relaxed(int *d, int n, int k) {
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < n && j < n) d[i * n + j] = min(d[i * n + j], d[i * n + k] + d[k * n + j]);
}
"""


def run(words: list[int], writers: list[int]) -> Outcome:
    """A run of the reference that left these words behind."""
    arena = Arena(0, np.array(words, np.uint32).view(np.uint8), np.ones(4 * len(words), bool))
    arena.writer[:] = writers
    return Outcome(arena, np.ones(1, bool))


def test_what_memory_shows_of_a_run() -> None:
    """The instruction at 0x10 changes a word, that at 0x20 writes what is there, those behind are for another run."""
    before = np.array([1, 2, 3, 4], np.uint32).view(np.uint8)
    one, other = run([5, 2, 6, 7], [0x10, 0x20, 0x30, 0x40]), run([5, 2, 6, 8], [0x10, 0x20, 0x30, 0x40])
    assert telling(Reference([one]), before) == {0x10, 0x30, 0x40}
    assert telling(Reference([one, other]), before) == {0x10, 0x30}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Cubin:
    if shutil.which("nvcc") is None:
        pytest.skip("no nvcc")
    source, out = (tmp_path_factory.mktemp("telling") / name for name in ("k.cu", "k.cubin"))
    source.write_text(SOURCE)
    subprocess.run(["nvcc", "-w", "-cubin", "-arch=sm_80", "-o", str(out), str(source)], check=True)
    return read_cubin(out.read_bytes(), "k")


def evidence(sass: SassKernel, cubin: Cubin, *, stores: bool, seed: int) -> Evidence:
    """What verification says of the lifter's code, with its stores or without; NONE when it is rejected."""
    try:
        device = open_device("emulated")
    except (ToolFailed, DeviceFailed) as error:
        pytest.skip(f"no emulated device: {error}")
    lifted = lift_kernel(sass)
    lines = generate_assembly(lifted.text).splitlines()
    kept = [line for line in lines if stores or not line.strip().startswith("global_store")]
    assert stores or len(kept) < len(lines)
    code = assemble_text(AmdgcnAsm("\n".join(kept) + "\n", lifted.symbol, AbiClass.CASS1, lifted.slots), sass.abi)
    try:
        return verify_kernel(code, sass, cubin, device, seed=seed).evidence
    except Rejected:
        return Evidence.NONE


@pytest.mark.nvcc
@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize(("name", "right"), [("onto_itself", Evidence.E0), ("update_rest", Evidence.E1)])
def test_stores_that_change_nothing_tell_nothing(built: Cubin, name: str, right: Evidence, seed: int) -> None:
    sass = decode_kernel(built.kernels[name], built)
    assert evidence(sass, built, stores=True, seed=seed) == right
    assert evidence(sass, built, stores=False, seed=seed) <= Evidence.E0


@pytest.mark.nvcc
@pytest.mark.parametrize("seed", [1, 2])
def test_what_only_a_racing_input_shows_is_not_forgotten(built: Cubin, seed: int) -> None:
    sass = decode_kernel(built.kernels["relaxed"], built)
    assert evidence(sass, built, stores=False, seed=seed) <= Evidence.E0
