"""The `run_asm` entry: raw code on host memory with tinygrad's calling convention."""

from __future__ import annotations

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
