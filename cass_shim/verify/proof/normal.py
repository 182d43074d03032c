"""A second, dearer normal form, for what is not decided by the first: choices by their leaves.

In: a term. Out: an equal one. A tree of choices becomes a chain, one link for each different result, in the order of
their numbers; the condition of a link is what led to the result on any way, without what earlier links exclude. Two
machines that join the same ways of control in another order meet here.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from cass_shim.verify.proof.floats import Terms
from cass_shim.verify.proof.lanes import Unknown
from cass_shim.verify.proof.terms import Term, bottom_up

MAX_LEAVES = 12  # different results of one tree of choices
_COMMUTATIVE = ("add.", "mul.", "fma.")


class Normalizer:
    """deadline: on the monotonic clock."""

    def __init__(self, terms: Terms, deadline: float) -> None:
        self.terms, self.deadline = terms, deadline
        self.known: dict[int, Term] = {}
        self._rebuild = self._table()

    def normal(self, term: Term) -> Term:
        """The normal form. Raises Unknown when the time is up."""
        return bottom_up(term, self.known, self._made_in_time)

    def _made_in_time(self, term: Term) -> Term:
        if time.monotonic() > self.deadline:
            raise Unknown("the time budget is spent")
        return self._made(term)

    def _made(self, term: Term) -> Term:
        args = tuple(self.known[a.id] for a in term.args)
        if term.op == "ite":
            return self._chain(args)
        if all(a is b for a, b in zip(args, term.args, strict=True)):
            return term
        return self._rebuild[term.op](term, args)

    def _chain(self, args: tuple[Term, ...]) -> Term:
        t = self.terms
        leaves = self.ways(t.ite(*args))
        if not 1 <= len(leaves) <= MAX_LEAVES:
            return t.ite(*args)
        ordered = sorted(leaves.values(), key=lambda item: item[0].id)
        result, _ = ordered[0]
        for leaf, condition in ordered[1:]:
            result = t.ite(condition, leaf, result)
        return result

    def ways(self, term: Term) -> dict[int, tuple[Term, Term]]:
        """The different results of a tree of choices by their numbers, each with its condition."""
        leaves: dict[int, tuple[Term, Term]] = {}
        self._collect(term, self.terms.true, leaves)
        return leaves

    def _collect(self, term: Term, condition: Term, leaves: dict[int, tuple[Term, Term]]) -> None:
        t = self.terms
        if condition is self.terms.false:
            return
        if term.op == "ite" and len(leaves) <= MAX_LEAVES:
            self._collect(term.args[1], t.both(condition, term.args[0]), leaves)
            self._collect(term.args[2], t.both(condition, t.invert(term.args[0])), leaves)
        else:
            before = leaves[term.id][1] if term.id in leaves else t.false
            leaves[term.id] = (term, t.either(before, condition))

    def _sum(self, term: Term, args: tuple[Term, ...]) -> Term:
        t = self.terms
        coefficients, constant = term.value
        total = t.const(constant, term.width)
        for argument, factor in zip(args, coefficients, strict=True):
            total = t.add(total, t.scale(argument, factor))
        return total

    def _mul(self, term: Term, args: tuple[Term, ...]) -> Term:
        result = args[0]
        for other in args[1:]:
            result = self.terms.mul(result, other)
        return result

    def _extreme(self, term: Term, args: tuple[Term, ...]) -> Term:
        result = args[0]
        for other in args[1:]:
            result = self.terms.extreme(term.op, result, other)
        return result

    def _apply(self, term: Term, args: tuple[Term, ...]) -> Term:
        if str(term.value).startswith(_COMMUTATIVE):
            args = (*sorted(args[:2], key=lambda a: (a.known is None, a.id)), *args[2:])
        return self.terms.apply(str(term.value), term.width, *args)

    def _table(self) -> dict[str, Callable[[Term, tuple[Term, ...]], Term]]:
        t = self.terms
        table: dict[str, Callable[[Term, tuple[Term, ...]], Term]] = {
            "not": lambda _, a: t.invert(a[0]),
            "and": lambda _, a: t.all_of(a),
            "sum": self._sum,
            "mul": self._mul,
            "carry": lambda _, a: t.carry(*a),
            "zext": lambda one, a: t.zext(a[0], one.width),
            "sext": lambda one, a: t.sext(a[0], one.width),
            "extract": lambda one, a: t.extract(a[0], one.value, one.width),
            "concat": lambda _, a: t.concat(*a),
            "bits": lambda _, a: t.bits(a),
            "shl": lambda _, a: t.shl(*a),
            "lshr": lambda _, a: t.lshr(*a),
            "ashr": lambda _, a: t.ashr(*a),
            "zero": lambda _, a: t.eq(a[0], t.const(0, a[0].width)),
            "ult": lambda _, a: t.ult(*a),
            "slt": lambda _, a: t.slt(*a),
            "popcount": lambda _, a: t.popcount(a[0]),
            "reverse": lambda _, a: t.reverse(a[0]),
            "apply": self._apply,
        }
        table |= dict.fromkeys(("umin", "umax", "smin", "smax"), self._extreme)
        for op in ("band", "bor", "bxor"):
            table[op] = lambda one, a: t.bitwise(one.op, *a)
        return table
