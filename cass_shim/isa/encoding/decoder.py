"""One word to one instruction, by the rows.

In: 128-bit word, address, SM. Out: `Instruction`. Raises Unsupported for an opcode without a row and for a set bit
that the row does not describe.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from cass_shim.isa.encoding import grammar, slots, text
from cass_shim.isa.encoding.grammar import Mod, Printed, Row, Undescribed, Word
from cass_shim.model.errors import Unsupported
from cass_shim.model.instruction import PT, Instruction, Pred

ALL_BITS = (1 << 128) - 1
# Words that mean the same everywhere, decoded: a third of what kernels hold (NOP, EXIT, reading the stack's base, …).
_seen: dict[tuple[int, int, bool], Instruction] = {}
_MOST_SEEN = 1 << 15  # some 30 MB

TOOLS = {"decoder", "grammar", "slots", "text"}


@cache
def table() -> dict[int, list[Row]]:
    """12-bit opcode → rows, in order of declaration."""
    package = import_module("cass_shim.isa.encoding")
    for module in iter_modules(package.__path__):
        if module.name not in TOOLS:
            import_module(f"cass_shim.isa.encoding.{module.name}")
    found: dict[int, list[Row]] = {}
    for row in grammar.rows:
        for opcode in [row.opcode | form << 9 for form in row.forms] or [row.opcode]:
            found.setdefault(opcode, []).append(row)
    return found


def modifiers_of(row: Row, w: Word) -> list[str]:
    """Modifier texts in printed order."""
    found: list[str] = []
    for modifier in row.modifiers:
        if isinstance(modifier, Mod):
            value = w.bits(modifier.position, modifier.width)
            name = modifier.names.get(value)
            if name is None:
                raise Undescribed(
                    f"{row.name}: value {value} at bits {modifier.position}-{modifier.position + modifier.width - 1}"
                )
            found += name.split(".") if name else []
        else:
            found += modifier(w)
    return found


def guard_of(w: Word, uniform: bool) -> Pred | None:
    """The guard, None for PT."""
    index, negate = w.bits(12, 3), bool(w.bits(15, 1))
    return None if index == PT and not negate else Pred(index, uniform, negate)


def assemble_text(guard: Pred | None, mnemonic: str, modifiers: list[str], printed: list[Printed]) -> str:
    """The line as nvdisasm prints it."""
    head = ".".join((mnemonic, *modifiers))
    prefix = f"@{text.predicate(guard)} " if guard else ""
    return prefix + head + (" " + ", ".join(shown for _, shown in printed if shown) if printed else "")


def decode_row(row: Row, w: Word) -> Instruction:
    """Decode by one row. Raises Undescribed."""
    modifiers = modifiers_of(row, w)
    mnemonic = row.name
    if modifiers and modifiers[0].startswith("="):  # a modifier that renames the instruction (I2F, I2FP)
        mnemonic = modifiers.pop(0)[1:]
    printed = slots.read(w, row.operands, row.number) if isinstance(row.operands, str) else row.operands(w)
    if left := w.value & ~w.seen & ALL_BITS:
        raise Undescribed(f"{row.name}: bits {left:#x} are not described")
    guard = guard_of(w, "guard_uniform" in w.notes)
    operands = tuple(operand for operand, _ in printed)
    line = assemble_text(guard, mnemonic, modifiers, printed)
    targets = ()
    return Instruction(w.at, mnemonic, tuple(modifiers), operands, guard, w.value, targets, None, line)


def decode(value: int, address: int, sm: int, described: bool = False) -> Instruction:
    """Decode one 128-bit word at byte `address` of its section. Raises Unsupported.

    described: an access with a cache policy stands before this one in the code (`memory.hides_descriptor`).
    """
    key = value, sm, described
    if (seen := _seen.get(key)) is not None:
        return Instruction(
            address, seen.mnemonic, seen.modifiers, seen.operands, seen.guard, value, (), None, seen.text
        )
    opcode = value & 0xFFF
    why = ""
    for row in table().get(opcode, ()):
        if row.sms and sm not in row.sms:
            continue
        w = Word(value, address, sm, opcode >> 9, described=described)
        if row.when and not row.when(w):
            continue
        try:
            found = decode_row(row, w)
            if not w.placed:
                if len(_seen) >= _MOST_SEEN:
                    _seen.clear()
                _seen[key] = found
            return found
        except Undescribed as problem:
            why = why or str(problem)
    name = why.split(":")[0] if why else f"opcode {opcode:#05x}"
    raise Unsupported(name, address=address, why=why or f"word {value:#034x}")


def forget() -> None:
    """Decode every word anew from here on: for measurements."""
    _seen.clear()
