"""Conversions, packing and predicates of SASS that only some PTX becomes, on the emulated device.

Their meanings agree with what an H200 gave for the PTX they were made of (`python3 -m tools.ptxforms.sass`).
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from tests.lift.support import HEAD, kernel, run

CHANCE = np.random.default_rng(8)
WORDS = np.concatenate(
    [
        np.array([0, 1, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF, 0x101, 0x102, 0x103, 0x3F80_8000], np.uint32),
        CHANCE.integers(0, 1 << 32, 23, dtype=np.uint32),
    ]
)


def signed(word: int) -> int:
    return word - (1 << 32) if word >> 31 else word


def computed(lines: str) -> list[int]:
    """R8 of every lane; R9 is its word."""
    body = f"LDG.E R9, [R4.64]\nMOV R8, RZ\n{lines}\nSTG.E [R2.64], R8\nEXIT"
    return run(kernel(HEAD + body), WORDS, 32).tolist()


def bf16(number: int) -> int:
    """The nearest bf16, even at a tie, by exact arithmetic."""
    if not number:
        return 0
    size = abs(number).bit_length()
    digits = round(Fraction(abs(number), 1) / Fraction(2) ** (size - 8))
    if digits == 256:
        digits, size = 128, size + 1
    return (0x8000 if number < 0 else 0) | (size - 1 + 127) << 7 | digits - 128


def test_integers_to_bf16_are_rounded_once() -> None:
    assert computed("I2F.BF16 R8, R9") == [bf16(signed(int(w))) for w in WORDS]
    wide = "MOV R10, RZ\nMOV R11, R9\nLOP3.LUT R10, R9, 0x1, RZ, 0xc0, !PT\nI2F.BF16.S64 R8, R10"
    assert computed(wide) == [bf16((signed(int(w)) << 32) + (int(w) & 1)) for w in WORDS]


@pytest.mark.parametrize(("kind", "least", "most"), [("S8", -128, 127), ("U8", 0, 255), ("S16", -32768, 32767)])
def test_a_narrowing_saturates(kind: str, least: int, most: int) -> None:
    expected = [max(least, min(most, signed(int(w)))) & 0xFFFF_FFFF for w in WORDS]
    assert computed(f"I2I.{kind}.S32.SAT R8, R9") == expected


def test_predicates_of_signs_and_a_predicate_that_must_hold_too() -> None:
    picked = "SEL R8, RZ, 0x1, !P1"
    signs = computed(f"MOV R10, 0x80000000\nPLOP3.LUT P1, PT, R9.SIGN, R10.SIGN, R9.SIGN, 0x80, 0x0\n{picked}")
    assert signs == [int(w) >> 31 for w in WORDS]
    text = f"ISETP.LT.AND P0, PT, R0, 0x10, PT\nLOP3.LUT.PAND P1, R10, R9, 0x1, RZ, 0xc0, P0\n{picked}"
    assert computed(text) == [int(w) & 1 if lane < 16 else 0 for lane, w in enumerate(WORDS)]


def test_the_sign_of_a_minimum_may_be_that_of_the_product() -> None:
    found = np.array(computed("MOV R10, 0xbf800000\nFMNMX.XORSIGN R8, |R9|, |R10|, PT"), np.uint32)
    floats = WORDS.view(np.float32)
    sizes = np.where(np.isnan(floats), np.float32(1), np.minimum(np.abs(floats), np.float32(1)))
    expected = sizes.view(np.uint32) | ~WORDS & np.uint32(0x8000_0000)
    flushed = (expected & np.uint32(0x7F80_0000)) == 0
    assert (
        np.where(flushed, found & np.uint32(0x8000_0000), found).tolist()
        == np.where(flushed, expected & np.uint32(0x8000_0000), expected).tolist()
    )


def test_two_eight_bit_floats_leave_the_other_half() -> None:
    text = "MOV R10, 0x3f800000\nMOV R11, 0x40000000\nF2FP.SATFINITE.E4M3.F32.PACK_AB_MERGE_C R8, R11, R10, R9"
    assert computed(text) == [(int(w) & 0xFFFF) << 16 | 0x4038 for w in WORDS]


def test_bf16_rounded_to_an_integral_value() -> None:
    found = computed("FRND.BF16.FLOOR R8, R9")
    low = (WORDS << np.uint32(16)).view(np.float32)
    expected = np.floor(low)
    kept = ~np.isnan(low)
    assert (np.array(found)[kept] == (expected.view(np.uint32) >> 16)[kept]).all()
