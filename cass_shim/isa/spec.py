"""The register of SASS instructions: which function means what, and which modifiers it understands.

In: the families in `isa.sass`, which declare themselves with `@sass`. Out: `lookup` for coverage and analysis,
`execute` for whoever runs or translates an instruction. A modifier that a family does not name is Unsupported.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from cass_shim.isa.emitter import Emitter
from cass_shim.isa.uniform import given_by_some
from cass_shim.model.errors import Unsupported
from cass_shim.model.instruction import Instruction, Pred

Meaning = Callable[[Emitter[Any], Instruction], None]


class Effect(Enum):
    """What an instruction does besides writing its destination registers and predicates."""

    REGISTERS = "registers"  # nothing: lanes are independent, a select can stand for the guard
    MEMORY = "memory"  # reads or writes memory, or traps
    LANES = "lanes"  # its result depends on which lanes execute it together
    BARRIER = "barrier"  # waits for other warps


@dataclass(frozen=True, slots=True)
class Spec:
    """One mnemonic. modifiers: all that `meaning` gives a meaning to or may soundly drop."""

    name: str
    meaning: Meaning
    modifiers: frozenset[str]
    effect: Effect


# Decided by whoever walks the code, never by a meaning: branches, calls, convergence barriers.
_BRANCHES = ("BRA", "BRX", "BRXU", "JMP", "JMX", "CALL", "RET", "EXIT", "KILL", "LEPC", "RPCMOV")
_CONVERGENCE = ("BSSY", "BSYNC", "BREAK", "BMOV", "WARPSYNC", "ENDCOLLECTIVE")
CONTROL = frozenset((*_BRANCHES, *_CONVERGENCE))

_specs: dict[str, Spec] = {}


def sass(*names: str, modifiers: str = "", effect: Effect = Effect.REGISTERS) -> Callable[[Meaning], Meaning]:
    """Declare the meaning of some mnemonics. `modifiers`: the accepted ones, separated by spaces."""

    def declare(meaning: Meaning) -> Meaning:
        accepted = frozenset(modifiers.split())
        for name in names:
            assert name not in _specs, f"{name} is declared twice"
            assert name not in CONTROL, f"{name} is control flow"
            _specs[name] = Spec(name, meaning, accepted, effect)
        return meaning

    return declare


@cache
def specs() -> Mapping[str, Spec]:
    """All declared instructions by mnemonic."""
    package = import_module("cass_shim.isa.sass")
    for module in iter_modules(package.__path__):
        import_module(f"cass_shim.isa.sass.{module.name}")
    return _specs


def lookup(instruction: Instruction) -> Spec:
    """The instruction's Spec. Raises Unsupported, naming the form, for an unknown mnemonic or modifier."""
    spec = specs().get(instruction.mnemonic)
    if spec is None:
        raise Unsupported(instruction.form, address=instruction.address)
    if not spec.modifiers.issuperset(instruction.modifiers):
        unknown = " ".join(m for m in instruction.modifiers if m not in spec.modifiers)
        raise Unsupported(instruction.form, address=instruction.address, why=f"modifier {unknown}")
    return spec


def warp_wide(instruction: Instruction, own: frozenset[int]) -> Instruction:
    """The same instruction where what it does in some lanes is seen by all: those lanes become an operand.

    `@P R2UR UR, R` gives the warp's register the first such lane's value, and what reads it may run once for the warp
    (`SYNCS.EXCH [UR]`) and not under P: nvcc elects a lane so, or serves lanes with different values in turn.
    own: addresses of those that no other lane sees (`isa.uniform.own_moves`).
    """
    guard, operands = instruction.guard, instruction.operands
    if guard is None or not given_by_some(instruction) or instruction.address in own:
        return instruction
    return replace(instruction, guard=None, operands=(*operands, guard))


def effect_of(instruction: Instruction) -> Effect:
    """What this instruction does besides writing registers. Raises Unsupported like `lookup`.

    R2UR is a move, but with a predicate result it asks whether the lanes' values differ, and with one that chooses
    lanes (`warp_wide`) which is the first.
    """
    if instruction.mnemonic == "R2UR" and any(isinstance(one, Pred) for one in instruction.operands):
        return Effect.LANES
    return lookup(instruction).effect


def execute(e: Emitter[Any], instruction: Instruction) -> None:
    """Run one instruction's meaning on an emitter. The guard is the caller's business."""
    lookup(instruction).meaning(e, instruction)


def unsupported(instruction: Instruction, why: str = "") -> Unsupported:
    """The error a meaning raises for a combination it does not know."""
    return Unsupported(instruction.form, address=instruction.address, why=why)
