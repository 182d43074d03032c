"""Shifts, byte permutes and bit counting. Sources: sass.md §5.2; PTX ISA, prmt and shf."""

from __future__ import annotations

from cass_shim.isa.emitter import Emitter
from cass_shim.isa.operands import V, int32, leading_predicates, put32, unwanted
from cass_shim.isa.spec import sass, unsupported
from cass_shim.model.instruction import Imm, Instruction


def _constant_shift(e: Emitter[V], i: Instruction, low: V, high: V, count: int) -> V | None:
    """The two one-word cases of a known count below 32, None for the rest."""
    if not i.has("R") and not i.has("HI"):
        return e.shl(low, e.const(count, 32))
    if i.has("R") and i.has("HI"):
        shift = e.ashr if i.has("S32", "S64") else e.lshr
        return shift(high, e.const(count, 32))
    return None


@sass("SHF", "USHF", modifiers="L R W HI U32 S32 U64 S64")
def shf(e: Emitter[V], i: Instruction) -> None:
    """Shift {high, low} by a count that clamps at the type's width, or wraps for .W; .HI keeps the high word."""
    dst, a, count, c = i.operands
    if not i.has("U32", "S32", "U64", "S64") or i.has("L") == i.has("R"):
        raise unsupported(i)
    low, high = int32(e, a), int32(e, c)
    limit = 64 if i.has("U64", "S64") else 32
    if isinstance(count, Imm):
        known = count.bits & 0xFFFF_FFFF
        known = known % limit if i.has("W") else min(known, limit)
        simple = _constant_shift(e, i, low, high, known) if known < 32 else None
        if simple is not None:
            put32(e, dst, simple)
            return
        n = e.const(known, 32)
    else:
        n = int32(e, count)
        n = e.and_(n, e.const(limit - 1, 32)) if i.has("W") else e.umin(n, e.const(limit, 32))
    signed = i.has("R") and i.has("S32", "S64")
    both = e.pair(low, high)
    shift = (e.ashr if signed else e.lshr) if i.has("R") else e.shl
    result = shift(both, e.zext(e.and_(n, e.const(63, 32)), 64))
    if limit == 64 and not i.has("W"):
        emptied = e.ashr(both, e.const(63, 64)) if signed else e.const(0, 64)
        result = e.select(e.compare("eq", n, e.const(64, 32)), emptied, result)
    put32(e, dst, e.high(result) if i.has("HI") else e.low(result))


# Selector nibbles for the four values of a mode's two-bit selector (PTX ISA, prmt, table of modes).
_MODES = {
    "F4E": (0x3210, 0x4321, 0x5432, 0x6543),
    "B4E": (0x5670, 0x6701, 0x7012, 0x0123),
    "RC8": (0x0000, 0x1111, 0x2222, 0x3333),
    "ECL": (0x3210, 0x3211, 0x3222, 0x3333),
    "ECR": (0x0000, 0x1110, 0x2210, 0x3210),
    "RC16": (0x1010, 0x3232, 0x1010, 0x3232),
}


@sass("PRMT", "UPRMT", modifiers=" ".join(_MODES))
def prmt(e: Emitter[V], i: Instruction) -> None:
    """Pick four bytes of {c, a} by the selector b."""
    dst, a, b, c = i.operands
    selector = int32(e, b)
    if i.modifiers:
        mode = _MODES[i.modifiers[0]]
        packed = sum(nibbles << (16 * k) for k, nibbles in enumerate(mode))
        position = e.shl(e.and_(selector, e.const(3, 32)), e.const(4, 32))
        chosen = e.lshr(e.const(packed, 64), e.zext(position, 64))
        selector = e.and_(e.low(chosen), e.const(0xFFFF, 32))
    put32(e, dst, e.byte_permute(int32(e, a), int32(e, c), selector))


@sass("POPC", "UPOPC")
def popc(e: Emitter[V], i: Instruction) -> None:
    """Number of set bits."""
    put32(e, i.operands[0], e.popcount(int32(e, i.operands[1])))


@sass("BREV", "UBREV")
def brev(e: Emitter[V], i: Instruction) -> None:
    """Bits reversed."""
    put32(e, i.operands[0], e.bit_reverse(int32(e, i.operands[1])))


@sass("FLO", "UFLO", modifiers="U32 S32 SH")
def flo(e: Emitter[V], i: Instruction) -> None:
    """Position of the leading one, -1 for none; .SH its distance from the top. Signed: the leading non-sign bit."""
    flags, operands = leading_predicates(i.operands)
    if not all(unwanted(p) for p in flags):
        raise unsupported(i, "predicate result")
    value = int32(e, operands[1])
    if not i.has("U32"):
        value = e.xor(value, e.ashr(value, e.const(31, 32)))
    zeros = e.count_leading_zeros(value)
    found = e.sub(e.const(31, 32), zeros)
    if i.has("SH"):
        found = e.select(e.compare("eq", zeros, e.const(32, 32)), e.const(0xFFFF_FFFF, 32), zeros)
    put32(e, operands[0], found)


@sass("SGXT", "USGXT", modifiers="U32 W")
def sgxt(e: Emitter[V], i: Instruction) -> None:
    """Sign-extend (zero-extend for .U32) from b bits; b = 0 gives 0, b >= 32 leaves a; .W takes b modulo 32."""
    dst, a, b = i.operands
    width = int32(e, b)
    width = e.and_(width, e.const(31, 32)) if i.has("W") else e.umin(width, e.const(32, 32))
    unused = e.and_(e.sub(e.const(32, 32), width), e.const(31, 32))
    shifted = e.shl(int32(e, a), unused)
    result = (e.lshr if i.has("U32") else e.ashr)(shifted, unused)
    put32(e, dst, e.select(e.compare("eq", width, e.const(0, 32)), e.const(0, 32), result))


@sass("BMSK", "UBMSK", modifiers="W C")
def bmsk(e: Emitter[V], i: Instruction) -> None:
    """b ones from bit a upwards; .W takes both modulo 32, .C (the default) clamps them at 32."""
    dst, a, b = i.operands
    position, count = int32(e, a), int32(e, b)
    if i.has("W"):
        position, count = e.and_(position, e.const(31, 32)), e.and_(count, e.const(31, 32))
    else:
        position, count = e.umin(position, e.const(32, 32)), e.umin(count, e.const(32, 32))
    ones = e.sub(e.shl(e.const(1, 64), e.zext(count, 64)), e.const(1, 64))
    put32(e, dst, e.low(e.shl(ones, e.zext(position, 64))))
