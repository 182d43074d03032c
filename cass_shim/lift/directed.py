"""Results rounded in a fixed direction, and sums rounded to odd, from nearest-even operations and exact errors.

Sources: Knuth, TAOCP 2, §4.2.2 (TwoSum); Boldo and Muller, "Some functions computable with a fused-mac", 2005
(the error of a fused multiply-add); Boldo and Melquiond, "Emulation of FMA and correctly rounded sums", 2008
(rounding to odd makes a second rounding harmless).
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

from cass_shim.isa.float_kinds import SIGN
from cass_shim.lift.builder import Value, constant
from cass_shim.lift.quotients import Quotients

_SIGN = 1 << 63
_INFINITY = 0x7FF << 52


def _power(exponent: int) -> Value:
    """2 to an exponent as an f64."""
    return constant((exponent + 1023) << 52, 64)


@dataclass
class Directed(Quotients):
    """Directed rounding for f32 and f64."""

    def directed(self, kind: str, name: str, values: list[Value], rounding: str, ftz: bool) -> Value:
        if kind == "f32":
            return self._directed_f32(name, values, rounding, ftz)
        if name == "fadd":
            near, error = self._two_sum(*values)
        else:
            near = self._operate("f64", name, values, "rn", False)
            error = self._product_error(near, values[0], values[1], values[2:])
        error = self._overflow_error(near, error, values)
        zero = constant(0, 64)
        above = self.fcompare("f64", "lt", error, zero)
        below = self.fcompare("f64", "gt", error, zero)
        result = self._step("f64", near, above, below, rounding)
        if rounding == "rm" and name != "fmul":
            first = values[0] if name == "fadd" else self.xor(values[0], values[1])
            result = self._zero_sum(result, self.fcompare("f64", "eq", near, zero), error, first, values[-1])
        return result

    def _zero_sum(self, result: Value, is_zero: Value, error: Value, a: Value, b: Value) -> Value:
        """An exact zero sum is -0 when rounding down, unless both terms are +0 (IEEE 754, 6.3)."""
        sign = self.and_(self.or_(a, b), constant(_SIGN, 64))
        if result.width == 32:  # f64 has no zero for a sum of f32 and their products that is none
            return self.select(is_zero, self.high(sign), result)
        return self.select(self.and_(is_zero, self.fcompare("f64", "eq", error, constant(0, 64))), sign, result)

    def _directed_f32(self, name: str, values: list[Value], rounding: str, ftz: bool) -> Value:
        """f64 holds every product of two f32 exactly, and what its sums lose is known."""
        wide = [self.float_to_float("f64", "f32", v) for v in values]
        if name == "fmul":
            exact = self._operate("f64", "fmul", wide, "rn", False)
            return self.float_to_float("f32", "f64", exact, rounding)
        first = wide[0]
        if name == "fma":
            first = self._operate("f64", "fmul", wide[:2], "rn", False)
        total, error = self._two_sum(first, wide[-1])
        near = self._bits("f32", self._convert("fptrunc", "f64", "f32", self._float("f64", total)))
        # What the second rounding left is nothing or outweighs what the sum left: the two together have its sign.
        rest = self._plus(self._minus(total, self.float_to_float("f64", "f32", near)), error)
        zero = constant(0, 64)
        above, below = self.fcompare("f64", "lt", rest, zero), self.fcompare("f64", "gt", rest, zero)
        result = self._step("f32", near, above, below, rounding)
        if rounding == "rm":
            result = self._zero_sum(result, self.fcompare("f64", "eq", total, zero), error, first, wide[-1])
        return result

    def counts_ones(self, name: str, values: list[Value], rounding: str) -> bool:
        """Whether `share * most + base`, rounded down, is at least 2^23 and below 2^24 for every share."""
        if name != "fma" or rounding != "rm" or not values[0].is_share:
            return False
        known = [one.known for one in values[1:] if one.known is not None]
        most, base = (struct.unpack("<f", one.to_bytes(4, "little"))[0] for one in known) if len(known) == 2 else (0, 0)
        return bool(most >= 0 and base >= 1 << 23 and base + most < 1 << 24)

    def to_ones(self, share: Value, most: Value, base: Value) -> Value:
        """A sum whose last digit counts ones: the nearest is the one below or the one above.

        expf begins with one, 252 times a share above 12,582,913: its low bits are a power of two.
        """
        near = self._operate("f32", "fma", [share, most, base], "rn", False)
        whole = self._operate("f32", "fadd", [base, self.xor(near, constant(SIGN["f32"], 32))], "rn", False)
        left = self._operate("f32", "fma", [share, most, whole], "rn", False)  # rounded, but to its own side of zero
        return self.sub(near, self.zext(self.fcompare("f32", "lt", left, constant(0, 32)), 32))

    def _magnitude(self, a: Value) -> Value:
        return self.and_(a, constant(_SIGN - 1, 64))

    def _overflow_error(self, near: Value, error: Value, values: list[Value]) -> Value:
        """An infinite result of finite operands lies beyond the exact one."""
        infinity = constant(_INFINITY, 64)
        overflow = self.compare("eq", self._magnitude(near), infinity)
        for value in values:
            overflow = self.and_(overflow, self.compare("ult", self._magnitude(value), infinity))
        return self.select(overflow, self.xor(near, constant(_SIGN, 64)), error)

    def _product_error(self, near: Value, a: Value, b: Value, addend: list[Value]) -> Value:
        """A value with the sign of a b + c - near, for near the nearest double.

        The terms are scaled into the middle of the range, where the error-free transformations hold. A product
        too small even then is no more than a sign.
        """
        c = addend[0] if addend else constant(0, 64)
        size = self._magnitude(self._operate("f64", "fmul", [a, b], "rn", False))
        other = self._magnitude(c)
        small = self.and_(self.compare("ult", size, _power(-900)), self.compare("ult", other, _power(-800)))
        big = self.or_(self.compare("ugt", size, _power(900)), self.compare("ugt", other, _power(900)))
        factor = self.select(small, _power(700), self.select(big, _power(-200), _power(0)))
        first = self.xor(self.compare("ult", self._magnitude(a), self._magnitude(b)), big)

        def scaled(value: Value) -> Value:
            return self._operate("f64", "fmul", [value, factor], "rn", False)

        x, y = self.select(first, scaled(a), a), self.select(first, b, scaled(b))
        product, product_low = self._two_product(x, y)
        alpha, alpha_low = self._two_sum(scaled(c), product_low)
        beta, beta_low = self._two_sum(product, alpha)
        gamma = self._plus(self._minus(beta, scaled(near)), beta_low)
        error = self._plus(gamma, alpha_low)
        lost = self.and_(
            self.fcompare("f64", "eq", error, constant(0, 64)),
            self.compare("ult", self._magnitude(product), _power(-960)),
        )
        nonzero = self.and_(
            self.compare("ne", self._magnitude(a), constant(0, 64)),
            self.compare("ne", self._magnitude(b), constant(0, 64)),
        )
        sign = self.and_(self.xor(a, b), constant(_SIGN, 64))
        return self.select(self.and_(lost, nonzero), self.or_(sign, _power(0)), error)

    def _plus(self, a: Value, b: Value) -> Value:
        return self._operate("f64", "fadd", [a, b], "rn", False)

    def _minus(self, a: Value, b: Value) -> Value:
        return self._plus(a, self.xor(b, constant(_SIGN, 64)))

    def _two_sum(self, a: Value, b: Value) -> tuple[Value, Value]:
        total = self._plus(a, b)
        rest = self._minus(total, a)
        return total, self._plus(self._minus(a, self._minus(total, rest)), self._minus(b, rest))

    def _two_product(self, a: Value, b: Value) -> tuple[Value, Value]:
        product = self._operate("f64", "fmul", [a, b], "rn", False)
        negative = self.xor(product, constant(_SIGN, 64))
        return product, self._operate("f64", "fma", [a, b, negative], "rn", False)

    def _narrow_to_odd(self, a: Value) -> Value:
        """f64 to f32, rounded to odd."""
        near = self._bits("f32", self._convert("fptrunc", "f64", "f32", self._float("f64", a)))
        back = self.float_to_float("f64", "f32", near)
        mask = constant((1 << 63) - 1, 64)
        inexact = self.and_(self.compare("ne", back, a), self.fcompare("f64", "num", a, a))
        beyond = self.compare("ugt", self.and_(back, mask), self.and_(a, mask))
        truncated = self.select(beyond, self.sub(near, constant(1, 32)), near)
        return self.select(inexact, self.or_(truncated, constant(1, 32)), near)
