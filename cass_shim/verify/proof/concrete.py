"""What a term is worth when its unknowns are given: Python integers only, written apart from the simplifier and z3.

In: a term, the bits of each variable, and a function for uninterpreted symbols. Out: its bits. Guesses are tried on
claims before z3 is asked, and tests compare the simplifier, z3 and the emulated device with it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from typing import Any

from cass_shim.verify.proof.terms import Term, bottom_up

Symbols = Callable[[str, int, list[int]], int]


def symbolic(name: str, width: int, args: list[int]) -> int:
    """Some fixed function of its arguments for each name."""
    text = f"{name} {args}".encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "little") & ((1 << width) - 1)


def signed(value: int, width: int) -> int:
    return value - (1 << width) if value >> (width - 1) else value


def _sum(term: Term, args: list[int]) -> int:
    coefficients, constant = term.value
    total: int = constant + sum(c * a for c, a in zip(coefficients, args, strict=True))
    return total


def _mul(term: Term, args: list[int]) -> int:
    product = 1
    for a in args:
        product *= a
    return product


def _best(term: Term, args: list[int]) -> int:
    choose = min if term.op.endswith("min") else max
    return choose(args, key=(lambda v: signed(v, term.width)) if term.op[0] == "s" else int)


_OPERATIONS: dict[str, Callable[[Term, list[int]], Any]] = {
    "not": lambda t, a: 1 - a[0],
    "and": lambda t, a: all(a),
    "sum": _sum,
    "mul": _mul,
    "carry": lambda t, a: sum(a) >> t.args[0].width,
    "zext": lambda t, a: a[0],
    "sext": lambda t, a: signed(a[0], t.args[0].width),
    "extract": lambda t, a: a[0] >> t.value,
    "concat": lambda t, a: a[0] | a[1] << t.args[0].width,
    "bits": lambda t, a: sum(b << n for n, b in enumerate(a)),
    "band": lambda t, a: a[0] & a[1],
    "bor": lambda t, a: a[0] | a[1],
    "bxor": lambda t, a: a[0] ^ a[1],
    "shl": lambda t, a: a[0] << a[1],
    "lshr": lambda t, a: a[0] >> a[1],
    "ashr": lambda t, a: signed(a[0], t.width) >> a[1],
    "ite": lambda t, a: a[1] if a[0] else a[2],
    "zero": lambda t, a: a[0] == 0,
    "ult": lambda t, a: a[0] < a[1],
    "slt": lambda t, a: signed(a[0], t.args[0].width) < signed(a[1], t.args[1].width),
    "umin": _best,
    "umax": _best,
    "smin": _best,
    "smax": _best,
    "popcount": lambda t, a: a[0].bit_count(),
    "reverse": lambda t, a: int(f"{a[0]:0{t.width}b}"[::-1], 2),
}


def evaluate(
    term: Term, variables: Mapping[str, int], symbols: Symbols = symbolic, known: dict[int, int] | None = None
) -> int:
    """The bits of a term. known: values of terms by their number, filled on the way."""
    found: dict[int, int] = {} if known is None else known

    def bits(one: Term) -> int:
        return _value(one, [found[a.id] for a in one.args], variables, symbols) & ((1 << one.width) - 1)

    return bottom_up(term, found, bits)


def _value(term: Term, args: list[int], variables: Mapping[str, int], symbols: Symbols) -> int:
    if term.op == "const":
        return int(term.value)
    if term.op == "var":
        return variables[str(term.value)]
    if term.op == "apply":
        return symbols(str(term.value), term.width, args)
    return int(_OPERATIONS[term.op](term, args))
