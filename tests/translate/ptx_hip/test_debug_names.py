"""Parameters' names from the debug sections that nvcc writes with `-G`."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from cass_shim.model.artifacts import PtxModule
from cass_shim.translate.ptx_hip import translate_kernel
from cass_shim.translate.ptx_hip.debug_names import parameter_names
from tests.native.runtime_support import NEED_NVCC

SOURCE = """
__device__ __noinline__ int scaled(const int *values, int at, int now) { return values[at] * now; }
extern "C" __global__ void sums(const int *first, int next, float while_2, int *out) {
  out[threadIdx.x] = scaled(first, threadIdx.x, next) + (int)while_2;
}
"""


def compiled(folder: Path, *options: str) -> str:
    (folder / "a.cu").write_text(SOURCE)
    command = ["nvcc", "-ptx", "-arch=compute_80", *options, "-o", str(folder / "a.ptx"), str(folder / "a.cu")]
    subprocess.run(command, check=True, capture_output=True)
    return (folder / "a.ptx").read_text()


@pytest.mark.nvcc
@pytest.mark.skipif(bool(NEED_NVCC), reason=NEED_NVCC)
def test_names_are_those_of_the_source(tmp_path: Path) -> None:
    text = compiled(tmp_path, "-G")
    assert parameter_names(text) == {
        "sums": ("first", "next", "while_2", "out"), "_Z6scaledPKiii": ("values", "at", "now")}  # fmt: skip
    source = translate_kernel(PtxModule(text, 80), "sums").text
    head = source.rpartition("sums(")[2].partition(")")[0]
    assert " ".join(head.split()) == "u64 first, u32 next_2, f32 while_2, u64 out, void *const *bindings"
    assert "scaled(void *const *bindings, u64 values, u32 at, u32 now_2)" in source
    assert parameter_names(compiled(tmp_path)) == {}


def test_what_is_no_dwarf_gives_no_names() -> None:
    for content in ("", ".b8 1,2,3", ".b32 99\n.b8 2,0\n.b32 .debug_abbrev\n.b8 8,1"):
        text = f".section .debug_abbrev\n{{\n.b8 1,17,1\n}}\n.section .debug_info\n{{\n{content}\n}}\n"
        assert parameter_names(text) == {}
