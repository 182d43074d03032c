"""Which forms are probed: every choice of a row's modifiers where they are few, else a covering sample.

The sample is the same each time, and has every modifier of the row several times.
"""

from __future__ import annotations

import functools
import random
from collections.abc import Iterator
from itertools import product

from cass_shim.isa.ptx import load_all
from cass_shim.isa.ptx.memory import DATA
from cass_shim.isa.ptx.spec import ROWS, Row
from tools.ptxforms import handwritten, matrices
from tools.ptxforms.oracle import refusals, written
from tools.ptxforms.probes import Probe, module, of_form
from tools.ptxforms.signatures import Form, all_rows, expansions, signature, size_of_row

MOST = 130  # forms of one row
_EACH = 3  # sampled forms for each modifier
# Forms that a probe cannot observe or that would stop it (`vote` does with a mask that lacks the lane; with fitting
# masks it is in `handwritten`).
_SILENT = frozenset(
    [
        "prefetch",
        "prefetchu",
        "discard",
        "applypriority",
        "trap",
        "brkpt",
        "pmevent",
        "nanosleep",
        "setmaxnreg",
        "griddepcontrol",
        "membar",
        "fence",
        "mbarrier",
        "bar",
        "barrier",
        "activemask",
        "elect",
        "vote",
    ]
)


def sampled(row: Row, most: int = MOST) -> list[tuple[str, ...]]:
    """Modifiers of the chosen forms of a row."""
    if size_of_row(row) <= most:
        return list(expansions(row))
    generator = random.Random(row.pattern)
    blank = 0.85 if len(row.slots) > 5 else 0.6
    choices = [[*(("",) if slot.optional else ()), *sorted(slot.choices)] for slot in row.slots]
    chosen: dict[tuple[str, ...], None] = {}

    def draw(fixed: int = -1, value: str = "") -> None:
        picked = [
            value if at == fixed else "" if "" in some and generator.random() < blank else generator.choice(some)
            for at, some in enumerate(choices)
        ]
        chosen[tuple(modifier for modifier in picked if modifier)] = None

    for at, some in enumerate(choices):
        for value in some:
            for _ in range(_EACH):
                draw(at, value)
    for _ in range(2 * most):
        if len(chosen) < most:
            draw()
    return list(chosen)


def plain_memory() -> Iterator[Form]:
    """Loads and stores of every type, width and space without hints, and the ordered ones."""
    spaces = ("", "global", "shared", "local", "const", "param")
    orders = ((), ("volatile",), ("relaxed", "gpu"), ("relaxed", "cta"), ("acquire", "gpu"), ("acquire", "sys"),
              ("release", "cta"), ("release", "gpu"))  # fmt: skip
    load_all()
    rows = {opcode: ROWS[opcode] for opcode in ("ld", "st")}
    for opcode, order, space, vector, t in product(rows, orders, spaces, ("", "v2", "v4"), DATA.split("|")):
        modifiers = tuple(part for part in (*order, space, vector, t) if part)
        for row in rows[opcode]:
            found = signature(row, modifiers)
            if found is not None and (not order or t in ("u8", "s16", "b32", "f32", "u64", "f64")):
                yield found
                break


def forms(most: int = MOST) -> Iterator[Form]:
    """The chosen forms of every row that registers, addresses and constants can be written for."""
    seen = set()
    for form in plain_memory():
        if form.name not in seen:
            seen.add(form.name)
            yield form
    for row in all_rows():
        for modifiers in sampled(row, most):
            found = signature(row, modifiers)
            if found is not None and found.name not in seen:
                seen.add(found.name)
                yield found


@functools.cache
def accepted(sm: str = "90", most: int = MOST) -> tuple[Form, ...]:
    """Those that ptxas takes."""
    chosen = list(forms(most))
    refused = refusals([written(form) for form in chosen], sm)
    return tuple(form for index, form in enumerate(chosen) if index not in refused)


def observable(form: Form) -> bool:
    """Whether a probe can show what the form does."""
    opcode, *modifiers = form.name.split(".")
    if opcode in _SILENT or "param::func" in modifiers or (opcode == "st" and "param" in modifiers):
        return False
    if any(name in ("mmio", "shared::cta") for name in modifiers) and opcode in ("atom", "red"):
        return False
    return "mmio" not in modifiers  # device memory only here


def all_probes(known: frozenset[str], sm: str = "90") -> list[Probe]:
    """Every probe whose name is not in `known` and whose module ptxas takes."""
    probes = [of_form(form) for form in accepted(sm) if observable(form) and form.name not in known]
    probes += [*handwritten.all_handwritten(), *matrices.products(), *matrices.moves(), *matrices.tiles()]
    return [probe for probe in probes if probe.name not in known]


__all__ = ["accepted", "all_probes", "forms", "module", "observable", "sampled"]
