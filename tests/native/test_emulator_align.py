"""CASS_EMU_ALIGN=1: a load or store at an address that is no multiple of its size, at most a dword's, is an error."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from tests.native.emulator_core_support import assemble

MEMORY = "v_lshlrev_b32 v1, 2, v0\nv_mov_b32 v2, 0\n"
PAIR = MEMORY + "v_add_co_u32 v4, vcc_lo, s0, v1\nv_add_co_ci_u32_e64 v5, null, s1, 0, vcc_lo\n"
# What it does, what the report says of it; nothing where it is right.
CASES = {
    "dwords in a row": (MEMORY + "global_load_b32 v3, v1, s[0:1]", ""),
    "a dword a byte on": (MEMORY + "global_load_b32 v3, v1, s[0:1] offset:1", "global_load_b32: no multiple"),
    "bytes anywhere": (MEMORY + "global_load_u8 v3, v1, s[0:1] offset:3\nglobal_store_b8 v1, v3, s[0:1] offset:1", ""),
    "a half at an odd place": (MEMORY + "global_store_b16 v1, v2, s[0:1] offset:3", "global_store_b16"),
    "a half at an even one": (MEMORY + "global_load_d16_b16 v3, v1, s[0:1] offset:2", ""),
    "two dwords at a dword's place": (PAIR + "global_load_b64 v[6:7], v[4:5], off offset:4", ""),
    "a generic address": (PAIR + "flat_store_b32 v[4:5], v2 offset:2", "flat_store_b32"),
    "only one lane": (
        MEMORY + "v_cmp_eq_u32 vcc_lo, 5, v0\nv_add_co_ci_u32_e32 v1, vcc_lo, 0, v1, vcc_lo\n"
        "global_load_b32 v3, v1, s[0:1]",
        "lane 5",
    ),
    "an inactive lane": (
        MEMORY + "v_cmp_eq_u32 vcc_lo, 5, v0\nv_add_co_ci_u32_e32 v1, vcc_lo, 0, v1, vcc_lo\n"
        "s_mov_b32 exec_lo, 0xffffffdf\nglobal_load_b32 v3, v1, s[0:1]",
        "",
    ),
    "LDS": ("ds_store_b32 v2, v2 offset:2", "ds_store_b32"),
    "two places of LDS": ("v_mov_b32 v2, 4\nds_store_2addr_b32 v2, v2, v2 offset0:1 offset1:3", ""),
    "a scalar load": ("s_load_b32 s4, s[0:1], 0x4", ""),
    "a scalar load between dwords": ("s_mov_b32 s5, 6\ns_load_b64 s[6:7], s[0:1], s5", "s_load_b64"),
    "private memory": ("scratch_store_b32 off, v2, off offset:6", "scratch_store_b32"),
}  # fmt: skip
SCRIPT = """
import json, sys
import numpy as np
from tests.native.emulator_core_support import launch_code
memory = np.zeros(64, np.uint32)
for code in json.loads(sys.stdin.read()):
    done = launch_code(bytes.fromhex(code), memory.ctypes.data, 63, 1, 32)
    print(json.dumps([done.status, done.text, done.translation]))
"""


def outcomes(codes: list[bytes], **settings: str) -> list[list[str]]:
    """Status, fault and what became of the translation, of each, in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], input=json.dumps([code.hex() for code in codes]), text=True,
        capture_output=True, env={**os.environ, **settings}, check=True,
    )  # fmt: skip
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture(scope="module")
def codes(tmp_path_factory: pytest.TempPathFactory) -> list[bytes]:
    folder = tmp_path_factory.mktemp("align")
    return [assemble(f"{text}\ns_endpgm\n", folder) for text, _ in CASES.values()]


def test_what_is_not_aligned_is_reported(codes: list[bytes]) -> None:
    found = dict(zip(CASES, outcomes(codes, CASS_EMU_ALIGN="1", CASS_EMU_NATIVE="wait"), strict=True))
    for name, (_, words) in CASES.items():
        status, text, _ = found[name]
        assert (status, words in text) == ("misaligned" if words else "ok", True), (name, found[name])
        assert not words or all(part in text for part in ("at pc +0x", "wave 0", "lane")), text


def test_the_hardware_carries_them_out(codes: list[bytes]) -> None:
    assert {status for status, *_ in outcomes(codes)} == {"ok"}
