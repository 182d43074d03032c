"""Operands back to the text nvdisasm prints: what shows that parsing lost nothing (but `.reuse`)."""

from __future__ import annotations

import struct

from cass_shim.decode.operands import HALF_PAIRS, PC_RELATIVE
from cass_shim.model.instruction import (
    PT,
    RZ,
    Barrier,
    Const,
    Imm,
    Instruction,
    Mem,
    Operand,
    Pred,
    Reg,
    Scoreboard,
    Special,
    Target,
    Word,
)


def _number(value: int) -> str:
    return f"-{-value:#x}" if value < 0 else f"{value:#x}"


def _marked(body: str, operand: Reg | Const) -> str:
    sign = "-" if operand.negate else "~" if operand.invert else ""
    body = f"|{body}|" if operand.absolute else body
    return sign + body + "".join(f".{s}" for s in operand.suffix)


def _register(operand: Reg) -> str:
    number = "Z" if operand.index == RZ else str(operand.index)
    return _marked(f"{'U' if operand.uniform else ''}R{number}", operand)


def _memory(operand: Mem) -> str:
    terms = []
    if operand.base is not None:
        wide = ".64" if operand.wide else f".X{operand.scale}" if operand.scale > 1 else ""
        terms.append(_register(operand.base) + wide)
    if operand.uniform is not None:
        terms.append(_register(operand.uniform))
    if operand.offset or not terms:
        terms.append(_number(operand.offset))
    prefix = f"desc[{_register(operand.descriptor)}]" if operand.descriptor else ""
    return f"{prefix}[{'+'.join(terms)}]"


def _constant(operand: Const) -> str:
    terms = [_register(operand.index)] if operand.index is not None else []
    if operand.offset or not terms:
        terms.append(_number(operand.offset))
    bank = f"cx[{_register(operand.bank_register)}]" if operand.bank_register else f"c[{operand.bank:#x}]"
    return _marked(f"{bank}[{'+'.join(terms)}]", operand)


def _decimal(value: float) -> str:
    if value != value:
        return "+QNAN"
    if value in (float("inf"), float("-inf")):
        return "+INF" if value > 0 else "-INF"
    return f"{value:.20g}"


def immediate_texts(instruction: Instruction, bits: int) -> set[str]:
    """Every way the immediate may be printed; the mnemonic decides in the disassembler."""
    signed = bits - (1 << 32) if bits >> 31 else bits
    texts = {f"{bits:#x}", _number(signed)}
    if instruction.mnemonic in HALF_PAIRS:
        words = [struct.pack("<H", bits >> 16), struct.pack("<H", bits & 0xFFFF)]
        if instruction.has("BF16_V2"):
            values = [struct.unpack("<f", b"\0\0" + w)[0] for w in words]
        else:
            values = [struct.unpack("<e", w)[0] for w in words]
        texts.add(", ".join(_decimal(v) for v in values))
    single = struct.unpack("<f", struct.pack("<I", bits))[0]
    double = struct.unpack("<d", struct.pack("<Q", bits << 32))[0]
    for value in (single, double):
        text = _decimal(value)
        texts.add(f"{value:.20e}")  # large values keep their trailing zeros
        texts |= {text, text.replace("+QNAN", "-QNAN")} if value != value else {text}
    return texts


def operand_texts(instruction: Instruction, operand: Operand) -> set[str]:
    if isinstance(operand, Reg):
        return {_register(operand)}
    if isinstance(operand, Pred):
        name = "T" if operand.index == PT else str(operand.index)
        return {f"{'!' if operand.negate else ''}{'U' if operand.uniform else ''}P{name}"}
    if isinstance(operand, Imm):
        return immediate_texts(instruction, operand.bits)
    if isinstance(operand, Target):
        relative = instruction.mnemonic in PC_RELATIVE
        return {_number(operand.address - (instruction.address + 16 if relative else 0))}
    if isinstance(operand, Const):
        return {_constant(operand)}
    if isinstance(operand, Mem):
        return {_memory(operand), _memory(operand).replace(".64", "")}  # sm_75 does not mark pairs
    if isinstance(operand, Barrier):
        return {f"B{operand.index}"}
    if isinstance(operand, Scoreboard):
        return {f"SB{operand.index}"}
    if isinstance(operand, Special):
        return {operand.name}
    assert isinstance(operand, Word)
    return {operand.text}


def matches(instruction: Instruction) -> str:
    """ "" when the instruction prints as nvdisasm did, else what is left over."""
    guard = ""
    if instruction.guard is not None:
        guard = f"@{next(iter(operand_texts(instruction, instruction.guard)))} "
    text = instruction.text.replace(".reuse", "")
    expected = guard + instruction.form
    if not text.startswith(expected):
        return text
    rest = text[len(expected) :].strip()
    for operand in instruction.operands:
        options = sorted(operand_texts(instruction, operand), key=len, reverse=True)
        for option in options:
            after = rest.removeprefix(option)
            if after != rest and after[:1] in ("", ",", " ", "["):
                rest = after.lstrip(" ,")
                break
        else:
            return rest
    return rest
