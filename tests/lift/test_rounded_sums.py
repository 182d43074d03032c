"""Sums rounded once: bf16's on hardware that has none, f32's in a fixed direction, by exact rational arithmetic."""

from __future__ import annotations

import re
from fractions import Fraction

import numpy as np
import pytest

from cass_shim.lift import lift_kernel
from cass_shim.verify import floats
from tests.lift.support import HEAD, kernel, run
from tests.verify.test_floats import exact, patterns, rounded

LANES = 512
LOADS = "\n".join(f"LDG.E R{9 + k}, [R4.64+{4 * LANES * k:#x}]" for k in range(3))
CHANCE = np.random.default_rng(30)
FLUSHING = "FADD.FTZ R12, R9, R10\nSTG.E [R2.64+0x800], R12"  # makes the mode of the whole kernel flush


def computed(lines: str, given: list[np.ndarray], behind: str = "") -> list[int]:
    """R8 of every lane, whose words are R9 to R11; R12 of every lane too where `behind` stores it."""
    body = f"{LOADS}\n{lines}\nSTG.E [R2.64], R8\n{behind}\nEXIT"
    return run(kernel(HEAD + body), np.concatenate(given), 2 * LANES, (LANES // 32,)).tolist()


def ties() -> list[np.ndarray]:
    """Factors whose product lies in the middle of two bf16, down to denormals, and addends of every size."""
    odd = [
        (x, y) for x in range(128, 256) for y in range(128, 256) if (x * y // ((x * y) & -(x * y))).bit_length() == 9
    ]
    picked = [odd[n] for n in CHANCE.integers(0, len(odd), LANES)]
    low, addend = CHANCE.integers(1, 190, LANES), CHANCE.integers(0, 255, LANES)
    # a third of the products near the least number, a third where they have all their digits
    other = np.where(
        np.arange(LANES) % 3 == 0, np.clip(127 - 133 + 127 - low + CHANCE.integers(-2, 3, LANES), 1, 254), 127
    )
    first = np.array([x - 128 for x, _ in picked]) | low << 7
    second = np.array([y - 128 for _, y in picked]) | other << 7
    third = CHANCE.integers(0, 128, LANES) | addend << 7
    return [(one | CHANCE.integers(0, 2, LANES) << 15).astype(np.uint32) for one in (first, second, third)]


def widened(halves: np.ndarray) -> np.ndarray:
    return halves.astype(np.uint32)


FORMULAS = {
    "HFMA2.BF16_V2 R8, R9, R10, R11": lambda a, b, c: a * b + c,
    "HADD2.BF16_V2 R8, R9, R10": lambda a, b, c: a + b,
    "HMUL2.BF16_V2 R8, R9, R10": lambda a, b, c: a * b,
}


@pytest.mark.parametrize("flushing", ["", FLUSHING], ids=["kept", "flushed"])
@pytest.mark.parametrize("line", FORMULAS)
def test_bf16_is_rounded_once_and_keeps_its_denormals(line: str, flushing: str) -> None:
    """Also where f32's are flushed, by the mode: sums of two bf16 as f32, which R12 holds, then are."""
    random = [widened(patterns("bf16", LANES)) for _ in range(3)]
    tiny = [CHANCE.integers(0, 1 << 8, LANES).astype(np.uint32) for _ in range(3)]
    for given in (random, ties(), tiny):
        words = [one << np.uint32(16) | other for one, other in zip(given, given[::-1], strict=True)]
        found = computed(line, words, flushing)
        for half, order in ((16, given), (0, given[::-1])):
            for lane in range(LANES):
                numbers = [exact("bf16", int(one[lane])) for one in order]
                wanted = rounded("bf16", FORMULAS[line](*numbers), "rn")
                bits = found[lane] >> half & 0xFFFF
                got = float(floats.to_float("bf16", np.array([bits], np.uint16))[0])
                assert got == wanted, (line, half, [hex(int(one[lane])) for one in order])
        if flushing:
            denormal = [word for word in found[LANES:] if 0 < word & 0x7FFF_FFFF < 0x80_0000]
            assert not denormal


def test_bf16_is_compared_with_its_denormals_where_f32_is_flushed() -> None:
    given = [CHANCE.integers(0, 1 << 17, LANES).astype(np.uint32) & np.uint32(0x8003_8003) for _ in range(3)]
    low = [np.array([float(exact("bf16", int(word) & 0xFFFF)) for word in one]) for one in given[:2]]
    found = np.array(computed("HMNMX2.BF16_V2 R8, R9, R10, PT", given, FLUSHING), np.uint32)[:LANES]
    smaller = [float(exact("bf16", int(word) & 0xFFFF)) for word in found]
    assert smaller == np.minimum(*low).tolist()
    line = "HSETP2.BF16_V2.LT.AND P1, P2, R9, R10, PT\nSEL R8, RZ, 0x1, !P1"
    less = computed(line, given, FLUSHING)[:LANES]
    assert less == (low[0] < low[1]).astype(int).tolist()
    assert 0 < sum(less) < LANES


def apart() -> list[np.ndarray]:
    """f32 whose product and addend overlap by any number of digits, or by none."""
    exponents = [CHANCE.integers(100, 150, LANES), CHANCE.integers(100, 150, LANES), CHANCE.integers(1, 230, LANES)]
    digits = [CHANCE.integers(0, 1 << 23, LANES) & -(1 << CHANCE.integers(0, 24)) for _ in range(3)]
    signs = [CHANCE.integers(0, 2, LANES) << 31 for _ in range(3)]
    return [(e << 23 | d | s).astype(np.uint32) for e, d, s in zip(exponents, digits, signs, strict=True)]


@pytest.mark.parametrize("mode", ["RM", "RP", "RZ"])
@pytest.mark.parametrize("name", ["FADD", "FFMA"])
def test_f32_is_rounded_in_a_direction(name: str, mode: str) -> None:
    sources = "R9, R10, R11" if name == "FFMA" else "R9, R11"
    for given in (apart(), [patterns("f32", LANES) for _ in range(3)]):
        found = computed(f"{name}.{mode} R8, {sources}", given)
        for lane in range(LANES):
            a, b, c = (exact("f32", int(one[lane])) for one in given)
            wanted = rounded("f32", a * b + c if name == "FFMA" else a + c, mode.lower())
            got = float(np.array([found[lane]], np.uint32).view(np.float32)[0])
            assert got == wanted, (name, mode, [hex(int(one[lane])) for one in given])


COUNTED = """
    FFMA.SAT R8, R9, 0x3f800000, RZ
    MOV R13, 0x437c0000
    FFMA.RM R8, R8, R13, 0x4b400001
"""


def test_expf_counts_down_without_wide_arithmetic() -> None:
    """252 times a share, rounded down above 12,582,913: shares at and beside every whole number."""
    whole = (np.arange(LANES) % 253 / np.float32(252)).astype(np.float32).view(np.uint32)
    beside = (whole + CHANCE.integers(-2, 3, LANES)).astype(np.uint32)
    beside[-8:] = np.array(
        [0, 0x8000_0000, 0x7FC0_0000, 0x7F80_0000, 0xFF80_0000, 1, 0x3F7F_FFFF, 0x4000_0000], np.uint32
    )
    found = computed(COUNTED, [beside, beside, beside])[:LANES]
    for lane, word in enumerate(beside):
        number = float(np.array([word], np.uint32).view(np.float32)[0])
        share = Fraction(0) if number != number else Fraction(min(max(number, 0.0), 1.0))
        wanted = rounded("f32", share * 252 + 12582913, "rm")
        assert float(np.array([found[lane]], np.uint32).view(np.float32)[0]) == wanted, hex(int(word))
    body = f"{LOADS}\n{COUNTED}\nSTG.E [R2.64], R8\nEXIT"
    assert "double" not in lift_kernel(kernel(HEAD + body)).text


def test_a_kernel_of_many_bf16_sums_calls_one_function() -> None:
    """Forty instructions each otherwise."""
    few, many = ("\n".join(["HFMA2.BF16_V2 R8, R9, R10, R8"] * count) for count in (2, 20))
    text = [
        lift_kernel(kernel(HEAD + f"{LOADS}\nMOV R8, R11\n{lines}\nSTG.E [R2.64], R8\nEXIT")).text
        for lines in (few, many)
    ]
    assert re.search(r"define internal i32 @cass\.bf16x2\.fma\(.*\) #4 {", text[0]) and "#4 = { alwaysinline" in text[0]
    assert re.search(r"define internal i32 @cass\.bf16x2\.fma\(.*\) #3 {", text[1]) and "#3 = { noinline" in text[1]
    given = [np.full(LANES, 0x3F80_3F80, np.uint32), np.full(LANES, 0x3C00_3C00, np.uint32), np.zeros(LANES, np.uint32)]
    assert computed(f"MOV R8, R11\n{many}", given)[:LANES] == [0x3E20_3E20] * LANES
