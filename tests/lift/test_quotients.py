"""Integer divisions as ptxas writes them, whose first estimate the lifter makes in its own way, against Python's."""

from __future__ import annotations

import numpy as np
import pytest

from cass_shim.lift import lift_kernel
from tests.lift.support import HEAD, kernel, run

LOAD = """
    IMAD R6, R0, 0x10, RZ
    IADD3 R6, P0, R6, c[0x0][0x168], RZ
    IADD3.X R7, RZ, c[0x0][0x16c], RZ, P0, !PT
    LDG.E.64 R20, [R6.64]
    LDG.E.64 R22, [R6.64+0x8]
"""
# ptxas 13.0 for sm_80, from examples/saxpy_double.cu: R9 / R2, the quotient in R8.
DIVIDE_32 = """
    MOV R9, R20
    MOV R2, R22
    I2F.U32.RP R4, R2
    ISETP.NE.U32.AND P2, PT, R2, RZ, PT
    MUFU.RCP R4, R4
    IADD3 R10, R4, 0xffffffe, RZ
    F2I.FTZ.U32.TRUNC.NTZ R11, R10
    MOV R10, RZ
    IMAD.MOV R13, RZ, RZ, -R11
    IMAD R13, R13, R2, RZ
    IMAD.HI.U32 R6, R11, R13, R10
    IMAD.HI.U32 R8, R6, R9, RZ
    IMAD.MOV R6, RZ, RZ, -R8
    IMAD R9, R2, R6, R9
    ISETP.GE.U32.AND P0, PT, R9, R2, PT
    @P0 IMAD.IADD R9, R9, 0x1, -R2
    @P0 IADD3 R8, R8, 0x1, RZ
    ISETP.GE.U32.AND P1, PT, R9, R2, PT
    @P1 IADD3 R8, R8, 0x1, RZ
    @!P2 LOP3.LUT R8, RZ, R2, RZ, 0x33, !PT
"""
# And {R4, R9} / {R5, R2}, the quotient in {R11, R4}.
DIVIDE_64 = """
    MOV R9, R20
    MOV R4, R21
    MOV R14, R22
    MOV R15, R23
    MOV R2, R22
    MOV R5, R23
    I2F.U64.RP R8, R14
    MUFU.RCP R8, R8
    IADD3 R10, R8, 0x1ffffffe, RZ
    F2I.U64.TRUNC R10, R10
    IMAD.WIDE.U32 R12, R10, R2, RZ
    IMAD R13, R10, R5, R13
    IADD3 R17, P0, RZ, -R12, RZ
    IMAD R13, R11, R2, R13
    IMAD.HI.U32 R12, R10, R17, RZ
    IMAD.X R19, RZ, RZ, ~R13, P0
    IMAD.MOV.U32 R13, RZ, RZ, R10
    IMAD R15, R11, R19, RZ
    IMAD.WIDE.U32 R12, P0, R10, R19, R12
    IMAD.HI.U32 R19, R11, R19, RZ
    IMAD.HI.U32 R12, P1, R11, R17, R12
    IADD3.X R8, R19, R11, RZ, P0, !PT
    IADD3 R13, P2, R15, R12, RZ
    IADD3.X R15, RZ, RZ, R8, P2, P1
    IMAD.WIDE.U32 R10, R13, R2, RZ
    IMAD R8, R13, R5, R11
    IADD3 R11, P0, RZ, -R10, RZ
    IMAD R8, R15, R2, R8
    IMAD.HI.U32 R12, R13, R11, RZ
    IMAD.X R8, RZ, RZ, ~R8, P0
    IMAD.WIDE.U32 R12, P0, R13, R8, R12
    IMAD R10, R15, R8, RZ
    IMAD.HI.U32 R13, P1, R15, R11, R12
    IMAD.HI.U32 R8, R15, R8, RZ
    IADD3 R13, P2, R10, R13, RZ
    IMAD.X R15, R8, 0x1, R15, P0
    IMAD.HI.U32 R10, R13, R9, RZ
    IADD3.X R15, RZ, RZ, R15, P2, P1
    IMAD.MOV.U32 R11, RZ, RZ, RZ
    IMAD.WIDE.U32 R10, R13, R4, R10
    IMAD R13, R15, R4, RZ
    IMAD.HI.U32 R10, P0, R15, R9, R10
    IMAD.HI.U32 R8, R15, R4, RZ
    IADD3 R13, P1, R13, R10, RZ
    IMAD.X R8, RZ, RZ, R8, P0
    IMAD.WIDE.U32 R10, R13, R2, RZ
    IMAD.X R15, RZ, RZ, R8, P1
    IMAD R8, R13, R5, R11
    IADD3 R11, P1, -R10, R9, RZ
    IMAD R9, R15, R2, R8
    ISETP.GE.U32.AND P0, PT, R11, R2, PT
    IMAD.X R12, R4, 0x1, ~R9, P1
    IADD3 R4, P2, R13, 0x1, RZ
    IADD3 R9, P1, -R2, R11, RZ
    ISETP.GE.U32.AND.EX P0, PT, R12, R5, PT, P0
    IMAD.X R8, RZ, RZ, R15, P2
    IMAD.X R10, R12, 0x1, ~R5, P1
    SEL R13, R4, R13, P0
    SEL R9, R9, R11, P0
    SEL R8, R8, R15, P0
    IADD3 R4, P2, R13, 0x1, RZ
    SEL R10, R10, R12, P0
    ISETP.GE.U32.AND P0, PT, R9, R2, PT
    IMAD.X R11, RZ, RZ, R8, P2
    ISETP.NE.U32.AND P1, PT, R2, RZ, PT
    IMAD.MOV.U32 R9, RZ, RZ, 0x0
    ISETP.GE.U32.AND.EX P0, PT, R10, R5, PT, P0
    ISETP.NE.AND.EX P1, PT, R5, RZ, PT, P1
    SEL R11, R11, R8, P0
    IMAD.MOV.U32 R8, RZ, RZ, R6
    SEL R4, R4, R13, P0
"""
STORE = """
    IMAD R6, R0, 0x8, RZ
    IADD3 R6, P0, R6, c[0x0][0x160], RZ
    IADD3.X R7, RZ, c[0x0][0x164], RZ, P0, !PT
    STG.E [R6.64], {low}
    STG.E [R6.64+0x4], {high}
    EXIT
"""


def pairs(width: int) -> tuple[list[int], list[int]]:
    """Dividends and divisors: of every length, near powers of two, and the extremes."""
    random = np.random.default_rng(71)
    ones = (1 << width) - 1
    special = [0, 1, 2, 3, ones, ones - 1, ones // 2, ones // 2 + 1, ones // 3]
    special += [(1 << n) + d for n in range(2, width, 5) for d in (-1, 0, 1)]
    many = [int.from_bytes(random.bytes(8), "little") >> int(random.integers(64 - width, 64)) for _ in range(1600)]
    top = special + many[:800]
    below = [d or 1 for d in many[800:] + special]
    near = [q * b + d & ones for q, b, d in zip(top, below, [0, -1, 1] * len(top), strict=False)]  # of whole multiples
    return [*top, *near], [*below, *below]


@pytest.mark.parametrize(("width", "body", "low", "high"), [(32, DIVIDE_32, "R8", "RZ"), (64, DIVIDE_64, "R4", "R11")])
def test_quotients_are_exact(width: int, body: str, low: str, high: str) -> None:
    tops, belows = pairs(width)
    count = len(tops) // 32 * 32
    given = np.array([word for pair in zip(tops, belows, strict=True) for word in pair], np.uint64)
    sass = kernel(HEAD + LOAD + body + STORE.format(low=low, high=high))
    found = run(sass, given.view(np.uint32), 2 * count, grid=(count // 32,)).view(np.uint64)
    assert found.tolist() == [a // b for a, b in zip(tops[:count], belows[:count], strict=True)]


def test_a_division_needs_no_rounding_up() -> None:
    text = lift_kernel(kernel(HEAD + LOAD + DIVIDE_32 + STORE.format(low="R8", high="RZ"))).text
    assert "fptoui float" in text and "fptoui.sat" not in text
