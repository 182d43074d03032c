"""Conversions of 64-bit constants: what ptxas 13.0 puts into the word, against the PTX that it was made from.

The 32 bits of the immediate are the high word; the constants with other bits in the low word come from a constant bank.
"""

from __future__ import annotations

import struct

import numpy as np
import pytest

from cass_shim.isa.encoding.decoder import decode
from cass_shim.isa.spec import execute
from cass_shim.verify.memory import Arena
from cass_shim.verify.state import Geometry
from tests.isa.sass.test_hardware_vectors import machine_state

# sm, word, where the result lies, its format, the operand in the PTX.
CASES = [
    (75, 0x000E220000301400_0080000000007912, 0, "f", 0x80000000000000),  # cvt.rn.f32.s64
    (80, 0x000E220000301400_00800000000B7912, 11, "f", 0x80000000000000),
    (90, 0x000EA20000301400_8000000000117912, 17, "f", -0x8000000000000000),
    (120, 0x000E240000301400_FFFFFFFB00177912, 23, "f", -0x500000000),
    (80, 0x000E220000301000_00800000000D7912, 13, "f", 0x80000000000000),  # cvt.rn.f32.u64
    (80, 0x000EA20000301000_FFFFFFFB00197912, 25, "f", 0xFFFFFFFB00000000),
    (80, 0x000E220000301800_8000000000067912, 6, "d", 0x8000000000000000),  # cvt.rn.f64.u64
    (90, 0x000E620000301800_0080000000047912, 4, "d", 0x80000000000000),
]


@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c[0]}-{c[1]:x}")
def test_the_immediate_is_the_high_word(case: tuple[int, int, int, str, int]) -> None:
    sm, word, register, kind, value = case
    state = machine_state(Geometry((1, 1, 1), (32, 1, 1)), Arena(0x10000, np.zeros(16, np.uint8), np.zeros(16, bool)))
    state.set_mask(np.ones(32, bool))
    execute(state, decode(word, 0, sm))
    wanted = struct.unpack(f"<{struct.calcsize(kind) // 4}I", struct.pack(f"<{kind}", float(value)))
    for part, bits in enumerate(wanted):
        assert set(state.spread(state.get_reg(register + part, False)).tolist()) == {bits}
