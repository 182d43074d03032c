"""Arithmetic of bfloat16, which gfx11 has none of, and pairs of f16.

bf16 has f32's denormals, and none of its instructions flushes them.

Source: Boldo and Melquiond, "Emulation of FMA and correctly rounded sums", 2008 (rounding to odd makes a second
rounding harmless).
"""

from __future__ import annotations

from dataclasses import dataclass

from cass_shim.isa.float_kinds import ONE, SIGN
from cass_shim.lift.builder import Value, constant
from cass_shim.lift.operations import Operations

_KINDS = ("bf16", "bf16x2")
_ONES, _NOTHINGS = ONE["bf16"] * 0x1_0001, SIGN["bf16"] * 0x1_0001
_FEW = 4  # products with a sum that are inlined, of forty instructions each


@dataclass
class Halves(Operations):
    """16-bit floats' part of the emitter."""

    def inner(self, flush_f32: bool) -> Halves:
        return Halves(flush_f32=flush_f32)

    def zext(self, a: Value, width: int) -> Value:
        value = super().zext(a, width)
        return self._from("half", value, a) if width == 32 and a.cast[0] == "half" else value

    def or_(self, a: Value, b: Value) -> Value:
        """Two f16 side by side are one instruction where they are seen to be that."""
        if a.origin[0] == "shl" and a.origin[2] == 16 and a.origin[1].origin[0] == b.origin[0] == "half":
            low, high = (self._float("f16", half) for half in (b.origin[1], a.origin[1].origin[1]))
            first = self.text(f"insertelement <2 x half> poison, half {low}, i32 0")
            both = self.text(f"insertelement <2 x half> {first}, half {high}, i32 1")
            return self._bits("f16x2", both)
        return super().or_(a, b)

    def _bf16(self, kind: str, name: str, values: list[Value]) -> Value:
        if name == "fma" and values[1].known == _ONES:
            return self._bf16(kind, "fadd", [values[0], values[2]])
        if name == "fma" and values[2].known == _NOTHINGS:  # -0: what it is added to keeps its sign
            return self._bf16(kind, "fmul", values[:2])

        def write(inner: Halves, given: list[Value]) -> Value:
            return super()._bf16(kind, name, given)

        if self.flush_f32:
            return self.call_keeping(f"{kind}.{name}", values, values[0].width, write)
        if name == "fma" and kind == "bf16x2":
            return self.call_operation(f"{kind}.{name}", values, 32, write, _FEW)
        return write(self, values)

    def _extreme_float(self, kind: str, name: str, a: Value, b: Value, nan_propagates: bool, ftz: bool) -> Value:
        def write(inner: Halves, given: list[Value]) -> Value:
            return super()._extreme_float(kind, name, given[0], given[1], nan_propagates, ftz)

        if not self.flush_f32 or kind not in _KINDS:
            return write(self, [a, b])
        return self.call_keeping(f"{kind}.{name}{'.nan' if nan_propagates else ''}", [a, b], a.width, write)

    def fcompare(self, kind: str, condition: str, a: Value, b: Value, ftz: bool = False) -> Value:
        def write(inner: Halves, given: list[Value]) -> Value:
            return super().fcompare(kind, condition, given[0], given[1], ftz)

        if not self.flush_f32 or kind not in _KINDS:
            return write(self, [a, b])
        return self.call_keeping(f"{kind}.{condition}", [a, b], 1, write)

    def _bf16_fma(self, a: Value, b: Value, c: Value) -> Value:
        """f32's nearest, moved to its odd neighbour where it is not exact: then the last rounding is the only one.

        Only where that nearest is a midpoint of bf16 does it matter on which side of it the exact sum lies. A midpoint
        has nine digits and a product sixteen, so their difference fits f64, and what the addend leaves of it has its
        sign. Elsewhere the sign may be wrong, and a step of the last of 24 digits moves no bf16.
        """
        near = self._operate("f32", "fma", [a, b, c], "rn", False)
        x, y, z, minus = (
            self.float_to_float("f64", "f32", v) for v in (a, b, c, self.xor(near, constant(SIGN["f32"], 32)))
        )
        left = self._plus(self._operate("f64", "fma", [x, y, minus], "rn", False), z)
        inexact = self.fcompare("f64", "ne", left, constant(0, 64))
        even = self.compare("eq", self.and_(near, constant(1, 32)), constant(0, 32))
        outward = self.or_(self.ashr(self.xor(near, self.high(left)), constant(31, 32)), constant(1, 32))
        step = self.select(self.and_(inexact, even), outward, constant(0, 32))
        return self._narrow_bf16(self.add(near, step))
