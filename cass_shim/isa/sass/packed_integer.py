"""Two 16-bit or four 8-bit integers at a time: VIADD, VIMNMX and VIADDMNMX with .16x2, .S16x2, .U16x2, .U8x4."""

from __future__ import annotations

from cass_shim.isa.emitter import Emitter
from cass_shim.isa.operands import V, predicate, raw32
from cass_shim.isa.spec import unsupported
from cass_shim.model.instruction import Const, Instruction, Operand, Reg


def halves(e: Emitter[V], i: Instruction, operand: Operand, signed: bool) -> list[V]:
    """The low and the high half, extended to 32 bits; - negates each."""
    value = raw32(e, operand)
    if isinstance(operand, Reg | Const) and (operand.suffix or operand.absolute or operand.invert):
        raise unsupported(i, "operand modifier")
    extend = e.sext if signed else e.zext
    parts = split(e, value, signed)
    if isinstance(operand, Reg | Const) and operand.negate:
        parts = [extend(e.trunc(e.sub(e.const(0, 32), p), 16), 32) for p in parts]
    return parts


def split(e: Emitter[V], value: V, signed: bool) -> list[V]:
    """The low and the high half of a register, extended to 32 bits."""
    extend = e.sext if signed else e.zext
    return [extend(e.trunc(v, 16), 32) for v in (value, e.lshr(value, e.const(16, 32)))]


def join(e: Emitter[V], parts: list[V]) -> V:
    """Two halves back into a register."""
    low = e.and_(parts[0], e.const(0xFFFF, 32))
    return e.or_(low, e.shl(parts[1], e.const(16, 32)))


def add(e: Emitter[V], i: Instruction, a: Operand, b: Operand, signed: bool) -> list[V]:
    """Sums modulo 2^16, extended again."""
    extend = e.sext if signed else e.zext
    pairs = zip(halves(e, i, a, signed), halves(e, i, b, signed), strict=True)
    return [extend(e.trunc(e.add(x, y), 16), 32) for x, y in pairs]


def pick(e: Emitter[V], i: Instruction, a: list[V], b: list[V], pick_minimum: Operand, signed: bool) -> V:
    """Minimum or maximum of the halves, not below zero for .RELU."""
    p = predicate(e, pick_minimum)
    results = []
    for x, y in zip(a, b, strict=True):
        low, high = (e.smin(x, y), e.smax(x, y)) if signed else (e.umin(x, y), e.umax(x, y))
        chosen = e.select(p, low, high)
        results.append(e.smax(chosen, e.const(0, 32)) if i.has("RELU") else chosen)
    return join(e, results)


def _bytes(e: Emitter[V], i: Instruction, operand: Operand, signed: bool = False) -> list[V]:
    """The four bytes from the lowest on, extended to 32 bits; - negates each."""
    extend = e.sext if signed else e.zext
    value = raw32(e, operand)
    if isinstance(operand, Reg | Const) and (operand.suffix or operand.absolute or operand.invert):
        raise unsupported(i, "operand modifier")
    parts = [extend(e.trunc(e.lshr(value, e.const(8 * n, 32)), 8), 32) for n in range(4)]
    if isinstance(operand, Reg | Const) and operand.negate:
        parts = [e.sub(e.const(0, 32), part) for part in parts]
    return parts


def _join_bytes(e: Emitter[V], parts: list[V]) -> V:
    result = e.and_(parts[0], e.const(0xFF, 32))
    for n in range(1, 4):
        result = e.or_(result, e.shl(e.and_(parts[n], e.const(0xFF, 32)), e.const(8 * n, 32)))
    return result


def add_bytes(e: Emitter[V], i: Instruction, a: Operand, b: Operand) -> V:
    """Four sums modulo 2^8."""
    return _join_bytes(e, [e.add(x, y) for x, y in zip(_bytes(e, i, a), _bytes(e, i, b), strict=True)])


def pick_bytes(e: Emitter[V], i: Instruction, a: Operand, b: Operand, pick_minimum: Operand) -> V:
    """Four minima or maxima, signed for .S8x4; no word of ptxas negates an operand of these."""
    if any(isinstance(o, Reg | Const) and o.negate for o in (a, b)):
        raise unsupported(i, "operand modifier")
    p, signed = predicate(e, pick_minimum), i.has("S8x4")
    low, high = (e.smin, e.smax) if signed else (e.umin, e.umax)
    both = zip(_bytes(e, i, a, signed), _bytes(e, i, b, signed), strict=True)
    return _join_bytes(e, [e.select(p, low(x, y), high(x, y)) for x, y in both])
