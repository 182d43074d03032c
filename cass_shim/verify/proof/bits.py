"""Everything of bit vectors but sums: widths, bitwise operations, shifts, comparisons, choices.

In: terms. Out: simplified terms. A mask of lanes is a "bits" term, one truth value a bit, and stays one under bitwise
operations. Order comparisons are < and their negations only; x < 0 is the sign bit.
"""

from __future__ import annotations

from collections.abc import Callable

from cass_shim.verify.proof.sums import Sums
from cass_shim.verify.proof.terms import Term

_BITWISE: dict[str, Callable[[int, int], int]] = {
    "band": lambda a, b: a & b,
    "bor": lambda a, b: a | b,
    "bxor": lambda a, b: a ^ b,
}


def to_signed(value: int, width: int) -> int:
    """A constant's bits as a signed number."""
    return value - (1 << width) if value >> (width - 1) else value


def _size(condition: Term) -> int:
    """How many conditions are joined."""
    inner = condition.args[0] if condition.op == "not" else condition
    return len(inner.args) if inner.op == "and" else 1 if inner.op != "const" else 0


class Widths(Sums):
    """Extending, cutting and joining."""

    def zext(self, a: Term, width: int) -> Term:
        if a.width == width:
            return a
        if a.op == "const":
            return self.const(a.value, width)
        if a.width == 1:
            return self.ite(a, self.const(1, width), self.const(0, width))
        if a.op == "zext":
            return self.zext(a.args[0], width)
        if a.op == "extract" and a.value == 0 and a.args[0].width == width and self.upper(a.args[0]) < 1 << a.width:
            return a.args[0]
        if a.op == "ite" and all(t.op == "const" for t in a.args[1:]):
            return self.ite(a.args[0], self.zext(a.args[1], width), self.zext(a.args[2], width))
        return self.make("zext", width, (a,))

    def sext(self, a: Term, width: int) -> Term:
        if a.width == width:
            return a
        if a.op == "const":
            return self.const(to_signed(a.value, a.width), width)
        if a.width == 1:
            return self.ite(a, self.const(-1, width), self.const(0, width))
        if self.upper(a) < 1 << (a.width - 1):
            return self.zext(a, width)
        return self.sext(a.args[0], width) if a.op == "sext" else self.make("sext", width, (a,))

    def extract(self, a: Term, low: int, width: int) -> Term:
        """Bits low to low + width - 1."""
        if low == 0 and width == a.width:
            return a
        if a.op == "const":
            return self.const(a.value >> low, width)
        if width == 1:
            return self._bit(a, low)
        if a.op in ("zext", "sext"):
            return self._extract_extended(a, low, width)
        if a.op == "concat":
            half = a.args[0].width
            if low >= half:
                return self.extract(a.args[1], low - half, width)
            if low + width <= half:
                return self.extract(a.args[0], low, width)
        if a.op == "extract":
            return self.extract(a.args[0], low + a.value, width)
        if a.op in ("sum", "mul") and low == 0:
            return self.low_of_sum(a, width)
        if a.op in _BITWISE:
            return self.bitwise(a.op, self.extract(a.args[0], low, width), self.extract(a.args[1], low, width))
        if a.op == "ite":
            return self.ite(a.args[0], self.extract(a.args[1], low, width), self.extract(a.args[2], low, width))
        return self.make("extract", width, (a,), low)

    def _bit(self, a: Term, low: int) -> Term:
        if a.op == "bits":
            return a.args[low]
        if a.op == "ite":
            return self.ite(a.args[0], self._bit(a.args[1], low), self._bit(a.args[2], low))
        if a.op == "const":
            return self.const(a.value >> low, 1)
        if a.op in _BITWISE and low < a.width - 1:
            return self.bitwise(a.op, self._bit(a.args[0], low), self._bit(a.args[1], low))
        if a.op == "zext":
            return self._bit(a.args[0], low) if low < a.args[0].width else self.false
        if low == a.width - 1:
            return self.slt(a, self.const(0, a.width))
        if a.op == "extract":
            return self._bit(a.args[0], low + a.value)
        return self.make("extract", 1, (a,), low)

    def _extract_extended(self, a: Term, low: int, width: int) -> Term:
        inner = a.args[0]
        if low + width <= inner.width:
            return self.extract(inner, low, width)
        if low >= inner.width:
            negative = a.op == "sext"
            return self.sext(self._bit(inner, inner.width - 1), width) if negative else self.const(0, width)
        if low == 0:
            return self.sext(inner, width) if a.op == "sext" else self.zext(inner, width)
        return self.make("extract", width, (a,), low)

    def concat(self, low: Term, high: Term) -> Term:
        """Twice as wide: low bits first."""
        width = low.width + high.width
        if low.known is not None and high.known is not None:
            return self.const(low.known | high.known << low.width, width)
        if high.known == 0:
            return self.zext(low, width)
        if high is self.sext(self.slt(low, self.const(0, low.width)), high.width):
            return self.sext(low, width)
        if low.op == high.op == "extract" and low.args[0] is high.args[0] and high.value == low.value + low.width:
            return self.extract(low.args[0], low.value, width)
        if width == 64:
            return self._join_carry(low, high)
        return self.make("concat", width, (low, high))

    def _join_carry(self, low: Term, high: Term) -> Term:
        """A 64-bit sum that was computed in two halves: the high one adds the carry of the low one."""
        if high.op == "sum":
            coefficients, _ = high.value
            for term, factor in zip(high.args, coefficients, strict=True):
                carry = (
                    term.args[0] if term.op == "ite" and term.args[1].known == 1 and term.args[2].known == 0 else None
                )
                if factor != 1 or carry is None or carry.op != "carry":
                    continue
                a, b, extra = carry.args
                if low is not self.add(self.add(a, b), self.zext(extra, 32)):
                    continue
                total = self.add(self.zext(a, 64), self.zext(b, 64))
                return self.add(self.add(total, self.zext(extra, 64)), self._high_part(high, term))
        return self.add(self.zext(low, 64), self.scale(self.zext(high, 64), 1 << 32))

    def _high_part(self, high: Term, carry: Term) -> Term:
        """2^32 · (high - carry), atom by atom."""
        coefficients, constant = high.value
        total = self.const(constant << 32, 64)
        for term, factor in zip(high.args, coefficients, strict=True):
            if term is not carry:
                total = self.add(total, self.scale(self.zext(term, 64), factor << 32))
        return total

    def upper(self, a: Term) -> int:
        """A number that the term, unsigned, never exceeds."""
        limit = (1 << a.width) - 1
        if a.known is not None:
            return a.known
        if a.op == "zext":
            return self.upper(a.args[0])
        if a.op == "ite":
            return max(self.upper(a.args[1]), self.upper(a.args[2]))
        if a.op == "band":
            return min(self.upper(a.args[0]), self.upper(a.args[1]))
        if a.op in ("umin", "umax"):
            return (min if a.op == "umin" else max)(self.upper(t) for t in a.args)
        if a.op == "extract" and a.value == 0:
            return min(limit, self.upper(a.args[0]))
        if a.op == "sum":
            coefficients, constant = a.value
            total: int = constant + sum(c * self.upper(t) for t, c in zip(a.args, coefficients, strict=True))
            return min(total, limit) if total <= limit else limit
        if a.op == "mul":
            product = 1
            for atom in a.args:
                product *= self.upper(atom)
            return min(product, limit)
        return limit

    def bitwise(self, op: str, a: Term, b: Term) -> Term:
        raise NotImplementedError

    def ite(self, c: Term, a: Term, b: Term) -> Term:
        raise NotImplementedError

    def slt(self, a: Term, b: Term) -> Term:
        raise NotImplementedError


class Bits(Widths):
    """Bitwise operations, shifts, comparisons, choices."""

    def bits(self, lanes: tuple[Term, ...]) -> Term:
        """A mask from one truth value a bit."""
        if all(b.op == "const" for b in lanes):
            return self.const(sum(b.value << n for n, b in enumerate(lanes)), len(lanes))
        return self.make("bits", len(lanes), lanes)

    def bitwise(self, op: str, a: Term, b: Term) -> Term:
        """ "band", "bor" or "bxor"; of truth values too."""
        if a.width == 1:
            if op == "bxor":
                return self.either(self.both(a, self.invert(b)), self.both(self.invert(a), b))
            return self.both(a, b) if op == "band" else self.either(a, b)
        if a.op == "const":
            a, b = b, a
        if b.op == "const":
            simple = self._with_constant(op, a, b.value)
            if simple is not None:
                return simple
        if a is b:
            return self.const(0, a.width) if op == "bxor" else a
        if "bits" in (a.op, b.op) and all(t.op in ("bits", "const") for t in (a, b)):
            lanes = range(a.width)
            return self.bits(tuple(self.bitwise(op, self.extract(a, n, 1), self.extract(b, n, 1)) for n in lanes))
        if b.op != "const" and a.id > b.id:
            a, b = b, a
        return self.make(op, a.width, (a, b))

    def _with_constant(self, op: str, a: Term, value: int) -> Term | None:
        ones = (1 << a.width) - 1
        if a.op == "const":
            return self.const(_BITWISE[op](a.value, value), a.width)
        if value == 0:
            return self.const(0, a.width) if op == "band" else a
        if value == ones and op != "bxor":
            return a if op == "band" else self.const(ones, a.width)
        if op == "band" and value & (value + 1) == 0 and a.op != "bits":
            return self.zext(self.extract(a, 0, value.bit_length()), a.width)
        if op == a.op and a.args[1].op == "const":
            joined = _BITWISE[op](a.args[1].value, value)
            return self.bitwise(op, a.args[0], self.const(joined, a.width))
        return None

    def not_(self, a: Term) -> Term:
        return self.invert(a) if a.width == 1 else self.bitwise("bxor", a, self.const(-1, a.width))

    def ite(self, c: Term, a: Term, b: Term) -> Term:
        """a where c holds, else b."""
        if a is b or c is self.true:
            return a
        if c is self.false:
            return b
        if c.op == "not":
            c, a, b = c.args[0], b, a
        if a.width == 1:
            return self.either(self.both(c, a), self.both(self.invert(c), b))
        if a.op == "ite" and a.args[0] is c:
            a = a.args[1]
        if b.op == "ite" and b.args[0] is c:
            b = b.args[2]
        if a.op == "ite" and (a.args[2] is b or a.args[1] is b):
            inner = a.args[0] if a.args[2] is b else self.invert(a.args[0])
            return self.ite(self.both(c, inner), a.args[1] if a.args[2] is b else a.args[2], b)
        if b.op == "ite" and (b.args[1] is a or b.args[2] is a):
            inner = b.args[0] if b.args[1] is a else self.invert(b.args[0])
            return self.ite(self.either(c, inner), a, b.args[2] if b.args[1] is a else b.args[1])
        if b.op == "ite":
            wider = self.either(c, b.args[0])  # what c covers already may be added to the inner condition
            if _size(wider) < _size(b.args[0]):
                b = self.ite(wider, b.args[1], b.args[2])
        if "bits" in (a.op, b.op) and all(t.op in ("bits", "const") for t in (a, b)):
            return self.bits(tuple(self.ite(c, self.extract(a, n, 1), self.extract(b, n, 1)) for n in range(a.width)))
        return a if a is b else self.make("ite", a.width, (c, a, b))

    def eq(self, a: Term, b: Term) -> Term:
        if a is b:
            return self.true
        if a.width == 1:
            return self.invert(self.bitwise("bxor", a, b))
        if a.op == "const":
            a, b = b, a
        if b.op == "const":
            known = self._equals_constant(a, b.value)
            if known is not None:
                return known
        difference = self.sub(a, b)
        if difference.op == "const":
            return self.const(difference.value == 0, 1)
        if difference.op == "sum" and difference.value[0][0] >> (a.width - 1):
            difference = self.sub(b, a)
        return self.make("zero", 1, (difference,))

    def _equals_constant(self, a: Term, value: int) -> Term | None:
        if a.op == "const":
            return self.const(a.value == value, 1)
        if self.upper(a) < value:
            return self.false
        if a.op == "ite" and a.args[1].op == "const" and a.args[2].op == "const":
            return self.ite(a.args[0], self.const(a.args[1].value == value, 1), self.const(a.args[2].value == value, 1))
        if a.op == "zext":
            return self.eq(a.args[0], self.const(value, a.args[0].width))
        if a.op == "bits":
            return self.all_of(b if value >> n & 1 else self.invert(b) for n, b in enumerate(a.args))
        return None

    def ult(self, a: Term, b: Term) -> Term:
        if a is b or b.known == 0:
            return self.false
        if a.known is not None and b.known is not None:
            return self.const(a.known < b.known, 1)
        if b.known == 1:
            return self.eq(a, self.const(0, a.width))
        if b.known is not None and self.upper(a) < b.known:
            return self.true
        if a.known is not None:
            if a.known >= self.upper(b):
                return self.false
            return self.invert(self.ult(b, self.const(a.known + 1, a.width)))
        return self.make("ult", 1, (a, b))

    def slt(self, a: Term, b: Term) -> Term:
        if a is b:
            return self.false
        half = 1 << (a.width - 1)
        if a.known is not None and b.known is not None:
            return self.const(to_signed(a.known, a.width) < to_signed(b.known, b.width), 1)
        if self.upper(a) < half and b.known is not None and b.known < half:
            return self.ult(a, b)
        if self.upper(b) < half and a.known is not None and a.known < half:
            return self.ult(a, b)
        if self.upper(a) < half and self.upper(b) < half:
            return self.ult(a, b)
        if a.known is not None:
            if a.known == half - 1:
                return self.false
            return self.invert(self.slt(b, self.const(a.known + 1, a.width)))
        if b.known == half:
            return self.false
        return self.make("slt", 1, (a, b))
