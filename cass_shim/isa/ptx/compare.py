"""Comparison and selection. Source: PTX ISA 9.0 §9.7.6 and §9.7.7 (half precision)."""

from __future__ import annotations

from cass_shim.isa.ptx.spec import Use, Writer, ptx
from cass_shim.isa.ptx.syntax import Integer, Operand, Pair, Sink
from cass_shim.isa.ptx.types import TYPES

_INTEGER = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=",
            "lo": "<", "ls": "<=", "hi": ">", "hs": ">="}  # fmt: skip
_ORDERED = {"eq": "==", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_UNORDERED = {"equ": "==", "neu": "!=", "ltu": ">=", "leu": ">", "gtu": "<=", "geu": "<"}  # by the opposite
_COMPARES = "eq|ne|lt|le|gt|ge|lo|ls|hi|hs|equ|neu|ltu|leu|gtu|geu|num|nan"
_TYPES = "b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64|f16|bf16"
_BOOL = {"and": "&", "or": "|", "xor": "^"}
_FLUSHED = {"ftz": "f32 f16 f16x2"}


def compare(a: str, b: str, how: str, type_name: str) -> str:
    """a how b as a C++ bool expression. Floats: plain forms are false with a NaN, the -u forms true."""
    if TYPES[type_name].kind not in ("f", "x"):
        return f"{a} {_INTEGER[how]} {b}"
    if how == "ne":
        return f"{a} < {b} || {a} > {b}"
    if how in _ORDERED:
        return f"{a} {_ORDERED[how]} {b}"
    if how == "neu":
        return f"{a} != {b}"
    if how == "equ":
        return f"!({a} < {b} || {a} > {b})"
    if how in _UNORDERED:
        return f"!({a} {_UNORDERED[how]} {b})"
    return f"!__builtin_isunordered({a}, {b})" if how == "num" else f"__builtin_isunordered({a}, {b})"


def comparand(w: Writer, operand: Operand, type_name: str, ftz: str) -> str:
    """An operand ready for the C++ operators: bf16 widened, subnormals flushed on .ftz."""
    x = w.get(operand, type_name)
    if type_name == "bf16":
        return f"ptx_bf16_to_f32({x})"
    if ftz:
        return f"ptx_ftz({x})"
    return x


def _check(i: Use) -> None:
    kind = TYPES[i.t].kind
    integer = kind not in ("f", "x")
    if kind == "s" and i["how"] in ("lo", "ls", "hi", "hs"):
        raise i.unsupported(f"comparison {i['how']} of signed integers")
    if integer and i["how"] not in _INTEGER:
        raise i.unsupported(f"comparison {i['how']} of integers")
    if kind == "b" and i["how"] not in ("eq", "ne"):
        raise i.unsupported(f"comparison {i['how']} of untyped bits")
    if not integer and i["how"] in ("lo", "ls", "hi", "hs"):
        raise i.unsupported(f"comparison {i['how']} of floats")


@ptx(f"setp.{{how:{_COMPARES}}}.{{bool:and|or|xor}}?.{{ftz}}?.{{t:{_TYPES}}}", only=_FLUSHED)
def setp(w: Writer, i: Use) -> None:
    """p = (a how b) op c, q = !(a how b) op c."""
    _check(i)
    operands = i.take(4 if i["bool"] else 3)
    a, b = (comparand(w, operand, i.t, i["ftz"]) for operand in operands[1:3])
    text = compare(a, b, i["how"], i.t)
    first, second = _destinations(operands[0])
    if not i["bool"] and isinstance(second, Sink):
        w.set(first, "pred", text)
        return
    c = _combined(w, i) if i["bool"] else ""
    value = w.fresh("test")
    w.line(f"bool {value} = {text}")
    if i["bool"]:
        held = w.fresh("other")  # the destination may be c itself
        w.line(f"bool {held} = {c}")
        w.set(first, "pred", f"{value} {_BOOL[i['bool']]} {held}")
        w.set(second, "pred", f"!{value} {_BOOL[i['bool']]} {held}")
    else:
        w.set(first, "pred", value)
        w.set(second, "pred", f"!{value}")


def _combined(w: Writer, i: Use) -> str:
    """The predicate that a comparison is combined with: a register."""
    if isinstance(i.operands[3], Integer):
        raise i.unsupported("a constant as predicate")
    return w.get(i.operands[3], "pred")


def _destinations(operand: Operand) -> tuple[Operand, Operand]:
    return (operand.first, operand.second) if isinstance(operand, Pair) else (operand, Sink())


@ptx(f"setp.{{how:{_COMPARES}}}.{{bool:and|or|xor}}?.{{ftz}}?.{{t:f16x2|bf16x2}}", only=_FLUSHED)
def setp_x2(w: Writer, i: Use) -> None:
    """p from the low halves, q from the high halves."""
    _check(i)
    operands = i.take(4 if i["bool"] else 3)
    first, second = _destinations(operands[0])
    for source in operands[1:3]:
        w.agree(source, i.t)
    tests = []
    for half in ("low", "high"):
        a, b = (_half(w, operand, i.t, half, i["ftz"]) for operand in operands[1:3])
        tests.append(compare(a, b, i["how"], "f32"))
    names = [w.fresh("test"), w.fresh("test")]
    for name, test in zip(names, tests, strict=True):
        c = f" {_BOOL[i['bool']]} {_combined(w, i)}" if i["bool"] else ""
        w.line(f"bool {name} = ({test}){c}")
    w.set(first, "pred", names[0])
    w.set(second, "pred", names[1])


_SET = f"set.{{how:{_COMPARES}}}.{{bool:and|or|xor}}?"


def _half(w: Writer, operand: Operand, packed: str, half: str, ftz: str) -> str:
    name = "ptx_bf16_to_f32" if packed == "bf16x2" else "(f32)as<f16>"
    shift = " >> 16" if half == "high" else ""
    element = f"(u16)({w.get(operand, 'b32')}{shift})"
    if ftz and packed == "f16x2":
        return f"(f32)ptx_ftz(as<f16>({element}))"
    return f"{name}({element})"


@ptx(
    f"{_SET}.{{ftz}}?.{{d:u32|s32|f32}}.{{t:f32}}",
    f"{_SET}.{{d:u32|s32|f32}}.{{t:b16|b32|b64|u16|u32|u64|s16|s32|s64|f64}}",
    f"{_SET}.{{ftz}}?.{{d:f16|bf16}}.{{t:f32}}",
    f"{_SET}.{{d:f16|bf16}}.{{t:b16|b32|b64|u16|u32|u64|s16|s32|s64|f64}}",
    f"{_SET}.{{ftz}}?.{{d:u16|s16|u32|s32|bf16}}.{{t:f16}}",
    f"{_SET}.{{ftz}}?.{{t:f16}}.f16",
    f"{_SET}.{{d:u16|s16|u32|s32}}.{{t:bf16}}",
    f"{_SET}.{{t:bf16}}.bf16",
    never={"ftz": "bf16"},
)
def set_(w: Writer, i: Use) -> None:
    """All ones (integer destination) or 1.0 when the comparison holds, else 0."""
    _check(i)
    operands = i.take(4 if i["bool"] else 3)
    d = i["d"] or i.t
    a, b = (comparand(w, operand, i.t, i["ftz"]) for operand in operands[1:3])
    test = compare(a, b, i["how"], i.t)
    if i["bool"]:
        test = f"({test}) {_BOOL[i['bool']]} {_combined(w, i)}"
    true = {"f32": "1.0f", "f16": "(f16)1.0f", "bf16": "(u16)0x3f80"}.get(d, "-1")
    w.set(operands[0], "u16" if d == "bf16" else d, f"({test}) ? {true} : 0")


@ptx(
    f"{_SET}.{{ftz}}?.{{d:u32|s32}}.{{t:f16x2|bf16x2}}",
    f"{_SET}.{{ftz}}?.{{t:f16x2}}.f16x2",
    f"{_SET}.{{t:bf16x2}}.bf16x2",
    only=_FLUSHED,
)
def set_x2(w: Writer, i: Use) -> None:
    """Per half: 0xFFFF (integer destination) or 1.0, else 0."""
    _check(i)
    operands = i.take(4 if i["bool"] else 3)
    for source in operands[1:3]:
        w.agree(source, i.t)
    if i["d"] or i.t == "f16x2":
        w.agree(operands[0], i["d"] or i.t)
    true = "0xffffu" if i["d"] else "0x3c00u" if i.t == "f16x2" else "0x3f80u"
    halves = []
    for half, shift in (("low", ""), ("high", " << 16")):
        a, b = (_half(w, operand, i.t, half, i["ftz"]) for operand in operands[1:3])
        test = f"({compare(a, b, i['how'], 'f32')})"
        if i["bool"]:
            test = f"({test} {_BOOL[i['bool']]} {_combined(w, i)})"
        halves.append(f"({test} ? {true}{shift} : 0u)")
    w.set(operands[0], "b32", " | ".join(halves))


@ptx("selp.{t:b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64}")
def selp(w: Writer, i: Use) -> None:
    """p ? a : b."""
    d, a, b, p = i.take(4)
    w.set(d, i.t, f"{w.get(p, 'pred')} ? {w.get(a, i.t)} : {w.get(b, i.t)}")


_SELECTED = "b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64"


@ptx(f"slct.{{t:{_SELECTED}}}.{{t2:s32}}", f"slct.{{ftz}}?.{{t:{_SELECTED}}}.{{t2:f32}}")
def slct(w: Writer, i: Use) -> None:
    """c >= 0 ? a : b; a NaN in c selects b. .ftz flushes c and leaves a and b alone."""
    d, a, b, c = i.take(4)
    types = [modifier for modifier in i.instruction.modifiers if modifier != "ftz"]
    x, y = w.get(a, types[0]), w.get(b, types[0])
    w.set(d, types[0], f"{comparand(w, c, types[1], i['ftz'])} >= 0 ? {x} : {y}")
