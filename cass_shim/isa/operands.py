"""Reading and writing operands: negation, zero registers, constant banks, register pairs and suffixes.

Every reader takes the emitter, the instruction's operand, and gives a run-time value; a suffix or operand class
that it does not expect raises Unsupported, so nothing printed is ever dropped. Floats are bit patterns.
"""

from __future__ import annotations

from typing import TypeVar

from cass_shim.isa.emitter import Emitter
from cass_shim.model.errors import Unsupported
from cass_shim.model.instruction import PT, RZ, Const, Imm, Mem, Operand, Pred, Reg

V = TypeVar("V")

SIGN = {16: 0x8000, 32: 0x8000_0000, 64: 1 << 63}
_HALVES = {(): None, ("H0_H0",): 0, ("H1_H1",): 1, ("H0",): 0, ("H1",): 1}


def refuse(operand: object, expected: str) -> Unsupported:
    return Unsupported(f"operand {operand!r}", why=f"expected {expected}")


def register(e: Emitter[V], reg: Reg, part: int = 0) -> V:
    """The raw 32 bits of R<index + part>; zero for RZ."""
    return e.const(0, 32) if reg.index == RZ else e.get_reg(reg.index + part, reg.uniform)


def registers(e: Emitter[V], operand: Operand, count: int) -> list[V]:
    """`count` consecutive registers, raw; all zero for RZ."""
    if not isinstance(operand, Reg) or operand.negate or operand.absolute or operand.invert:
        raise refuse(operand, "a plain register")
    return [register(e, operand, part) for part in range(count)]


def constant(e: Emitter[V], operand: Const, width: int) -> V:
    """The raw bits of a constant-bank operand."""
    if operand.bank_register is not None:
        raise refuse(operand, "a constant bank by number")
    index = None if operand.index is None or operand.index.index == RZ else register(e, operand.index)
    return e.load_const(operand.bank, operand.offset, index, width)


def raw32(e: Emitter[V], operand: Operand) -> V:
    """The 32 bits an operand names, its modifiers not applied."""
    if isinstance(operand, Reg):
        return register(e, operand)
    if isinstance(operand, Imm):
        return e.const(operand.bits & 0xFFFF_FFFF, 32)
    if isinstance(operand, Const):
        return constant(e, operand, 32)
    raise refuse(operand, "a 32-bit source")


def raw64(e: Emitter[V], operand: Operand) -> V:
    """The 64 bits of a register pair or a constant; modifiers not applied. What the 32 bits of an immediate are of
    64 depends on the instruction (`high64`, `signed64`)."""
    if isinstance(operand, Reg):
        return e.pair(register(e, operand), register(e, operand, 1))
    if isinstance(operand, Const):
        return constant(e, operand, 64)
    raise refuse(operand, "a 64-bit source")


def high64(e: Emitter[V], operand: Operand) -> V:
    """A 64-bit source of which an immediate is the high word above zeros; modifiers not applied.

    Source: what ptxas for sm_75 to sm_120 makes of 64-bit constants of cvt; generated kernel 2639 on an H200.
    """
    if isinstance(operand, Imm):
        return e.const((operand.bits & 0xFFFF_FFFF) << 32, 64)
    return raw64(e, operand)


def plain(operand: Operand) -> bool:
    """Whether no source modifier is printed on the operand."""
    if isinstance(operand, Reg | Const):
        return not (operand.negate or operand.absolute or operand.invert)
    return True


def _integer(e: Emitter[V], operand: Operand, value: V, width: int) -> V:
    if isinstance(operand, Reg | Const):
        if operand.suffix:
            raise refuse(operand, "no suffix")
        zero = e.const(0, width)
        if operand.absolute:
            value = e.smax(value, e.sub(zero, value))
        if operand.invert:
            value = e.not_(value)
        if operand.negate:
            value = e.sub(zero, value)
    return value


def int32(e: Emitter[V], operand: Operand) -> V:
    """An integer source: - is two's complement, ~ inverts, | | is the absolute value."""
    return _integer(e, operand, raw32(e, operand), 32)


def int64(e: Emitter[V], operand: Operand) -> V:
    """A 64-bit integer source."""
    return _integer(e, operand, raw64(e, operand), 64)


def signed64(e: Emitter[V], operand: Operand) -> V:
    """A 64-bit integer source of sm_100 on: an immediate of 32 bits is sign-extended (seen: x + 0x7fffffff and
    x - 0x80000000 are immediates, x + 0xffffffc0 is not), a longer one is the whole value."""
    if isinstance(operand, Imm):
        bits = operand.bits
        return e.const(bits if bits >> 32 else bits - ((bits >> 31) << 32) & (1 << 64) - 1, 64)
    return int64(e, operand)


def float_bits(e: Emitter[V], operand: Operand, value: V, width: int) -> V:
    """Apply | | and - of a floating operand to its bits."""
    if isinstance(operand, Reg | Const):
        if operand.invert:
            raise refuse(operand, "a floating source")
        if operand.absolute:
            value = e.and_(value, e.const(SIGN[width] - 1, width))
        if operand.negate:
            value = e.xor(value, e.const(SIGN[width], width))
    return value


def float32(e: Emitter[V], operand: Operand) -> V:
    """An f32 source as its bits."""
    if isinstance(operand, Reg | Const) and operand.suffix:
        raise refuse(operand, "no suffix")
    return float_bits(e, operand, raw32(e, operand), 32)


def float64(e: Emitter[V], operand: Operand) -> V:
    """An f64 source as its bits; an immediate is the high word."""
    if isinstance(operand, Reg | Const) and operand.suffix not in ((), ("64",)):
        raise refuse(operand, "no suffix")
    return float_bits(e, operand, high64(e, operand), 64)


def half2(e: Emitter[V], operand: Operand) -> V:
    """Two packed 16-bit floats: .H0_H0 and .H1_H1 broadcast, then | | and - act on both."""
    value = raw32(e, operand)
    if not isinstance(operand, Reg | Const):
        return value
    if operand.suffix not in _HALVES or operand.invert:
        raise refuse(operand, "a half2 source")
    half = _HALVES[operand.suffix]
    if half is not None:
        low = e.and_(value, e.const(0xFFFF, 32)) if half == 0 else e.lshr(value, e.const(16, 32))
        value = e.or_(low, e.shl(low, e.const(16, 32)))
    if operand.absolute:
        value = e.and_(value, e.const(0x7FFF_7FFF, 32))
    if operand.negate:
        value = e.xor(value, e.const(0x8000_8000, 32))
    return value


def half(e: Emitter[V], operand: Operand) -> V:
    """One 16-bit float in i16: .H0_H0 (the default) or .H1_H1 of a register."""
    value = half2(e, operand)
    return e.trunc(value, 16)


def predicate(e: Emitter[V], operand: Operand) -> V:
    """A predicate source with its negation."""
    if not isinstance(operand, Pred):
        raise refuse(operand, "a predicate")
    if operand.index == PT:
        return e.const(0 if operand.negate else 1, 1)
    value = e.get_pred(operand.index, operand.uniform)
    return e.not_(value) if operand.negate else value


def is_false(operand: Operand) -> bool:
    """Whether a predicate source is the constant !PT."""
    return isinstance(operand, Pred) and operand.index == PT and operand.negate


def put32(e: Emitter[V], operand: Operand, value: V, part: int = 0) -> None:
    """Write R<index + part>; nothing for RZ."""
    if not isinstance(operand, Reg):
        raise refuse(operand, "a destination register")
    if operand.index != RZ:
        e.set_reg(operand.index + part, operand.uniform, value)


def put64(e: Emitter[V], operand: Operand, value: V) -> None:
    """Write a register pair."""
    put32(e, operand, e.low(value))
    put32(e, operand, e.high(value), 1)


def put_predicate(e: Emitter[V], operand: Operand, value: V) -> None:
    """Write a predicate; nothing for PT."""
    if not isinstance(operand, Pred) or operand.negate:
        raise refuse(operand, "a destination predicate")
    if operand.index != PT:
        e.set_pred(operand.index, operand.uniform, value)


def unwanted(operand: Operand) -> bool:
    """Whether a destination is PT or RZ."""
    return (isinstance(operand, Pred) and operand.index == PT) or (isinstance(operand, Reg) and operand.index == RZ)


def leading_predicates(operands: tuple[Operand, ...], start: int = 1) -> tuple[list[Pred], list[Operand]]:
    """Split off the predicates printed right after operand `start` - 1: (predicates, the other operands)."""
    end = start
    while end < len(operands) and isinstance(operands[end], Pred):
        end += 1
    found = [p for p in operands[start:end] if isinstance(p, Pred)]
    return found, [*operands[:start], *operands[end:]]


def immediate(operand: Operand) -> int:
    """A decode-time number."""
    if not isinstance(operand, Imm):
        raise refuse(operand, "an immediate")
    return operand.bits


def address64(e: Emitter[V], operand: Operand, wide: bool | None = None) -> V:
    """The 64-bit address of a global or generic access. Descriptors carry no address (sass.md §2.5).

    wide: overrides whether the base is a pair (ATOMG prints [R2] for one).
    """
    if not isinstance(operand, Mem) or operand.scale != 1:
        raise refuse(operand, "a 64-bit address")
    pair = operand.wide if wide is None else wide
    address = e.const(0, 64)
    if operand.base is not None and operand.base.index != RZ:
        address = raw64(e, operand.base) if pair else e.zext(register(e, operand.base), 64)
    if operand.uniform is not None and operand.uniform.index != RZ:
        address = e.add(address, raw64(e, operand.uniform))
    return e.add(address, e.const(operand.offset & 0xFFFF_FFFF_FFFF_FFFF, 64)) if operand.offset else address


def address32(e: Emitter[V], operand: Operand) -> V:
    """The 32-bit address of a shared or local access."""
    if not isinstance(operand, Mem):
        raise refuse(operand, "an address")
    address = e.const(0, 32)
    if operand.base is not None and operand.base.index != RZ:
        address = register(e, operand.base)
        if operand.scale != 1:
            address = e.shl(address, e.const(operand.scale.bit_length() - 1, 32))
    if operand.uniform is not None and operand.uniform.index != RZ:
        address = e.add(address, register(e, operand.uniform))
    return e.add(address, e.const(operand.offset & 0xFFFF_FFFF, 32)) if operand.offset else address
