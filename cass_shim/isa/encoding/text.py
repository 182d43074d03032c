"""How operands are printed: nvdisasm's spelling."""

from __future__ import annotations

import math
import struct
from functools import cache

from cass_shim.model.instruction import PT, RZ, Const, Mem, Pred, Reg

LARGE = 2.0**31  # from here on nvdisasm prints 20 decimals and an exponent (seen, nvdisasm 13.5)


def float_text(value: float) -> str:
    """A floating-point immediate; nvdisasm puts a blank behind those it spells out."""
    if math.isnan(value):
        return "-QNAN " if math.copysign(1.0, value) < 0 else "+QNAN "
    if not value and math.copysign(1.0, value) < 0:
        return "-0.0 "
    if math.isinf(value):
        return "-INF " if value < 0 else "+INF "
    if abs(value) >= LARGE:
        return f"{value:.20e}"
    return f"{value:.20g}"


def immediate(bits: int, number: str) -> str:
    """A 32-bit immediate field as the row prints it."""
    if number == "hex":
        return hex(bits)
    if number == "signed":
        return hex(bits - (1 << 32)) if bits >> 31 else hex(bits)
    if number == "f32":
        return float_text(struct.unpack("<f", struct.pack("<I", bits))[0])
    if number == "f64":
        return float_text(struct.unpack("<d", struct.pack("<Q", bits << 32))[0])
    if number == "f16x":  # one half alone
        return float_text(struct.unpack("<e", struct.pack("<H", bits & 0xFFFF))[0])
    if number == "bf16x":
        return float_text(struct.unpack("<f", struct.pack("<I", (bits & 0xFFFF) << 16))[0])
    if number == "bf16":
        high, low = (struct.unpack("<f", struct.pack("<I", half << 16))[0] for half in (bits >> 16, bits & 0xFFFF))
        return f"{float_text(high)}, {float_text(low)}"
    assert number == "f16", number
    high, low = (struct.unpack("<e", struct.pack("<H", half))[0] for half in (bits >> 16, bits & 0xFFFF))
    return f"{float_text(high)}, {float_text(low)}"


def register(reg: Reg, reuse: bool = False) -> str:
    """R5, UR4, RZ with sign, bars, .reuse and suffixes."""
    name = _name(reg.index, reg.uniform)
    if not (reuse or reg.absolute or reg.negate or reg.invert or reg.suffix):
        return name
    if reg.absolute:
        name = f"|{name}|"
    name += ".reuse" if reuse else ""
    name += "".join(f".{suffix}" for suffix in reg.suffix)
    return ("-" if reg.negate else "~" if reg.invert else "") + name


@cache
def _name(index: int, uniform: bool) -> str:
    return f"{'U' if uniform else ''}R{'Z' if index == RZ else index}"


def predicate(pred: Pred) -> str:
    """P0, !UP3, PT."""
    name = f"{'U' if pred.uniform else ''}P{'T' if pred.index == PT else pred.index}"
    return "!" + name if pred.negate else name


def offset_text(parts: list[str], offset: int) -> str:
    """Terms joined by +; the offset last, left out when 0 and something else is there."""
    if offset or not parts:
        parts = [*parts, hex(offset)]
    return "+".join(parts)


def constant(const: Const) -> str:
    """c[0x0][R2+0x160] with sign and bars."""
    bank = f"cx[{register(const.bank_register)}]" if const.bank_register else f"c[{const.bank:#x}]"
    inner = [register(const.index)] if const.index else []
    name = f"{bank}[{offset_text(inner, const.offset)}]"
    if const.absolute:
        name = f"|{name}|"
    name += "".join(f".{suffix}" for suffix in const.suffix)
    return ("-" if const.negate else "~" if const.invert else "") + name


def memory(mem: Mem) -> str:
    """desc[UR4][R2.64+UR6+0x10]."""
    parts = []
    if mem.base is not None:
        width = ".64" if mem.wide else f".X{mem.scale}" if mem.scale > 1 else ""
        parts.append(register(mem.base) + width)
    if mem.uniform is not None:
        parts.append(register(mem.uniform))
    descriptor = f"desc[{register(mem.descriptor)}]" if mem.descriptor else ""
    return f"{descriptor}[{offset_text(parts, mem.offset)}]"
