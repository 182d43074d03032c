"""Floating point on terms: arithmetic is uninterpreted, what only moves or compares bits is exact.

In: bit patterns as terms. Out: terms. A symbol stands for one correctly rounded operation of one format, rounding and
flush mode, whoever computes it: commutative operands are sorted, the sign of a product is moved to its first factor.
NaN payloads are not followed: a NaN's sign and payload are whatever the symbol says on both sides.
"""

from __future__ import annotations

from cass_shim.isa.float_kinds import EXPONENT, ONE
from cass_shim.verify.proof.terms import Term
from cass_shim.verify.proof.words import Words


def _rank(term: Term) -> tuple[bool, int]:
    """The order of commutative operands: constants first, so that what is beside them may be written in two ways."""
    return term.known is None, term.id


class Terms(Words):
    """All operations on terms."""

    def _mode(self, name: str, kind: str, rounding: str, ftz: bool) -> str:
        return f"{name}.{kind}.{rounding}{'.ftz' if ftz else ''}"

    def negative(self, a: Term) -> Term:
        """-a: the sign bit flipped."""
        return self.bitwise("bxor", a, self.const(1 << (a.width - 1), a.width))

    def _unsigned(self, a: Term) -> tuple[Term, bool]:
        """A factor without its negation, and whether it had one."""
        sign = 1 << (a.width - 1)
        if a.op == "bxor" and a.args[1].known == sign:
            return a.args[0], True
        if a.known is not None and a.known & sign:
            return self.const(a.known ^ sign, a.width), True
        return a, False

    def _factors(self, a: Term, b: Term) -> tuple[Term, Term]:
        """Sorted, the sign of their product on the first."""
        (x, minus_x), (y, minus_y) = self._unsigned(a), self._unsigned(b)
        first, second = sorted((x, y), key=_rank)
        return (self.negative(first) if minus_x != minus_y else first), second

    def fadd(self, kind: str, a: Term, b: Term, rounding: str = "rn", ftz: bool = False) -> Term:
        first, second = sorted((a, b), key=_rank)
        return self.apply(self._mode("add", kind, rounding, ftz), a.width, first, second)

    def fmul(self, kind: str, a: Term, b: Term, rounding: str = "rn", ftz: bool = False) -> Term:
        return self.apply(self._mode("mul", kind, rounding, ftz), a.width, *self._factors(a, b))

    def ffma(self, kind: str, a: Term, b: Term, c: Term, rounding: str = "rn", ftz: bool = False) -> Term:
        return self.apply(self._mode("fma", kind, rounding, ftz), a.width, *self._factors(a, b), c)

    def symbol(self, name: str, width: int, *args: Term) -> Term:
        """Any other function, by name."""
        return self.apply(name, width, *args)

    def is_nan(self, kind: str, a: Term) -> Term:
        magnitude = self.bitwise("band", a, self.const((1 << (a.width - 1)) - 1, a.width))
        return self.ult(self.const(EXPONENT[kind], a.width), magnitude)

    def flush(self, kind: str, a: Term) -> Term:
        """Denormals become zeros of their sign."""
        exponent = self.bitwise("band", a, self.const(EXPONENT[kind], a.width))
        sign = self.bitwise("band", a, self.const(1 << (a.width - 1), a.width))
        return self.ite(self.eq(exponent, self.const(0, a.width)), sign, a)

    def _ordered(self, a: Term) -> Term:
        """Bits that, as signed numbers, lie in the order of the floats; -0 below +0."""
        rest = self.bitwise("bxor", a, self.const((1 << (a.width - 1)) - 1, a.width))
        return self.ite(self.slt(a, self.const(0, a.width)), rest, a)

    def fless(self, kind: str, a: Term, b: Term) -> Term:
        """a < b of two numbers, neither NaN."""
        return self.both(self.slt(self._ordered(a), self._ordered(b)), self.invert(self._zeros(a, b)))

    def _zeros(self, a: Term, b: Term) -> Term:
        both = self.bitwise("bor", a, b)
        magnitude = self.bitwise("band", both, self.const((1 << (a.width - 1)) - 1, a.width))
        return self.eq(magnitude, self.const(0, a.width))

    def fcompare(self, kind: str, condition: str, a: Term, b: Term, ftz: bool = False) -> Term:
        """The conditions of `isa.emitter`, exactly."""
        if ftz:
            a, b = self.flush(kind, a), self.flush(kind, b)
        nan = self.either(self.is_nan(kind, a), self.is_nan(kind, b))
        if condition in ("num", "nan"):
            return nan if condition == "nan" else self.invert(nan)
        unordered = condition.endswith("u")
        name = condition.removesuffix("u") if unordered else condition
        equal = self.either(self.eq(a, b), self._zeros(a, b))
        holds = {
            "lt": lambda: self.fless(kind, a, b),
            "gt": lambda: self.fless(kind, b, a),
            "le": lambda: self.invert(self.fless(kind, b, a)),  # of two numbers
            "ge": lambda: self.invert(self.fless(kind, a, b)),
            "eq": lambda: equal,
            "ne": lambda: self.invert(equal),
        }[name]()
        return self.either(nan, holds) if unordered else self.both(self.invert(nan), holds)

    def fextreme(self, kind: str, minimum: bool, a: Term, b: Term, nan_propagates: bool, ftz: bool) -> Term:
        """min or max: a NaN loses unless it propagates, -0 is below +0; two NaNs make one."""
        if ftz:
            a, b = self.flush(kind, a), self.flush(kind, b)
        a, b = sorted((a, b), key=lambda t: t.id)
        nan = self.apply(f"nan.{kind}", a.width, a, b)
        less = self.slt(self._ordered(a), self._ordered(b))
        chosen = self.ite(less if minimum else self.invert(less), a, b)
        nan_a, nan_b = self.is_nan(kind, a), self.is_nan(kind, b)
        if nan_propagates:
            return self.ite(self.either(nan_a, nan_b), nan, chosen)
        return self.ite(nan_a, self.ite(nan_b, nan, b), self.ite(nan_b, a, chosen))

    def saturate(self, kind: str, a: Term) -> Term:
        """Clamp to [0, 1]; NaN and what is below 0 become +0."""
        zero, one = self.const(0, a.width), self.const(ONE[kind], a.width)
        low = self.either(self.is_nan(kind, a), self.slt(a, self.const(1, a.width)))
        return self.ite(low, zero, self.ite(self.slt(one, a), one, a))
