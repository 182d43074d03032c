"""Constants as C++ literals of an exact type."""

from __future__ import annotations

import math
import struct

from cass_shim.isa.ptx.syntax import Float, Integer
from cass_shim.isa.ptx.types import TYPES


def float_literal(bits: int, width: int) -> str:
    """The shortest decimal that gives these bits back; NaN and infinity by their bits."""
    if width == 32:
        value = struct.unpack("<f", struct.pack("<I", bits))[0]
    else:
        value = struct.unpack("<d", struct.pack("<Q", bits))[0]
    if math.isnan(value) or math.isinf(value):
        return f"as<f32>({bits:#x}u)" if width == 32 else f"as<f64>({bits:#x}ul)"
    if width == 64:
        return repr(value)
    for digits in range(1, 10):
        text = f"{value:.{digits}g}"
        if struct.pack("<f", float(text)) == struct.pack("<f", value):
            break
    if "." not in text and "e" not in text:
        text += ".0"
    return f"{text}f"


def integer_literal(value: int, type_name: str) -> str:
    """`value` modulo 2^n as a literal of the type's C++ type."""
    row = TYPES[type_name]
    if row.name == "pred":
        return "true" if value else "false"
    value &= (1 << row.bits) - 1
    if row.kind == "s":
        if value >> (row.bits - 1):
            value -= 1 << row.bits
        if value == -(1 << (row.bits - 1)):
            return f"({row.c})(-{-(value + 1)}{'l' if row.bits == 64 else ''} - 1)"
        text = f"{value}{'l' if row.bits == 64 else ''}"
        return text if row.bits >= 32 else f"({row.c}){text}" if value >= 0 else f"({row.c})({text})"
    digits = f"{value:#x}" if value > 0xFFFF and bin(value).count("1") != 1 else str(value)
    if row.bits < 32:
        return f"({row.c}){digits}"
    return f"{digits}{'u' if row.bits == 32 else 'ul'}" if row.bits <= 64 else f"(u128){digits}ul"


def literal(constant: Integer | Float, type_name: str) -> str:
    """A constant operand of an instruction as `type_name`. Source: PTX ISA 9.0 §4.5."""
    row = TYPES[type_name]
    if isinstance(constant, Integer):
        if type_name in ("f32", "f64"):
            value = float(constant.value)
            form = "<f" if type_name == "f32" else "<d"
            bits = int.from_bytes(struct.pack(form, value), "little")
            return float_literal(bits, row.bits)
        if type_name == "f16":
            return f"as<f16>((u16){constant.value & 0xFFFF})"
        return integer_literal(constant.value, type_name)
    bits = _float_bits(constant, row.bits)
    if row.kind == "f" and row.bits >= 32:
        return float_literal(bits, row.bits)
    return integer_literal(bits, f"b{row.bits}")


def _float_bits(constant: Float, width: int) -> int:
    """The constant in the width of its use: 0f… may be used as f64 and a decimal as f32."""
    if constant.single == (width == 32):
        return constant.bits
    source = "<f" if constant.single else "<d"
    value: float = struct.unpack(source, constant.bits.to_bytes(4 if constant.single else 8, "little"))[0]
    if width == 64:
        return int.from_bytes(struct.pack("<d", value), "little")
    try:
        packed = struct.pack("<f" if width == 32 else "<e", value)
    except OverflowError:
        packed = struct.pack("<f" if width == 32 else "<e", math.copysign(math.inf, value))
    return int.from_bytes(packed, "little")
