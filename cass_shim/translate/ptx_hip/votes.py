"""How instructions use their registers, found out once for each shape of instruction.

What a statement asks of its operands depends on its opcode, its modifiers and what kind of operands they are, hardly
ever on which registers. So it is written once to see that (`FunctionWriter`, counting), and of every later one of
the same shape the votes are known. In: an instruction. Out: a key, or the registers' names in the order of the key.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable

from cass_shim.isa.ptx.syntax import (
    Address,
    Arguments,
    Instruction,
    Negative,
    Not,
    Operand,
    Pair,
    Register,
    Symbol,
    Variable,
    Vector,
)

Votes = tuple[tuple[int, str, str], ...]  # which of an instruction's registers, its part, what it is used as
_MOST = 1 << 14  # shapes that are kept
known: dict[Hashable, Votes] = {}


def shape(instruction: Instruction, variable: Callable[[str], Variable | None]) -> tuple[Hashable, list[str]]:
    """A key that two instructions share when they ask the same of their operands, and the registers by number.

    variable: that of a symbol. The key is None where nothing may be concluded: calls, whose callee decides.
    """
    if instruction.opcode == "call":
        return None, []
    seen: dict[str, int] = {}
    key: list[Hashable] = [instruction.opcode, instruction.modifiers]
    for operand in instruction.operands:
        _add(key, operand, seen, variable)
    return tuple(key), list(seen)


def _add(
    key: list[Hashable], operand: Operand, seen: dict[str, int], variable: Callable[[str], Variable | None]
) -> None:
    """What is to be known of an operand: of registers which of them it is and its type, of constants all."""
    if isinstance(operand, Register):
        if operand.special:
            key.append(operand)
        else:
            key += (seen.setdefault(operand.name, len(seen)), operand.type, operand.part)
        return
    key.append(type(operand).__name__)
    if isinstance(operand, Address):
        _add(key, operand.base, seen, variable)
        inner: tuple[Operand, ...] = operand.extra
    elif isinstance(operand, Symbol):
        named = variable(operand.name)
        key += (operand.generic, named and (named.space, named.type, named.array, named.vector))
        return
    elif isinstance(operand, (Vector, Arguments)):
        inner = operand.items
    elif isinstance(operand, (Not, Negative)):
        inner = (operand.operand,)
    elif isinstance(operand, Pair):
        inner = (operand.first, operand.second)
    else:
        key.append(operand)
        return
    key.append(len(inner))
    for each in inner:
        _add(key, each, seen, variable)


def keep(key: Hashable, registers: list[str], cast: list[tuple[str, str, str]]) -> None:
    """Remember what an instruction of this shape asked: votes as (register, part, kind)."""
    if len(known) >= _MOST:
        known.clear()
    if all(name in registers for name, _, _ in cast):
        known[key] = tuple((registers.index(name), part, kind) for name, part, kind in cast)
