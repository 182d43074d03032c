"""Surface stores of one to eight bytes into wider texels change those bytes and no other.

`narrow_surfaces.expected`: what the program printed on an NVIDIA H200 (driver 580.159.04, CUDA 13.0 V13.0.88).
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.native.runtime_support import NEED_NVCC, build_program, run_emulated

pytestmark = pytest.mark.skipif(bool(NEED_NVCC), reason=NEED_NVCC)


def test_each_byte_is_stored_alone(tmp_path: Path) -> None:
    program = build_program(Path(__file__).with_name("narrow_surfaces.cu"), tmp_path)
    done = run_emulated(program, CASS_TRANSLATORS="lift", CASS_CACHE_DIR=str(tmp_path / "cache"))
    assert done.stdout == Path(__file__).with_name("narrow_surfaces.expected").read_text(), done.stderr
