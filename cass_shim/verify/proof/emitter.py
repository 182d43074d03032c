"""The emitter that makes terms: a SASS instruction's meaning (`isa.sass`), run on what may be unknown.

In: primitive operations, as `lift` and the interpreter get them. Out: terms of all 32 lanes of a warp. An operation
that no term stands for raises `Unknown` by name, and the kernel is not proved.
"""

from __future__ import annotations

from typing import ClassVar

from cass_shim.isa.derived import Derived
from cass_shim.isa.emitter import Product
from cass_shim.isa.float_kinds import PACKED, WIDTH
from cass_shim.verify.proof.floats import Terms
from cass_shim.verify.proof.lanes import Unknown, Value, each, each_pair, width
from cass_shim.verify.proof.terms import Term


class Arithmetic(Derived[Value]):
    """The pure part of `isa.emitter.Emitter`; see there for what each method means."""

    _orders: ClassVar[dict[str, tuple[str, bool, bool]]] = {  # condition → (order, operands swapped, inverted)
        "ult": ("ult", False, False), "ugt": ("ult", True, False), "ule": ("ult", True, True),
        "uge": ("ult", False, True), "slt": ("slt", False, False), "sgt": ("slt", True, False),
        "sle": ("slt", True, True), "sge": ("slt", False, True),
    }  # fmt: skip

    def __init__(self, terms: Terms) -> None:
        self.terms = terms

    def const(self, value: int, width: int) -> Value:
        return self.terms.const(value, width)

    def add(self, a: Value, b: Value) -> Value:
        return each(self.terms.add, a, b)

    def sub(self, a: Value, b: Value) -> Value:
        return each(self.terms.sub, a, b)

    def mul(self, a: Value, b: Value) -> Value:
        return each(self.terms.mul, a, b)

    def add_carry(self, a: Value, b: Value, carry: Value | None = None) -> tuple[Value, Value]:
        t = self.terms

        def lanewise(x: Term, y: Term, c: Term) -> tuple[Term, Term]:
            return t.add(t.add(x, y), t.zext(c, x.width)), t.carry(x, y, c)

        return each_pair(lanewise, a, b, t.false if carry is None else carry)

    def and_(self, a: Value, b: Value) -> Value:
        return each(lambda x, y: self.terms.bitwise("band", x, y), a, b)

    def or_(self, a: Value, b: Value) -> Value:
        return each(lambda x, y: self.terms.bitwise("bor", x, y), a, b)

    def xor(self, a: Value, b: Value) -> Value:
        return each(lambda x, y: self.terms.bitwise("bxor", x, y), a, b)

    def not_(self, a: Value) -> Value:
        return each(self.terms.not_, a)

    def shl(self, a: Value, n: Value) -> Value:
        return each(self.terms.shl, a, n)

    def lshr(self, a: Value, n: Value) -> Value:
        return each(self.terms.lshr, a, n)

    def ashr(self, a: Value, n: Value) -> Value:
        return each(self.terms.ashr, a, n)

    def umin(self, a: Value, b: Value) -> Value:
        return each(lambda x, y: self.terms.extreme("umin", x, y), a, b)

    def umax(self, a: Value, b: Value) -> Value:
        return each(lambda x, y: self.terms.extreme("umax", x, y), a, b)

    def smin(self, a: Value, b: Value) -> Value:
        return each(lambda x, y: self.terms.extreme("smin", x, y), a, b)

    def smax(self, a: Value, b: Value) -> Value:
        return each(lambda x, y: self.terms.extreme("smax", x, y), a, b)

    def popcount(self, a: Value) -> Value:
        return each(self.terms.popcount, a)

    def count_leading_zeros(self, a: Value) -> Value:
        return each(self.terms.leading_zeros, a)

    def bit_reverse(self, a: Value) -> Value:
        return each(self.terms.reverse, a)

    def compare(self, condition: str, a: Value, b: Value) -> Value:
        t = self.terms
        if condition in ("eq", "ne"):
            return each(t.eq if condition == "eq" else lambda x, y: t.invert(t.eq(x, y)), a, b)
        order, swapped, inverted = self._orders[condition]
        less = t.ult if order == "ult" else t.slt
        if swapped:
            a, b = b, a
        return each((lambda x, y: t.invert(less(x, y))) if inverted else less, a, b)

    def select(self, p: Value, a: Value, b: Value) -> Value:
        return each(self.terms.ite, p, a, b)

    def zext(self, a: Value, width: int) -> Value:
        return each(lambda x: self.terms.zext(x, width), a)

    def sext(self, a: Value, width: int) -> Value:
        return each(lambda x: self.terms.sext(x, width), a)

    def trunc(self, a: Value, width: int) -> Value:
        return each(lambda x: self.terms.extract(x, 0, width), a)

    def pair(self, low: Value, high: Value) -> Value:
        return each(self.terms.concat, low, high)

    def low(self, a: Value) -> Value:
        return each(lambda x: self.terms.extract(x, 0, 32), a)

    def high(self, a: Value) -> Value:
        return each(lambda x: self.terms.extract(x, 32, 32), a)

    def byte_permute(self, a: Value, b: Value, selector: Value) -> Value:
        return each(self.terms.permute, a, b, selector)

    # floats

    def _by_kind(self, kind: str, function: object, *values: Value) -> Value:
        """One operation, or two on the halves of a packed kind."""
        t = self.terms
        if kind not in PACKED:
            return each(lambda *x: function(kind, *x), *values)  # type: ignore[operator]

        def halves(*packed: Term) -> Term:
            parts = [function(PACKED[kind], *(t.extract(x, at, 16) for x in packed)) for at in (0, 16)]  # type: ignore[operator]
            return t.concat(*parts)

        return each(halves, *values)

    def fadd(self, kind: str, a: Value, b: Value, rounding: str = "rn", ftz: bool = False) -> Value:
        return self._by_kind(kind, lambda k, x, y: self.terms.fadd(k, x, y, rounding, ftz), a, b)

    def fmul(self, kind: str, a: Value, b: Value, rounding: str = "rn", ftz: bool = False) -> Value:
        return self._by_kind(kind, lambda k, x, y: self.terms.fmul(k, x, y, rounding, ftz), a, b)

    def ffma(self, kind: str, a: Value, b: Value, c: Value, rounding: str = "rn", ftz: bool = False) -> Value:
        return self._by_kind(kind, lambda k, x, y, z: self.terms.ffma(k, x, y, z, rounding, ftz), a, b, c)

    def fmin(self, kind: str, a: Value, b: Value, nan_propagates: bool = False, ftz: bool = False) -> Value:
        return self._by_kind(kind, lambda k, x, y: self.terms.fextreme(k, True, x, y, nan_propagates, ftz), a, b)

    def fmax(self, kind: str, a: Value, b: Value, nan_propagates: bool = False, ftz: bool = False) -> Value:
        return self._by_kind(kind, lambda k, x, y: self.terms.fextreme(k, False, x, y, nan_propagates, ftz), a, b)

    def saturate(self, kind: str, a: Value) -> Value:
        return self._by_kind(kind, self.terms.saturate, a)

    def fcompare(self, kind: str, condition: str, a: Value, b: Value, ftz: bool = False) -> Value:
        return each(lambda x, y: self.terms.fcompare(kind, condition, x, y, ftz), a, b)

    def float_to_int(
        self, kind: str, a: Value, width: int, signed: bool, rounding: str, nan_is_zero: bool, ftz: bool = False
    ) -> Value:
        t, name = self.terms, f"{kind}.to.{'s' if signed else 'u'}{width}.{rounding}"
        out = 64 if width == 64 else 32

        def lanewise(x: Term) -> Term:
            found = t.symbol(name, out, t.flush(kind, x) if ftz else x)
            return found if nan_is_zero else t.ite(t.is_nan(kind, x), t.const(1 << (width - 1), out), found)

        return each(lanewise, a)

    def int_to_float(self, kind: str, a: Value, signed: bool, rounding: str = "rn") -> Value:
        name = f"{'s' if signed else 'u'}{width(a)}.to.{kind}.{rounding}"
        return each(lambda x: self.terms.symbol(name, WIDTH[kind], x), a)

    def float_to_float(self, to_kind: str, from_kind: str, a: Value, rounding: str = "rn", ftz: bool = False) -> Value:
        name = f"{from_kind}.to.{to_kind}.{rounding}{'.ftz' if ftz else ''}"
        return each(lambda x: self.terms.symbol(name, WIDTH[to_kind], x), a)

    def round_to_integral(self, kind: str, a: Value, rounding: str, ftz: bool = False) -> Value:
        name = f"integral.{kind}.{rounding}{'.ftz' if ftz else ''}"
        return each(lambda x: self.terms.symbol(name, WIDTH[kind], x), a)

    def mufu(self, function: str, a: Value) -> Value:
        """The device's function of that name, applied as the lifter applies it; nothing else is known of it."""
        t, sign = self.terms, 0x8000_0000
        if function in ("rcp64h", "rsq64h"):
            denormal = self.compare("eq", self.and_(a, self.const(0x7FF0_0000, 32)), self.const(0, 32))
            a = self.select(denormal, self.and_(a, self.const(sign, 32)), a)
            wide = self.pair(self.const(0, 32), a)
            return self.high(each(lambda x: t.symbol(f"gfx.{function[:3]}.f64", 64, x), wide))
        if function not in ("rcp", "rsq", "sqrt", "ex2", "lg2", "sin", "cos"):
            raise Unknown(f"MUFU.{function.upper()} has no terms")
        value = a
        if function in ("sqrt", "sin"):
            a = value = each(lambda x: t.flush("f32", x), a)
        if function in ("sin", "cos"):
            magnitude = self.and_(a, self.const(0x7FFF_FFFF, 32))
            value = each(lambda x: t.symbol("gfx.fract.f32", 32, x), magnitude)
        name = {"ex2": "exp", "lg2": "log"}.get(function, function)
        found = each(lambda x: t.symbol(f"gfx.{name}.f32", 32, x), value)
        return self.xor(found, self.and_(a, self.const(sign, 32))) if function == "sin" else found

    def matrix_multiply(
        self, kinds: Product, a: list[Value], b: list[Value], c: list[Value], present: list[Value] | None = None
    ) -> list[Value]:
        raise Unknown("matrix operations have no terms")

    def trap(self) -> None:
        raise Unknown("the kernel may trap")

    def system_call(self, name: str) -> None:
        raise Unknown(f"it calls {name}")
