"""Which instruction forms have results recorded on NVIDIA hardware that our meanings reproduce.

In: a kernel. Out: what of it no such result speaks for; nothing means that agreement counts as E1, else as E1u. A form
is opcode and modifiers, and each operand's kind counts by itself (`isa.shape`): `I2F.S64` of a register says nothing
about `I2F.S64` of a constant. `vectored.json` lists what single instructions and PTX probes, both run on an H200, show
(tests/verify/vector_index.py makes it and its test recomputes it), MUFU to the error that the PTX manual states, HMMA
to what another order of the products could give, which that manual leaves open.
`indirect.json` lists what no code of sm_90 holds: machine code that ptxas made of the same probes for other generations
and that the interpreter runs to the results that the H200 gave for the PTX.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from cass_shim.isa.shape import generalised, keys
from cass_shim.isa.spec import CONTROL
from cass_shim.model.artifacts import SassKernel
from cass_shim.model.instruction import Instruction
from cass_shim.verify.program import IGNORED

# Instructions that only read the machine, wait or trap; their meaning is in the interpreter, not in a result.
_PLAIN = frozenset(["S2R", "S2UR", "CS2R", "CS2UR", "BAR", "MEMBAR", "B2R", "BPT", "FENCE"])
# Which level of cache keeps a line and how much is fetched: no value depends on it (PTX ISA 9.0 §9.7.9.1).
HINTS = frozenset(["CONSTANT", "EF", "EL", "EU", "LU", "NA", "LTC64B", "LTC128B", "LTC256B", "PRIVATE"])

# sm_90's instruction in the place of an older one: what it was recorded to do with an immediate, a constant or a
# uniform register holds for the older one too, where PTX shows that with registers.
SUCCESSORS = {"IMNMX": "VIMNMX"}

Slots = Mapping[str, frozenset[str]]


@dataclass(frozen=True)
class Lacking:
    """What nothing recorded speaks for, and what only other generations' code of the same PTX does; sorted."""

    missing: tuple[str, ...]
    indirect: tuple[str, ...]


def _table(name: str) -> Slots:
    file = files("cass_shim.verify") / name
    try:
        forms = json.loads(file.read_text(encoding="utf-8"))["forms"]
    except FileNotFoundError:
        return {}
    return {form: frozenset(slots) for form, slots in forms.items()}


@cache
def index() -> Slots:
    """Form → the kinds of its operands that were recorded on the hardware, as `isa.shape.keys` spells them."""
    return _table("vectored.json")


@cache
def indirect() -> Slots:
    """The same, of forms that stand in other generations' code of recorded PTX."""
    return _table("indirect.json")


def needs_vectors(instruction: Instruction) -> bool:
    """Whether an instruction has a result of its own to record."""
    return instruction.mnemonic not in CONTROL and instruction.mnemonic not in IGNORED | _PLAIN


def form_keys(instruction: Instruction) -> list[tuple[str, str]]:
    """(form without hints, slot) of everything that must have been seen."""
    found = []
    for form, slot in keys(instruction):
        head, *modifiers = form.split(".")
        found.append((".".join((head, *(name for name in modifiers if name not in HINTS))), slot))
    return found


def covered(form: str, slot: str, known: Slots) -> bool:
    """Whether the table speaks for one operand's kind; any register speaks for the zero register."""
    seen = known.get(form, frozenset())
    return slot in seen or generalised(slot) in seen


def indirectly(form: str, slot: str) -> bool:
    """Whether other generations' code of recorded PTX speaks for one operand's kind."""
    if covered(form, slot, indirect()):
        return True
    head, dot, rest = form.partition(".")
    return head in SUCCESSORS and form in indirect() and covered(SUCCESSORS[head] + dot + rest, slot, index())


def names(form: str, slot: str) -> tuple[str, str]:
    """How a report calls a kind of operand that nothing speaks for, and a form of which nothing is known."""
    return f"{form} {slot}", form


def lacking(kernel: SassKernel) -> Lacking:
    """What no hardware result covers of a kernel and its callees."""
    missing, only_indirect = set[str](), set[str]()
    for part in (kernel, *kernel.callees.values()):
        for instruction in filter(needs_vectors, part.instructions):
            for form, slot in form_keys(instruction):
                if covered(form, slot, index()):
                    continue
                known = form in index() or form in indirect()
                named = names(form, slot)[0 if known else 1]
                (only_indirect if indirectly(form, slot) else missing).add(named)
    return Lacking(tuple(sorted(missing)), tuple(sorted(only_indirect - missing)))
