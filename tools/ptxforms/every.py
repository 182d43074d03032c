"""Every form of the table: what probes are made of (`selection`) and what is counted as recorded (`coverage`).

A form is an instruction with its modifiers and types. All choices of a row's modifiers are crossed, but for those that
may not change a result (`STILL`: cache operators, eviction priorities, prefetch sizes) in loads and stores, which have
millions of combinations: there every pair of modifiers is met.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import product

from cass_shim.isa.ptx.spec import Row, Slot
from tools.ptxforms.signatures import Form, expansions, signature, size_of_row

CROSSED = 4000  # rows of no more expansions are crossed wholly
_TRIES = 12
ORDERS = frozenset(("weak", "relaxed", "acquire", "release", "acq_rel", "volatile", "mmio"))
SCOPES = frozenset(("cta", "cluster", "gpu", "sys"))
STILL = frozenset((
    "weak", "ca", "cg", "cs", "lu", "cv", "wb", "wt", "nc", "L1::evict_normal", "L1::evict_unchanged",
    "L1::evict_first", "L1::evict_last", "L1::no_allocate", "L2::evict_normal", "L2::evict_first", "L2::evict_last",
    "L2::cache_hint", "L2::64B", "L2::128B", "L2::256B",
))  # fmt: skip
_MEMORY = ("ld", "ldu", "st", "atom", "red")


def family(name: str) -> str:
    """The form without what may not change its result on memory that one lane has to itself."""
    opcode, *modifiers = name.split(".")
    if opcode not in _MEMORY:
        return name
    kept = [each for each in modifiers if each not in STILL | ORDERS | SCOPES]
    return ".".join((opcode, *(each.replace("shared::cta", "shared") for each in kept)))


def _choices(slot: Slot) -> list[str]:
    return [*(("",) if slot.optional else ()), *sorted(slot.choices)]


def _is_still(slot: Slot) -> bool:
    return slot.choices <= STILL


def _crossed(row: Row) -> Iterator[Form]:
    """Every choice of what computes, without what does not."""
    choices = [[""] if _is_still(slot) else _choices(slot) for slot in row.slots]
    for picked in product(*choices):
        found = signature(row, tuple(each for each in picked if each))
        if found is not None:
            yield found


def _met(picked: Sequence[str]) -> set[tuple[int, str, int, str]]:
    """The pairs of choices in it, by place."""
    return {
        (at, one, other, two) for at, one in enumerate(picked) for other, two in enumerate(picked[:at]) if one or two
    }


def _paired(row: Row) -> Iterator[Form]:
    """Forms in which each modifier that computes nothing meets each choice of every other place."""
    generator = random.Random(row.pattern)
    choices = [_choices(slot) for slot in row.slots]
    still = [at for at, slot in enumerate(row.slots) if _is_still(slot)]
    met: set[tuple[int, str, int, str]] = set()
    for at in still:
        for value, (other, some) in product(choices[at], enumerate(choices)):
            for wanted in some if other != at and value else ():
                pair = (at, value, other, wanted) if at > other else (other, wanted, at, value)
                for _ in range(_TRIES if pair not in met else 0):
                    picked = [
                        "" if "" in values and generator.random() < 0.8 else generator.choice(values)
                        for values in choices
                    ]
                    picked[at], picked[other] = value, wanted
                    found = signature(row, tuple(each for each in picked if each))
                    if found is not None:
                        met |= _met(picked)
                        yield found
                        break


def forms_of(row: Row) -> Iterator[Form]:
    """The row's forms, as the module says."""
    if size_of_row(row) <= CROSSED and not (row.opcode in ("ld", "st") and any(map(_is_still, row.slots))):
        for modifiers in expansions(row):
            found = signature(row, modifiers)
            if found is not None:
                yield found
        return
    yield from _crossed(row)
    yield from _paired(row)
