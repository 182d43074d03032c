"""Textures that AMD's descriptors have no words for, recorded on an H200: border colours and pitches are the emulated
device's own, sides beyond 16384 texels are refused by name."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.native.conformance_support import sections
from tests.native.runtime_support import CONFORMANCE, NEED_NVCC, build_program, built, run_emulated

pytestmark = pytest.mark.skipif(bool(NEED_NVCC), reason=NEED_NVCC)


def test_textures_beyond_gfx11_read_as_recorded_or_are_refused(tmp_path: Path) -> None:
    (tmp_path / "libcuda.so").symlink_to(built() / "libcuda.so.1")
    link = (f"-L{tmp_path}", "-lcuda", "-Xlinker", "--allow-shlib-undefined")
    done = run_emulated(build_program(CONFORMANCE / "odd_textures.cu", tmp_path, *link))
    recorded = sections((CONFORMANCE / "odd_textures.expected").read_text())
    ours = sections(done.stdout)
    for part in ("borders", "integer_borders", "pitches"):
        assert ours[part] == recorded[part], part
    assert ours["long_sides"][:2] == ["array 0", "make 801"]
    assert "a side is longer than the 16384 texels" in done.stderr


def test_views_of_blocks_are_refused_as_recorded(tmp_path: Path) -> None:
    """Where an H200 makes the object (0) it is 801 here; what it refuses, with its code. What it read is in
    tests/vectors/texture/compressed.tar.xz, for whoever writes the decoder."""
    program = build_program(CONFORMANCE / "compressed.cu", tmp_path)
    script = tmp_path / "compressed.sh"
    script.write_text(f'#!/bin/sh\nexec "{program}" "{tmp_path}"\n')
    script.chmod(0o755)
    done = run_emulated(script)
    recorded = (CONFORMANCE / "compressed.expected").read_text().splitlines()
    wanted = [line.replace("object 0", "object 801") for line in recorded if "object" in line]
    assert len(wanted) == 80
    assert done.stdout.splitlines() == wanted, done.stderr
    assert "views of block-compressed texels" in done.stderr
