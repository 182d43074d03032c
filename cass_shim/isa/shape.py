"""What kinds of operands an instruction has, slot by slot: what evidence about an instruction form is evidence of.

In: an instruction. Out: slots, "0:R" (the first operand that is no predicate is a register), "@1.0:!P" (the first
predicate behind one such operand is negated). A slot's meaning does not depend on what the other slots hold: each is
fetched by itself. Memory operands have their own key, as all widths of a family of accesses share one address.

Numbers of registers, banks, offsets and values of immediates are no kinds; the zero register and PT are values of a
register and a predicate, and count as such where those were seen (`generalised`).
"""

from __future__ import annotations

from collections.abc import Iterator

from cass_shim.model.instruction import PT, RZ, Const, Imm, Instruction, Mem, Operand, Pred, Reg, Word


def _marks(operand: Reg | Const) -> tuple[str, str]:
    """What is printed before and behind an operand that may have signs."""
    before = "-" * operand.negate + "~" * operand.invert + "|" * operand.absolute
    return before, "".join(f".{suffix}" for suffix in operand.suffix)


def address_kind(operand: Mem) -> str:
    """[R.64+UR] and the like; what an offset adds is the same everywhere, a descriptor carries no address."""
    terms = []
    if operand.base is not None:
        scale = f".X{operand.scale}" if operand.scale != 1 else ""
        terms.append("R" + ".64" * operand.wide + scale + "".join(f".{suffix}" for suffix in operand.base.suffix))
    if operand.uniform is not None:
        terms.append("UR")
    return f"[{'+'.join(terms) or '#'}]"


def kind(operand: Operand) -> str:
    """One operand's kind."""
    if isinstance(operand, Reg):
        before, behind = _marks(operand)
        return f"{before}{'U' * operand.uniform}R{'Z' * (operand.index == RZ)}{behind}"
    if isinstance(operand, Const):
        before, behind = _marks(operand)
        index = "" if operand.index is None else "[UR]" if operand.index.uniform else "[R]"
        return f"{before}{'c' if operand.bank_register is None else 'cx'}{index}{behind}"
    if isinstance(operand, Pred):
        return f"{'!' * operand.negate}{'U' * operand.uniform}P{'T' * (operand.index == PT)}"
    if isinstance(operand, Imm):
        return "#"
    if isinstance(operand, Mem):
        return "M"
    if isinstance(operand, Word):
        return operand.text
    return type(operand).__name__


def slots(instruction: Instruction) -> Iterator[str]:
    """The operands' places and kinds."""
    place, behind = 0, 0
    for operand in instruction.operands:
        if isinstance(operand, Pred):
            yield f"@{place}.{behind}:{kind(operand)}"
            behind += 1
        else:
            yield f"{place}:{kind(operand)}"
            place, behind = place + 1, 0


def generalised(slot: str) -> str:
    """The slot with a register or predicate that may be any: what evidence about it covers the given one too."""
    place, _, named = slot.partition(":")
    head, dot, suffix = named.partition(".")
    return f"{place}:{head.replace('RZ', 'R').replace('PT', 'P')}{dot}{suffix}"


def family(instruction: Instruction) -> str:
    """What shares its ways of forming an address."""
    return instruction.mnemonic + (".CAS" if "CAS" in instruction.modifiers else "")


def keys(instruction: Instruction) -> list[tuple[str, str]]:
    """(form, slot) of everything that there must be evidence about; at least one."""
    found = [(instruction.form, slot) for slot in slots(instruction)] or [(instruction.form, "")]
    for operand in instruction.operands:
        if isinstance(operand, Mem):
            found.append((f"{family(instruction)} address", address_kind(operand)))
    return found


def shape(instruction: Instruction) -> tuple[str, ...]:
    """All that `keys` say, with any register for RZ: two words of one shape need one probe."""
    return tuple(f"{form} {generalised(slot)}" for form, slot in keys(instruction))
