"""What stays the same in every turn of a loop, through copies, parameters of calls and variables on the stack.

Debug code keeps everything in memory; where a lane waits, the address it asks is read from there in each turn.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from cass_shim.isa.ptx.syntax import Address, Function, Instruction, Module, Operand, Register, Symbol, Vector
from cass_shim.translate.ptx_hip.contract import registers_of
from cass_shim.translate.ptx_hip.reach import callees

_COPIES = frozenset({"mov", "cvta", "cvt"})
_STORES = frozenset({"st", "red"})


def written(operand: Operand) -> Iterator[str]:
    """Registers that a destination operand names."""
    items = operand.items if isinstance(operand, Vector) else (operand,)
    for item in items:
        if not isinstance(item, Address):
            yield from registers_of(item)


def stack_registers(function: Function) -> frozenset[str]:
    """Registers that hold the address of a .local variable: nobody else sees what is stored there."""
    found: set[str] = set()
    for each in function.body or ():
        if isinstance(each, Instruction) and each.opcode in ("mov", "cvta") and len(each.operands) == 2:
            target, source = each.operands
            of_variable = isinstance(source, Symbol) and source.name in function.variables
            of_variable = of_variable and function.variables[source.name].space == "local"  # type: ignore[union-attr]
            if of_variable or (isinstance(source, Register) and source.name in found):
                found.update(written(target))
    return frozenset(found)


def own_cell(each: Instruction, stack: frozenset[str]) -> str:
    """The parameter or the place on the stack that a load or store names, "" if it may be what others see."""
    if each.opcode not in ("ld", "st") or len(each.operands) < 2:  # too few are refused where it is translated
        return ""
    address = each.operands[0 if each.opcode == "st" else 1]
    if not isinstance(address, Address):
        return ""
    base = address.base
    if "param" in each.modifiers or "local" in each.modifiers or (isinstance(base, Register) and base.name in stack):
        return f"[{getattr(base, 'name', base)}+{address.offset}]"
    return ""


class Reach:
    """Asks whether an instruction is of some kind, or a call that reaches one. stack: of the function it is in."""

    def __init__(self, module: Module, function: Function) -> None:
        self.module, self.stack = module, stack_registers(function)
        self._known: dict[tuple[str, frozenset[str]], bool] = {}

    def does(self, each: Instruction, kind: frozenset[str]) -> bool:
        """Stores to parameters and to the own stack are none; functions that nobody knows do everything."""
        if each.opcode != "call":
            return each.opcode in kind and not own_cell(each, self.stack)
        names = [operand.name for operand in each.operands if isinstance(operand, Symbol)]
        name = self._resolved(names[0]) if len(names) == 1 else ""
        if (name, kind) not in self._known:
            self._known[name, kind] = self._reaches(name, kind)
        return self._known[name, kind]

    def _resolved(self, name: str) -> str:
        return self.module.aliases.get(name, name)

    def _reaches(self, name: str, kind: frozenset[str]) -> bool:
        callee = self.module.functions.get(name)
        if callee is None or callee.body is None:
            return True
        for function in [callee, *callees(self.module, name, self._resolved)]:
            stack = stack_registers(function)
            for each in function.body or ():
                if isinstance(each, Instruction) and (
                    self._unknown(each) if each.opcode == "call" else each.opcode in kind and not own_cell(each, stack)
                ):
                    return True
        return False

    def _unknown(self, call: Instruction) -> bool:
        """Whether a call names no function with a body."""
        names = [self._resolved(operand.name) for operand in call.operands if isinstance(operand, Symbol)]
        return len(names) != 1 or getattr(self.module.functions.get(names[0]), "body", None) is None


def changing(code: Iterable[Instruction], stack: frozenset[str]) -> set[str]:
    """Registers and own cells that the instructions of a loop may give something new in each turn."""
    made: list[tuple[set[str], set[str], bool]] = []  # what is written, what it is made of, whether it is a copy
    for each in code:
        cell = own_cell(each, stack)
        if each.opcode in _STORES:
            if cell:
                made.append(({cell}, {name for operand in each.operands[1:] for name in registers_of(operand)}, True))
        elif each.operands:
            sources = {name for operand in each.operands[1:] for name in registers_of(operand)}
            copies = bool(cell) or each.opcode in _COPIES
            made.append((set(written(each.operands[0])), sources | ({cell} if cell else set()), copies))
    found: set[str] = set().union(*(targets for targets, _, copies in made if not copies), set())
    grown = True
    while grown:
        grown = False
        for targets, sources, _ in made:
            if not targets <= found and not sources.isdisjoint(found):
                found |= targets
                grown = True
    return found
