"""How the H200's tensor cores add (HMMA): found from the recorded rows, which it reproduces bit for bit.

All products of one output element and its addend are one sum. The largest exponent among them, that of a product being
the sum of its factors' exponents, sets the grid: every term is truncated to multiples of 2^(largest - 25), two bits
finer than f32. The sum of the truncated terms is truncated to f32, or rounded to nearest for f16. So neither the order
of k nor intermediate roundings matter. NVIDIA documents none of this: "the accumulation order, rounding and handling of
subnormal inputs are unspecified" (PTX ISA 9.0, mma); other generations have other grids and shorter sums.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.isa.sass import row_judge as rows
from tests.isa.sass import test_hardware_vectors as lanes
from tests.isa.sass.row_model import executed
from tools.sassvectors.inputs import LANES, inputs
from tools.sassvectors.rows import given

EXTRA_BITS = 2
MANTISSA = 23
LEAST = {"f16": -14, "bf16": -126, "tf32": -126, "f32": -126}  # exponents of the smallest normal numbers
LARGEST = {"f16": 65504.0, "f32": 2.0**127}
WARP = 32
Words = NDArray[np.uint32]
_SHAPE = re.compile(r"HMMA\.(1684|1688|16816)\.(F16|F32)(?:\.(BF16|TF32))? ")


@dataclass(frozen=True)
class Element:
    """One element of d: its factors, what they are added to, and the bits that the GPU gave. row, register: where."""

    factors: tuple[tuple[float, float], ...]
    addend: float
    bits: int
    row: int
    register: int
    half: int

    @property
    def special(self) -> bool:
        values = [self.addend, *(v for pair in self.factors for v in pair)]
        return any(math.isnan(v) or math.isinf(v) for v in values)

    def size(self) -> float:
        """The sum of the finite terms without their signs."""
        terms = [*(x * y for x, y in self.factors), self.addend]
        return sum(abs(term) for term in terms if math.isfinite(term))

    def terms(self) -> list[Fraction]:
        return [Fraction(x) * Fraction(y) for x, y in self.factors] + [Fraction(self.addend)]


def parsed(text: str) -> tuple[int, str, str]:
    """(k, type of a and b, type of c and d) of a dense HMMA."""
    found = _SHAPE.match(text)
    assert found is not None, text
    return {"1684": 4, "1688": 8, "16816": 16}[found[1]], (found[3] or "F16").lower(), found[2].lower()


def number(bits: int, kind: str) -> float:
    if kind == "f16":
        return float(np.uint16(bits).view(np.float16))
    wide = bits << 16 if kind == "bf16" else bits & 0xFFFFE000 if kind == "tf32" else bits
    return float(np.uint32(wide & 0xFFFFFFFF).view(np.float32))


def words_of(probe: dict[str, Any]) -> tuple[Words, Words]:
    """(inputs, what the GPU left) of a probe of `rows-sm90` or, without a name, of `sm90`."""
    if "name" in probe:
        return given(probe), rows.recorded(probe)
    words = inputs(probe["text"])
    left, offset = words[:, 12:16].copy(), probe["offset"]
    for register in probe["registers"]:
        left[:, register] = lanes.words()[offset : offset + LANES]
        offset += LANES
    return words, left


def ours(probe: dict[str, Any]) -> Words:
    """What the interpreter leaves in R32 to R35."""
    if "name" in probe:
        return executed(probe)
    state = lanes.computed(probe["text"], int(probe["word"], 16))
    return np.stack([np.broadcast_to(np.asarray(state.get_reg(32 + n, False)), (LANES,)) for n in range(4)], axis=1)


def elements(probe: dict[str, Any]) -> Iterator[Element]:
    """All elements of d of a recorded probe; fragments lie as the PTX ISA's mma.m16n8k4, k8 and k16 say."""
    k, kind, sums = parsed(probe["text"])
    words, left = words_of(probe)
    if probe["text"].endswith("RZ"):
        words = words.copy()
        words[:, 8:12] = 0
    per = 1 if kind == "tf32" else 2
    halves = 2 if sums == "f16" else 1
    for warp in range(len(words) // WARP):
        a: dict[tuple[int, int], float] = {}
        b: dict[tuple[int, int], float] = {}
        for lane in range(WARP):
            row, (group, member) = WARP * warp + lane, divmod(lane, 4)
            for n in range(16 * k // WARP):
                register, part = divmod(n, per)
                bits = int(words[row, register]) >> 16 * part & (0xFFFF if per == 2 else 0xFFFFFFFF)
                a[group + 8 * (register & 1), member * per + part + 4 * per * (register >> 1)] = number(bits, kind)
            for n in range(8 * k // WARP):
                register, part = divmod(n, per)
                bits = int(words[row, 4 + register]) >> 16 * part & (0xFFFF if per == 2 else 0xFFFFFFFF)
                b[member * per + part + 4 * per * register, group] = number(bits, kind)
        for lane in range(WARP):
            row, (group, member) = WARP * warp + lane, divmod(lane, 4)
            for n in range(4):
                register, half = divmod(n, halves)
                place = group + 8 * (n >> 1), 2 * member + (n & 1)
                mask = 0xFFFF if halves == 2 else 0xFFFFFFFF
                factors = tuple((a[place[0], at], b[at, place[1]]) for at in range(k))
                addend = number(int(words[row, 8 + register]) >> 16 * half & mask, sums)
                yield Element(factors, addend, int(left[row, register]) >> 16 * half & mask, row, register, half)


def exponent(value: float, kind: str) -> int:
    """Of a number that is not 0; subnormal ones have the least."""
    return max(math.frexp(value)[1] - 1, LEAST[kind])


def truncated(value: Fraction, place: int) -> Fraction:
    """Toward zero to a multiple of 2^place."""
    return int(value / Fraction(2) ** place) * Fraction(2) ** place


def total(element: Element, kind: str, extra: int = EXTRA_BITS) -> Fraction:
    """The exact sum of the truncated terms."""
    exponents = [exponent(x, kind) + exponent(y, kind) for x, y in element.factors if x and y]
    exponents += [exponent(element.addend, "f32")] if element.addend else []
    place = max(exponents, default=0) - MANTISSA - extra
    return sum((truncated(term, place) for term in element.terms()), Fraction(0))


def rounded(value: Fraction, sums: str) -> int:
    """Bits of a sum: toward zero in f32, to nearest even in f16."""
    bias, mantissa, sign_bit = (15, 10, 0x8000) if sums == "f16" else (127, 23, 0x80000000)
    if not value:
        return 0
    sign = sign_bit if value < 0 else 0
    size = abs(value)
    log = size.numerator.bit_length() - size.denominator.bit_length()
    top = max(log if Fraction(2) ** log <= size else log - 1, 1 - bias)
    units = size / Fraction(2) ** (top - mantissa)
    whole = round(units) if sums == "f16" else int(units)
    bits = (top + bias << mantissa) + whole - (1 << mantissa)
    return sign | min(bits, 2 * bias + 1 << mantissa)


def modelled(element: Element, kind: str, sums: str, extra: int = EXTRA_BITS) -> int:
    """The bits that the rule gives for an element without infinities and NaNs."""
    return rounded(total(element, kind, extra), sums)


def latitude(element: Element, sums: str) -> float:
    """How far two ways of adding may be apart: each rounds or truncates once a term, in units of the terms' sizes."""
    steps = 2 * (len(element.factors) + 1)
    return element.size() * (steps * 2.0**-24 + (2.0**-10 if sums == "f16" else 0.0)) + (
        2.0**-24 if sums == "f16" else 0.0
    )


def _class(bits: int, sums: str) -> str:
    value = number(bits, sums)
    return "nan" if math.isnan(value) else ("-inf" if value < 0 else "+inf") if math.isinf(value) else "finite"


def apart(probe: dict[str, Any], got: Any) -> list[str]:
    """Elements where the words `got` [ROWS, …] are farther from what the GPU gave than two ways of adding may be.

    NaN is NaN, an infinity the same infinity, but where some order of the terms overflows on its way.
    """
    _, _, sums = parsed(probe["text"])
    wrong = []
    for element in elements(probe):
        bits = int(got[element.row, element.register]) >> 16 * element.half & (0xFFFF if sums == "f16" else 0xFFFFFFFF)
        kinds = _class(bits, sums), _class(element.bits, sums)
        if kinds[0] == kinds[1] != "finite" or bits == element.bits:
            continue
        if element.size() >= LARGEST[sums]:
            continue
        mine, theirs = number(bits, sums), number(element.bits, sums)
        if element.special or kinds[0] != kinds[1] or abs(mine - theirs) > latitude(element, sums):
            wrong.append(f"row {element.row} register {element.register}: {bits:#x}, GPU {element.bits:#x}")
    return wrong
