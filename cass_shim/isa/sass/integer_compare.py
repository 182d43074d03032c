"""Integer comparison, minimum and maximum, selection. Source: sass.md §5.2."""

from __future__ import annotations

from dataclasses import replace

from cass_shim.isa.emitter import Emitter
from cass_shim.isa.operands import (
    V,
    int32,
    int64,
    is_false,
    leading_predicates,
    predicate,
    put32,
    put64,
    put_predicate,
    signed64,
    unwanted,
)
from cass_shim.isa.sass import packed_integer
from cass_shim.isa.spec import sass, unsupported
from cass_shim.model.instruction import Imm, Instruction, Operand

_CONDITIONS = ("LT", "LE", "EQ", "NE", "GE", "GT")


def combine(e: Emitter[V], i: Instruction, comparison: V, accumulator: V) -> V:
    """The boolean operation a comparison's modifier names."""
    if i.has("AND"):
        return e.and_(comparison, accumulator)
    if i.has("OR"):
        return e.or_(comparison, accumulator)
    if i.has("XOR"):
        return e.xor(comparison, accumulator)
    raise unsupported(i, "no boolean operation")


def put_comparison(e: Emitter[V], i: Instruction, comparison: V, accumulator: V) -> None:
    """P = comparison op accumulator, Q = !comparison op accumulator, to the first two operands."""
    first, second = i.operands[:2]
    put_predicate(e, first, combine(e, i, comparison, accumulator))
    if not unwanted(second):
        put_predicate(e, second, combine(e, i, e.not_(comparison), accumulator))


@sass("ISETP", "UISETP", modifiers="LT LE EQ NE GE GT F T U32 S32 U64 S64 AND OR XOR EX")
def isetp(e: Emitter[V], i: Instruction) -> None:
    """Compare; .EX extends to a high word: where the words are equal the low word's predicate decides."""
    a, b, accumulator, *low_part = i.operands[2:]
    source = signed64 if i.has("U64", "S64") else int32
    x, y, acc = source(e, a), source(e, b), predicate(e, accumulator)
    condition = next((m for m in i.modifiers if m in _CONDITIONS), None)
    extends = i.has("EX") and not i.has("U64", "S64")
    if low_part and not extends:
        raise unsupported(i, "a third predicate without .EX")
    sign = "" if condition in ("EQ", "NE") else "u" if i.has("U32", "U64") else "s"
    if condition is not None and extends:
        comparison = e.compare_high(sign + condition.lower(), x, y, predicate(e, low_part[0]))
    elif condition is not None:
        comparison = e.compare(sign + condition.lower(), x, y)
    else:
        comparison = e.const(1 if i.has("T") else 0, 1)
        if extends:
            comparison = e.select(e.compare("eq", x, y), predicate(e, low_part[0]), comparison)
    put_comparison(e, i, comparison, acc)


def _limits(e: Emitter[V], i: Instruction, a: V, b: V) -> tuple[V, V]:
    return (e.umin(a, b), e.umax(a, b)) if i.has("U32") else (e.smin(a, b), e.smax(a, b))


def _pick(e: Emitter[V], i: Instruction, a: V, b: V, pick_minimum: Operand) -> V:
    low, high = _limits(e, i, a, b)
    result = e.select(predicate(e, pick_minimum), low, high)
    return e.smax(result, e.const(0, 32)) if i.has("RELU") else result


def _wide_minimum(e: Emitter[V], i: Instruction) -> None:
    """64 bits: two predicates in front and one at the end, which have only been seen unused."""
    first, second, dst, a, b, pick_minimum, last = i.operands
    if not (unwanted(first) and unwanted(second) and is_false(last)):
        raise unsupported(i, "predicates")
    x, y = signed64(e, a), signed64(e, b)
    less = e.compare("ult" if i.has("U64") else "slt", x, y)
    put64(e, dst, e.select(e.xor(less, e.not_(predicate(e, pick_minimum))), x, y))


_PACKED = "S16x2 U16x2"


@sass("IMNMX", "VIMNMX", "UIMNMX", "UVIMNMX", modifiers=f"U32 S32 U64 S64 U8x4 S8x4 RELU {_PACKED}")
def imnmx(e: Emitter[V], i: Instruction) -> None:
    """dst = predicate ? min(a, b) : max(a, b); signed unless .U32 or .U16x2."""
    if i.has("U64", "S64"):
        _wide_minimum(e, i)
        return
    marks, operands = leading_predicates(i.operands)
    if not all(unwanted(p) for p in marks):
        raise unsupported(i, "predicate result")
    dst, a, b, pick_minimum = operands
    if i.has("U8x4", "S8x4"):
        put32(e, dst, packed_integer.pick_bytes(e, i, a, b, pick_minimum))
        return
    if i.has("S16x2", "U16x2"):
        signed = i.has("S16x2")
        x, y = (packed_integer.halves(e, i, o, signed) for o in (a, b))
        put32(e, dst, packed_integer.pick(e, i, x, y, pick_minimum, signed))
        return
    put32(e, dst, _pick(e, i, int32(e, a), int32(e, b), pick_minimum))


@sass("VIADDMNMX", modifiers=f"U32 S32 RELU {_PACKED}")
def viaddmnmx(e: Emitter[V], i: Instruction) -> None:
    """dst = minimum or maximum of a + b and c."""
    dst, a, b, c, pick_minimum = i.operands
    if i.has("S16x2", "U16x2"):
        signed = i.has("S16x2")
        total, other = packed_integer.add(e, i, a, b, signed), packed_integer.halves(e, i, c, signed)
        put32(e, dst, packed_integer.pick(e, i, total, other, pick_minimum, signed))
        return
    put32(e, dst, _pick(e, i, e.add(int32(e, a), int32(e, b)), int32(e, c), pick_minimum))


@sass("VIMNMX3", modifiers=f"U32 S32 RELU {_PACKED}")
def vimnmx3(e: Emitter[V], i: Instruction) -> None:
    """dst = minimum or maximum of three; two printed predicates choose for each of the two steps."""
    dst, a, b, c, first, *more = i.operands
    second = more[0] if more else first
    if i.has("S16x2", "U16x2"):
        signed = i.has("S16x2")
        x, y, z = (packed_integer.halves(e, i, o, signed) for o in (a, b, c))
        lower = replace(i, modifiers=tuple(m for m in i.modifiers if m != "RELU"))
        both = packed_integer.split(e, packed_integer.pick(e, lower, x, y, first, signed), signed)
        put32(e, dst, packed_integer.pick(e, i, both, z, second, signed))
        return
    low, high = _limits(e, i, int32(e, a), int32(e, b))
    step = e.select(predicate(e, first), low, high)
    put32(e, dst, _pick(e, i, step, int32(e, c), second))


@sass("SEL", "USEL", modifiers="64")
def sel(e: Emitter[V], i: Instruction) -> None:
    """dst = predicate ? a : b; register pairs for .64, with the whole value as immediate."""
    dst, a, b, p = i.operands
    if i.has("64"):
        other = e.const(b.bits, 64) if isinstance(b, Imm) else int64(e, b)
        put64(e, dst, e.select(predicate(e, p), int64(e, a), other))
        return
    put32(e, dst, e.select(predicate(e, p), int32(e, a), int32(e, b)))
