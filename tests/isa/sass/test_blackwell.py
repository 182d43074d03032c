"""64-bit integers and packed bytes of sm_100 and sm_120: words of ptxas against Python's arithmetic."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from cass_shim.isa.encoding.decoder import decode
from cass_shim.isa.spec import execute
from cass_shim.verify.memory import Arena
from cass_shim.verify.state import Geometry
from tests.isa.sass.test_hardware_vectors import machine_state

LANES = 512
M64 = (1 << 64) - 1
EDGES = [0, 1, 2, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 1 << 32, (1 << 63) - 1, 1 << 63, M64, M64 - 1, 0x123456789ABCDEF0]


def signed(value: int) -> int:
    return value - (1 << 64) if value >> 63 else value


def bytewise(operation: Callable[[int, int], int]) -> Callable[[int, int, int], int]:
    def run(a: int, b: int, p: int) -> int:
        del p
        pairs = ((a >> 8 * n & 255, b >> 8 * n & 255) for n in range(4))
        return sum((operation(x, y) & 255) << 8 * n for n, (x, y) in enumerate(pairs))

    return run


# sm, word as ptxas makes it, bits of the result, registers of a, b and d, the result of (a, b, p).
CASES = [
    (120, 0x000FE400078E02000000000604087235, 64, (4, 6, 8), lambda a, b, p: a + b),  # IADD.64 R8, R4, R6
    (120, 0x000FCC00078E03000000000A080A7235, 64, (8, 10, 10), lambda a, b, p: b - a),  # IADD.64 R10, -R8, R10
    (120, 0x000FE400078E0200FFFFFFC01A067835, 64, (26, 30, 6), lambda a, b, p: a - 0x40),  # IADD.64 R6, R26, -0x40
    (120, 0x004FCC0007FFE6000000001004107217, 64, (4, 16, 16), lambda a, b, p: max(signed(a), signed(b))),
    (120, 0x000FC40003FFE60000000002040A7217, 64, (4, 2, 10), lambda a, b, p: min(signed(a), signed(b))),
    (120, 0x020FC600000000000000000C04047607, 64, (4, 12, 4), lambda a, b, p: a if p else b),  # SEL.64 R4, R4, R12, P0
    (120, 0x000FE40000000001FFFFFFFF0A0A7407, 64, (10, 12, 10), lambda a, b, p: a if p else M64),  # ..., -0x1, P0
    (120, 0x000FE200000008008000000A09097236, 32, (9, 10, 9), bytewise(lambda x, y: x - y)),  # VIADD.U8x4, -R10
    (120, 0x000FE20003FE04000000000D000A7248, 32, (0, 13, 10), bytewise(min)),  # VIMNMX.U8x4 R10, R0, R13, PT
]


@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c[0]}-{c[1]:x}")
def test_results(case: tuple[int, int, int, tuple[int, int, int], Callable[[int, int, int], int]]) -> None:
    sm, word, bits, (ra, rb, rd), expected = case
    values = [(a, b, p) for a in EDGES for b in EDGES for p in (0, 1)]
    nothing = Arena(0x10000, np.zeros(16, np.uint8), np.zeros(16, bool))
    state = machine_state(Geometry((1, 1, 1), (LANES, 1, 1)), nothing)
    state.set_mask(np.ones(LANES, bool))
    values += [(0, 0, 0)] * (LANES - len(values))
    for register, column in ((ra, 0), (rb, 1)):
        state.set_reg(register, False, np.array([v[column] & 0xFFFFFFFF for v in values], np.uint32))
        if bits == 64:
            state.set_reg(register + 1, False, np.array([v[column] >> 32 for v in values], np.uint32))
    state.set_pred(0, False, np.array([bool(v[2]) for v in values]))
    execute(state, decode(word, 0, sm))
    low, high = (state.spread(state.get_reg(rd + part, False)) for part in (0, 1))
    for lane, (a, b, p) in enumerate(values):
        if bits == 32:
            assert int(low[lane]) == expected(a & 0xFFFFFFFF, b & 0xFFFFFFFF, p), (hex(a), hex(b), p)
        else:
            assert int(low[lane]) | int(high[lane]) << 32 == expected(a, b, p) & M64, (hex(a), hex(b), p)
