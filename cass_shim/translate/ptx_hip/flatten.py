"""Puts functions in which a lane may wait for another of its wave into the kernel that calls them.

Lanes that wait for each other are scheduled apart in one body (`locks`): who gives a lock back behind the function
that took it, or raises the flag that a function polls, must be in the same one. Formal parameters become the .param
variables of the call, registers, labels and local variables get names of their own.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping

from cass_shim.isa.ptx.syntax import (
    Address,
    Arguments,
    Function,
    Instruction,
    Label,
    Module,
    Negative,
    Not,
    Operand,
    Pair,
    Register,
    Symbol,
    Vector,
)
from cass_shim.translate.ptx_hip.locks import asks_memory
from cass_shim.translate.ptx_hip.reach import callees, recursive

_MOST_STATEMENTS = 50_000  # of a kernel; what is left as a call is refused by name if it waits
_AFTER = "after_call_"  # labels behind what was a call


def flattened(module: Module, kernel: Function, resolve: Callable[[str], str]) -> Module:
    """The module, with another kernel of that name where it reaches functions that may wait."""
    reached = callees(module, kernel.name, resolve)
    waiting = {each.name for each in reached if _may_wait(each)}
    if not waiting:
        return module
    chosen = {
        each.name: each
        for each in reached
        if not recursive(module, each.name)
        and not any(variable.space in ("shared", "reg") for variable in each.variables.values())
        and not waiting.isdisjoint({each.name, *(one.name for one in callees(module, each.name, resolve))})
    }
    while True:
        flattener = _Flattener(kernel, chosen, resolve)
        kernel = flattener.run()
        if not flattener.calls or len(kernel.body or ()) > _MOST_STATEMENTS:
            return dataclasses.replace(module, functions={**module.functions, kernel.name: kernel})


def _may_wait(function: Function) -> bool:
    """Whether it asks memory for what a loop, its own or its caller's, may wait for."""
    return any(isinstance(each, Instruction) and asks_memory(each, True) for each in function.body or ())


class _Flattener:
    """One round: the calls that stand in a kernel now. calls: how many have been replaced."""

    def __init__(self, kernel: Function, chosen: Mapping[str, Function], resolve: Callable[[str], str]) -> None:
        self.chosen, self.resolve = chosen, resolve
        self.kernel = dataclasses.replace(
            kernel,
            registers=dict(kernel.registers),
            variables=dict(kernel.variables),
            prototypes=dict(kernel.prototypes),
            targets=dict(kernel.targets),
        )
        self.calls = 0

    def run(self) -> Function:
        body: list[Instruction | Label] = []
        taken = {each.name for each in self.kernel.body or () if isinstance(each, Label)}
        for statement in self.kernel.body or ():
            callee = self._callee(statement)
            if callee is None or not isinstance(statement, Instruction):
                body.append(statement)
                continue
            self.calls += 1
            number = self.calls
            while f"{_AFTER}{number}" in taken:
                number += 1
            taken.add(f"{_AFTER}{number}")
            body.extend(self._body(statement, callee, number))
        self.kernel.body = body
        return self.kernel

    def _callee(self, statement: Instruction | Label) -> Function | None:
        """The function that a call is to be replaced by."""
        if not isinstance(statement, Instruction) or statement.opcode != "call":
            return None
        targets = [each for each in statement.operands if isinstance(each, Symbol)]
        callee = self.chosen.get(self.resolve(targets[0].name)) if len(targets) == 1 else None
        if callee is None or _pairs(statement, callee) is None:
            return None
        return callee

    def _body(self, call: Instruction, callee: Function, number: int) -> Iterator[Instruction | Label]:
        """The callee's statements under names of their own; a return goes to the label behind them."""
        after = f"{_AFTER}{number}"
        names = _pairs(call, callee) or {}
        own = f"_in{number}"
        labels = [each.name for each in callee.body or () if isinstance(each, Label)]
        for name, variable in callee.variables.items():
            if name not in names:
                names[name] = f"{name}{own}"
                self.kernel.variables[names[name]] = dataclasses.replace(variable, name=names[name])
        names |= {name: f"{name}{own}" for name in (*labels, *callee.targets, *callee.prototypes)}
        self.kernel.registers |= {f"{name}{own}": type_name for name, type_name in callee.registers.items()}
        self.kernel.prototypes |= {names[name]: each for name, each in callee.prototypes.items()}
        self.kernel.targets |= {
            names[name]: tuple(names.get(each, each) for each in listed) for name, listed in callee.targets.items()
        }
        if call.guard is not None:
            yield _jump(after, (call.guard[0], not call.guard[1]), call)
        for statement in callee.body or ():
            if isinstance(statement, Label):
                yield Label(names[statement.name], statement.line)
                continue
            guard = statement.guard and (_renamed_register(statement.guard[0], own), statement.guard[1])
            if statement.opcode == "ret":
                yield _jump(after, guard, statement)
                continue
            operands = tuple(_renamed(each, names, own) for each in statement.operands)
            yield dataclasses.replace(statement, operands=operands, guard=guard)
        yield Label(after, call.line)


def _pairs(call: Instruction, callee: Function) -> dict[str, str] | None:
    """Formal parameter or result → the variable that the call names, or None where it names something else."""
    lists = [each.items for each in call.operands if isinstance(each, Arguments)]
    formals = [each for each in (callee.signature.results, callee.signature.parameters) if each]
    if [len(each) for each in lists if each] != [len(each) for each in formals]:
        return None
    pairs = {}
    for items, variables in zip([each for each in lists if each], formals, strict=True):
        for item, variable in zip(items, variables, strict=True):
            if not isinstance(item, Symbol) or item.offset or variable.space != "param":
                return None
            pairs[variable.name] = item.name
    return pairs


def _jump(label: str, guard: tuple[Register, bool] | None, at: Instruction) -> Instruction:
    return Instruction("bra", (), (Symbol(label),), guard, at.line, at.column)


def _renamed_register(register: Register, own: str) -> Register:
    return register if register.special else dataclasses.replace(register, name=f"{register.name}{own}")


def _renamed(operand: Operand, names: Mapping[str, str], own: str) -> Operand:
    """The operand in the kernel's name space."""
    if isinstance(operand, Register):
        return _renamed_register(operand, own)
    if isinstance(operand, Symbol):
        return dataclasses.replace(operand, name=names.get(operand.name, operand.name))
    if isinstance(operand, Not | Negative):
        return dataclasses.replace(operand, operand=_renamed_register(operand.operand, own))
    if isinstance(operand, Vector | Arguments):
        return dataclasses.replace(operand, items=tuple(_renamed(each, names, own) for each in operand.items))
    if isinstance(operand, Pair):
        return Pair(_renamed(operand.first, names, own), _renamed(operand.second, names, own))
    if isinstance(operand, Address):
        extra = tuple(_renamed(each, names, own) for each in operand.extra)
        return dataclasses.replace(operand, base=_renamed(operand.base, names, own), extra=extra)
    return operand
