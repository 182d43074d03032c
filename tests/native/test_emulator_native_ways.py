"""Instructions that translated code has the interpreter's bodies do: in other modes, of registers by number.

As in test_emulator_native.py, both back ends must give the same bits; here all of it must be translated code's.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.native.test_emulator_native import KEEPS, WORDS_PER_LANE, body, compare, program, pytestmark, run

__all__ = ["pytestmark"]


@pytest.mark.parametrize("mode", [0x0F, 0x36, 0x84], ids=hex)
def test_kernels_of_other_modes(mode: int, tmp_path: Path) -> None:
    """Rounding (bits 0-3) and subnormals (4-7) of f32, and of f16 and f64."""
    text = program(body(random.Random(mode), ["float", "wide"], 20), 3)
    interpreted, translated = compare(text, tmp_path, rsrc1=KEEPS & ~0xFF000 | mode << 12)
    assert interpreted[0] == "ok" and translated[5] == "translated"
    assert int(translated[3]) > 0.5 * int(translated[2]), translated
    usual = run(tmp_path / "code", tmp_path, (2 * 64 * WORDS_PER_LANE, 2, 64), KEEPS, CASS_EMU_NATIVE="0")
    assert usual[1] != interpreted[1]


def test_mode_changes_within_a_block(tmp_path: Path) -> None:
    """As around divisions of kernels that flush subnormals; MODE is right for each of the two instructions behind."""
    changes = ["s_denorm_mode 0", "s_round_mode 3", "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 2, 2), 1"]
    pieces = [f"v_and_b32 v{i}, 0x80ffffff, v{i}" for i in range(1, 13, 2)]
    for at, change in enumerate(changes):
        pieces += [
            change,
            f"v_add_f32 v{at + 1}, v{at + 1}, v{at + 3}",
            f"v_mul_f64 v[{2 * at + 6}:{2 * at + 7}], v[2:3], v[4:5]",
        ]
        pieces += ["s_denorm_mode 15", "s_round_mode 0"]
    interpreted, translated = compare(program("\n".join(pieces), 3), tmp_path)
    assert interpreted[0] == "ok" and translated[5] == "translated"
    assert translated[3] == translated[2]
    unchanged = compare(program("\n".join(piece for piece in pieces if piece[:2] != "s_"), 3), tmp_path)
    assert unchanged[0][1] != interpreted[1]


# Bodies of the interpreter that translated code calls: registers by number, buffers, matrices, atomics, clocks.
CALLED = """
s_mov_b32 s4, s0
s_mov_b32 s5, s1
s_mov_b32 s6, 0x8000
s_mov_b32 s7, 0x31016000
s_mov_b32 m0, 3
v_movrels_b32 v3, v2
v_movreld_b32 v6, v1
v_lshlrev_b32 v10, 2, v41
buffer_load_b32 v8, v10, s[4:7], 0 offen
buffer_load_u8 v9, v10, s[4:7], 0 offen offset:5
buffer_store_b16 v1, v10, s[4:7], 0 offen offset:256
ds_max_rtn_u32 v11, v40, v1
global_atomic_xor_b32 v12, v[44:45], v4, off offset:24 glc
s_getreg_b32 s20, hwreg(HW_REG_LDS_ALLOC)
v_wmma_i32_16x16x16_iu8 v[1:8], v[1:4], v[9:12], v[1:8]
scratch_store_b32 v40, v2, off
scratch_load_u16 v5, v40, off
v_xor_b32 v5, v5, v12
"""


def test_bodies_that_are_called(tmp_path: Path) -> None:
    interpreted, translated = compare(program(CALLED, 4), tmp_path)
    assert interpreted[0] == "ok" and translated[5] == "translated"
    assert translated[3] == translated[2]


def test_a_large_kernel_is_translated_in_parts(tmp_path: Path) -> None:
    """Waves go from part to part at a barrier and by falling through."""
    straight = "\n".join(f"s_xor_b32 s{20 + i % 10}, s{20 + i * 3 % 10}, {i}" for i in range(1600))
    first = "global_store_b32 v[46:47], v1, off offset:64"
    loop = body(random.Random(5), ["integer"], 12)
    text = program(loop, 40).replace("again:", f"{straight}\ns_barrier\nagain:").replace(first, f"{straight}\n{first}")
    interpreted, translated = compare(text, tmp_path, items=96)
    assert interpreted[0] == "ok" and translated[5] == "translated"
    assert translated[3] == translated[2]
    assert len(list((tmp_path / "emulator").glob("*.so"))) > 1


# A function whose address is made as LLVM makes it, with an instruction of something else between the sums.
CALLS = """
s_getpc_b64 s[60:61]
here:
s_add_u32 s60, s60, function-here
v_xor_b32 v4, v4, v1
s_addc_u32 s61, s61, 0
s_swappc_b64 s[62:63], s[60:61]
"""
FUNCTION = """
s_endpgm
function:
v_mul_lo_u32 v2, v2, v3
v_add_nc_u32 v3, 77, v2
s_setpc_b64 s[62:63]
"""


def test_functions_are_known_before_their_first_call(tmp_path: Path) -> None:
    """With CASS_EMU_NATIVE=wait a kernel is translated before its first launch, when nothing has been called."""
    text = program(CALLS, 5).replace("s_endpgm", FUNCTION, 1)
    interpreted, translated = compare(text, tmp_path)
    assert interpreted[0] == "ok" and translated[5] == "translated"
    assert translated[3] == translated[2]
