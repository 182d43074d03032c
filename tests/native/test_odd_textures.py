"""Textures that AMD's descriptors have no words for (other border colours, odd pitches, long sides), recorded on an
H200: each is refused here by name, and what is made reads as recorded."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.native.conformance_support import sections
from tests.native.runtime_support import CONFORMANCE, NEED_NVCC, build_program, built, run_emulated

pytestmark = pytest.mark.skipif(bool(NEED_NVCC), reason=NEED_NVCC)
REFUSED = 801


def blocks(lines: list[str]) -> list[tuple[str, int, list[str]]]:
    """(what was asked for, its answer, what was read) of each "… made N"."""
    found: list[tuple[str, int, list[str]]] = []
    for line in lines:
        asked, made, answer = line.rpartition(" made ")
        if made:
            found.append((asked, int(answer), []))
        elif found:
            found[-1][2].append(line)
    return found


def test_odd_pitches_are_refused_or_read_as_recorded(tmp_path: Path) -> None:
    (tmp_path / "libcuda.so").symlink_to(built() / "libcuda.so.1")
    link = (f"-L{tmp_path}", "-lcuda", "-Xlinker", "--allow-shlib-undefined")
    done = run_emulated(build_program(CONFORMANCE / "odd_textures.cu", tmp_path, *link))
    recorded = blocks(sections((CONFORMANCE / "odd_textures.expected").read_text())["pitches"])
    ours = blocks(sections(done.stdout)["pitches"])
    assert [asked for asked, _, _ in ours] == [asked for asked, _, _ in recorded]
    made = 0
    for mine, theirs in zip(ours, recorded, strict=True):
        if mine[1] == REFUSED:
            continue
        assert mine == theirs
        made += mine[1] == 0
    assert made == 2  # a pitch of 512 bytes, read with and without filtering
    assert "the pitch is not a multiple of 256 bytes" in done.stderr
    assert "border colours other than black and white" in done.stderr
    assert "a side is longer than the 16384 texels" in done.stderr
