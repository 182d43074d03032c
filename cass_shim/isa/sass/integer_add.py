"""Integer addition: IADD3, LEA and their kin, with carries. Source: sass.md §5.2 (carry of -0 included)."""

from __future__ import annotations

from dataclasses import replace

from cass_shim.isa.emitter import Emitter
from cass_shim.isa.operands import (
    V,
    immediate,
    int32,
    is_false,
    leading_predicates,
    predicate,
    put32,
    put64,
    put_predicate,
    raw32,
    raw64,
    signed64,
    unwanted,
)
from cass_shim.isa.sass import packed_integer
from cass_shim.isa.spec import sass, unsupported
from cass_shim.model.instruction import RZ, Const, Instruction, Operand, Pred, Reg


def _is_zero(operand: Operand) -> bool:
    return isinstance(operand, Reg) and operand.index == RZ and not operand.invert


def _negated(operand: Operand) -> bool:
    return isinstance(operand, Reg | Const) and operand.negate


def _wide_term(e: Emitter[V], operand: Operand) -> V:
    """An addend in 64 bits; the adder forms -x as ~x + 1 with its carry, so -0 is 2^32."""
    if _negated(operand):
        inverted = e.not_(raw32(e, operand))
        return e.add(e.zext(inverted, 64), e.const(1, 64))
    return e.zext(int32(e, operand), 64)


def _sum_with_carry(e: Emitter[V], terms: list[Operand], carries: list[V]) -> tuple[V, V, V]:
    """(sum, sum >= 2^32, sum >= 2^33) of up to three terms and their carries in."""
    zeros = [t for t in terms if _is_zero(t) and not _negated(t)]
    others = [t for t in terms if t not in zeros]
    if len(others) <= 2 and len(carries) <= 1:
        negative = [t for t in others if _negated(t)]
        if not negative and len(others) == 2:
            total, carry = e.add_carry(int32(e, others[0]), int32(e, others[1]), carries[0] if carries else None)
            return total, carry, e.const(0, 1)
        if len(negative) == 1 and len(others) == 2 and not carries:
            positive = int32(e, next(t for t in others if t not in negative))
            return *e.sub_borrow(positive, raw32(e, negative[0])), e.const(0, 1)
    if not carries and not any(_negated(t) for t in others):
        return e.add_carry3(*(int32(e, t) for t in terms))
    total = e.const(0, 64)
    for term in terms:
        total = e.add(total, _wide_term(e, term))
    for carry in carries:
        total = e.add(total, e.zext(carry, 64))
    high = e.high(total)
    return e.low(total), e.compare("ugt", high, e.const(0, 32)), e.compare("ugt", high, e.const(1, 32))


def _add3_wide(e: Emitter[V], i: Instruction, carry_outs: list[Pred], operands: list[Operand]) -> None:
    """Three 64-bit terms, without carries."""
    dst, a, b, c, *carries = operands
    if carries or not all(unwanted(p) for p in carry_outs):
        raise unsupported(i, "carry of 64 bits")
    put64(e, dst, e.add(e.add(signed64(e, a), signed64(e, b)), signed64(e, c)))


@sass("IADD3", "UIADD3", modifiers="X 64")
def iadd3(e: Emitter[V], i: Instruction) -> None:
    """dst = a + b + c (+ two carries in for .X); the predicates say sum >= 2^32 and sum >= 2^33."""
    carry_outs, operands = leading_predicates(i.operands)
    if i.has("64"):
        _add3_wide(e, i, carry_outs, operands)
        return
    terms = operands[1:4]
    carries: list[V] = []
    if i.has("X"):
        carries = [predicate(e, p) for p in operands[4:]]
    elif len(operands) > 4:
        raise unsupported(i, "carry without .X")
    if all(unwanted(p) for p in carry_outs):
        put32(e, operands[0], e.add_high([int32(e, t) for t in terms], carries))
        return
    live = [p for p, operand in zip(carries, operands[4:], strict=False) if not is_false(operand)]
    total, first, second = _sum_with_carry(e, terms, live)
    put32(e, operands[0], total)
    for p, carry in zip(carry_outs, (first, second), strict=False):
        put_predicate(e, p, carry)


def _add_wide(e: Emitter[V], i: Instruction) -> None:
    """64 bits: a carry out behind the destination, with .X a carry in at the end; -b is ~b + 1, as for IADD3."""
    carry_outs, operands = leading_predicates(i.operands)
    dst, a, b, *rest = operands
    if i.has("X") != bool(rest) or (_negated(a) and _negated(b)):
        raise unsupported(i, "carry")
    x, y = (_wide_bits(e, o) for o in (a, b))
    total = e.add(x, y)
    carry = e.compare("ult", total, x)
    more = predicate(e, rest[0]) if rest else e.const(1, 1) if _negated(a) or _negated(b) else None
    if more is not None:
        before = total
        total = e.add(before, e.zext(more, 64))
        carry = e.or_(carry, e.compare("ult", total, before))
    put64(e, dst, total)
    for p in carry_outs:
        put_predicate(e, p, carry)


def _wide_bits(e: Emitter[V], operand: Operand) -> V:
    """A 64-bit source, its complement where it is to be subtracted."""
    if _negated(operand):
        return e.not_(raw64(e, operand))
    return signed64(e, operand)


@sass("IADD", "VIADD", "UIADD", modifiers="64 16x2 U8x4 S8x4 S32 ISAT X")
def iadd(e: Emitter[V], i: Instruction) -> None:
    """dst = a + b; .16x2 in each half, .U8x4 and .S8x4 in each byte; .S32.ISAT: the nearest that 32 bits hold."""
    if i.has("64"):
        _add_wide(e, i)
        return
    if i.has("X"):
        raise unsupported(i)
    dst, a, b = i.operands
    if i.has("16x2"):
        put32(e, dst, packed_integer.join(e, packed_integer.add(e, i, a, b, signed=False)))
    elif i.has("U8x4", "S8x4"):
        put32(e, dst, packed_integer.add_bytes(e, i, a, b))
    elif i.has("ISAT"):
        if not i.has("S32"):
            raise unsupported(i)
        # The negated operand is widened first: -(-2^31) is 2^31 to add.
        wide = e.add(e.sext(int32(e, a), 64), _signed_wide(e, b))
        put32(e, dst, e.trunc(e.smax(e.smin(wide, e.const(2**31 - 1, 64)), e.const(-(2**31) & 2**64 - 1, 64)), 32))
    else:
        put32(e, dst, e.add(int32(e, a), int32(e, b)))


def _signed_wide(e: Emitter[V], operand: Operand) -> V:
    """An operand as 64 bits with its sign, negated there."""
    if isinstance(operand, Reg | Const) and operand.negate:
        plain = e.sext(int32(e, replace(operand, negate=False)), 64)
        return e.sub(e.const(0, 64), plain)
    return e.sext(int32(e, operand), 64)


@sass("LEA", "ULEA", modifiers="HI X SX32")
def lea(e: Emitter[V], i: Instruction) -> None:
    """dst = (a << shift) + b; .HI takes the high word of {c, a} << shift, c being a's sign for .SX32."""
    carry_outs, operands = leading_predicates(i.operands)
    dst, a, b, *rest = operands
    base = raw32(e, a)
    if i.has("HI"):
        high = None if i.has("SX32") else int32(e, rest.pop(0))
        shift = immediate(rest.pop(0))
        if high is None:
            term = e.ashr(base, e.const(min(32 - shift, 31), 32))
        else:
            term = e.high(e.shl(e.pair(base, high), e.const(shift, 64)))
    else:
        shift = immediate(rest.pop(0))
        term = e.shl(base, e.const(shift, 32))
    minus, invert = _negated(a), isinstance(a, Reg) and a.invert
    if minus or invert:
        term = e.not_(term)
    carries = [predicate(e, p) for p in rest[:1]] if i.has("X") else []
    if not i.has("X") and rest:
        raise unsupported(i, "carry without .X")
    if minus:
        carries.append(e.const(1, 1))
    if all(unwanted(p) for p in carry_outs):
        put32(e, dst, e.add_high([term, int32(e, b)], carries))
        return
    if not carries and not _negated(b):
        total, carry_out = e.add_carry(term, int32(e, b))
    else:
        wide = e.add(e.zext(term, 64), _wide_term(e, b))
        for carry in carries:
            wide = e.add(wide, e.zext(carry, 64))
        total, carry_out = e.low(wide), e.compare("ne", e.high(wide), e.const(0, 32))
    put32(e, dst, total)
    put_predicate(e, carry_outs[0], carry_out)


def _four(i: Instruction) -> tuple[Operand, ...]:
    """The operands, where no predicate is among them."""
    if len(i.operands) != 4:
        raise unsupported(i, "predicate result")
    return i.operands


@sass("VABSDIFF", modifiers="U32 S32")
def vabsdiff(e: Emitter[V], i: Instruction) -> None:
    """dst = |a - b| + c."""
    dst, a, b, c = _four(i)
    x, y = int32(e, a), int32(e, b)
    low, high = (e.umin(x, y), e.umax(x, y)) if i.has("U32") else (e.smin(x, y), e.smax(x, y))
    put32(e, dst, e.add(e.sub(high, low), int32(e, c)))


@sass("VABSDIFF4", modifiers="U8 ACC")
def vabsdiff4(e: Emitter[V], i: Instruction) -> None:
    """Four byte-wise |a - b|, packed; with .ACC their sum plus c.

    Without it c has no part: PTX's vabsdiff4 merges into c only the bytes that its mask leaves out, and ptxas makes
    this instruction, with any register as c, for the full mask (PTX ISA, vabsdiff4).
    """
    dst, a, b, c = _four(i)
    x, y = int32(e, a), int32(e, b)
    result = int32(e, c) if i.has("ACC") else e.const(0, 32)
    extend = e.zext if i.has("U8") else e.sext
    for lane in range(4):
        shift = e.const(8 * lane, 32)
        p, q = (extend(e.trunc(e.lshr(v, shift), 8), 32) for v in (x, y))
        difference = e.sub(e.smax(p, q), e.smin(p, q))
        result = e.add(result, difference if i.has("ACC") else e.shl(difference, shift))
    put32(e, dst, result)


@sass("IABS", "UIABS")
def iabs(e: Emitter[V], i: Instruction) -> None:
    """dst = |a|; INT_MIN stays."""
    value = int32(e, i.operands[1])
    put32(e, i.operands[0], e.smax(value, e.sub(e.const(0, 32), value)))
