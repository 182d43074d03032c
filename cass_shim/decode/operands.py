"""The printed operands of one SASS instruction, parsed.

In: mnemonic, modifiers, the operand text as nvdisasm prints it, the 128-bit word. Out: `model.instruction` operands.
Floating-point immediates are printed as decimals, so their bits come from the word (bits 63:32 in every form of
the Volta encoding that has one; source: Mesa NAK's encoder, checked against the text in tests/decode). `.reuse` is
a scheduling hint without meaning and is dropped; the text keeps it.
"""

from __future__ import annotations

import re

from cass_shim.model.errors import Unsupported
from cass_shim.model.instruction import (
    PT,
    RZ,
    Barrier,
    Const,
    Imm,
    Mem,
    Operand,
    Pred,
    Reg,
    Scoreboard,
    Special,
    Target,
    Word,
)

# Mnemonics whose last hexadecimal operand is a code address; BRX and BRXU print theirs relative to the next one.
BRANCHES = frozenset({"BRA", "BSSY", "CALL", "RET", "JMP", "JMX", "LEPC", "BRX", "BRXU"})
PC_RELATIVE = frozenset({"BRX", "BRXU", "JMX"})
WIDE_IMMEDIATE = frozenset({"MOV", "UMOV", "SEL"})  # with .64, since sm_100
HALF_PAIRS = frozenset({"HADD2", "HMUL2", "HFMA2", "HSETP2", "HSET2", "HMNMX2"})
INSTRUCTION_BYTES = 16

_HEX = re.compile(r"-?0x[0-9a-f]+$")
_DECIMAL = re.compile(r"[-+]?(?:\d+(?:\.\d*)?(?:e[-+]?\d+)?|INF|QNAN|SNAN)$")
_REG = re.compile(r"([-~]?)(\|?)(U?)R(\d+|Z)((?:\.\w+)*)(\|?)((?:\.\w+)*)$")
_PRED = re.compile(r"(!?)(U?)P(\d|T)$")
_CONST = re.compile(r"([-~]?)(\|?)(?:c\[0x([0-9a-f]+)\]|cx\[(UR\d+|URZ)\])\[([^\]]*)\](\|?)((?:\.\w+)*)$")
_MEM = re.compile(r"(?:desc\[(UR\d+|URZ)\])?\[([^\]]*)\]$")
_TERM = re.compile(r"(U?)R(\d+|Z)((?:\.\w+)*)$")
_SPECIAL = re.compile(r"SR_\w+(?:\.\w+)?$|SRZ$|SR\d+$")
_WORD = re.compile(
    r"(?:ARRAY_)?(?:1D|2D|3D|CUBE)$|TEX_HEADER_\w+$|U?PR$|(?:[PNZ][PN]){4}$|Rpc\.(?:HI|LO)$"
    r"|(?:THREAD_STATE_ENUM|TRAP_RETURN_\w+|M(?:EXITED|KILL|ACTIVE|ATEXIT)|OPT_STACK|API_CALL_DEPTH|ATEXIT_PC)(?:\.\w+)?$"
)
_SCALES = {"X4": 4, "X8": 8, "X16": 16}


class _Unknown(Exception):
    """An operand we cannot read; becomes Unsupported with the instruction's name."""


def split_operands(text: str) -> list[str]:
    """Operands as printed; LDGSTS before sm_90 prints its two addresses without a comma."""
    parts: list[str] = []
    depth, start = 0, 0
    for at, char in enumerate(text):
        if char == "[":
            depth += 1
        elif char == "]":
            depth -= 1
        elif char == "," and depth == 0:
            parts.append(text[start:at])
            start = at + 1
    if text:
        parts.append(text[start:])
    return [part.strip() for part in parts]


def parse_operands(
    mnemonic: str, modifiers: tuple[str, ...], text: str, word: int, address: int
) -> tuple[Operand, ...]:
    """The operands of one instruction at byte `address`. Raises Unsupported naming it for text we cannot read."""
    parts = split_operands(text)
    if mnemonic == "LDGSTS" and parts and parts[0].count("[") > 1:
        first, rest = parts[0].split("]", 1)
        parts[:1] = [first + "]", rest]
    found: list[Operand] = []
    try:
        pending_half = False
        for position, part in enumerate(parts):
            if pending_half:  # the low half of a pair whose bits we have
                pending_half = False
                if not _DECIMAL.match(part):
                    raise _Unknown(part)
                continue
            last = position == len(parts) - 1
            operand = _parse(mnemonic, modifiers, part, word, address, last)
            pending_half = mnemonic in HALF_PAIRS and isinstance(operand, Imm) and _DECIMAL.match(part) is not None
            found.append(operand)
    except _Unknown as error:
        form = ".".join((mnemonic, *modifiers))
        raise Unsupported(form, address=address, why=f"operand {error} is not understood") from None
    return tuple(found)


def _parse(mnemonic: str, modifiers: tuple[str, ...], text: str, word: int, address: int, last: bool) -> Operand:
    if _HEX.match(text):
        value = int(text, 16)
        code = mnemonic in BRANCHES or (mnemonic == "WARPSYNC" and "COLLECTIVE" in modifiers)
        if code and last:
            return Target(value + address + INSTRUCTION_BYTES if mnemonic in PC_RELATIVE else value)
        if "64" in modifiers and mnemonic in WIDE_IMMEDIATE:
            return Imm(value & (1 << 64) - 1)
        if not -(2**31) <= value < 2**32:
            raise _Unknown(text)
        return Imm(value & 0xFFFFFFFF)
    if _DECIMAL.match(text):
        return Imm(word >> 32 & 0xFFFFFFFF)
    if match := _PRED.match(text):
        return Pred(PT if match[3] == "T" else int(match[3]), bool(match[2]), bool(match[1]))
    if "[" in text:
        return _parse_bracketed(text)
    if _REG.match(text):
        return parse_reg(text)
    if match := re.match(r"(SB|B)(\d+)$", text):
        return (Scoreboard if match[1] == "SB" else Barrier)(int(match[2]))
    if _SPECIAL.match(text):
        return Special(text)
    if _WORD.match(text):
        return Word(text)
    raise _Unknown(text)


def parse_reg(text: str) -> Reg:
    """A general or uniform register with its sign, absolute-value and suffix marks."""
    match = _REG.match(text)
    if not match or bool(match[2]) != bool(match[6]):
        raise _Unknown(text)
    sign, bar, uniform, number, inner, _, outer = match.groups()
    return Reg(
        RZ if number == "Z" else int(number),
        bool(uniform),
        sign == "-",
        bool(bar),
        sign == "~",
        _suffixes(inner + outer),
    )


def _suffixes(text: str) -> tuple[str, ...]:
    return tuple(part for part in text.split(".")[1:] if part != "reuse")


def _parse_bracketed(text: str) -> Operand:
    if match := _CONST.match(text):
        sign, bar, bank, bank_register, inside, closing, suffix = match.groups()
        if bool(bar) != bool(closing):
            raise _Unknown(text)
        index, offset = _index_and_offset(inside, text)
        return Const(
            int(bank, 16) if bank else 0,
            offset,
            index,
            parse_reg(bank_register) if bank_register else None,
            sign == "-",
            bool(bar),
            sign == "~",
            _suffixes(suffix),
        )
    if match := _MEM.match(text):
        return _parse_mem(match[1], match[2], text)
    raise _Unknown(text)


def _index_and_offset(inside: str, text: str) -> tuple[Reg | None, int]:
    index: Reg | None = None
    offset = 0
    for term in inside.split("+"):
        if _HEX.match(term):
            offset += int(term, 16)
        elif _TERM.match(term) and index is None:
            index = parse_reg(term)
        else:
            raise _Unknown(text)
    return index, offset


def _parse_mem(descriptor: str | None, inside: str, text: str) -> Mem:
    base: Reg | None = None
    uniform: Reg | None = None
    offset, scale, wide = 0, 1, False
    for term in inside.split("+"):
        if _HEX.match(term):
            offset += int(term, 16)
            continue
        if not _TERM.match(term):
            raise _Unknown(text)
        reg = parse_reg(term)
        if reg.uniform:
            if uniform is not None:
                raise _Unknown(text)
            uniform = reg
            continue
        if base is not None:
            raise _Unknown(text)
        scale = next((_SCALES[s] for s in reg.suffix if s in _SCALES), 1)
        wide = "64" in reg.suffix
        rest = tuple(s for s in reg.suffix if s not in _SCALES and s != "64")
        base = Reg(reg.index, suffix=rest)
    return Mem(base, offset, uniform, wide, scale, parse_reg(descriptor) if descriptor else None)
