"""Which functions a kernel reaches, which have their address taken, which call themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from cass_shim.isa.ptx.syntax import (
    Address,
    Function,
    Instruction,
    Module,
    Operand,
    Prototype,
    Register,
    Symbol,
    Variable,
    Vector,
)
from cass_shim.translate.ptx_hip.layout import size_of


def _instructions(function: Function) -> Iterator[Instruction]:
    for statement in function.body or ():
        if isinstance(statement, Instruction):
            yield statement


def _symbols(operand: Operand) -> Iterator[str]:
    if isinstance(operand, Symbol):
        yield operand.name
    elif isinstance(operand, Vector):
        for item in operand.items:
            yield from _symbols(item)
    elif isinstance(operand, Address):
        yield from _symbols(operand.base)


def address_taken(module: Module) -> list[Function]:
    """Functions with a body whose address is in a variable's initialiser or in a mov, in the module's order."""
    candidates = [each for each in module.functions.values() if each.body is not None and not each.entry]
    if not candidates:
        return []
    names: set[str] = set()
    for variable in module.variables.values():
        names.update(element.symbol for element in variable.initializer if element.symbol)
    for function in module.functions.values():
        for instruction in _instructions(function):
            if instruction.opcode in ("mov", "cvta", "st"):
                for operand in instruction.operands:
                    names.update(_symbols(operand))
    names = {module.aliases.get(name, name) for name in names}
    return [function for function in candidates if function.name in names]


def called_prototype(module: Module, function: Function, call: Instruction) -> Prototype | None:
    """The prototype that an indirect call names: .callprototype, a function, or the first of .calltargets."""
    last = call.operands[-1]
    if not isinstance(last, Symbol):
        return None
    if last.name in function.prototypes:
        return function.prototypes[last.name]
    name = function.targets.get(last.name, (last.name,))[0]
    return module.functions[name].signature if name in module.functions else None


def same_shape(a: Prototype, b: Prototype) -> bool:
    """Whether a function of one signature can be called through the other: same sizes in the same places."""

    def shape(variables: tuple[Variable, ...]) -> list[tuple[int, bool]]:
        return [(size_of(variable), variable.array) for variable in variables]

    return shape(a.results) == shape(b.results) and shape(a.parameters) == shape(b.parameters)


def indirect_targets(module: Module, function: Function, call: Instruction) -> list[Function]:
    """Functions that an indirect call can reach: address taken, of the shape of its prototype."""
    prototype = called_prototype(module, function, call)
    if prototype is None:
        return []
    last = call.operands[-1]
    listed = function.targets.get(last.name) if isinstance(last, Symbol) else None
    return [
        target
        for target in address_taken(module)
        if same_shape(target.signature, prototype) and (listed is None or target.name in listed)
    ]


def _direct(module: Module, function: Function, resolve: Callable[[str], str]) -> Iterator[str]:
    """Names of functions that a body calls; an indirect call reaches all whose address is taken."""
    for instruction in _instructions(function):
        if instruction.opcode != "call":
            continue
        if any(isinstance(operand, Register) for operand in instruction.operands):
            yield from (target.name for target in indirect_targets(module, function, instruction))
        for operand in instruction.operands:
            if isinstance(operand, Symbol):
                yield resolve(operand.name)


def callees(module: Module, name: str, resolve: Callable[[str], str]) -> list[Function]:
    """All functions with a body that `name` reaches, callees before callers."""
    order: list[Function] = []
    state: dict[str, int] = {name: 1}
    stack = [(name, list(_direct(module, module.functions[name], resolve)))]
    while stack:
        current, left = stack[-1]
        if left:
            target = left.pop(0)
            function = module.functions.get(target)
            if target not in state and function is not None and function.body is not None:
                state[target] = 1
                stack.append((target, list(_direct(module, function, resolve))))
        else:
            stack.pop()
            if current != name:
                order.append(module.functions[current])
    return order


def recursive(module: Module, name: str) -> bool:
    """Whether a function can reach itself."""

    def resolve(target: str) -> str:
        return module.aliases.get(target, target)

    seen: set[str] = set()
    left = list(_direct(module, module.functions[name], resolve))
    while left:
        target = left.pop()
        if target == name:
            return True
        function = module.functions.get(target)
        if target not in seen and function is not None:
            seen.add(target)
            left.extend(_direct(module, function, resolve))
    return False
