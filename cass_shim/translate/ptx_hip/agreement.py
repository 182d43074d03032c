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
# Instructions that read predefined registers, that take a variable's address, and that may drop a result.
_READ_SPECIAL = frozenset(("mov", "cvt"))
_TAKE_ADDRESS = frozenset(("mov", "call", "ld", "st"))
_DROP = frozenset(("setp", "shfl", "atom", "mbarrier", "elect", "match", "lop3", "ld", "ldu", "mov", "tex", "tld4",
                   "suld", "call"))  # fmt: skip
_SELECTOR = re.compile(r"\.[bh]\d+")


def _kinds_agree(given: str, asked: str) -> bool:
    """Untyped and packed bits agree with anything of their size, signed with unsigned; predicates with themselves."""
    if "p" in (given, asked):
        return given == asked
    return given in "bx" or asked == "b" or (given in "us" and asked in "us")


def misfit(operand: Operand, type_name: str, instruction: Instruction | None) -> str:
    """What is wrong with a source or a destination register, "" when nothing is."""
    if instruction is None:
        return ""
    opcode, asked = instruction.opcode, TYPES[type_name]
    if isinstance(operand, Register):
        return _misfit_register(operand, type_name, opcode)
    if isinstance(operand, Integer) and asked.kind == "f":
        return f"an integer for .{type_name}"
    if isinstance(operand, Float) and asked.kind in "usp":
        return f"a float for .{type_name}"
    if isinstance(operand, Not) and type_name != "pred":
        return "a negated predicate where a value is expected"
    if isinstance(operand, Negative):
        return "a minus sign that this instruction does not take"
    if isinstance(operand, Symbol) and opcode not in _TAKE_ADDRESS:
        return f"{operand.name}, where a register or constant is expected"
    if isinstance(operand, Sink) and opcode not in _DROP:
        return "a result that may not be dropped"
    return ""


def _misfit_register(register: Register, type_name: str, opcode: str) -> str:
    if register.special:
        return "" if opcode in _READ_SPECIAL else f"{register.name}, which only mov and cvt read"
    if register.part and _SELECTOR.fullmatch(register.part):
        return f"the selector {register.part}, which only video instructions take"
    if _types_agree(register.type, type_name, opcode in WIDER_TAKEN):
        return ""
    return f"{register.name} is .{register.type}, expected .{type_name}"


@functools.cache
def _types_agree(given_name: str, asked_name: str, wider: bool) -> bool:
    given, asked = TYPES[given_name], TYPES[asked_name]
    if asked.kind == "x" or (given.kind == "f" and asked.kind == "f"):
        wider = False  # a float register holds its own format only
    fits = given.bits >= asked.bits if wider or asked.bits == 8 else given.bits == asked.bits
    return fits and (given_name == asked_name or _kinds_agree(given.kind, asked.kind))
