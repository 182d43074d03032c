"""nvcc's table of PTX lines, against instructions whose PTX is plain to see, and damaged tables."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from cass_shim.extract.cubin import read_cubin
from cass_shim.extract.elf import Elf
from cass_shim.extract.line_table import LINES, read_line_table
from cass_shim.model.errors import Malformed

PLAIN = Path(__file__).parent / "data" / "sample.sm_80.cubin"
SOURCE = """__global__ void a(float *p) { p[threadIdx.x] += 1; }
__global__ void b(int *p) { atomicAdd(p, 1); __syncthreads(); p[threadIdx.x] = 0; }
"""


@pytest.fixture(scope="module")
def cubin(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    if shutil.which("nvcc") is None or shutil.which("gcc") is None:
        pytest.skip("needs nvcc and gcc")
    folder = tmp_path_factory.mktemp("lines")
    (folder / "k.cu").write_text(SOURCE)
    command = ["nvcc", "-arch=sm_80", "-lineinfo", "-cubin", "-o", "k.cubin", "k.cu"]
    subprocess.run(command, cwd=folder, check=True, timeout=120)
    return (folder / "k.cubin").read_bytes()


@pytest.mark.nvcc
def test_each_kernel_has_the_lines_of_its_own_ptx(cubin: bytes) -> None:
    from cass_shim.decode import decode_kernel

    table = read_line_table(cubin)
    assert table is not None
    parsed = read_cubin(cubin)
    pairs = {"FADD": "add.f32", "LDG": "ld.global.f32", "BAR": "bar.sync", "RED": "red.global.add"}
    found = set()
    for name in ("_Z1aPf", "_Z1bPi"):
        for one in decode_kernel(parsed.kernels[name], parsed).instructions:
            if one.mnemonic in pairs:
                text = table.ptx[table.places[name][one.address] - 1].replace("atom.", "red.")
                assert text.lstrip().startswith(pairs[one.mnemonic]), (one.text, text)
                found.add(one.mnemonic)
    assert {"FADD", "LDG", "BAR"} <= found


def test_a_cubin_without_line_info_has_none() -> None:
    assert read_line_table(PLAIN.read_bytes()) is None


@pytest.mark.nvcc
def test_damage_is_malformed_and_never_hangs(cubin: bytes) -> None:
    section = Elf(cubin).section(LINES)
    assert section is not None
    refused = 0
    for at in range(section.offset, section.offset + section.size):
        for value in (0x00, 0x7F, 0xFF):
            damaged = bytearray(cubin)
            damaged[at] = value
            try:
                read_line_table(bytes(damaged))
            except Malformed:
                refused += 1
    assert refused
