"""Checking mode that looks for races in LDS: what it tells, and what it does not. Which accesses race is what CUDA's
memory model says of threads of a block without a barrier between them; a wave's own come in order.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.native.test_emulator_native import assembled, run

# v5: the lane's number in its workgroup of two waves; v1: its dword of LDS, which holds that number; v2: the other
# wave's.
LANES = """
v_and_b32 v5, 0x3ff, v0
v_lshlrev_b32 v1, 2, v5
v_xor_b32 v2, 0x80, v1
v_mov_b32 v4, 0
v_mov_b32 v6, 1"""
BEGIN = f"""{LANES}
ds_store_b32 v1, v5
s_barrier
"""


def in_turn(first: str, second: str) -> str:
    """Code of the first wave, then of the second."""
    return f"v_cmpx_gt_u32 32, v5\n{first}\ns_mov_b32 exec_lo, -1\nv_cmpx_le_u32 32, v5\n{second}"


FLAT = "v_mov_b32 v3, s21\nflat_load_b32 v7, v[2:3]"
TOLD = {
    "read of what another wave wrote": (in_turn("ds_store_b32 v1, v4", "ds_load_b32 v3, v2"), "wrote"),
    "write of what another wave read": (in_turn("ds_load_b32 v3, v2", "ds_store_b32 v1, v4"), "read"),
    "two values": ("ds_store_b32 v4, v5", "wrote"),
    "wide and narrow": (in_turn("ds_store_b64 v1, v[4:5]", "ds_load_u8 v3, v2 offset:1"), "wrote"),
    "an atomic and a store before it": (in_turn("ds_store_b32 v4, v6", "ds_add_u32 v4, v6"), "wrote"),
    "two at once": (
        in_turn("ds_store_2addr_b32 v1, v4, v4 offset1:64", "ds_load_2addr_b32 v[7:8], v2 offset1:64"),
        "wrote",
    ),
    "through a flat address": (
        f"s_mov_b64 s[20:21], src_shared_base\n{in_turn('ds_store_b32 v1, v4', FLAT)}",
        "wrote",
    ),
}
SILENT = {
    "a barrier": "ds_store_b32 v1, v4\ns_barrier\nds_load_b32 v3, v2\ns_barrier\nds_store_b32 v1, v6",
    "one wave": "ds_load_b32 v3, v1\nds_store_b32 v1, v4\nds_load_b32 v3, v1",
    "one value": "ds_store_b32 v4, v6",
    "bytes of a dword": "v_lshrrev_b32 v7, 5, v5\nds_store_b8 v7, v5 offset:128",
    "atomics": "ds_add_u32 v4, v6\nds_max_rtn_u32 v3, v4, v5",
    "a lock": "ds_cmpstore_rtn_b32 v3, v4, v6, v4\nds_store_b32 v4, v4",
    "what a waiter that polls by loads is handed": in_turn(
        "ds_store_b32 v1, v4\nds_add_u32 v4, v6 offset:512", "ds_load_b32 v3, v2"
    ),
    "what a lock guards that a store lets go of": in_turn(
        "ds_cmpstore_rtn_b32 v3, v4, v6, v4 offset:512\nds_store_b32 v1, v4\nds_store_b32 v4, v4 offset:512",
        "ds_cmpstore_rtn_b32 v3, v4, v6, v4 offset:512\nds_load_b32 v3, v2",
    ),
    "what an atomic handed over": in_turn(
        "ds_store_b32 v1, v4\nds_add_u32 v4, v6 offset:512",
        "ds_add_rtn_u32 v3, v4, v6 offset:512\nds_load_b32 v3, v2",
    ),
}


def said_of(middle: str, folder: Path) -> list[str]:
    """What the run says; both waves first write a dword behind their own."""
    extra = "ds_store_b32 v1, v4 offset:256\nds_store_b32 v1, v4 offset:512\ns_barrier\n"
    code = assembled(BEGIN + extra + middle + "\ns_endpgm\n", folder)
    return run(code, folder, (64, 1, 64), CASS_EMU_CHECK="2")


@pytest.mark.parametrize("case", TOLD)
def test_a_race_is_told(case: str, tmp_path: Path) -> None:
    middle, did = TOLD[case]
    said = said_of(middle, tmp_path)
    assert said[0] == "race", said
    last = middle.splitlines()[-1].split()[0]
    found = re.fullmatch(
        rf"race: {last}: no barrier since wave 0 lane \d+ {did} it at pc \+0x(\w+) at pc \+0x(\w+) .* wave 1 lane \d+",
        said[4],
    )
    assert found, said[4]
    earlier, later = int(found[1], 16), int(found[2], 16)
    assert earlier <= later and (earlier < later) == (case != "two values")


@pytest.mark.parametrize("case", SILENT)
def test_what_does_not_race_is_not_told(case: str, tmp_path: Path) -> None:
    assert said_of(SILENT[case], tmp_path)[0] == "ok"


def test_races_are_looked_for_in_no_other_mode(tmp_path: Path) -> None:
    code = assembled(BEGIN + "ds_store_b32 v4, v5\ns_endpgm\n", tmp_path)
    for check in ("0", "1"):
        assert run(code, tmp_path, (64, 1, 64), CASS_EMU_CHECK=check)[0] == "ok"
