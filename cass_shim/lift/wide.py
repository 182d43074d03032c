"""64-bit arithmetic recovered from pairs of 32-bit instructions.

SASS adds and compares 64-bit integers word by word, through a carry or a predicate. Each value here remembers what it
was made from, so that the second word's instruction can make the whole operation: LLVM then sees an i64, finds
addressing modes and induction variables, and compares at once. Values of other origin take the general way.
"""

from __future__ import annotations

import functools

from cass_shim.lift.builder import Value, constant
from cass_shim.lift.integers import Integers

_SIGN = 31
_MIRRORED = ("eq", "ne")
_STRICT = {"sge": "sgt", "uge": "ugt", "sle": "slt", "ule": "ult"}


class Wide(Integers):
    """Integer part of the emitter, with origins."""

    def replace_held(self, old: Value, new: Value) -> None:
        """Let registers that hold `old` hold `new`, which is equal."""
        raise NotImplementedError

    # words of 64 bits
    def low(self, a: Value) -> Value:
        if a.origin[0] in ("pair", "extended"):
            return _part(a, 1)
        return self._from("low", super().low(a), a)

    def high(self, a: Value) -> Value:
        if a.origin[0] == "pair":
            return _part(a, 2)
        return self._from("high", super().high(a), a)

    def pair(self, low: Value, high: Value) -> Value:
        whole = self._whole(low, high)
        return self._from("pair", super().pair(low, high), low, high) if whole is None else whole

    def _whole(self, low: Value, high: Value) -> Value | None:
        """The value whose words these are, where that is known; None for words of no common origin."""
        if low.known is not None and high.known is not None:
            return constant(high.known << 32 | low.known, 64)
        if high.known == 0:
            return self.zext(low, 64)
        how, *parts = high.origin
        if low.origin[0] == "low" and how == "high" and low.origin[1] is parts[0]:
            return _part(low, 1)
        if how == "ashr":
            return self._sign_extended(low, *parts)
        if how == "high" and parts[0].origin[0] == "shl" and low.origin[0] == "shl":
            # LEA and LEA.HI, or SHF.L and SHF.L.HI, of one register pair
            before, count = parts[0].origin[1:]
            if count == low.origin[2] and _is_low(low.origin[1], before):
                return _part(high, 1)
        return None

    def _sign_extended(self, low: Value, shifted: Value, count: int) -> Value | None:
        """{a >> 31, a}, or {a >> (32 - n), a << n}: a 32-bit index, scaled."""
        if count == _SIGN and shifted is low:
            return self.sext(low, 64)
        if low.origin[0] == "shl" and low.origin[1] is shifted and low.origin[2] + count == 32:
            return self.shl(self.sext(shifted, 64), constant(low.origin[2], 64))
        return None

    def _from(self, how: str, value: Value, *parts: object) -> Value:
        if value.known is None and value.origin[0] == "":
            value.origin = (how, *parts)
        return value

    # what may be the first half of something
    def shl(self, a: Value, n: Value) -> Value:
        value = super().shl(a, n)
        return value if n.known is None or value is a else self._from("shl", value, a, n.known)

    def ashr(self, a: Value, n: Value) -> Value:
        value = super().ashr(a, n)
        return value if n.known is None or value is a else self._from("ashr", value, a, n.known)

    def zext(self, a: Value, width: int) -> Value:
        return self._extended(super().zext(a, width), a)

    def sext(self, a: Value, width: int) -> Value:
        return self._extended(super().sext(a, width), a)

    def _extended(self, value: Value, a: Value) -> Value:
        return self._from("extended", value, a) if value.width == 64 and a.width == 32 else value

    def not_(self, a: Value) -> Value:
        return self._from("not", super().not_(a), a)

    def sub(self, a: Value, b: Value) -> Value:
        value = super().sub(a, b)
        return value if value is a else self._from("sub", value, a, b)

    def compare(self, condition: str, a: Value, b: Value) -> Value:
        return self._from("compare", super().compare(condition, a, b), condition, a, b)

    def add_carry(self, a: Value, b: Value, carry: Value | None = None) -> tuple[Value, Value]:
        total, out = super().add_carry(a, b, carry)
        if a.width == 32 and (carry is None or carry.known == 0):
            self._from("carry", out, total, (a, b))
        return total, out

    def add_carry3(self, a: Value, b: Value, c: Value) -> tuple[Value, Value, Value]:
        total, first, second = super().add_carry3(a, b, c)
        first.origin, second.origin = ("carry", total, (a, b, c)), ("second carry", total)
        return total, first, second

    def sub_borrow(self, a: Value, b: Value) -> tuple[Value, Value]:
        total, out = super().sub_borrow(a, b)
        out.origin = ("borrow", total, a, b)
        return total, out

    # the second half
    def add_high(self, terms: list[Value], carries: list[Value]) -> Value:
        live = [c for c in carries if c.known != 0]
        how = live[0].origin[0] if live else ""
        whole = None
        if how == "borrow" and len(live) == 1:
            whole = self._difference(live[0], terms)
        elif how == "carry":
            _, total, below = live[0].origin
            if [c.origin[:2] for c in live[1:]] == [("second carry", total)] * (len(below) - 2):
                whole = self._sum(total, list(below), terms)
        return super().add_high(terms, carries) if whole is None else whole

    def _sum(self, total: Value, below: list[Value], terms: list[Value]) -> Value | None:
        """The words' sums as one sum of 64 bits; None where no words of one value are among them.

        Any low word may go with any high one, the sum is the same.
        """
        above = [t for t in terms if t.known != 0]
        if len(above) > len(below):
            above = [*above[: len(below) - 1], self.add(above[len(below) - 1], above[-1])]
        above += [constant(0, 32)] * (len(below) - len(above))
        known: dict[int, list[Value]] = {}
        for order in (above, above[::-1]) if len(below) == 2 else (above,):
            pairs = [(low, high, self._whole(low, high)) for low, high in zip(below, order, strict=True)]
            amount = sum(whole is not None for _, _, whole in pairs)
            known.setdefault(amount, [self.pair(low, high) if whole is None else whole for low, high, whole in pairs])
        most = max(known)
        return self._settle(total, functools.reduce(self.add, known[most])) if most else None

    def _difference(self, borrow: Value, terms: list[Value]) -> Value | None:
        """a - b: the second half adds the complement of b's high word."""
        _, total, a, b = borrow.origin
        above = [t for t in terms if t.known != 0]
        minus = next((t for t in above if t.origin[0] == "not" or t.known is not None), None)
        if minus is None or len(above) > 2:
            return None
        other = next((t for t in above if t is not minus), constant(0, 32))
        subtrahend = minus.origin[1] if minus.origin[0] == "not" else self.not_(minus)
        first, second = self._whole(a, other), self._whole(b, subtrahend)
        if first is None or second is None:
            return None
        return self._settle(total, self.sub(first, second))

    def _settle(self, total: Value, whole: Value) -> Value:
        self.replace_held(total, self.low(whole))
        return self.high(whole)

    def compare_high(self, condition: str, a: Value, b: Value, below: Value) -> Value:
        if below.origin[0] == "compare" and below.origin[2].width == 32:
            _, how, x, y = below.origin
            wide = _joined(condition, how)
            if wide:
                return self.compare(wide, self.pair(x, a), self.pair(y, b))
        equal = self.compare("eq", a, b)
        decided = self.and_(equal, below)
        if condition == "eq":
            return decided
        return self.or_(self.compare(_STRICT.get(condition, condition), a, b), decided)


def _part(value: Value, number: int) -> Value:
    """A value that another was made from."""
    found: Value = value.origin[number]
    return found


def _is_low(word: Value, whole: Value) -> bool:
    """Whether a value is the lower word of another."""
    if word.origin[0] == "low" and word.origin[1] is whole:
        return True
    return whole.origin[0] == "pair" and whole.origin[1] is word


def _joined(high: str, low: str) -> str:
    """The comparison of 64 bits that one of high words and one of low words make; empty where they make none.

    Where the high words differ, whether the high comparison is strict makes no difference.
    """
    if high in _MIRRORED or low in _MIRRORED:
        return high if high == low else ""
    return high[:2] + low[2:] if low[0] == "u" and high[1] == low[1] else ""
