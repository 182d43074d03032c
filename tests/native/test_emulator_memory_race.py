"""Checking mode that looks for races in device memory (CASS_EMU_CHECK=2): what it tells, and what orders waves. Which
accesses race is what CUDA's memory model says of threads of a grid; how gfx1100 makes order visible is LLVM's
AMDGPUUsage ("Memory Model GFX10-GFX11").
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from tests.native.test_emulator_native import assembled, run
from tests.native.test_emulator_race import LANES, in_turn

# Two groups of two waves. v5: the lane's number in its group; v1: its dword; v2: that of the other wave's lane; v3: its
# dword among those of all groups; v4: 0; v6: 1; v7: its number in the grid, and 1. Behind them is
# a flag, which begins as FREE.
FLAG = 0x400
FREE = int(np.random.default_rng(7).integers(0, 1 << 32, 1024, np.uint32)[FLAG // 4])  # emulator_pair.py
BEGIN = f"""{LANES}
s_lshl_b32 s4, s2, 6
v_add3_u32 v7, v5, s4, 1
v_lshlrev_b32 v3, 2, v7
"""
WAIT = "s_waitcnt vmcnt(0) lgkmcnt(0)\ns_waitcnt_vscnt null, 0"
ACQUIRE = "s_waitcnt vmcnt(0)\nbuffer_gl1_inv\nbuffer_gl0_inv"


def by_group(first: str, second: str) -> str:
    """Code of group 0, and of group 1."""
    return f"s_cmp_lg_u32 s2, 0\ns_cbranch_scc1 other\n{first}\ns_branch done\nother:\n{second}\ndone:"


def until(value: int) -> str:
    """Waits for the flag to reach a value, as an atomic load with acquire does."""
    return f"""again:
s_sleep 1
global_load_b32 v8, v4, s[0:1] offset:{FLAG} glc
{ACQUIRE}
v_readfirstlane_b32 s5, v8
s_cmp_lg_u32 s5, {value}
s_cbranch_scc1 again
"""


def add() -> str:
    """A release: what was done before, then one more."""
    return f"{WAIT}\nv_mov_b32 v8, 1\nglobal_atomic_add_u32 v9, v4, v8, s[0:1] offset:{FLAG} glc\n{ACQUIRE}"


LOAD, STORE = "global_load_b32 v8, v1, s[0:1]", "global_store_b32 v1, v7, s[0:1]"
HISTOGRAM = f"""
v_and_b32 v1, 28, v1
{LOAD}
s_waitcnt vmcnt(0)
v_add_nc_u32 v7, v8, v6
{STORE}
"""
# The instruction that is told of, what the other one did, and whether they are of one group.
TOLD = {
    "a histogram without atomics": (HISTOGRAM, "global_load_b32", "wrote", True),
    "read of another group's": (by_group(STORE, LOAD), "global_load_b32", "wrote", False),
    "write of what another group reads": (by_group(LOAD, STORE), "global_store_b32", "read", False),
    "two values": (STORE, "global_store_b32", "wrote", False),
    "another wave's without a barrier": (
        in_turn("global_store_b32 v3, v7, s[0:1]", "global_load_b32 v8, v3, s[0:1] offset:-128"),
        "global_load_b32",
        "wrote",
        True,
    ),
    "a barrier of the group only": (
        by_group(f"{STORE}\ns_barrier", f"s_barrier\n{LOAD}"),
        "global_load_b32",
        "wrote",
        False,
    ),
    "a scalar load": (by_group(STORE, "s_load_b64 s[8:9], s[0:1], 0x40"), "s_load_b64", "wrote", False),
    "a byte of a pair": (
        "v_lshlrev_b32 v1, 3, v5\n"
        + by_group("global_store_b64 v1, v[6:7], s[0:1]", "global_load_u8 v8, v1, s[0:1] offset:1"),
        "global_load_u8",
        "wrote",
        False,
    ),
    "by flat addresses": (
        "v_add_co_u32 v10, vcc_lo, s0, v1\nv_mov_b32 v11, s1\nv_add_co_ci_u32 v11, vcc_lo, 0, v11, vcc_lo\n"
        + by_group("flat_store_b16 v[10:11], v7", "flat_load_i16 v8, v[10:11]"),
        "flat_load_i16",
        "wrote",
        False,
    ),
    "a release without an acquire": (by_group(f"{STORE}\n{add()}", LOAD), "global_load_b32", "wrote", False),
}
SILENT = {
    "each its own": "global_store_b32 v3, v7, s[0:1]\nglobal_load_b32 v8, v3, s[0:1]\nglobal_store_b32 v3, v6, s[0:1]",
    "bytes of a dword": "v_lshl_add_u32 v9, s2, 6, v5\nglobal_store_b8 v9, v7, s[0:1]",
    "a barrier": f"s_lshl_b32 s6, s2, 8\nv_add_nc_u32 v2, s6, v2\nglobal_store_b32 v3, v7, s[0:1] offset:-4\n"
    f"{WAIT}\ns_barrier\nglobal_load_b32 v8, v2, s[0:1]",
    "a byte beside one that a scalar load wants": by_group(
        "global_store_b8 v1, v7, s[0:1]", "s_load_b32 s8, s[0:1], 0x40"
    ),
    "one value": "global_store_b32 v4, v6, s[0:1]",
    "both read": f"{LOAD}\n{LOAD}",
    "atomics": "global_atomic_add_u32 v4, v6, s[0:1]\nglobal_atomic_max_u32 v4, v7, s[0:1]",
    "a lock": f"""v_cmpx_eq_u32 0, v5
s_cbranch_execz end
locked:
v_mov_b32 v9, {FREE}
v_mov_b32 v8, 1
s_sleep 1
global_atomic_cmpswap_b32 v10, v4, v[8:9], s[0:1] offset:{FLAG} glc
{ACQUIRE}
v_readfirstlane_b32 s5, v10
s_cmp_lg_u32 s5, {FREE}
s_cbranch_scc1 locked
{LOAD}
s_waitcnt vmcnt(0)
v_add_nc_u32 v8, v8, v7
global_store_b32 v1, v8, s[0:1]
{WAIT}
global_store_b32 v4, v9, s[0:1] offset:{FLAG} dlc
end:""",
    "a flag": by_group(
        f"{STORE}\n{WAIT}\ns_barrier\nglobal_store_b32 v4, v6, s[0:1] offset:{FLAG}",
        f"{until(1)}\n{LOAD}\n{STORE}",
    ),
    "the last group sums up": f"""global_store_b32 v3, v7, s[0:1]
{WAIT}
s_barrier
v_cmpx_eq_u32 0, v5
{add()}
v_readfirstlane_b32 s5, v9
s_mov_b32 exec_lo, -1
s_barrier
s_cmp_lg_u32 s5, {FREE + 1}
s_cbranch_scc1 end
global_load_b32 v8, v1, s[0:1] offset:4
global_load_b32 v8, v1, s[0:1] offset:260
end:""",
    "a barrier of the grid": f"""global_store_b32 v3, v7, s[0:1]
{WAIT}
s_barrier
s_mov_b32 s6, exec_lo
v_cmpx_eq_u32 0, v5
s_cbranch_execz met
{add()}
{until(FREE + 2)}
met:
s_mov_b32 exec_lo, s6
s_barrier
v_xor_b32 v9, 0x100, v3
global_load_b32 v8, v9, s[0:1]""",
    "relaxed stores that an atomic load reads": f"global_store_b32 v4, v7, s[0:1]\n{WAIT}\n"
    "global_load_b32 v8, v4, s[0:1] glc",
}


def said_of(middle: str, folder: Path, **settings: str) -> list[str]:
    code = assembled(BEGIN + middle + "\ns_endpgm\n", folder)
    fixed = {"CASS_EMU_CHECK": "2", "CASS_EMU_THREADS": "2"} | settings
    return run(code, folder, (1024, 2, 64), **fixed)


@pytest.mark.parametrize("case", TOLD)
def test_a_race_is_told(case: str, tmp_path: Path) -> None:
    middle, name, did, together = TOLD[case]
    said = said_of(middle, tmp_path, CASS_EMU_THREADS="1")
    assert said[0] == "race", said
    found = re.fullmatch(
        rf"race: {name}: nothing orders it behind group \((\d),0,0\) wave (\d) lane \d+, which {did} it at pc \+0x(\w+)"
        r" at pc \+0x(\w+) \(word \w+\), address 0x\w+, group \((\d),0,0\) wave (\d) lane \d+",
        said[4],
    )
    assert found, said[4]
    assert (found[1] == found[5]) == bool(together)
    assert (found[1], found[2]) != (found[5], found[6])


@pytest.mark.parametrize("case", SILENT)
def test_what_is_ordered_is_not_told(case: str, tmp_path: Path) -> None:
    said = said_of(SILENT[case], tmp_path)
    assert said[0] == "ok", said


def test_races_are_looked_for_in_no_other_mode(tmp_path: Path) -> None:
    for check in ("0", "1"):
        assert said_of(HISTOGRAM, tmp_path, CASS_EMU_CHECK=check)[0] == "ok"


def test_results_that_come_late_are_looked_at_alone(tmp_path: Path) -> None:
    """The verifier's candidates run so, on inputs of its own, which may race."""
    for middle in (HISTOGRAM.replace("v_add", f"{ACQUIRE}\nv_add"), add()):
        assert said_of(f"{middle}\n{WAIT}", tmp_path, CASS_EMU_WAITS="1")[0] == "ok"
