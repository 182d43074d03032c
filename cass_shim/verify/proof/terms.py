"""Bit-vector terms, hash-consed and simplified as they are built: what both sides of a proof are written in.

In: constants, variables, operations. Out: `Term`s; two terms of one `Terms` are the same object when their normal
forms are, so that most of a proof is comparing identities and z3 sees only the rest. A truth value is a term of
width 1. Conditions are conjunctions and negations only; sums and products are in `sums.Sums`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

Found = TypeVar("Found")

Key = tuple[str, int, tuple[int, ...], object]


class Term:
    """One node. op: its operation; value: what is not a term (a constant's bits, a name, a bit position)."""

    __slots__ = ("args", "id", "op", "value", "width")
    value: Any

    def __init__(self, op: str, width: int, args: tuple[Term, ...], value: object, number: int) -> None:
        self.op, self.width, self.args, self.value, self.id = op, width, args, value, number

    def __repr__(self) -> str:
        if self.op in ("const", "var"):
            return f"{self.value:#x}" if isinstance(self.value, int) else str(self.value)
        shown = "" if self.value is None else f"[{self.value}]"
        return f"{self.op}{shown}({', '.join(map(repr, self.args))})"

    @property
    def known(self) -> int | None:
        """The bits of a constant, None for anything else."""
        return self.value if self.op == "const" else None

    def __bool__(self) -> bool:
        raise TypeError("a term is no Python truth value: it is decided when the kernel runs")


MAX_ITEMS = 6  # negated conjunctions that are compared pair by pair


def bottom_up(term: Term, known: dict[int, Found], make: Callable[[Term], Found]) -> Found:
    """What `make` gives for a term, after its operands: `known` holds theirs by number, and is filled on the way."""
    stack = [term]
    while stack:
        top = stack[-1]
        missing = [a for a in top.args if a.id not in known]
        if top.id in known or not missing:
            stack.pop()
            if top.id not in known:
                known[top.id] = make(top)
        else:
            stack.extend(missing)
    return known[term.id]


class Conditions:
    """The table of terms, and the logic of truth values."""

    def __init__(self) -> None:
        self._table: dict[Key, Term] = {}
        self.true = self.const(1, 1)
        self.false = self.const(0, 1)

    def make(self, op: str, width: int, args: tuple[Term, ...] = (), value: object = None) -> Term:
        """The one node with these parts, as it stands: nothing is simplified."""
        key = (op, width, tuple(a.id for a in args), value)
        found = self._table.get(key)
        if found is None:
            found = self._table[key] = Term(op, width, args, value, len(self._table))
        return found

    def const(self, value: int, width: int) -> Term:
        return self.make("const", width, (), value & ((1 << width) - 1))

    def var(self, name: str, width: int) -> Term:
        """An unknown: the same for the same name."""
        return self.make("var", width, (), name)

    def apply(self, name: str, width: int, *args: Term) -> Term:
        """An uninterpreted function: equal arguments give equal results, nothing else is known."""
        return self.make("apply", width, args, name)

    # conditions

    def invert(self, a: Term) -> Term:
        """Not a, of a truth value."""
        if a.op == "const":
            return self.false if a.value else self.true
        return a.args[0] if a.op == "not" else self.make("not", 1, (a,))

    def all_of(self, terms: Iterable[Term]) -> Term:
        """The conjunction."""
        parts: dict[int, Term] = {}
        for term in terms:
            if term.op == "const":
                if not term.value:
                    return self.false
                continue
            for part in term.args if term.op == "and" else (term,):
                parts[part.id] = part
        return self._conjunction(parts)

    def any_of(self, terms: Iterable[Term]) -> Term:
        """The disjunction."""
        return self.invert(self.all_of(self.invert(t) for t in terms))

    def both(self, a: Term, b: Term) -> Term:
        if a is self.true or a is b:
            return b
        if b is self.true:
            return a
        return self.all_of((a, b))

    def either(self, a: Term, b: Term) -> Term:
        if a is self.false or a is b:
            return b
        if b is self.false:
            return a
        return self.any_of((a, b))

    def _conjunction(self, parts: dict[int, Term]) -> Term:
        """Of distinct parts, none a conjunction: contradictions, absorption and resolution."""
        if any(part.op == "not" and part.args[0].id in parts for part in parts.values()):
            return self.false
        clauses = [part for part in parts.values() if part.op == "not" and part.args[0].op == "and"]
        for clause in clauses:
            reduced = self._reduced(clause, parts)
            if reduced is not clause:
                rest = [part for part in parts.values() if part is not clause]
                return self.all_of((*rest, reduced))
        if 2 <= len(clauses) <= MAX_ITEMS:
            for one in clauses:
                for other in clauses:
                    if one is not other and _covers(one, other):
                        return self.all_of(part for part in parts.values() if part is not other)
                    merged = self._resolved(one, other) if one is not other else None
                    if merged is not None:
                        rest = [part for part in parts.values() if part is not one and part is not other]
                        return self.all_of((*rest, merged))
        if not parts:
            return self.true
        ordered = tuple(sorted(parts.values(), key=lambda t: t.id))
        return ordered[0] if len(ordered) == 1 else self.make("and", 1, ordered)

    def _reduced(self, clause: Term, parts: dict[int, Term]) -> Term:
        """not(T) where other parts hold: true when one of T cannot be, else without those of T that must be."""
        items = clause.args[0].args
        for item in items:
            if self.invert(item).id in parts or (
                item.op == "not" and item.args[0].op == "and" and all(a.id in parts for a in item.args[0].args)
            ):
                return self.true
        left = [item for item in items if item.id not in parts]
        return clause if len(left) == len(items) else self.invert(self.all_of(left))

    def _resolved(self, one: Term, other: Term) -> Term | None:
        """not(C, x) and not(C, not x) is not(C)."""
        first = {t.id: t for t in one.args[0].args}
        for item in other.args[0].args:
            common = [t for t in other.args[0].args if t is not item]
            if not all(t.id in first for t in common):
                continue
            rest = [t for key, t in first.items() if all(t is not c for c in common)]
            opposite = self.invert(item)
            wanted = opposite.args if opposite.op == "and" else (opposite,)
            if len(rest) == len(wanted) and all(t in wanted for t in rest):
                return self.invert(self.all_of(common))
        return None


def _covers(one: Term, other: Term) -> bool:
    """not(C) implies not(C, x)."""
    held = {t.id for t in other.args[0].args}
    return all(t.id in held for t in one.args[0].args)
