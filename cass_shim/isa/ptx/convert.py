"""Conversions. Source: PTX ISA 9.0 §9.7.9.21 (cvt) and §9.7.9.22 (cvt.pack)."""

from __future__ import annotations

from cass_shim.isa.ptx.spec import Use, Writer, ptx
from cass_shim.isa.ptx.syntax import Float
from cass_shim.isa.ptx.types import TYPES, bits_of

_INTEGERS = "u8|u16|u32|u64|s8|s16|s32|s64"
_WIDER = "u16|u32|u64|s16|s32|s64"
_ROUND_TO_INTEGER = {"rni": "rint", "rzi": "trunc", "rmi": "floor", "rpi": "ceil"}


def _contains(wide: str, narrow: str) -> bool:
    """Whether an integer type has every value of another."""
    if wide[0] == narrow[0]:
        return bits_of(wide) >= bits_of(narrow)
    return wide[0] == "s" and bits_of(wide) > bits_of(narrow)


@ptx(f"cvt.{{sat}}?.{{t:{_INTEGERS}}}.{{s:{_INTEGERS}}}")
def integer_to_integer(w: Writer, i: Use) -> None:
    """Truncate or extend by the source's sign; .sat clamps to the range of the destination."""
    d, a = i.take(2)
    if i["sat"] and _contains(i.t, i["s"]):
        raise i.unsupported(f".sat, though every {i['s']} is a {i.t}")
    x = w.get(a, i["s"])
    if i["sat"]:
        w.set(d, i.t, f"ptx_clamp<{TYPES[i.t].c}>({x})")
    else:
        w.set(d, i.t, f"({TYPES[i.t].c}){x}")


@ptx(
    f"cvt.{{rnd:rn|rz|rm|rp}}.{{ftz}}?.{{sat}}?.{{t:f32}}.{{s:{_INTEGERS}}}",
    f"cvt.{{rnd:rn|rz|rm|rp}}.{{sat}}?.{{t:f16|f64}}.{{s:{_INTEGERS}}}",
    f"cvt.{{rnd:rn|rz|rm|rp}}.{{t:bf16}}.{{s:{_WIDER}}}",
)
def integer_to_float(w: Writer, i: Use) -> None:
    """Rounded as said; .sat clamps to [0, 1]."""
    d, a = i.take(2)
    x = w.get(a, i["s"])
    if i.t == "bf16":
        text = f"ptx_f64_to_bf16_{i['rnd']}(ptx_odd({x}))"
    elif i["rnd"] == "rn":
        text = f"({TYPES[i.t].c}){x}"
    else:
        text = f"ptx_from_integer_{i['rnd']}<{TYPES[i.t].c}>({x})"
    w.set(d, i.t, f"ptx_sat({text})" if i["sat"] else text)


@ptx(
    f"cvt.{{rnd:rni|rzi|rmi|rpi}}.{{ftz}}?.{{sat}}?.{{t:{_INTEGERS}}}.{{s:f32}}",
    f"cvt.{{rnd:rni|rzi|rmi|rpi}}.{{sat}}?.{{t:{_INTEGERS}}}.{{s:f16|f64}}",
    f"cvt.{{rnd:rni|rzi|rmi|rpi}}.{{t:{_WIDER}}}.{{s:bf16}}",
)
def float_to_integer(w: Writer, i: Use) -> None:
    """Rounded to an integer, clamped to the destination's range; NaN gives 0, or 2^(n-1) when 64 bits are involved.

    The C++ cast saturates (-fno-strict-float-cast-overflow), as the hardware's conversion does.
    """
    d, a = i.take(2)
    x = w.get(a, i["s"])
    source = i["s"]
    if source == "bf16":
        x, source = f"ptx_bf16_to_f32({x})", "f32"
    if i["ftz"]:
        x = f"ptx_ftz({x})"
    rounded = x if i["rnd"] == "rzi" else f"ptx_round_{_ROUND_TO_INTEGER[i['rnd']]}({x})"
    if source == "f64" or bits_of(i.t) == 64:
        w.set(d, i.t, f"ptx_to_integer<{TYPES[i.t].c}>({rounded})")
    else:
        w.set(d, i.t, f"({TYPES[i.t].c})({rounded})")


@ptx(
    "cvt.{rnd:rni|rzi|rmi|rpi}?.{ftz}?.{sat}?.{t:f32}.f32",
    "cvt.{rnd:rni|rzi|rmi|rpi}?.{sat}?.{t:f64}.f64",
    "cvt.{rnd:rni|rzi|rmi|rpi}?.{sat}?.{t:f16}.f16",
)
def round_float(w: Writer, i: Use) -> None:
    """To an integral value of the same type."""
    d, a = i.take(2)
    x = w.get(a, i.t)
    if i["ftz"]:
        x = f"ptx_ftz({x})"
    if i["rnd"]:
        x = f"ptx_round_{_ROUND_TO_INTEGER[i['rnd']]}({x})"
    w.set(d, i.t, f"ptx_sat({x})" if i["sat"] else x)


@ptx(
    "cvt.{ftz}?.{sat}?.{t:f32}.{s:f16}",
    "cvt.{sat}?.{t:f64}.{s:f16}",
    "cvt.{ftz}?.{sat}?.{t:f64}.{s:f32}",
)
def widen_float(w: Writer, i: Use) -> None:
    """Exact."""
    d, a = i.take(2)
    x = w.get(a, i["s"])
    if i["ftz"] and i["s"] == "f32":
        x = f"ptx_ftz({x})"
    text = f"({TYPES[i.t].c}){x}"
    w.set(d, i.t, f"ptx_sat({text})" if i["sat"] else text)


@ptx(
    "cvt.{rnd:rn|rz|rm|rp}.{ftz}?.{sat}?.{t:f16}.{s:f32}",
    "cvt.{rnd:rn|rz|rm|rp}.{sat}?.{t:f16}.{s:f64}",
    "cvt.{rnd:rn|rz|rm|rp}.{ftz}?.{sat}?.{t:f32}.{s:f64}",
    "cvt.{rnd:rn|rz}.{relu}?.{satfinite}?.{t:f16}.{s:f32}",
)
def narrow_float(w: Writer, i: Use) -> None:
    """Rounded once, as said. ptxas drops .ftz where the result is .f16: subnormals are rounded, as recorded."""
    d, a = i.take(2)
    x = w.get(a, i["s"])
    c = TYPES[i.t].c
    nearest = f"ptx_to_f16({x})" if (i["s"], i.t) == ("f32", "f16") else f"({c}){x}"
    text = nearest if i["rnd"] == "rn" else f"ptx_narrow_{i['rnd']}<{c}>({x})"
    if i["ftz"] and i.t == "f32":
        text = f"ptx_ftz({text})"
    if i["relu"]:
        text = f"ptx_relu({text})"
    if i["satfinite"]:
        text = f"ptx_finite({text})"
    w.set(d, i.t, f"ptx_sat({text})" if i["sat"] else text)


@ptx("cvt.{rn|rz|rm|rp}?.{ftz}?.{t:f32}.bf16", "cvt.{rn|rz|rm|rp}?.{t:f64}.bf16")
def from_bf16(w: Writer, i: Use) -> None:
    """Exact; .ftz flushes."""
    d, a = i.take(2)
    text = f"ptx_bf16_to_f32({w.get(a, 'bf16')})"
    w.set(d, i.t, f"ptx_ftz({text})" if i["ftz"] else text)


@ptx(
    "cvt.{rnd:rn|rz}.{relu}?.{satfinite}?.{t:bf16}.{s:f32}",
    "cvt.{rnd:rm|rp}.{t:bf16}.{s:f32}",
    "cvt.{rnd:rn|rz|rm|rp}.{t:bf16}.{s:f64}",
    "cvt.{rnd:rn|rz|rm|rp}?.{t:bf16}.{s:f16}",
)
def to_bf16(w: Writer, i: Use) -> None:
    """Rounded once; to nearest when nothing is said."""
    d, a = i.take(2)
    x = w.get(a, i["s"])
    w.set(d, "bf16", _narrow_16(i, "bf16", f"(f32){x}" if i["s"] == "f16" else x))


@ptx("cvt.{rnd:rni|rzi|rmi|rpi}?.{t:bf16}.bf16")
def round_bf16(w: Writer, i: Use) -> None:
    """To an integral value."""
    d, a = i.take(2)
    x = w.get(a, "bf16")
    if i["rnd"]:
        x = f"ptx_f32_to_bf16_rn(ptx_round_{_ROUND_TO_INTEGER[i['rnd']]}(ptx_bf16_to_f32({x})))"
    w.set(d, "bf16", x)


@ptx("cvt.{rnd:rn|rz|rm|rp}?.{t:f16}.bf16")
def bf16_to_f16(w: Writer, i: Use) -> None:
    """Rounded once; to nearest when nothing is said."""
    d, a = i.take(2)
    x = f"ptx_bf16_to_f32({w.get(a, 'bf16')})"
    w.set(d, "f16", f"ptx_to_f16({x})" if i["rnd"] in ("", "rn") else f"ptx_narrow_{i['rnd']}<f16>({x})")


@ptx("cvt.{rnd:rn|rz}.{relu}?.{satfinite}?.{t:f16x2|bf16x2}.f32")
def to_packed_16(w: Writer, i: Use) -> None:
    """a in the upper half, b in the lower."""
    d, a, b = i.take(3)
    element = i.t.removesuffix("x2")
    halves = []
    for operand in (a, b):
        x = w.get(operand, "f32")
        if element == "bf16":
            halves.append(_narrow_16(i, element, x))
        else:
            text = f"ptx_to_f16({x})" if i["rnd"] == "rn" else f"ptx_narrow_rz<f16>({x})"
            text = f"ptx_relu({text})" if i["relu"] else text
            text = f"ptx_finite({text})" if i["satfinite"] else text
            halves.append(f"as<u16>({text})")
    w.agree(d, i.t)
    w.set(d, "b32", f"(u32){halves[0]} << 16 | {halves[1]}")


def _narrow_16(i: Use, element: str, x: str) -> str:
    wide = "f64" if i["s"] == "f64" else "f32"
    text = f"ptx_{wide}_to_{element}_{i['rnd'] or 'rn'}({x})"
    if i["relu"]:
        text = f"ptx_bf16_relu({text})"
    return f"ptx_bf16_finite({text})" if i["satfinite"] else text


@ptx("cvt.{rnd:rna}.{satfinite}?.{t:tf32}.f32", "cvt.{rnd:rn|rz}.{relu}?.{satfinite}?.{t:tf32}.f32")
def to_tf32(w: Writer, i: Use) -> None:
    """f32 with the mantissa rounded to 10 bits; rna rounds half away from zero."""
    d, a = i.take(2)
    x = w.get(a, "f32")
    w.agree(d, i.t)
    if i["rnd"] == "rna" and isinstance(a, Float) and not a.single:
        raise i.unsupported("a constant of f64")
    x = f"ptx_relu({x})" if i["relu"] else x
    text = f"ptx_tf32_{i['rnd']}({x})"
    w.set(d, "b32", f"ptx_tf32_finite({text})" if i["satfinite"] else text)


@ptx("cvt.{rnd:rn}.{satfinite}.{relu}?.{t:e4m3x2|e5m2x2}.f32")
def to_fp8(w: Writer, i: Use) -> None:
    """Two 8-bit floats: a in the upper byte, b in the lower."""
    d, a, b = i.take(3)
    x, y = w.get(a, "f32"), w.get(b, "f32")
    if i["relu"]:
        x, y = f"ptx_relu({x})", f"ptx_relu({y})"
    name = f"ptx_f32_to_{i.t[:4]}"
    w.agree(d, i.t)
    w.set(d, "b16", f"(u16)({name}({x}) << 8 | {name}({y}))")


@ptx("cvt.{rnd:rn}.{satfinite}.{relu}?.{t:e4m3x2|e5m2x2}.{s:f16x2}")
def to_fp8_from_f16x2(w: Writer, i: Use) -> None:
    """Both halves."""
    d, a = i.take(2)
    w.agree(d, i.t)
    w.agree(a, i["s"])
    x = w.get(a, "b32")
    name = f"ptx_f32_to_{i.t[:4]}"
    halves = [f"(f32)as<f16>((u16)({x} >> 16))", f"(f32)as<f16>((u16){x})"]
    if i["relu"]:
        halves = [f"ptx_relu({half})" for half in halves]
    w.set(d, "b16", f"(u16)({name}({halves[0]}) << 8 | {name}({halves[1]}))")


@ptx("cvt.{rnd:rn}.{relu}?.{t:f16x2}.{s:e4m3x2|e5m2x2}")
def from_fp8(w: Writer, i: Use) -> None:
    """Exact."""
    d, a = i.take(2)
    relu = "_relu" if i["relu"] else ""
    w.agree(d, i.t)
    w.agree(a, i["s"])
    w.set(d, "b32", f"ptx_{i['s'][:4]}x2_to_f16x2{relu}({w.get(a, 'b16')})")


@ptx("cvt.pack.{sat}.{t:u16|s16}.{s:s32}", "cvt.pack.{sat}.{t:u8|s8}.{s:s32}.b32")
def pack(w: Writer, i: Use) -> None:
    """Two clamped values into the low part; for bytes c is shifted up to make room."""
    operands = i.take(3 if bits_of(i.t) == 16 else 4)
    a, b = w.get(operands[1], "s32"), w.get(operands[2], "s32")
    bits = bits_of(i.t)
    c, u = TYPES[i.t].c, TYPES[f"u{bits}"].c
    pair = f"(u32)({u})ptx_clamp<{c}>({a}) << {bits} | ({u})ptx_clamp<{c}>({b})"
    if bits == 8:
        pair = f"{w.get(operands[3], 'b32')} << 16 | {pair}"
    w.set(operands[0], "u32", pair)
