"""Which forms are probed: all of `every`, and what is written by hand; and a small sample of a row's forms for others.

The sample is the same each time, and has every modifier of the row several times.
"""

from __future__ import annotations

import functools
import random
from dataclasses import replace

from cass_shim.isa.ptx.spec import Row
from tools.ptxforms import every, flow, handwritten, matrices, newer, waits
from tools.ptxforms.oracle import refusals, written
from tools.ptxforms.probes import Probe, module, of_form
from tools.ptxforms.signatures import Form, all_rows, expansions, size_of_row

MOST = 130  # forms of one row
_EACH = 3  # sampled forms for each modifier
# Forms that need more around them than operands: in `handwritten`, `waits` and `flow`.
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


@functools.cache
def judged(sm: str = "90") -> tuple[tuple[Form, ...], tuple[Form, ...]]:
    """Every form of every row that operands can be written for: those that ptxas takes, and those that it does not."""
    chosen: dict[str, Form] = {}
    for row in all_rows():
        for form in every.forms_of(row):
            chosen.setdefault(form.name, form)
    listed = list(chosen.values())
    refused = refusals([written(form) for form in listed], sm)
    return (
        tuple(form for index, form in enumerate(listed) if index not in refused),
        tuple(form for index, form in enumerate(listed) if index in refused),
    )


def observable(form: Form) -> bool:
    """Whether a probe can show what the form does."""
    opcode, *modifiers = form.name.split(".")
    called = "param::func" in modifiers or (opcode == "st" and "param" in modifiers)  # in `flow`
    return opcode not in _SILENT and not called


def probe_of(form: Form) -> Probe:
    """The form's probe, with the inputs of the form without what may not change its result."""
    probe, plain = of_form(form), every.family(form.name)
    return probe if plain == form.name else replace(probe, like=plain)


def all_probes(known: frozenset[str], sm: str = "90") -> list[Probe]:
    """Every probe whose name is not in `known` and whose module ptxas takes."""
    taken, refused = judged(sm)
    probes = [probe_of(form) for form in taken if observable(form) and form.name not in known]
    probes += [*handwritten.all_handwritten(), *matrices.products(), *matrices.moves(), *matrices.tiles()]
    probes += [*waits.all_waits(), *flow.all_flow(), *newer.all_newer(refused)]
    probes += filter(None, map(flow.of_parameter, (*taken, *refused)))
    first = {probe.name: probe for probe in reversed(probes)}
    return [first[name] for name in reversed(first) if name not in known]


__all__ = ["all_probes", "judged", "module", "observable", "probe_of", "sampled"]
