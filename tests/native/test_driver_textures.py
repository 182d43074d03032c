"""Texture and surface objects of the driver API reach kernels by both translators."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.native.runtime_support import NEED_NVCC, build_program, built, run_emulated

pytestmark = pytest.mark.skipif(bool(NEED_NVCC), reason=NEED_NVCC)


@pytest.mark.parametrize("route", ["lift", "ptx-hip"])
def test_objects_of_the_driver_api(tmp_path: Path, route: str) -> None:
    (tmp_path / "libcuda.so").symlink_to(built() / "libcuda.so.1")
    source = Path(__file__).with_name("driver_textures.cu")
    program = build_program(source, tmp_path, f"-L{tmp_path}", "-lcuda", "-Xlinker", "--allow-shlib-undefined")
    done = run_emulated(program, CASS_TRANSLATORS=route, CASS_CACHE_DIR=str(tmp_path / "cache"))
    assert done.stdout.splitlines() == ["pictures 0 lines 0 surfaces 0 wrong", "PASS"], done.stderr
    assert done.returncode == 0
