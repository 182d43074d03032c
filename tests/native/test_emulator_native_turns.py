"""Translated code between barriers, and its accesses to memory by halves of a wave: as in test_emulator_native.py, both
back ends must give the same bits.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.native.test_emulator_native import compare, program, pytestmark

__all__ = ["pytestmark"]


def test_registers_that_a_turn_does_not_touch(tmp_path: Path) -> None:
    """A wave comes in without them, and leaves in the middle of its turn (s_sleep; MODE that is not known)."""
    waits = "v_add_nc_u32 v1, v1, v2\ns_barrier\ns_sleep 1\ns_barrier"
    interpreted, translated = compare(program(f"{waits}\ns_setreg_b32 hwreg(HW_REG_MODE, 0, 4), s50", 5), tmp_path)
    assert interpreted[0] == "ok", interpreted
    assert int(translated[3]) > 0.1 * int(translated[2]), translated


# Lanes read dwords that are one or consecutive in each half of a wave, then wide ones at one place, then what reaches
# past the end of LDS in the second half.
HALVES = """
v_and_b32 v1, 0x3ff, v0
v_lshrrev_b32 v2, 4, v1
v_and_b32 v3, 15, v1
v_lshlrev_b32 v4, 6, v2
v_lshl_or_b32 v5, v3, 2, v4
v_mul_lo_u32 v6, v1, v1
v_add_nc_u32 v6, s2, v6
ds_store_b32 v5, v6
ds_store_b32 v5, v1 offset:512
s_barrier
s_mov_b32 s20, 3
again:
v_lshlrev_b32 v7, 2, v3
ds_load_2addr_b32 v[8:9], v7 offset0:16 offset1:129
ds_load_b32 v10, v4 offset:20
ds_load_b128 v[12:15], v4 offset:32
v_add_nc_u32 v8, v8, v9
v_add3_u32 v8, v8, v10, v12
v_add3_u32 v8, v8, v13, v15
v_lshlrev_b32 v16, 6, s2
v_add_nc_u32 v16, v16, v1
v_lshlrev_b32 v17, 2, v16
global_store_b32 v17, v8, s[0:1]
global_load_b32 v18, v17, s[0:1]
v_lshlrev_b32 v19, 8, s2
v_add_nc_u32 v19, v19, v7
global_load_b32 v20, v19, s[0:1]
v_sub_nc_u32 v21, v17, v7
global_load_b32 v22, v21, s[0:1] offset:12
global_load_b64 v[24:25], v21, s[0:1] offset:24
s_barrier
v_add3_u32 v26, v18, v20, v22
v_add3_u32 v26, v26, v24, v25
global_store_b32 v17, v26, s[0:1] offset:1024
s_sub_i32 s20, s20, 1
s_cmp_lg_i32 s20, 0
s_cbranch_scc1 again
END
s_endpgm
"""


@pytest.mark.parametrize("end", ["", "v_add_nc_u32 v4, 0xff40, v4\nds_load_b32 v2, v4"], ids=["inside", "outside"])
def test_accesses_by_halves_of_a_wave(end: str, tmp_path: Path) -> None:
    interpreted, translated = compare(HALVES.replace("END", end), tmp_path, groups=2, items=64)
    assert interpreted[0] == ("illegal address" if end else "ok"), interpreted
    assert int(translated[3]) > 0.9 * int(translated[2]), translated
