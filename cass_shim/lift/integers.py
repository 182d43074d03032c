"""The emitter's integer operations as LLVM IR, constants folded on the way."""

from __future__ import annotations

from collections.abc import Callable

from cass_shim.isa.derived import Derived
from cass_shim.lift.builder import Builder, Value, constant, signed, typed

_COMPARE: dict[str, Callable[[int, int, int], bool]] = {
    "eq": lambda a, b, w: a == b,
    "ne": lambda a, b, w: a != b,
    "ult": lambda a, b, w: a < b,
    "ule": lambda a, b, w: a <= b,
    "ugt": lambda a, b, w: a > b,
    "uge": lambda a, b, w: a >= b,
    "slt": lambda a, b, w: signed(a, w) < signed(b, w),
    "sle": lambda a, b, w: signed(a, w) <= signed(b, w),
    "sgt": lambda a, b, w: signed(a, w) > signed(b, w),
    "sge": lambda a, b, w: signed(a, w) >= signed(b, w),
}


class Integers(Builder, Derived[Value]):
    """Integer part of the emitter."""

    def const(self, value: int, width: int) -> Value:
        return constant(value, width)

    def _binary(self, name: str, a: Value, b: Value) -> Value:
        assert a.width == b.width, f"{name} of {a!r} and {b!r}"
        return self.op(a.width, f"{name} i{a.width} {a.text}, {b.text}")

    def add(self, a: Value, b: Value) -> Value:
        if a.known is not None and b.known is not None:
            return constant(a.known + b.known, a.width)
        if a.known == 0:
            return b
        return a if b.known == 0 else self._binary("add", a, b)

    def sub(self, a: Value, b: Value) -> Value:
        if a.known is not None and b.known is not None:
            return constant(a.known - b.known, a.width)
        return a if b.known == 0 else self._binary("sub", a, b)

    def mul(self, a: Value, b: Value) -> Value:
        for x, y in ((a, b), (b, a)):
            if x.known == 0:
                return x
            if x.known == 1:
                return y
        return self._binary("mul", a, b)

    def add_carry(self, a: Value, b: Value, carry: Value | None = None) -> tuple[Value, Value]:
        total, out = self._uadd(a, b)
        if carry is None or carry.known == 0:
            return total, out
        total, second = self._uadd(total, self.zext(carry, a.width))
        return total, self.or_(out, second)

    def _uadd(self, a: Value, b: Value) -> tuple[Value, Value]:
        if a.known == 0 or b.known == 0:
            return self.add(a, b), constant(0, 1)
        kind = f"{{ i{a.width}, i1 }}"
        both = self.call_text(kind, f"llvm.uadd.with.overflow.i{a.width}", typed(a), typed(b))
        return (
            self.op(a.width, f"extractvalue {kind} {both}, 0"),
            self.op(1, f"extractvalue {kind} {both}, 1"),
        )

    def and_(self, a: Value, b: Value) -> Value:
        if a.known is not None and b.known is not None:
            return constant(a.known & b.known, a.width)
        ones = (1 << a.width) - 1
        for x, y in ((a, b), (b, a)):
            if x.known == 0:
                return x
            if x.known == ones:
                return y
        return self._binary("and", a, b)

    def or_(self, a: Value, b: Value) -> Value:
        if a.known is not None and b.known is not None:
            return constant(a.known | b.known, a.width)
        ones = (1 << a.width) - 1
        for x, y in ((a, b), (b, a)):
            if x.known == 0:
                return y
            if x.known == ones:
                return x
        return self._binary("or", a, b)

    def xor(self, a: Value, b: Value) -> Value:
        if a.known is not None and b.known is not None:
            return constant(a.known ^ b.known, a.width)
        if a.known == 0:
            return b
        return a if b.known == 0 else self._binary("xor", a, b)

    def not_(self, a: Value) -> Value:
        return self.xor(a, constant(-1, a.width))

    def shl(self, a: Value, n: Value) -> Value:
        if a.known is not None and n.known is not None:
            return constant(a.known << n.known, a.width)
        return a if n.known == 0 else self._binary("shl", a, n)

    def lshr(self, a: Value, n: Value) -> Value:
        if a.known is not None and n.known is not None:
            return constant(a.known >> n.known, a.width)
        return a if n.known == 0 else self._binary("lshr", a, n)

    def ashr(self, a: Value, n: Value) -> Value:
        if a.known is not None and n.known is not None:
            return constant(signed(a.known, a.width) >> n.known, a.width)
        return a if n.known == 0 else self._binary("ashr", a, n)

    def _extreme(self, name: str, a: Value, b: Value) -> Value:
        return self.call(a.width, f"llvm.{name}.i{a.width}", typed(a), typed(b))

    def umin(self, a: Value, b: Value) -> Value:
        if a.known is not None and b.known is not None:
            return constant(min(a.known, b.known), a.width)
        return self._extreme("umin", a, b)

    def umax(self, a: Value, b: Value) -> Value:
        return self._extreme("umax", a, b)

    def smin(self, a: Value, b: Value) -> Value:
        return self._extreme("smin", a, b)

    def smax(self, a: Value, b: Value) -> Value:
        return self._extreme("smax", a, b)

    def popcount(self, a: Value) -> Value:
        return self.call(a.width, f"llvm.ctpop.i{a.width}", typed(a))

    def count_leading_zeros(self, a: Value) -> Value:
        return self.call(a.width, f"llvm.ctlz.i{a.width}", typed(a), "i1 false")

    def bit_reverse(self, a: Value) -> Value:
        return self.call(a.width, f"llvm.bitreverse.i{a.width}", typed(a))

    def compare(self, condition: str, a: Value, b: Value) -> Value:
        if a.known is not None and b.known is not None:
            return constant(_COMPARE[condition](a.known, b.known, a.width), 1)
        return self.op(1, f"icmp {condition} i{a.width} {a.text}, {b.text}")

    def select(self, p: Value, a: Value, b: Value) -> Value:
        if p.known is not None:
            return a if p.known else b
        if a.text == b.text:
            return a
        return self.op(a.width, f"select i1 {p.text}, i{a.width} {a.text}, i{b.width} {b.text}")

    def zext(self, a: Value, width: int) -> Value:
        if a.known is not None:
            return constant(a.known, width)
        return self.op(width, f"zext i{a.width} {a.text} to i{width}")

    def sext(self, a: Value, width: int) -> Value:
        if a.known is not None:
            return constant(signed(a.known, a.width), width)
        return self.op(width, f"sext i{a.width} {a.text} to i{width}")

    def trunc(self, a: Value, width: int) -> Value:
        if a.known is not None:
            return constant(a.known, width)
        return a if a.width == width else self.op(width, f"trunc i{a.width} {a.text} to i{width}")

    def byte_permute(self, a: Value, b: Value, selector: Value) -> Value:
        if selector.known is not None:
            return self._fixed_permute(a, b, selector.known)
        result = constant(0, 32)
        both = self.pair(a, b)
        for position in range(4):
            nibble = self.lshr(selector, constant(4 * position, 32))
            shift = self.shl(self.and_(nibble, constant(7, 32)), constant(3, 32))
            byte = self.trunc(self.lshr(both, self.zext(shift, 64)), 8)
            sign = self.trunc(self.ashr(self.shl(nibble, constant(28, 32)), constant(31, 32)), 8)
            spread = self.op(8, f"ashr i8 {byte.text}, 7")
            chosen = self.select(self.compare("ne", sign, constant(0, 8)), spread, byte)
            result = self.or_(result, self.shl(self.zext(chosen, 32), constant(8 * position, 32)))
        return result

    def _fixed_permute(self, a: Value, b: Value, selector: int) -> Value:
        """What moves by the same number of bytes is moved at once; a sign spread to the top is an arithmetic shift."""
        picked = [selector >> (4 * position) & 15 for position in range(4)]
        if (extended := self._sign_spread(a, b, picked)) is not None:
            return extended
        masks: dict[tuple[int, int], int] = {}  # (which source, bytes down) → bits of the result
        result = constant(0, 32)
        for position, nibble in enumerate(picked):
            which, byte = nibble >> 2 & 1, nibble & 3
            if nibble & 8:
                spread = self.ashr(self.shl((a, b)[which], constant(24 - 8 * byte, 32)), constant(31, 32))
                result = self._beside(result, self.and_(spread, constant(0xFF << 8 * position, 32)))
            else:
                key = which, byte - position
                masks[key] = masks.get(key, 0) | 0xFF << 8 * position
        for (which, down), mask in masks.items():
            count, whole = constant(8 * abs(down), 32), 0xFFFF_FFFF
            moved = self.lshr((a, b)[which], count) if down > 0 else self.shl((a, b)[which], count)
            left = whole >> 8 * down if down > 0 else whole << -8 * down & whole
            result = self._beside(result, moved if left == mask else self.and_(moved, constant(mask, 32)))
        return result

    def _sign_spread(self, a: Value, b: Value, picked: list[int]) -> Value | None:
        """Some bytes of one source in their order, and the sign of the last above them; None for other choices."""
        count = next((k for k, nibble in enumerate(picked) if nibble & 8), 0)
        first = picked[0]
        if not count or picked != [*range(first, first + count), *[picked[count - 1] | 8] * (4 - count)]:
            return None
        if first & 3 > 4 - count:  # from the end of one source into the other
            return None
        lifted = self.shl(b if first & 4 else a, constant(32 - 8 * ((first & 3) + count), 32))
        return self.ashr(lifted, constant(32 - 8 * count, 32))

    def _beside(self, a: Value, b: Value) -> Value:
        """The or of two that have no bit in common, which LLVM need not find out."""
        if a.known is None and b.known is None:
            return self.op(a.width, f"or disjoint i{a.width} {a.text}, {b.text}")
        return self.or_(a, b)

    def pair(self, low: Value, high: Value) -> Value:
        return self._beside(self.shl(self.zext(high, 64), constant(32, 64)), self.zext(low, 64))

    def dot4(self, a: Value, b: Value, c: Value, a_signed: bool, b_signed: bool) -> Value:
        return self._native_dot("llvm.amdgcn.sudot4", a, b, c, a_signed, b_signed)

    def dot8(self, a: Value, b: Value, c: Value, a_signed: bool, b_signed: bool) -> Value:
        """c plus the products of eight nibbles each."""
        return self._native_dot("llvm.amdgcn.sudot8", a, b, c, a_signed, b_signed)

    def _native_dot(self, name: str, a: Value, b: Value, c: Value, a_signed: bool, b_signed: bool) -> Value:
        signs = [f"i1 {str(signed).lower()}" for signed in (a_signed, b_signed)]
        return self.call(32, name, signs[0], typed(a), signs[1], typed(b), typed(c), "i1 false")
