"""The emulated device where results come late (CASS_EMU_WAITS): forgotten waits end the launch, by name.

The cases are those of the check of the code (tests/verify/wait_cases.py), which tells the same of each.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.native.emulator_core_support import assemble, library
from tests.verify.wait_cases import BAD, GOOD

RUNNER = Path(__file__).with_name("emulator_waits.py")
PATTERN = 0x7FA5DEAD

# Address pairs are those of the words at s[0:1], in every register that the cases take one from.
BEGIN = """
s_mov_b64 s[16:17], s[0:1]
v_mov_b32 v2, s0
v_mov_b32 v3, s1
v_mov_b32 v4, s0
v_mov_b32 v5, s1
"""
PAIR, LOCAL = "v_mov_b32 v0, s0\nv_mov_b32 v1, s1\n", "v_lshlrev_b32 v0, 2, v0\n"
STORE = "global_store_b32 v0, {}, s[16:17]\n"  # v0: four times the lane

MORE_GOOD = {
    "halves of one register in order": (
        "global_load_d16_b16 v6, v0, s[16:17]\nglobal_load_d16_hi_b16 v6, v0, s[16:17] offset:4\n"
        "s_waitcnt vmcnt(0)\n" + STORE.format("v6"),
        [4 * i | (4 * i + 4) << 16 for i in range(32)],
    ),
    "a register filled twice in order": (
        "global_load_b32 v6, v0, s[16:17] offset:8\nglobal_load_b32 v6, v0, s[16:17] offset:4\n"
        "s_waitcnt vmcnt(0)\n" + STORE.format("v6"),
        [4 * i + 4 for i in range(32)],
    ),
    "lanes that wait for nothing": (
        "v_mov_b32 v6, 1\ns_mov_b32 exec_lo, 0xff00\nglobal_load_b32 v6, v0, s[16:17]\n"
        "s_mov_b32 exec_lo, 0xff\nv_mov_b32 v6, 7\ns_mov_b32 exec_lo, -1\ns_waitcnt vmcnt(0)\n" + STORE.format("v6"),
        [7 if i < 8 else 4 * i if i < 16 else 1 for i in range(32)],
    ),
    "what relative registers read before the wait": (
        "s_mov_b32 m0, 1\nglobal_load_b32 v7, v0, s[16:17]\nv_movrels_b32 v8, v6\n" + STORE.format("v8"),
        [PATTERN] * 32,
    ),
    "a barrier behind the wait, two waves": (
        "ds_store_b32 v0, v0\nglobal_store_b32 v0, v0, s[16:17]\ns_waitcnt lgkmcnt(0)\ns_waitcnt_vscnt null, 0\n"
        "s_barrier",
        [4 * i for i in range(32)],
    ),
    "more than a counter holds": (
        "\n".join("ds_load_b32 v6, v0" for _ in range(70)) + "\ns_waitcnt lgkmcnt(0)\n" + STORE.format("v0"),
        [4 * i for i in range(32)],
    ),
}


def prologue(body: str) -> str:
    return BEGIN + (PAIR if "v[0:1]" in body else LOCAL) + body + "\ns_endpgm\n"


def runs(body: str) -> bool:
    """Images need descriptors, which these pieces have none of."""
    return "image_" not in body


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[str, str, list[int]]]:
    """What the device says of each case, all in one process, which reads its settings once."""
    library()
    bodies = {f"good: {name}": body for name, body in GOOD.items() if runs(body)}
    bodies |= {f"bad: {name}": body for name, (body, _) in BAD.items() if runs(body)}
    bodies |= {f"good: {name}": body for name, (body, _) in MORE_GOOD.items()}
    folder = tmp_path_factory.mktemp("waits")
    codes = {name: assemble(prologue(body), folder).hex() for name, body in bodies.items()}
    file = folder / "codes.json"
    file.write_text(json.dumps(codes))
    command = [sys.executable, str(RUNNER), str(file)]
    settings = {**os.environ, "CASS_EMU_WAITS": "1", "CASS_EMU_THREADS": "1"}
    done = subprocess.run(command, env=settings, capture_output=True, text=True, timeout=200, check=True)
    found: dict[str, tuple[str, str, list[int]]] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("name", [name for name, body in GOOD.items() if runs(body)])
def test_waited_for(name: str, said: dict[str, tuple[str, str, list[int]]]) -> None:
    assert said[f"good: {name}"][0] == "ok", said[f"good: {name}"][1]


@pytest.mark.parametrize("name", [name for name, (body, _) in BAD.items() if runs(body)])
def test_forgotten(name: str, said: dict[str, tuple[str, str, list[int]]]) -> None:
    status, text, _ = said[f"bad: {name}"]
    assert (status, text.split(":")[0]) == ("wait", "missing wait"), text
    assert re.search(BAD[name][1], text), text


@pytest.mark.parametrize("name", MORE_GOOD)
def test_what_the_registers_hold(name: str, said: dict[str, tuple[str, str, list[int]]]) -> None:
    status, text, words = said[f"good: {name}"]
    assert status == "ok", text
    assert words == MORE_GOOD[name][1]
