"""Whether an operand may stand where an instruction asks for a type.

PTX's rules (PTX ISA 9.0 §9.4, §9.4.1) as ptxas 13.0 applies them; `tools.ptxforms.wrong` asks both.
"""

from __future__ import annotations

import functools
import re

from cass_shim.isa.ptx.syntax import Float, Instruction, Integer, Negative, Not, Operand, Register, Sink, Symbol
from cass_shim.isa.ptx.types import TYPES

# Instructions whose registers may be wider than their type.
WIDER_TAKEN = frozenset(("ld", "ldu", "st", "cvt", "suld", "sust"))
# Instructions that read predefined registers, that take a variable's address, those that name a texture or surface
# (by its handle, the one u64 they read), and that may drop a result.
_READ_SPECIAL = frozenset(("mov", "cvt"))
_TAKE_ADDRESS = frozenset(("mov", "call"))
_NAME_REFERENCE = frozenset(("tex", "tld4", "txq", "suld", "sust", "sured", "suq", "istypep"))
_DROP = frozenset(("setp", "shfl", "atom", "mbarrier", "elect", "match", "lop3", "ld", "ldu", "mov", "tex", "tld4",
                   "suld", "call"))  # fmt: skip
# Those of them whose only result may not be: one of several may.
_KEEP_ALONE = frozenset(("mov", "ld", "shfl", "match", "ldu", "test_wait", "try_wait", "pending_count"))
_COPIES = frozenset(("ld", "ldu", "st", "mov"))
# Conversions from and to these take registers of their width only, and no predefined ones.
_EXACT = frozenset(("bf16", "bf16x2", "tf32", "e4m3x2", "e5m2x2"))
_FLOATS = frozenset(("f16", "f32", "f64", "bf16", "f16x2", "bf16x2", "tf32", "e4m3x2", "e5m2x2"))
_INTEGERS = frozenset(("u16x2", "s16x2"))
# Operands of a type that the instruction does not name (counts, masks, results): no .f16x2 register stands for these
# words, as one does for those of a named type. "*": all of its operands.
_FIXED = {
    "popc": "0", "clz": "0", "bfind": "0", "bfe": "23", "bfi": "34", "szext": "2", "bmsk": "*", "dp4a": "03",
    "dp2a": "03", "shl": "2", "shr": "2", "shf": "3", "shfl": "4", "vote": "2", "match": "02", "redux": "*",
    "elect": "*", "bar": "*", "barrier": "*", "nanosleep": "*", "mbarrier": "*", "vset": "03", "vset2": "03",
    "vset4": "03",
}  # fmt: skip
_SELECTOR = re.compile(r"\.[bh]\d+")


def _kinds_agree(given: str, asked: str) -> bool:
    """Untyped bits agree with anything of their size, signed with unsigned; predicates with themselves."""
    if "p" in (given, asked):
        return given == asked
    return given == "b" or asked == "b" or (given in "us" and asked in "us")


def misfit(operand: Operand, type_name: str, instruction: Instruction | None) -> str:
    """What is wrong with a source or a destination register, "" when nothing is."""
    if instruction is None:
        return ""
    opcode, asked = instruction.opcode, TYPES[type_name]
    if isinstance(operand, Register):
        return _misfit_register(operand, type_name, instruction)
    if isinstance(operand, Integer) and asked.kind in "fx":
        return f"an integer for .{type_name}"
    if isinstance(operand, Float):
        return _misfit_float(operand, type_name)
    if isinstance(operand, Not) and type_name != "pred":
        return "a negated predicate where a value is expected"
    if isinstance(operand, Negative):
        return "a minus sign that this instruction does not take"
    named = opcode in _TAKE_ADDRESS or (opcode in _NAME_REFERENCE and type_name == "u64")
    if isinstance(operand, Symbol) and not named:
        return f"{operand.name}, where a register or constant is expected"
    if isinstance(operand, Sink):
        alone = instruction.operands[:1] == (operand,) and not _KEEP_ALONE.isdisjoint((opcode, *instruction.modifiers))
        return "a result that may not be dropped" if alone or opcode not in _DROP else ""
    return ""


def _misfit_float(constant: Float, type_name: str) -> str:
    """A float constant stands for a float, and for the bits of its own width when it is written as such."""
    asked = TYPES[type_name]
    fits = type_name in ("f32", "f64") or (asked.kind == "b" and asked.bits == (32 if constant.single else 64))
    return "" if fits else f"a float for .{type_name}"


def _misfit_special(register: Register, type_name: str, instruction: Instruction) -> str:
    """A predefined register is moved as it is, or converted between integers no wider than it."""
    asked = TYPES[type_name]
    if instruction.opcode not in _READ_SPECIAL or "pack" in instruction.modifiers:
        return f"{register.name}, which only mov and cvt read"
    if register.name.startswith("%") and register.type in TYPES and TYPES[register.type].kind == "u":
        bits = TYPES[register.type].bits
        if instruction.opcode == "mov" and (asked.kind == "f" or bits != asked.bits):
            return f"{register.name} is .{register.type}, expected .{type_name}"
        if instruction.opcode == "cvt" and (not _FLOATS.isdisjoint(instruction.modifiers) or bits < asked.bits):
            return f"{register.name} in a conversion other than of integers no wider than it"
    return ""


def _misfit_register(register: Register, type_name: str, instruction: Instruction) -> str:
    opcode = instruction.opcode
    if register.special:
        return _misfit_special(register, type_name, instruction)
    if register.part and _SELECTOR.fullmatch(register.part):
        return f"the selector {register.part}, which only video instructions take"
    wider = opcode in WIDER_TAKEN and not (opcode == "cvt" and not _EXACT.isdisjoint(instruction.modifiers))
    if register.type == "f16x2" and _packed_fits(register, type_name, instruction, wider):
        return ""
    whole = opcode == "cvt" and register.type == "b128" and not _converts_128(type_name, instruction)
    if _types_agree(register.type, type_name, wider) and not whole:
        return ""
    return f"{register.name} is .{register.type}, expected .{type_name}"


def _packed_fits(register: Register, type_name: str, instruction: Instruction, wider: bool) -> bool:
    """Whether an .f16x2 register stands for an integer: as a word, and for less where wider registers do."""
    asked, opcode = TYPES[type_name], instruction.opcode
    if asked.kind not in "bus" or asked.bits > 32:
        return False
    if asked.bits < 32:
        return wider
    places = "".join(
        str(place)
        for place, each in enumerate(instruction.operands)
        if isinstance(each, Register) and each.name == register.name
    )
    if opcode in ("bar", "barrier") and "red" in instruction.modifiers:
        return places == "0"
    fixed = _FIXED.get(opcode, "")
    return fixed != "*" and set(fixed).isdisjoint(places)


def _converts_128(type_name: str, instruction: Instruction) -> bool:
    """Whether cvt takes a .b128 register: not for packed types, and not with .ftz where a float meets 64 bits."""
    modifiers = instruction.modifiers
    wide = modifiers[-1] in _FLOATS and any(each in TYPES and TYPES[each].bits == 64 for each in modifiers)
    return (TYPES[type_name].kind != "x" or type_name == "f16x2") and not ("ftz" in modifiers and wide)


@functools.cache
def _types_agree(given_name: str, asked_name: str, wider: bool) -> bool:
    given, asked = TYPES[given_name], TYPES[asked_name]
    if given.kind == "x":
        return given_name == asked_name or (asked.bits == given.bits and (asked.kind == "b" or asked_name in _INTEGERS))
    if (asked.kind == "x" and asked_name != "f16x2") or (given.kind == "f" and asked.kind == "f"):
        wider = False  # a float register holds its own format only
    fits = given.bits >= asked.bits if wider or asked.bits == 8 else given.bits == asked.bits
    return fits and (given_name == asked_name or _kinds_agree(given.kind, asked.kind))
