"""Operations of the emitter that others make up, written once for the emitters that write code or terms.

In and out: values of the emitter that inherits them. One that knows a better way overrides them, as `lift.wide` does
where two words are a whole. The reference in numpy inherits nothing from here: what judges the lifter's code must not
be made by it (`tests/isa/test_derived.py` holds each to the manual, or one to the other).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

V = TypeVar("V")
LANE_MASKS = {f"SR_{which.upper()}MASK": which for which in ("eq", "lt", "le", "gt", "ge")}  # special registers


class Derived(Generic[V]):
    """Part of `isa.emitter.Emitter`; see there for what each method means."""

    if TYPE_CHECKING:  # the primitives, which the subclass has

        def const(self, value: int, width: int) -> V: ...
        def add(self, a: V, b: V) -> V: ...
        def sub(self, a: V, b: V) -> V: ...
        def mul(self, a: V, b: V) -> V: ...
        def and_(self, a: V, b: V) -> V: ...
        def or_(self, a: V, b: V) -> V: ...
        def xor(self, a: V, b: V) -> V: ...
        def not_(self, a: V) -> V: ...
        def shl(self, a: V, n: V) -> V: ...
        def lshr(self, a: V, n: V) -> V: ...
        def compare(self, condition: str, a: V, b: V) -> V: ...
        def select(self, p: V, a: V, b: V) -> V: ...
        def zext(self, a: V, width: int) -> V: ...
        def sext(self, a: V, width: int) -> V: ...
        def trunc(self, a: V, width: int) -> V: ...
        def ballot(self, p: V) -> V: ...
        def match_any(self, value: V) -> V: ...

    # words
    def pair(self, low: V, high: V) -> V:
        upper = self.shl(self.zext(high, 64), self.const(32, 64))
        return self.or_(upper, self.zext(low, 64))

    def low(self, a: V) -> V:
        return self.trunc(a, 32)

    def high(self, a: V) -> V:
        return self.trunc(self.lshr(a, self.const(32, 64)), 32)

    def add_carry3(self, a: V, b: V, c: V) -> tuple[V, V, V]:
        total = self.add(self.add(self.zext(a, 64), self.zext(b, 64)), self.zext(c, 64))
        high = self.high(total)
        first, second = (self.compare("ugt", high, self.const(n, 32)) for n in (0, 1))
        return self.low(total), first, second

    def sub_borrow(self, a: V, b: V) -> tuple[V, V]:
        return self.sub(a, b), self.compare("uge", a, b)

    def add_high(self, terms: list[V], carries: list[V]) -> V:
        total = terms[0]
        for term in terms[1:]:
            total = self.add(total, term)
        for carry in carries:
            total = self.add(total, self.zext(carry, 32))
        return total

    def compare_high(self, condition: str, a: V, b: V, below: V) -> V:
        return self.select(self.compare("eq", a, b), below, self.compare(condition, a, b))

    def dot4(self, a: V, b: V, c: V, a_signed: bool, b_signed: bool) -> V:
        total = c
        for position in range(4):
            parts = []
            for value, is_signed in ((a, a_signed), (b, b_signed)):
                octet = self.trunc(self.lshr(value, self.const(8 * position, 32)), 8)
                parts.append(self.sext(octet, 32) if is_signed else self.zext(octet, 32))
            total = self.add(total, self.mul(*parts))
        return total

    # lanes
    def match_all(self, value: V) -> tuple[V, V]:
        every = self.ballot(self.const(1, 1))
        same = self.compare("eq", self.match_any(value), every)
        return self.select(same, every, self.const(0, 32)), same

    def lane_mask(self, which: str, lane: V) -> V:
        """The lanes before, at and behind one of them. which: of LANE_MASKS."""
        mine = self.shl(self.const(1, 32), lane)
        below = self.sub(mine, self.const(1, 32))
        if which == "eq":
            return mine
        if which == "lt":
            return below
        if which == "ge":
            return self.not_(below)
        through = self.or_(mine, below)
        return through if which == "le" else self.not_(through)

    def shuffle_source(self, mode: str, mine: V, offset: V, clamp: V) -> tuple[V, V]:
        """Which lane SHFL reads in lane `mine`, and whether that lies in range. Source: PTX ISA, shfl.sync.

        offset: below 32. A source out of range is the lane itself.
        """
        five = self.const(31, 32)
        segment = self.and_(self.lshr(clamp, self.const(8, 32)), five)
        within = self.xor(segment, five)
        first = self.and_(mine, segment)
        last = self.or_(first, self.and_(self.and_(clamp, five), within))
        if mode == "up":
            source = self.sub(mine, offset)
            valid = self.compare("sge", source, last)
        else:
            if mode == "down":
                source = self.add(mine, offset)
            elif mode == "bfly":
                source = self.xor(mine, offset)
            else:
                source = self.or_(first, self.and_(offset, within))
            valid = self.compare("sle", source, last)
        return self.select(valid, source, mine), valid
