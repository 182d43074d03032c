"""Half precision and bfloat16, two at a time. Source: sass.md §5.3; PTX ISA, half precision instructions."""

from __future__ import annotations

from dataclasses import replace

from cass_shim.isa.emitter import Emitter
from cass_shim.isa.operands import V, float32, half, half2, predicate, put32, put_predicate, unwanted
from cass_shim.isa.sass.float_single import COMPARISON, compare
from cass_shim.isa.sass.integer_compare import combine
from cass_shim.isa.spec import sass, unsupported
from cass_shim.model.instruction import RZ, Imm, Instruction, Operand, Reg

# .MMA only names the unit that runs it, .V2 spells out what the operand says.
_HINTS = "MMA"
_ARITHMETIC = f"{_HINTS} BF16_V2 SAT RELU FTZ"


def _kind(i: Instruction) -> str:
    return "bf16x2" if i.has("BF16_V2", "BF16", "BF16x2") else "f16x2"


def _scalar(i: Instruction) -> str:
    return _kind(i).removesuffix("x2")


def _put(e: Emitter[V], i: Instruction, value: V) -> None:
    if i.has("RELU"):
        value = e.fmax(_kind(i), value, e.const(0, 32), nan_propagates=True)
    put32(e, i.operands[0], e.saturate(_kind(i), value) if i.has("SAT") else value)


def _rounded(e: Emitter[V], i: Instruction, a: Reg, b: Operand) -> V:
    """A single float as both halves, cut: what sm_75 has for cvt.rz.f16.f32, adding -0 (recorded, by PTX)."""
    if not isinstance(b, Reg) or b.index != RZ or not b.negate or i.has("BF16_V2"):
        raise unsupported(i, "a single float and anything but -0")
    value = float32(e, replace(a, suffix=()))
    one = e.zext(e.float_to_float("f16", "f32", value, "rz", ftz=i.has("FTZ")), 32)
    return e.or_(one, e.shl(one, e.const(16, 32)))


@sass("HADD2", modifiers=f"{_ARITHMETIC} F32")
def hadd2(e: Emitter[V], i: Instruction) -> None:
    """dst = a + b; .F32 adds one half of each in single precision, which is how halves are widened."""
    dst, a, b = i.operands
    if isinstance(a, Reg) and a.suffix == ("F32",):
        _put(e, i, _rounded(e, i, a, b))
        return
    if i.has("F32"):
        wide = [e.float_to_float("f32", _scalar(i), half(e, operand)) for operand in (a, b)]
        minus_zero = isinstance(a, Reg) and a.index == RZ and a.negate
        total = wide[1] if minus_zero else e.fadd("f32", wide[0], wide[1], ftz=i.has("FTZ"))
        if i.has("RELU"):
            raise unsupported(i, "a single result without negative values")
        put32(e, dst, e.saturate("f32", total) if i.has("SAT") else total)
        return
    _put(e, i, e.fadd(_kind(i), half2(e, a), half2(e, b), ftz=i.has("FTZ")))


@sass("HMUL2", modifiers=_ARITHMETIC)
def hmul2(e: Emitter[V], i: Instruction) -> None:
    """dst = a * b."""
    _dst, a, b = i.operands
    _put(e, i, e.fmul(_kind(i), half2(e, a), half2(e, b), ftz=i.has("FTZ")))


_BEYOND = 0x7FF7  # the NaN, of either sign, that copies of tensors put beyond their bounds (as PTX's fma.oob; recorded)


def _within_bounds(e: Emitter[V], value: V, factors: list[V]) -> V:
    """The value with +0 in the halves in which a factor is that NaN."""
    for shift in (0, 16):
        for factor in factors:
            part = e.and_(e.lshr(factor, e.const(shift, 32)), e.const(0x7FFF, 32))
            beyond = e.compare("eq", part, e.const(_BEYOND, 32))
            value = e.select(beyond, e.and_(value, e.const(0xFFFF_0000 >> shift, 32)), value)
    return value


@sass("HFMA2", modifiers=f"{_ARITHMETIC} OOB")
def hfma2(e: Emitter[V], i: Instruction) -> None:
    """dst = a * b + c, rounded once. With zero factors it is the compiler's way to load a constant.

    .OOB: +0 where a factor comes from beyond the bounds of a tensor.
    """
    dst, a, b, c = i.operands
    zero_factors = isinstance(a, Reg) and isinstance(b, Reg) and a.index == b.index == RZ
    if zero_factors and isinstance(c, Imm) and isinstance(a, Reg) and a.negate:
        put32(e, dst, half2(e, c))
        return
    x, y = half2(e, a), half2(e, b)
    value = e.ffma(_kind(i), x, y, half2(e, c), ftz=i.has("FTZ"))
    _put(e, i, _within_bounds(e, value, [x, y]) if i.has("OOB") else value)


@sass("HMNMX2", modifiers=f"{_HINTS} BF16_V2 NAN FTZ XORSIGN")
def hmnmx2(e: Emitter[V], i: Instruction) -> None:
    """dst = predicate ? min(a, b) : max(a, b) in both halves; .XORSIGN: with the sign of their product."""
    dst, a, b, pick_minimum = i.operands
    x, y = half2(e, a), half2(e, b)
    low = e.fmin(_kind(i), x, y, i.has("NAN"), i.has("FTZ"))
    high = e.fmax(_kind(i), x, y, i.has("NAN"), i.has("FTZ"))
    result = e.select(predicate(e, pick_minimum), low, high)
    if i.has("XORSIGN"):
        signs = e.xor(*(half2(e, replace(o, absolute=False) if isinstance(o, Reg) else o) for o in (a, b)))
        sign = e.const(0x8000_8000, 32)
        result = e.or_(e.and_(result, e.not_(sign)), e.and_(signs, sign))
    put32(e, dst, result)


def _compare_halves(e: Emitter[V], i: Instruction, a: V, b: V, accumulator: V) -> tuple[V, V]:
    results = []
    for lane in range(2):
        shift = e.const(16 * lane, 32)
        x, y = (e.trunc(e.lshr(v, shift), 16) for v in (a, b))
        results.append(compare(e, i, _scalar(i), x, y))
    return combine(e, i, results[0], accumulator), combine(e, i, results[1], accumulator)


@sass("HSETP2", modifiers=f"BF16_V2 FTZ {COMPARISON}")
def hsetp2(e: Emitter[V], i: Instruction) -> None:
    """P compares the low halves, Q the high ones."""
    first, second, a, b, accumulator = i.operands
    low, high = _compare_halves(e, i, half2(e, a), half2(e, b), predicate(e, accumulator))
    put_predicate(e, first, low)
    if not unwanted(second):
        put_predicate(e, second, high)


@sass("HSET2", modifiers=f"BF16_V2 BF BM FTZ {COMPARISON}")
def hset2(e: Emitter[V], i: Instruction) -> None:
    """Both halves compared: 1.0 or 0 for .BF, all ones or 0 else."""
    dst, a, b, accumulator = i.operands
    low, high = _compare_halves(e, i, half2(e, a), half2(e, b), predicate(e, accumulator))
    if i.has("BF"):
        yes = 0x3F80 if _kind(i) == "bf16x2" else 0x3C00
    else:
        yes = 0xFFFF
    zero = e.const(0, 32)
    parts = (e.select(low, e.const(yes, 32), zero), e.select(high, e.const(yes << 16, 32), zero))
    put32(e, dst, e.or_(*parts))
