"""Merging choices that z3 shows to be equal, one small query each, so that a large one becomes an identity.

In: a condition that normal forms did not decide. Out: an equal one. Choices between the same results are compared by
the conditions of each result alone, which is propositional; a sum of 64 lanes' choices would be far too much at once.
"""

from __future__ import annotations

from collections import defaultdict

from cass_shim.verify.proof.floats import Terms
from cass_shim.verify.proof.lanes import Unknown
from cass_shim.verify.proof.normal import Normalizer
from cass_shim.verify.proof.solve import Solver
from cass_shim.verify.proof.terms import Term

SECONDS = 2.0  # of one query
MAX_CHOICES = 2000

Ways = dict[int, tuple[Term, Term]]  # result's id → (result, condition)


def _choices(term: Term) -> list[Term]:
    """Every choice in a term that is not a branch of another one."""
    found, seen, stack = [], {term.id}, [(term, False)]
    while stack:
        top, within = stack.pop()
        if top.op == "ite" and not within:
            found.append(top)
        for position, part in enumerate(top.args):
            if part.id not in seen:
                seen.add(part.id)
                stack.append((part, top.op == "ite" and position > 0))
    return found


def swept(terms: Terms, solver: Solver, normalizer: Normalizer, term: Term) -> Term:
    """The term with choices merged that are equal under the solver's assumptions. Raises Unknown when time is up."""
    groups: dict[frozenset[int], list[tuple[Term, Ways]]] = defaultdict(list)
    for choice in _choices(term)[:MAX_CHOICES]:
        ways = normalizer.ways(choice)
        groups[frozenset(ways)].append((choice, ways))
    equal: dict[int, Term] = {}
    for members in groups.values():
        members.sort(key=lambda one: one[0].id)
        distinct: list[tuple[Term, Ways]] = []
        for choice, ways in members:
            for other, others in distinct:
                if _same(terms, solver, ways, others):
                    equal[choice.id] = other
                    break
            else:
                distinct.append((choice, ways))
    if not equal:
        return term
    again = Normalizer(terms, normalizer.deadline)
    again.known.update(equal)
    return again.normal(term)


def _same(terms: Terms, solver: Solver, ways: Ways, others: Ways) -> bool:
    """Whether two choices between the same results always agree."""
    unlike = terms.any_of(terms.bitwise("bxor", ways[key][1], others[key][1]) for key in ways)
    if unlike is terms.false:
        return True
    try:
        return solver.find(unlike, seconds=SECONDS) is None
    except Unknown:
        if solver.late:
            raise
        return False
