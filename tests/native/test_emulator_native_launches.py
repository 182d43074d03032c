"""CASS_EMU_NATIVE=wait: a kernel that several streams launch for the first time at once is interpreted by none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.native.hip_support import run_python

pytestmark = pytest.mark.skipif(
    " avx2 " not in Path("/proc/cpuinfo").read_text(), reason="translated code needs a processor with AVX2"
)
LAUNCHES = """
import ctypes
from tests.native.hip_support import call, compile_hip
module = call("hipModuleLoadData", compile_hip(
    "KERNEL turn(float *a, int n) { float x = a[TID]; for (int i = 0; i < n; i++) x = x * 0.5f + i; a[TID] = x; }"))
kernel = call("hipModuleGetFunction", module, b"turn")
streams = [call("hipStreamCreate") for _ in range(4)]
data = [ctypes.c_void_p(int(call("hipMalloc", 4096))) for _ in streams]
for stream, place in zip(streams, data):
    call("hipModuleLaunchKernel", kernel, 4, 1, 1, 32, 1, 1, 0, stream, None, (place, ctypes.c_int(100)))
call("hipDeviceSynchronize")
"""


def test_first_launches_wait_for_the_compiler(tmp_path: Path) -> None:
    done = run_python(
        LAUNCHES, CASS_EMU_NATIVE="wait", CASS_EMU_COUNT=str(tmp_path / "count"), CASS_CACHE_DIR=str(tmp_path / "cache")
    )
    assert done.returncode == 0, done.stderr
    (row,) = map(json.loads, (tmp_path / "count").read_text().splitlines())
    assert row["launches"] == 4 and row["wave_instructions"] == row["translated"] > 0, row
