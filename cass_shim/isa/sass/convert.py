"""Conversions between integers and floats, rounding to integral values, and MUFU.

Sources: sass.md §5.3; PTX ISA, cvt (saturation, NaN) and the approximate functions.
"""

from __future__ import annotations

import re

from cass_shim.isa.emitter import Emitter
from cass_shim.isa.operands import V, float32, float64, half, int64, put32, put64, raw32
from cass_shim.isa.sass.float_single import rounding
from cass_shim.isa.spec import sass, unsupported
from cass_shim.model.instruction import Instruction, Operand, Reg

_INTEGERS = "U8 S8 U16 S16 U32 S32 U64 S64"
_FLOATS = {"F16": "f16", "BF16": "bf16", "F32": "f32", "F64": "f64"}
_ROUNDINGS = {"TRUNC": "rz", "FLOOR": "rm", "CEIL": "rp", "RZ": "rz", "RM": "rm", "RP": "rp"}


def _float_kinds(i: Instruction) -> list[str]:
    return [_FLOATS[m] for m in i.modifiers if m in _FLOATS]


def _read_float(e: Emitter[V], operand: Operand, kind: str) -> V:
    if kind == "f64":
        return float64(e, operand)
    return float32(e, operand) if kind == "f32" else half(e, operand)


def _put_float(e: Emitter[V], operand: Operand, kind: str, value: V) -> None:
    if kind == "f64":
        put64(e, operand, value)
    else:
        put32(e, operand, value if kind == "f32" else e.zext(value, 32))


def _integer_type(i: Instruction) -> tuple[bool, int]:
    """(signed, bits) of the integer side; S32 when none is printed."""
    name = next((m for m in i.modifiers if re.fullmatch(r"[US]\d+", m)), "S32")
    return name[0] == "S", int(name[1:])


@sass("F2I", modifiers=f"{_INTEGERS} F16 F32 F64 FTZ NTZ TRUNC FLOOR CEIL RN RZ RM RP")
def f2i(e: Emitter[V], i: Instruction) -> None:
    """Saturating conversion; a NaN gives 0 with .NTZ, else 1 << (width - 1)."""
    dst, a = i.operands
    signed, width = _integer_type(i)
    kind = next(iter(_float_kinds(i)), "f32")
    mode = next((_ROUNDINGS[m] for m in i.modifiers if m in _ROUNDINGS), "rn")
    value = _read_float(e, a, kind)
    if kind == "f16":
        kind, value = "f32", e.float_to_float("f32", "f16", value)
    result = e.float_to_int(kind, value, width, signed, mode, i.has("NTZ"), i.has("FTZ"))
    if width == 64:
        put64(e, dst, result)
    else:
        put32(e, dst, result)


def _read_integer(e: Emitter[V], i: Instruction, operand: Operand, signed: bool, width: int) -> V:
    """The integer source in 32 or 64 bits; .B0 to .B3 and .H0, .H1 pick a part of the register."""
    if width == 64:
        return int64(e, operand)
    value = raw32(e, operand)
    suffix = operand.suffix if isinstance(operand, Reg) else ()
    shift = {(): 0, ("B0",): 0, ("B1",): 8, ("B2",): 16, ("B3",): 24, ("H0",): 0, ("H1",): 16}.get(suffix)
    if shift is None or (suffix and width == 32):
        raise unsupported(i, f"operand suffix {'.'.join(suffix)}")
    if width < 32:
        part = e.trunc(e.lshr(value, e.const(shift, 32)), width)
        value = e.sext(part, 32) if signed else e.zext(part, 32)
    if isinstance(operand, Reg) and operand.absolute:
        value = e.smax(value, e.sub(e.const(0, 32), value))
    if isinstance(operand, Reg) and operand.negate:
        value = e.sub(e.const(0, 32), value)
    return value


@sass("I2F", "I2FP", "UI2F", "UI2FP", modifiers=f"{_INTEGERS} F16 F32 F64 RN RM RP RZ")
def i2f(e: Emitter[V], i: Instruction) -> None:
    """From an integer, signed 32-bit unless said otherwise, to f32 unless said otherwise."""
    dst, a = i.operands
    signed, width = _integer_type(i)
    kind = next(iter(_float_kinds(i)), "f32")
    value = _read_integer(e, i, a, signed, width)
    _put_float(e, dst, kind, e.int_to_float(kind, value, signed, rounding(i)))


@sass("F2F", modifiers="F16 BF16 F32 F64 FTZ RN RM RP RZ")
def f2f(e: Emitter[V], i: Instruction) -> None:
    """From the second type to the first."""
    dst, a = i.operands
    kinds = _float_kinds(i)
    if len(kinds) != 2:
        raise unsupported(i)
    value = _read_float(e, a, kinds[1])
    _put_float(e, dst, kinds[0], e.float_to_float(kinds[0], kinds[1], value, rounding(i), i.has("FTZ")))


@sass("F2FP", modifiers="F16 BF16 F32 PACK_AB RELU RN RZ FTZ")
def f2fp(e: Emitter[V], i: Instruction) -> None:
    """.PACK_AB: a to the high half, b to the low half, as f16 unless .BF16."""
    dst, a, b = i.operands
    if not i.has("PACK_AB"):
        raise unsupported(i)
    kind = "bf16" if i.has("BF16") else "f16"
    parts = []
    for operand in (a, b):
        narrow = e.float_to_float(kind, "f32", float32(e, operand), rounding(i), i.has("FTZ"))
        parts.append(e.fmax(kind, narrow, e.const(0, 16), nan_propagates=True) if i.has("RELU") else narrow)
    high = e.shl(e.zext(parts[0], 32), e.const(16, 32))
    put32(e, dst, e.or_(high, e.zext(parts[1], 32)))


@sass("FRND", modifiers="F16 F32 F64 FTZ TRUNC FLOOR CEIL RN RZ")
def frnd(e: Emitter[V], i: Instruction) -> None:
    """To an integral value of the same type, nearest-even by default."""
    dst, a = i.operands
    kind = next(iter(_float_kinds(i)), "f32")
    mode = next((_ROUNDINGS[m] for m in i.modifiers if m in _ROUNDINGS), "rn")
    _put_float(e, dst, kind, e.round_to_integral(kind, _read_float(e, a, kind), mode, i.has("FTZ")))


_FUNCTIONS = "RCP RSQ SQRT EX2 LG2 SIN COS TANH RCP64H RSQ64H"


@sass("MUFU", modifiers=_FUNCTIONS)
def mufu(e: Emitter[V], i: Instruction) -> None:
    """dst = the approximate function of a; RCP64H and RSQ64H work on the high word of a double."""
    dst, a = i.operands
    put32(e, dst, e.mufu(i.modifiers[0].lower(), float32(e, a)))
