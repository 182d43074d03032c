"""The `run_asm` entry: raw code on host memory with tinygrad's calling convention."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.native.emulator_core_support import assemble
from tests.native.tinygrad_suite import run_asm


def test_arguments_groups_and_lanes(tmp_path: Path) -> None:
    """s[0:1] points at the arguments; with 14 user SGPRs the workgroup number is s14; v0 is the lane."""
    out = np.zeros(128, np.uint32)
    arguments = np.array([out.ctypes.data], np.uint64)
    text = """
    s_load_b64 s[4:5], s[0:1], null
    s_lshl_b32 s6, s14, 5
    v_add_nc_u32 v1, s6, v0
    v_lshlrev_b32 v2, 2, v1
    v_mul_u32_u24 v3, v1, 3
    s_waitcnt lgkmcnt(0)
    global_store_b32 v2, v3, s[4:5]
    s_endpgm
"""
    code = np.frombuffer(assemble(text, tmp_path), np.uint8).copy()
    assert run_asm(code.ctypes.data, code.nbytes, 4, 1, 1, 32, 1, 1, arguments.ctypes.data) == 0
    assert (out == np.arange(128) * 3).all()


def test_fault_is_an_error_with_its_text(tmp_path: Path) -> None:
    code = np.frombuffer(assemble("s_trap 2\ns_endpgm\n", tmp_path), np.uint8).copy()
    with pytest.raises(RuntimeError, match="s_trap"):
        run_asm(code.ctypes.data, code.nbytes, 1, 1, 1, 32, 1, 1, 0)


SUITE = """
import array
from pathlib import Path

from test.mockgpu.amd.emu import run_asm


def test_store():
    code, out = array.array("B", Path(CODE).read_bytes()), array.array("I", [0] * 32)
    arguments = array.array("Q", [out.buffer_info()[0]])
    run_asm(code.buffer_info()[0], len(code), 1, 1, 1, 32, 1, 1, arguments.buffer_info()[0])
    assert list(out) == list(range(32))
"""


def test_plugin_puts_our_entry_under_a_suite(tmp_path: Path) -> None:
    """A checkout in miniature, whose own emulator does nothing; and a folder that is none."""
    store = "s_load_b64 s[2:3], s[0:1], null\nv_lshlrev_b32 v1, 2, v0\ns_waitcnt lgkmcnt(0)\n"
    code = tmp_path / "code.bin"
    code.write_bytes(assemble(store + "global_store_b32 v1, v0, s[2:3]\ns_endpgm\n", tmp_path))
    suite, emulator = tmp_path / "test/amd/hw/test_one.py", tmp_path / "test/mockgpu/amd/emu.py"
    for file in (suite, emulator):
        file.parent.mkdir(parents=True)
    suite.write_text(SUITE.replace("CODE", repr(str(code))))
    command = [sys.executable, "-m", "pytest", "-q", "-p", "tests.native.tinygrad_suite", str(suite)]
    root = Path(__file__).parents[2]

    def status() -> tuple[int, str]:
        environment = {**os.environ, "TINYGRAD_REPO": str(tmp_path)}
        done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, timeout=120)
        return done.returncode, done.stdout + done.stderr

    without = status()
    assert without[0] == 4 and "emu.py" in without[1]
    emulator.write_text("def run_asm(*arguments):\n    return 0\n")
    code_of_suite, text = status()
    assert code_of_suite == 0 and "1 passed" in text, text
