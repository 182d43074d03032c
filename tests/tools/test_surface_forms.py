"""The programs that record surface forms: which kernels are together, and what of their output is kept."""

from __future__ import annotations

import lzma
import subprocess
from pathlib import Path

import pytest

from tests.native.runtime_support import NEED_NVCC, run_emulated
from tools.ptxforms import surface_forms

# What each geometry has of them.
SIZES = {"1d": {"width"}, "2d": {"width", "height"}, "3d": {"width", "height", "depth"}, "a1d": {"width"},
         "a2d": {"width", "height"}, "cube": {"width", "height"}, "acube": {"width", "height"}}  # fmt: skip


@pytest.mark.nvcc
@pytest.mark.skipif(bool(NEED_NVCC), reason=NEED_NVCC)
@pytest.mark.parametrize("part", ["described", "query"])
def test_what_needs_the_size_of_a_descriptor_is_a_program_of_its_own(part: str, tmp_path: Path) -> None:
    """An H200 launched no kernel of a module that has such a relocation."""
    source, cubin = surface_forms.write(part, tmp_path), tmp_path / "made.cubin"
    subprocess.run(["nvcc", "-arch=sm_90", "-cubin", "-o", str(cubin), str(source)], check=True)
    assert (b"refDescSize\0" in cubin.read_bytes()) == (part == "described")


@pytest.mark.nvcc
@pytest.mark.slow
@pytest.mark.skipif(bool(NEED_NVCC), reason=NEED_NVCC)
def test_queries_give_what_textures_and_surfaces_were_made_of(tmp_path: Path) -> None:
    program = surface_forms.build("query", tmp_path)
    lines = run_emulated(program, CASS_TRANSLATORS="ptx-hip").stdout.splitlines()
    seen = set()
    for name, geometry, _, *words in map(str.split, lines):
        query, what = name.split(".")[0], name.split(".")[1]
        if what in SIZES[geometry]:
            assert {int(word, 16) for word in words[::4]} == {surface_forms.SIDE}, (name, geometry)
            seen.add((query, what, geometry))
    assert len(seen) == 13 + 9


def test_every_kernel_is_in_one_program() -> None:
    cases = surface_forms.cases()
    parts = [surface_forms.part_of(case) for case in cases]
    assert set(parts) == set(surface_forms.PARTS)
    tables = "".join(surface_forms.include(part) for part in surface_forms.PARTS)
    assert sum(line.startswith("FORM(") for line in tables.splitlines()) == len(cases) > 1200
    assert all(f'{{"{case.name}", ' in tables for case in cases)


def test_what_a_gpu_printed_is_kept_and_what_it_refused_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(surface_forms, "RECORDED", tmp_path / "kept.xz")
    error = "error launch cudaErrorNotSupported"
    with pytest.raises(ValueError, match="no line of a form, 2 errors"):
        surface_forms.keep(f"{error}\n{error}\n")
    assert not surface_forms.RECORDED.exists()
    said = surface_forms.keep(f"suq.width.b32 1d - 10\n{error}\ntxq.width.b32 2d 0 10\n{error}\n")
    assert said.splitlines() == ["2 lines", f"2 times {error}"]
    kept = lzma.decompress(surface_forms.RECORDED.read_bytes()).decode()
    assert surface_forms.compared(kept)[0] == {"equal": 2}
    assert surface_forms.compared(kept.replace("2d 0 10", "2d 0 11"))[0] == {"equal": 1, "different": 1}
