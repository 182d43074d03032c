"""The side-effect-free primitives of the emitter, on numpy arrays over all lanes.

A value of width 1, 8, 16, 32 or 64 is a bool, uint8, uint16, uint32 or uint64 array of shape (lanes,) or (1,).
"""

from __future__ import annotations

import functools
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np

from cass_shim.verify import floats

Value: TypeAlias = Any  # a numpy array; numpy's stubs lose the element type in every operator

DTYPES: dict[int, Any] = {1: np.bool_, 8: np.uint8, 16: np.uint16, 32: np.uint32, 64: np.uint64}
SIGNED: dict[Any, Any] = {
    np.dtype(np.uint8): np.int8,
    np.dtype(np.uint16): np.int16,
    np.dtype(np.uint32): np.int32,
    np.dtype(np.uint64): np.int64,
}
_BYTE_REVERSED = np.array([int(f"{n:08b}"[::-1], 2) for n in range(256)], np.uint8)
_COMPARE: dict[str, Any] = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}


@lru_cache(maxsize=8192)
def constant(value: int, width: int) -> Value:
    """A value that is the same in every lane; never written to."""
    array = np.array([value & ((1 << width) - 1)], dtype=DTYPES[width])
    array.flags.writeable = False
    return array


def signed(a: Value) -> Value:
    """The same bits as signed integers."""
    return a.view(SIGNED[a.dtype])


def unsigned(a: Value) -> Value:
    """Signed integers back to bits."""
    return a.view(DTYPES[8 * a.dtype.itemsize])


# What an operation that makes a NaN writes: NVIDIA's (recorded on sm_90), and another pattern, so that a kernel whose
# results depend on the payload, which the emitter leaves open, is seen to when two runs are compared. f64 keeps an
# operand's payload on NVIDIA; which one is left to the host.
NVIDIA_NAN = {"f32": 0x7FFF_FFFF, "f16": 0x7FFF, "bf16": 0x7FFF}
# What else computed NaNs may be; of both signs, which a maximum of bits or a shift shows.
OTHER_NAN = {"f32": 0x7FC0_0B0B, "f16": 0x7E0B, "bf16": 0x7FCB, "f64": 0xFFF8_0000_0000_0B0B}
SIGNED_NAN = {"f32": 0xFFC0_0A0A, "f16": 0xFE0A, "bf16": 0xFFCA, "f64": 0x7FF8_0000_0000_0A0A}


class Arithmetic:
    """The pure part of `isa.emitter.Emitter`; see there for what each method means."""

    nan_payloads = NVIDIA_NAN

    def const(self, value: int, width: int) -> Value:
        return constant(value, width)

    def add(self, a: Value, b: Value) -> Value:
        return a + b

    def sub(self, a: Value, b: Value) -> Value:
        return a - b

    def mul(self, a: Value, b: Value) -> Value:
        return a * b

    def add_carry(self, a: Value, b: Value, carry: Value | None = None) -> tuple[Value, Value]:
        total = a + b
        out = total < a
        if carry is not None:
            total = total + carry.astype(a.dtype)
            out = out | (carry & (total == 0))
        return total, out

    def add_carry3(self, a: Value, b: Value, c: Value) -> tuple[Value, Value, Value]:
        total = a.astype(np.uint64) + b + c
        high = (total >> np.uint64(32)).astype(np.uint32)
        return total.astype(np.uint32), high > 0, high > 1

    def sub_borrow(self, a: Value, b: Value) -> tuple[Value, Value]:
        return a - b, a >= b

    def add_high(self, terms: list[Value], carries: list[Value]) -> Value:
        return functools.reduce(self.add, [*terms, *(c.astype(np.uint32) for c in carries)])

    def and_(self, a: Value, b: Value) -> Value:
        return a & b

    def or_(self, a: Value, b: Value) -> Value:
        return a | b

    def xor(self, a: Value, b: Value) -> Value:
        return a ^ b

    def not_(self, a: Value) -> Value:
        return ~a

    def shl(self, a: Value, n: Value) -> Value:
        return a << n.astype(a.dtype)

    def lshr(self, a: Value, n: Value) -> Value:
        return a >> n.astype(a.dtype)

    def ashr(self, a: Value, n: Value) -> Value:
        return unsigned(signed(a) >> signed(n.astype(a.dtype)))

    def umin(self, a: Value, b: Value) -> Value:
        return np.minimum(a, b)

    def umax(self, a: Value, b: Value) -> Value:
        return np.maximum(a, b)

    def smin(self, a: Value, b: Value) -> Value:
        return unsigned(np.minimum(signed(a), signed(b)))

    def smax(self, a: Value, b: Value) -> Value:
        return unsigned(np.maximum(signed(a), signed(b)))

    def popcount(self, a: Value) -> Value:
        return np.bitwise_count(a).astype(a.dtype)

    def count_leading_zeros(self, a: Value) -> Value:
        if a.dtype == np.uint64:
            high, low = (a >> np.uint64(32)).astype(np.uint32), a.astype(np.uint32)
            top = self.count_leading_zeros(high)
            return np.where(high != 0, top, 32 + self.count_leading_zeros(low)).astype(np.uint64)
        bits = 8 * a.dtype.itemsize
        return (bits - np.frexp(a.astype(np.float64))[1]).astype(a.dtype)

    def bit_reverse(self, a: Value) -> Value:
        octets = np.ascontiguousarray(a).view(np.uint8).reshape(*a.shape, -1)
        return np.ascontiguousarray(_BYTE_REVERSED[octets[..., ::-1]]).view(a.dtype).reshape(a.shape)

    def compare(self, condition: str, a: Value, b: Value) -> Value:
        if condition[0] == "s":
            a, b = signed(a), signed(b)
        result: Value = _COMPARE[condition[-2:]](a, b)
        return result

    def compare_high(self, condition: str, a: Value, b: Value, below: Value) -> Value:
        return np.where(a == b, below, self.compare(condition, a, b))

    def select(self, p: Value, a: Value, b: Value) -> Value:
        return np.where(p, a, b)

    def zext(self, a: Value, width: int) -> Value:
        return a.astype(DTYPES[width])

    def sext(self, a: Value, width: int) -> Value:
        if a.dtype == np.bool_:
            return np.where(a, DTYPES[width](-1 & ((1 << width) - 1)), DTYPES[width](0))
        return unsigned(signed(a).astype(SIGNED[np.dtype(DTYPES[width])]))

    def trunc(self, a: Value, width: int) -> Value:
        return (a & a.dtype.type(1)) != 0 if width == 1 else a.astype(DTYPES[width])

    def pair(self, low: Value, high: Value) -> Value:
        return low.astype(np.uint64) | high.astype(np.uint64) << np.uint64(32)

    def low(self, a: Value) -> Value:
        return a.astype(np.uint32)

    def high(self, a: Value) -> Value:
        return (a >> np.uint64(32)).astype(np.uint32)

    def byte_permute(self, a: Value, b: Value, selector: Value) -> Value:
        both = self.pair(a, b)
        result: Value = constant(0, 32)
        for position in range(4):
            nibble = selector >> np.uint32(4 * position) & np.uint32(15)
            octet = (both >> ((nibble & np.uint32(7)) * np.uint32(8)).astype(np.uint64)).astype(np.uint8)
            sign = np.where(octet >= 0x80, np.uint8(0xFF), np.uint8(0))
            chosen = np.where(nibble >= 8, sign, octet).astype(np.uint32)
            result = result | chosen << np.uint32(8 * position)
        return result

    def dot4(self, a: Value, b: Value, c: Value, a_signed: bool, b_signed: bool) -> Value:
        total = c
        for position in range(4):
            shift = np.uint32(8 * position)
            x, y = (a >> shift).astype(np.uint8), (b >> shift).astype(np.uint8)
            p = self.sext(x, 32) if a_signed else self.zext(x, 32)
            q = self.sext(y, 32) if b_signed else self.zext(y, 32)
            total = total + p * q
        return total

    def fadd(self, kind: str, a: Value, b: Value, rounding: str = "rn", ftz: bool = False) -> Value:
        return floats.with_nan(kind, floats.fadd(kind, a, b, rounding, ftz), self.nan_payloads)

    def fmul(self, kind: str, a: Value, b: Value, rounding: str = "rn", ftz: bool = False) -> Value:
        return floats.with_nan(kind, floats.fmul(kind, a, b, rounding, ftz), self.nan_payloads)

    def ffma(self, kind: str, a: Value, b: Value, c: Value, rounding: str = "rn", ftz: bool = False) -> Value:
        return floats.with_nan(kind, floats.ffma(kind, a, b, c, rounding, ftz), self.nan_payloads)

    def fmin(self, kind: str, a: Value, b: Value, nan_propagates: bool = False, ftz: bool = False) -> Value:
        return floats.fminmax(kind, a, b, True, nan_propagates, ftz)

    def fmax(self, kind: str, a: Value, b: Value, nan_propagates: bool = False, ftz: bool = False) -> Value:
        return floats.fminmax(kind, a, b, False, nan_propagates, ftz)

    def saturate(self, kind: str, a: Value) -> Value:
        return floats.saturate(kind, a)

    def fcompare(self, kind: str, condition: str, a: Value, b: Value, ftz: bool = False) -> Value:
        return floats.fcompare(kind, condition, a, b, ftz)

    def float_to_int(
        self, kind: str, a: Value, width: int, signed: bool, rounding: str, nan_is_zero: bool, ftz: bool = False
    ) -> Value:
        return floats.float_to_int(kind, a, width, signed, rounding, nan_is_zero, ftz)

    def int_to_float(self, kind: str, a: Value, signed: bool, rounding: str = "rn") -> Value:
        return floats.int_to_float(kind, a, signed, rounding)

    def float_to_float(self, to_kind: str, from_kind: str, a: Value, rounding: str = "rn", ftz: bool = False) -> Value:
        result = floats.float_to_float(to_kind, from_kind, a, rounding, ftz)
        if from_kind == "f64" and self.nan_payloads is NVIDIA_NAN:  # keeps the payload's high bits (recorded)
            return result
        return floats.with_nan(to_kind, result, self.nan_payloads)

    def round_to_integral(self, kind: str, a: Value, rounding: str, ftz: bool = False) -> Value:
        return floats.with_nan(kind, floats.round_to_integral(kind, a, rounding, ftz), self.nan_payloads)
