"""Values of the 32 lanes of a warp or wave: one term where all lanes agree, a tuple of 32 where they may not.

In: functions on terms, values. Out: values. Both machines of a proof run their lanes in lock step on these.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cass_shim.model.kernel_abi import WARP
from cass_shim.verify.proof.terms import Term

Value = Term | tuple[Term, ...]


def lane(value: Value, number: int) -> Term:
    """One lane's term."""
    return value if isinstance(value, Term) else value[number]


def spread(value: Value) -> tuple[Term, ...]:
    """One term per lane."""
    return (value,) * WARP if isinstance(value, Term) else value


def gathered(terms: tuple[Term, ...]) -> Value:
    """A value from one term per lane; one term where they are all the same."""
    first = terms[0]
    return first if all(t is first for t in terms) else terms


def each(function: Callable[..., Term], *values: Value) -> Value:
    """The function lane by lane; once where no value differs between lanes."""
    if all(isinstance(v, Term) for v in values):
        return function(*values)
    return gathered(tuple(map(function, *(spread(v) for v in values))))


def each_pair(function: Callable[..., tuple[Term, Term]], *values: Value) -> tuple[Value, Value]:
    """As `each`, for functions of two results."""
    if all(isinstance(v, Term) for v in values):
        return function(*values)
    both = [function(*terms) for terms in zip(*(spread(v) for v in values), strict=True)]
    return gathered(tuple(a for a, _ in both)), gathered(tuple(b for _, b in both))


def width(value: Value) -> int:
    return value.width if isinstance(value, Term) else value[0].width


class Unknown(Exception):
    """The proof cannot go on, for the reason given: neither proved nor refuted."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


Function = Callable[..., Any]
