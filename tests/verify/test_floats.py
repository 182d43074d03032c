"""Float primitives against exact rational arithmetic, over random bit patterns and every special value."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from cass_shim.isa.float_kinds import EXPONENT, SIGN
from cass_shim.verify import floats

RANDOM = np.random.default_rng(20)
PRECISION = {"f16": (11, -24, 16), "bf16": (8, -133, 128), "f32": (24, -149, 128), "f64": (53, -1074, 1024)}


def exact(kind: str, bits: int) -> Fraction:
    value = floats.to_float(kind, np.array([bits], floats._BITS[kind]))[0]
    return Fraction(float(value))


def rounded(kind: str, value: Fraction, mode: str) -> float:
    """Correct rounding by the definition of IEEE 754; overflow to infinity or the largest number by mode."""
    precision, lowest, highest = PRECISION[kind]
    if value == 0:
        return 0.0
    negative, magnitude = value < 0, abs(value)
    exponent = math.floor(math.log2(magnitude.numerator) - math.log2(magnitude.denominator))
    while Fraction(2) ** exponent > magnitude:
        exponent -= 1
    while Fraction(2) ** (exponent + 1) <= magnitude:
        exponent += 1
    unit = Fraction(2) ** max(exponent - precision + 1, lowest)
    whole, rest = divmod(magnitude, unit)
    up = {
        "rn": rest > unit / 2 or (rest == unit / 2 and whole % 2 == 1),
        "rz": False,
        "rp": rest > 0 and not negative,
        "rm": rest > 0 and negative,
    }[mode]
    result = (whole + int(up)) * unit
    if result >= Fraction(2) ** highest:
        to_infinity = mode == "rn" or mode == ("rm" if negative else "rp")
        result = math.inf if to_infinity else (2 - Fraction(2) ** (1 - precision)) * Fraction(2) ** (highest - 1)
    return -float(result) if negative else float(result)


def patterns(kind: str, count: int) -> np.ndarray:
    """Finite numbers whose exponents are close enough to interact."""
    dtype = floats._BITS[kind]
    width = 8 * np.dtype(dtype).itemsize
    bits = RANDOM.integers(0, 2**63, count, dtype=np.uint64) << np.uint64(1)
    bits = (bits >> np.uint64(64 - width)).astype(dtype)
    finite = (bits & dtype(EXPONENT[kind])) != EXPONENT[kind]
    near = {"f64": 0x3FE << 52, "f32": 0x3F << 24, "f16": 0x3C00, "bf16": 0x3F00}[kind]
    mantissa = {"f64": (1 << 54) - 1, "f32": (1 << 25) - 1, "f16": 0xFFF, "bf16": 0x1FF}[kind]
    close = (bits & dtype(mantissa | SIGN[kind])) | dtype(near)
    close = np.where((close & dtype(EXPONENT[kind])) == EXPONENT[kind], dtype(near), close)
    return np.where(finite & (RANDOM.random(count) < 0.4), bits, close).astype(dtype)


@pytest.mark.parametrize("mode", ["rn", "rm", "rp", "rz"])
@pytest.mark.parametrize("kind", ["f16", "bf16", "f32", "f64"])
def test_add_mul_fma_are_correctly_rounded(kind: str, mode: str) -> None:
    a, b, c = (patterns(kind, 150) for _ in range(3))
    results = {
        "add": (floats.fadd(kind, a, b, mode), lambda x, y, z: x + y),
        "mul": (floats.fmul(kind, a, b, mode), lambda x, y, z: x * y),
        "fma": (floats.ffma(kind, a, b, c, mode), lambda x, y, z: x * y + z),
    }
    for name, (found, formula) in results.items():
        for n in range(len(a)):
            wanted = rounded(kind, formula(*(exact(kind, int(v[n])) for v in (a, b, c))), mode)
            got = float(floats.to_float(kind, found[n : n + 1])[0])
            assert got == wanted, (name, kind, mode, hex(a[n]), hex(b[n]), hex(c[n]))


@pytest.mark.parametrize("mode", ["rn", "rm", "rp", "rz"])
@pytest.mark.parametrize(("to_kind", "from_kind"), [("f16", "f32"), ("bf16", "f32"), ("f32", "f64"), ("f16", "f64")])
def test_narrowing_is_correctly_rounded(to_kind: str, from_kind: str, mode: str) -> None:
    values = patterns(from_kind, 300)
    found = floats.float_to_float(to_kind, from_kind, values, mode)
    for n in range(len(values)):
        wanted = rounded(to_kind, exact(from_kind, int(values[n])), mode)
        assert float(floats.to_float(to_kind, found[n : n + 1])[0]) == wanted, (hex(values[n]), mode)


def test_flush_minimum_and_saturation() -> None:
    denormal, zero, minus = np.array([1], np.uint32), np.array([0], np.uint32), np.array([0x80000001], np.uint32)
    assert floats.flush("f32", denormal)[0] == 0 and floats.flush("f32", minus)[0] == 0x80000000
    nan, one = np.array([0x7FC00001], np.uint32), np.array([0x3F800000], np.uint32)
    assert floats.fminmax("f32", nan, one, True, False, False)[0] == 0x3F800000
    assert floats.fminmax("f32", nan, one, True, True, False)[0] == 0x7FFFFFFF
    negative_zero = np.array([0x80000000], np.uint32)
    assert floats.fminmax("f32", zero, negative_zero, True, False, False)[0] == 0x80000000
    assert floats.saturate("f32", nan)[0] == 0 and floats.saturate("f32", one + 5)[0] == 0x3F800000


@pytest.mark.parametrize(
    ("width", "signed"), [(8, True), (16, False), (32, True), (32, False), (64, True), (64, False)]
)
def test_conversions_to_integers_saturate(width: int, signed: bool) -> None:
    values = np.array([0.0, 0.5, 1.5, 2.5, -0.5, -1.5, 127.5, 3e9, -3e9, 1e30, -1e30, np.inf, -np.inf], np.float64)
    low, high = (-(1 << width - 1), (1 << width - 1) - 1) if signed else (0, (1 << width) - 1)
    for mode, function in (("rn", round), ("rm", math.floor), ("rp", math.ceil), ("rz", math.trunc)):
        found = floats.float_to_int("f64", values.view(np.uint64), width, signed, mode, True)
        bits = 8 * found.dtype.itemsize
        for n, value in enumerate(values):
            wanted = high if value == np.inf else low if value == -np.inf else min(max(function(value), low), high)
            assert int(found[n]) == wanted & ((1 << bits) - 1), (value, mode)
