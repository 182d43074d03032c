"""Conversions between integers and floats, rounding to integral values, and MUFU.

Sources: sass.md §5.3; PTX ISA, cvt (saturation, NaN) and the approximate functions.
"""

from __future__ import annotations

import re
from dataclasses import replace

from cass_shim.isa.emitter import Emitter
from cass_shim.isa.operands import (
    V,
    float32,
    float64,
    half,
    half2,
    high64,
    int32,
    int64,
    put32,
    put64,
    raw32,
    unwanted,
)
from cass_shim.isa.sass import float_eight
from cass_shim.isa.sass.float_single import rounding
from cass_shim.isa.spec import sass, unsupported
from cass_shim.model.instruction import RZ, Imm, Instruction, Operand, Reg

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


@sass("F2I", "UF2I", modifiers=f"{_INTEGERS} F16 BF16 F32 F64 FTZ NTZ TRUNC FLOOR CEIL RN RZ RM RP")
def f2i(e: Emitter[V], i: Instruction) -> None:
    """Saturating conversion; a NaN gives 0 with .NTZ, else 1 << (width - 1)."""
    dst, a = i.operands
    signed, width = _integer_type(i)
    kind = next(iter(_float_kinds(i)), "f32")
    mode = next((_ROUNDINGS[m] for m in i.modifiers if m in _ROUNDINGS), "rn")
    value = _read_float(e, a, kind)
    if kind in ("f16", "bf16"):
        kind, value = "f32", e.float_to_float("f32", kind, value)
    result = e.float_to_int(kind, value, width, signed, mode, i.has("NTZ"), i.has("FTZ"))
    if width == 64:
        put64(e, dst, result)
    else:
        put32(e, dst, result)


@sass("F2IP", modifiers="U8 F32 NTZ TRUNC FLOOR CEIL")
def f2ip(e: Emitter[V], i: Instruction) -> None:
    """dst's low byte = b, saturated; what is packed above it has only been seen as RZ."""
    dst, a, b, c = i.operands
    if not (i.has("U8") and i.has("NTZ")) or any(not isinstance(o, Reg) or o.index != RZ for o in (a, c)):
        raise unsupported(i, "two values packed")
    mode = next((_ROUNDINGS[m] for m in i.modifiers if m in _ROUNDINGS), "rn")
    put32(e, dst, e.float_to_int("f32", float32(e, b), 8, False, mode, True))


def _read_integer(e: Emitter[V], i: Instruction, operand: Operand, signed: bool, width: int) -> V:
    """The integer source in 32 or 64 bits; .B0 to .B3 and .H0, .H1 pick a part of the register."""
    if width == 64:
        return high64(e, operand) if isinstance(operand, Imm) else int64(e, operand)
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


@sass("I2F", "I2FP", "UI2F", "UI2FP", modifiers=f"{_INTEGERS} F16 BF16 F32 F64 RN RM RP RZ")
def i2f(e: Emitter[V], i: Instruction) -> None:
    """From an integer, signed 32-bit unless said otherwise, to f32 unless said otherwise."""
    dst, a = i.operands
    signed, width = _integer_type(i)
    kind = next(iter(_float_kinds(i)), "f32")
    value = _read_integer(e, i, a, signed, width)
    _put_float(e, dst, kind, e.int_to_float(kind, value, signed, rounding(i)))


@sass("I2I", modifiers=f"{_INTEGERS} SAT")
def i2i(e: Emitter[V], i: Instruction) -> None:
    """From the second type to the first, saturated, in all 32 bits."""
    dst, a = i.operands
    if list(i.modifiers[1:]) != ["S32", "SAT"] or i.modifiers[0] not in _LIMITS:
        raise unsupported(i)
    put32(e, dst, _saturated(e, int32(e, a), i.modifiers[0]))


@sass("I2IP", modifiers="S8 U8 S16 U16 S32 SAT")
def i2ip(e: Emitter[V], i: Instruction) -> None:
    """Two saturated integers, that of a above that of b; bytes leave room for the low half of c above them."""
    dst, *sources, above = i.operands
    if list(i.modifiers[1:]) != ["S32", "SAT"] or i.modifiers[0] not in _LIMITS or len(sources) != 2:
        raise unsupported(i)
    name = i.modifiers[0]
    width = int(name[1:])
    if width == 16 and not unwanted(above):
        raise unsupported(i, "merging with a register")
    high, low = (e.and_(_saturated(e, int32(e, o), name), e.const((1 << width) - 1, 32)) for o in sources)
    result = e.or_(e.shl(high, e.const(width, 32)), low)
    if width == 8:
        result = e.or_(e.shl(raw32(e, above), e.const(16, 32)), result)
    put32(e, dst, result)


def _saturated(e: Emitter[V], value: V, name: str) -> V:
    """A signed integer between the least and the most of a type."""
    least, most = _LIMITS[name]
    return e.smin(e.smax(value, e.const(least & 0xFFFF_FFFF, 32)), e.const(most, 32))


_LIMITS = {"S8": (-0x80, 0x7F), "U8": (0, 0xFF), "S16": (-0x8000, 0x7FFF), "U16": (0, 0xFFFF)}


@sass("F2F", modifiers="F16 BF16 F32 F64 FTZ RN RM RP RZ")
def f2f(e: Emitter[V], i: Instruction) -> None:
    """From the second type to the first; .FTZ makes zeros of denormal halves too (recorded on an H200)."""
    dst, a = i.operands
    kinds = _float_kinds(i)
    if len(kinds) != 2:
        raise unsupported(i)
    value = _read_float(e, a, kinds[1])
    result = e.float_to_float(kinds[0], kinds[1], value, rounding(i), i.has("FTZ"))
    if i.has("FTZ") and kinds[0] == "f16":
        denormal = e.compare("eq", e.and_(result, e.const(0x7C00, 16)), e.const(0, 16))
        result = e.select(denormal, e.and_(result, e.const(0x8000, 16)), result)
    _put_float(e, dst, kinds[0], result)


_EIGHT = {"E4M3": float_eight.E4M3, "E5M2": float_eight.E5M2}


_ARRANGEMENTS = "PACK_B PACK_AB MERGE_C PACK_AB_MERGE_C UNPACK_B UNPACK_B_MERGE_C"


@sass("F2FP", modifiers=f"F16 BF16 TF32 F32 E4M3 E5M2 {_ARRANGEMENTS} SATFINITE RELU RN RZ FTZ")
def f2fp(e: Emitter[V], i: Instruction) -> None:
    """.PACK_AB: a to the high part, b to the low one, as the first type; .UNPACK_B: the two parts of b.

    Two eight-bit floats (.PACK_AB_MERGE_C, .UNPACK_B_MERGE_C) and a 16-bit one (.MERGE_C) leave room for the low half
    of c above them. TF32 fills the register (.PACK_B).
    """
    if i.has("TF32") or i.has("PACK_B"):
        _tf32(e, i)
        return
    eight = next((_EIGHT[m] for m in i.modifiers if m in _EIGHT), None)
    merges = any("MERGE_C" in m for m in i.modifiers)
    dst, *sources = i.operands
    above = sources.pop() if merges else None
    if i.has("UNPACK_B", "UNPACK_B_MERGE_C"):
        if eight is None or len(sources) != 1:
            raise unsupported(i)
        _unpack(e, i, dst, sources[0], eight, above)
        return
    if i.has("MERGE_C") == i.has("PACK_AB", "PACK_AB_MERGE_C") or len(sources) != (1 if i.has("MERGE_C") else 2):
        raise unsupported(i)
    kind = "bf16" if i.has("BF16") else "f16"
    result = e.const(0, 32)
    for operand in sources:
        wide = _relu(e, i, "f32", float32(e, operand))
        if eight is not None:
            result = e.or_(e.shl(result, e.const(8, 32)), float_eight.narrow(e, wide, eight))
            continue
        narrow = e.float_to_float(kind, "f32", wide, rounding(i), i.has("FTZ"))
        if i.has("SATFINITE"):
            narrow = _finite(e, kind, narrow)
        result = e.or_(e.shl(result, e.const(16, 32)), e.zext(narrow, 32))
    put32(e, dst, _below(e, above, result))


def _below(e: Emitter[V], above: Operand | None, low: V) -> V:
    """16 bits with the low half of a register above them (.H1: the upper one), where there is one."""
    if above is None or unwanted(above):
        return low
    assert isinstance(above, Reg)
    word = raw32(e, replace(above, suffix=()))
    if "H1" in above.suffix:
        return e.or_(e.and_(word, e.const(0xFFFF_0000, 32)), low)
    return e.or_(e.shl(word, e.const(16, 32)), low)


def _tf32(e: Emitter[V], i: Instruction) -> None:
    """f32 with 13 bits of its fraction gone, to the nearest even or towards zero; infinities and NaNs lose the bits."""
    dst, source = i.operands
    if not (i.has("TF32") and i.has("F32") and i.has("PACK_B")) or i.has("SATFINITE", "FTZ") or i.has("F16", "BF16"):
        raise unsupported(i)
    value = _relu(e, i, "f32", float32(e, source))
    if not i.has("RZ"):
        odd = e.and_(e.lshr(value, e.const(13, 32)), e.const(1, 32))
        rounded = e.add(e.add(value, e.const(0xFFF, 32)), odd)
        exponent = e.and_(value, e.const(0x7F80_0000, 32))
        value = e.select(e.compare("eq", exponent, e.const(0x7F80_0000, 32)), value, rounded)
    put32(e, dst, e.and_(value, e.const(0xFFFF_E000, 32)))


def _finite(e: Emitter[V], kind: str, narrow: V) -> V:
    """The largest finite number of a 16-bit format instead of an infinity, whose bits are one more."""
    infinity = e.const(0x7F80 if kind == "bf16" else 0x7C00, 16)
    infinite = e.compare("eq", e.and_(narrow, e.const(0x7FFF, 16)), infinity)
    return e.select(infinite, e.sub(narrow, e.const(1, 16)), narrow)


def _relu(e: Emitter[V], i: Instruction, kind: str, value: V) -> V:
    """Not below zero; a NaN stays."""
    zero = e.const(0, 16 if kind == "f16" else 32)
    return e.fmax(kind, value, zero, nan_propagates=True) if i.has("RELU") else value


def _unpack(
    e: Emitter[V], i: Instruction, dst: Operand, source: Operand, eight: float_eight.Format, above: Operand | None
) -> None:
    """Two eight-bit floats of the low (.H1: high) half to halves, or two halves to eight-bit floats."""
    if i.has("UNPACK_B_MERGE_C"):
        value = half2(e, source)
        result = e.const(0, 32)
        for shift in (16, 0):
            part = e.trunc(e.lshr(value, e.const(shift, 32)), 16)
            wide = e.float_to_float("f32", "f16", _relu(e, i, "f16", part))
            result = e.or_(e.shl(result, e.const(8, 32)), float_eight.narrow(e, wide, eight))
        put32(e, dst, _below(e, above, result))
        return
    suffix = source.suffix if isinstance(source, Reg) else ()
    first = {(): 0, ("H0",): 0, ("H1",): 16}.get(suffix)
    if first is None:
        raise unsupported(i, "operand suffix")
    value = raw32(e, source)
    parts = []
    for shift in (first, first + 8):
        widened = float_eight.widen(e, e.lshr(value, e.const(shift, 32)), eight)
        parts.append(e.zext(_relu(e, i, "f16", widened), 32))
    put32(e, dst, e.or_(parts[0], e.shl(parts[1], e.const(16, 32))))


@sass("FRND", modifiers="F16 BF16 F32 F64 FTZ TRUNC FLOOR CEIL RN RZ")
def frnd(e: Emitter[V], i: Instruction) -> None:
    """To an integral value of the same type, nearest-even by default."""
    dst, a = i.operands
    kind = next(iter(_float_kinds(i)), "f32")
    mode = next((_ROUNDINGS[m] for m in i.modifiers if m in _ROUNDINGS), "rn")
    value = _read_float(e, a, kind)
    if kind == "bf16":  # what rounds to an integral value in f32 needs no more digits than it had
        whole = e.round_to_integral("f32", e.float_to_float("f32", "bf16", value), mode, i.has("FTZ"))
        _put_float(e, dst, kind, e.float_to_float("bf16", "f32", whole))
        return
    _put_float(e, dst, kind, e.round_to_integral(kind, value, mode, i.has("FTZ")))


_FUNCTIONS = "RCP RSQ SQRT EX2 LG2 SIN COS TANH RCP64H RSQ64H"


@sass("MUFU", modifiers=f"{_FUNCTIONS} F16 BF16")
def mufu(e: Emitter[V], i: Instruction) -> None:
    """dst = the approximate function of a; RCP64H and RSQ64H work on the high word of a double."""
    dst, a = i.operands
    function = i.modifiers[0].lower()
    kind = next(iter(_float_kinds(i)), "f32")
    if kind == "f32":
        put32(e, dst, e.mufu(function, float32(e, a)))
        return
    wide = e.mufu(function, e.float_to_float("f32", kind, half(e, a)))
    put32(e, dst, e.zext(e.float_to_float(kind, "f32", wide), 32))
