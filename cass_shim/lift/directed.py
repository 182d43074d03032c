"""Results rounded in a fixed direction, and sums rounded to odd, from nearest-even operations and exact errors.

Sources: Knuth, TAOCP 2, §4.2.2 (TwoSum); Boldo and Muller, "Some functions computable with a fused-mac", 2005
(the error of a fused multiply-add); Boldo and Melquiond, "Emulation of FMA and correctly rounded sums", 2008
(rounding to odd makes a second rounding harmless). Products whose error lies below the smallest double are the
one exception: their error is taken as zero.
"""

from __future__ import annotations

from dataclasses import dataclass

from cass_shim.lift.builder import Value, constant
from cass_shim.lift.floats import Floats

_ONE = 0x3F80_0000
_SIGN = 1 << 63


@dataclass
class Directed(Floats):
    """Directed rounding for f32 and f64."""

    def directed(self, kind: str, name: str, values: list[Value], rounding: str) -> Value:
        if kind == "f32":
            return self._directed_f32(name, values, rounding)
        near, error = self._nearest_and_error(name, values)
        zero = constant(0, 64)
        above = self.fcompare("f64", "lt", error, zero)
        below = self.fcompare("f64", "gt", error, zero)
        # An infinite result of finite operands has no error term; towards zero it is the largest number.
        return self._step("f64", near, above, below, rounding)

    def _directed_f32(self, name: str, values: list[Value], rounding: str) -> Value:
        """f64 holds every product of two f32 exactly, and a sum rounded to odd still knows its side."""
        wide = [self.float_to_float("f64", "f32", v) for v in values]
        if name == "fmul":
            exact = self._operate("f64", "fmul", wide, "rn", False)
        else:
            first = wide[0]
            if name == "fma":
                first = self._operate("f64", "fmul", wide[:2], "rn", False)
            total, error = self._two_sum(first, wide[-1])
            exact = self._to_odd(total, error)
        return self.float_to_float("f32", "f64", exact, rounding)

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

    def _nearest_and_error(self, name: str, values: list[Value]) -> tuple[Value, Value]:
        """(nearest result, a value with the sign of exact - nearest)."""
        if name == "fadd":
            return self._two_sum(*values)
        if name == "fmul":
            return self._two_product(*values)
        near = self._operate("f64", "fma", values, "rn", False)
        product, product_low = self._two_product(values[0], values[1])
        alpha, alpha_low = self._two_sum(values[2], product_low)
        beta, beta_low = self._two_sum(product, alpha)
        gamma = self._plus(self._minus(beta, near), beta_low)
        return near, self._plus(gamma, alpha_low)

    def _bf16_fma(self, a: Value, b: Value, c: Value) -> Value:
        """Exact product, then a sum rounded to odd in f64 and in f32: the last rounding is the only one."""
        if b.known == _ONE:
            return self._narrow_bf16(self._operate("f32", "fadd", [a, c], "rn", False))
        x, y, z = (self.float_to_float("f64", "f32", v) for v in (a, b, c))
        product = self._operate("f64", "fmul", [x, y], "rn", False)
        total, error = self._two_sum(product, z)
        odd = self._to_odd(total, error)
        return self._narrow_bf16(self._narrow_to_odd(odd))

    def _to_odd(self, total: Value, error: Value) -> Value:
        """total moved to its odd neighbour in error's direction when the sum was not exact."""
        inexact = self.fcompare("f64", "ne", error, constant(0, 64))
        even = self.compare("eq", self.and_(total, constant(1, 64)), constant(0, 64))
        same_sign = self.compare("sge", self.xor(total, error), constant(0, 64))
        step = self.select(same_sign, constant(1, 64), constant(-1, 64))
        return self.select(self.and_(inexact, even), self.add(total, step), total)

    def _narrow_to_odd(self, a: Value) -> Value:
        """f64 to f32, rounded to odd."""
        near = self._bits("f32", self._convert("fptrunc", "f64", "f32", self._float("f64", a)))
        back = self.float_to_float("f64", "f32", near)
        mask = constant((1 << 63) - 1, 64)
        inexact = self.and_(self.compare("ne", back, a), self.fcompare("f64", "num", a, a))
        beyond = self.compare("ugt", self.and_(back, mask), self.and_(a, mask))
        truncated = self.select(beyond, self.sub(near, constant(1, 32)), near)
        return self.select(inexact, self.or_(truncated, constant(1, 32)), near)
