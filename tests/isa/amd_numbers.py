"""Numbers of AMD's pseudocode: exact integers with a width, floats as numpy scalars, the functions on them."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

FLOAT = {16: np.float16, 32: np.float32, 64: np.float64}
BITS = {16: np.uint16, 32: np.uint32, 64: np.uint64}
TYPE = re.compile(r"^(bf|[uifb])(\d+)$")


class NotCovered(Exception):
    """The text uses something that this evaluator does not know."""


@dataclass
class Int:
    """value: exact; width: bits of its type; signed: of its type."""

    value: int
    width: int = 32
    signed: bool = False


def to_bits(x: Any, width: int) -> int:
    """Bit pattern of a value as `width` bits."""
    if isinstance(x, np.floating):
        size = x.dtype.itemsize * 8
        return int(np.array([x]).view(BITS[size])[0])
    return int(x.value if isinstance(x, Int) else x) & ((1 << width) - 1)


def typed(bits: int, kind: str) -> Any:
    """A bit pattern seen as a type such as u32, i16, f64, b32, bf16."""
    match = TYPE.match(kind)
    if not match:
        raise NotCovered(kind)
    letter, width = match.group(1), int(match.group(2))
    bits &= (1 << width) - 1
    if letter == "bf":
        return np.array([bits << 16], np.uint32).view(np.float32)[0]
    if letter == "f":
        return np.array([bits], BITS[width]).view(FLOAT[width])[0]
    if letter == "i" and bits >> (width - 1):
        return Int(bits - (1 << width), width, True)
    return Int(bits, width, letter == "i")


def number(x: Any) -> Any:
    """Plain Python or numpy number."""
    return x.value if isinstance(x, Int) else x


def truth(x: Any) -> bool:
    return bool(number(x))


def as_float(x: Any, width: int) -> Any:
    return FLOAT[width](number(x))


def saturate(x: Any, low: int, high: int, width: int) -> Int:
    """Float to integer as the conversions do: toward zero, saturating, NaN to 0."""
    f = float(x)
    value = 0 if math.isnan(f) else low if f <= low else high if f >= high else int(f)
    return Int(value, width, low < 0)


def is_nan(x: Any) -> bool:
    return bool(np.isnan(number(x)))


def fused(a: Any, b: Any, c: Any) -> Any:
    """a*b+c with one rounding, by exact rational arithmetic."""
    kind = type(a)
    with np.errstate(all="ignore"):
        plain = kind(np.float64(a) * np.float64(b) + np.float64(c)) if kind is not np.float64 else a * b + c
    if not all(np.isfinite(x) for x in (a, b, c)):
        return kind(np.float64(a) * np.float64(b) + np.float64(c))
    exact = Fraction(float(a)) * Fraction(float(b)) + Fraction(float(c))
    if exact == 0:
        return plain
    return round_fraction(exact, kind)


def round_fraction(exact: Any, kind: Any) -> Any:
    """A nonzero fraction rounded to nearest even in a float type."""
    info = np.finfo(kind)
    p, least = info.nmant + 1, int(info.minexp) - info.nmant
    sign, exact = (-1, -exact) if exact < 0 else (1, exact)
    e = exact.numerator.bit_length() - exact.denominator.bit_length()
    if exact < (2**e if e >= 0 else type(exact)(1, 2**-e)):
        e -= 1
    scale = max(e - p + 1, least)
    scaled = exact / (type(exact)(2) ** scale)
    whole = scaled.numerator // scaled.denominator
    rest = scaled - whole
    if rest > type(exact)(1, 2) or (rest == type(exact)(1, 2) and whole & 1):
        whole += 1
    with np.errstate(all="ignore"):
        return kind(np.copysign(np.ldexp(np.longdouble(whole), scale), sign))


def exponent(x: Any) -> Int:
    """Biased exponent field."""
    width = x.dtype.itemsize * 8
    mant = np.finfo(x.dtype).nmant
    return Int(to_bits(x, width) >> mant & ((1 << (width - 1 - mant)) - 1))


FUNCTIONS = {
    "abs": lambda x: abs(x) if not isinstance(x, Int) else Int(abs(x.value), x.width, x.signed),
    "sign": lambda x: Int(int(np.signbit(x)), 1),
    "exponent": exponent,
    "isNAN": lambda x: Int(int(is_nan(x)), 1),
    "fma": fused,
    "floor": np.floor,
    "trunc": np.trunc,
    "mantissa": lambda x: type(x)(np.frexp(x)[0]),
    "isEven": lambda x: Int(int(float(x) % 2 == 0), 1),
    "fract": lambda x: x - np.floor(x),
    "ldexp": lambda x, n: type(x)(np.ldexp(np.longdouble(x), int(number(n)))),
    "f16_to_f32": np.float32,
    "f32_to_f16": np.float16,
    "f32_to_f64": np.float64,
    "f64_to_f32": np.float32,
    "bf16_to_f32": np.float32,
    "f32_to_i32": lambda x: saturate(x, -(2**31), 2**31 - 1, 32),
    "f64_to_i32": lambda x: saturate(x, -(2**31), 2**31 - 1, 32),
    "f32_to_u32": lambda x: saturate(x, 0, 2**32 - 1, 32),
    "f64_to_u32": lambda x: saturate(x, 0, 2**32 - 1, 32),
    "f16_to_i16": lambda x: saturate(x, -32768, 32767, 16),
    "f16_to_u16": lambda x: saturate(x, 0, 65535, 16),
    "f32_to_u8": lambda x: saturate(x, 0, 255, 8),
    "v_cvt_i16_f32": lambda x: saturate(x, -32768, 32767, 16),
    "v_cvt_u16_f32": lambda x: saturate(x, 0, 65535, 16),
    "i32_to_f32": lambda x: np.float32(number(x)),
    "u32_to_f32": lambda x: np.float32(number(x)),
    "i32_to_f64": lambda x: np.float64(number(x)),
    "u32_to_f64": lambda x: np.float64(number(x)),
    "u16_to_f16": lambda x: np.float16(np.float64(number(x))),
    "i16_to_f16": lambda x: np.float16(np.float64(number(x))),
    "u32_to_u16": lambda x: Int(min(number(x), 65535), 16),
    "i32_to_i16": lambda x: Int(max(-32768, min(number(x), 32767)), 16, True),
    "u8_to_u32": lambda x: Int(number(x) & 255),
    "u4_to_u32": lambda x: Int(number(x) & 15),
    "signext": lambda x: typed(number(x), f"i{x.width}"),
    "signext_from_bit": lambda x, n: Int(
        0
        if number(n) == 0
        else (number(x) & ((1 << number(n)) - 1)) - ((1 << number(n)) if number(x) >> (number(n) - 1) & 1 else 0),
        x.width,
        True,
    ),
}


def literal(token: str) -> Any:
    """A number in AMD's notation."""
    if "." in token:
        return np.float32(token[:-1]) if token.endswith("F") else np.float64(token)
    body = token.rstrip("UL")
    return Int(int(body, 0), 64 if "LL" in token else 32, "U" not in token)


def apply(op: str, a: Any, b: Any) -> Any:
    """One binary operator; two floats of different types meet in the wider one."""
    x, y = number(a), number(b)
    if op in ("||", "&&"):
        return Int(int((bool(x) or bool(y)) if op == "||" else (bool(x) and bool(y))), 1)
    if op in ("==", "!=", "<>", "<", "<=", ">", ">="):
        compared = {
            "==": x == y,
            "!=": x != y,
            "<>": x < y or x > y,
            "<": x < y,
            "<=": x <= y,
            ">": x > y,
            ">=": x >= y,
        }
        return Int(int(bool(compared[op])), 1)
    if isinstance(a, Int) and isinstance(b, Int):
        width, signed = max(a.width, b.width), a.signed and b.signed
        if op in ("<<", ">>"):
            return Int(x << y if op == "<<" else x >> y, a.width, a.signed)
        if op == "/":
            return Int(abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1), width, signed)
        value = {"+": x + y, "-": x - y, "*": x * y, "&": x & y, "|": x | y, "^": x ^ y}
        if op == "**" or op == "%":
            return Int(x**y if op == "**" else x % y, width, signed)
        return Int(value[op], width, signed)
    with np.errstate(all="ignore"):
        if op == "**":
            return np.longdouble(x) ** int(y)
        if isinstance(a, np.floating) and isinstance(b, Int):
            y = type(a)(y)
        return {"+": lambda: x + y, "-": lambda: x - y, "*": lambda: x * y, "/": lambda: x / y}[op]()
