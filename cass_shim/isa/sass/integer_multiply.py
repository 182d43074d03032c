"""Integer multiply-add and dot products. Source: sass.md §5.2; PTX ISA, dp4a and dp2a."""

from __future__ import annotations

from cass_shim.isa.emitter import Emitter
from cass_shim.isa.operands import (
    V,
    int32,
    int64,
    leading_predicates,
    predicate,
    put32,
    put64,
    put_predicate,
    unwanted,
)
from cass_shim.isa.spec import sass, unsupported
from cass_shim.model.instruction import Instruction

_SPELLINGS = "MOV IADD SHL U32 S32 X"  # IMAD.MOV, .IADD and .SHL are names for what the operands say anyway


@sass("IMAD", "UIMAD", modifiers=f"{_SPELLINGS} WIDE HI")
def imad(e: Emitter[V], i: Instruction) -> None:
    """dst = a * b + c; .WIDE keeps 64 bits, .HI the high word, both add a 64-bit pair c."""
    carry_outs, operands = leading_predicates(i.operands)
    dst, a, b, c, *rest = operands
    carry = predicate(e, rest[0]) if i.has("X") and rest else None
    if rest and not i.has("X"):
        raise unsupported(i, "carry without .X")
    if not i.has("WIDE", "HI"):
        if not all(unwanted(p) for p in carry_outs):
            raise unsupported(i, "carry out of a 32-bit product")
        product = e.mul(int32(e, a), int32(e, b))
        put32(e, dst, e.add_high([product, int32(e, c)], [] if carry is None else [carry]))
        return
    extend = e.zext if i.has("U32") else e.sext
    product = e.mul(extend(int32(e, a), 64), extend(int32(e, b), 64))
    addend = int64(e, c)
    if all(unwanted(p) for p in carry_outs):
        total = e.add(product, addend)
        if carry is not None:
            total = e.add(total, e.zext(carry, 64))
    else:
        total, carry_out = e.add_carry(product, addend, carry)
        put_predicate(e, carry_outs[0], carry_out)
    if i.has("WIDE"):
        put64(e, dst, total)
    else:
        put32(e, dst, e.high(total))


@sass("IDP", modifiers="4A 2A LO HI S8 U8 S16 U16")
def idp(e: Emitter[V], i: Instruction) -> None:
    """dst = c + dot product: .4A of four bytes with four bytes, .2A of two halves with two bytes of b."""
    dst, a, b, c = i.operands
    signs = [m for m in i.modifiers if m[0] in "SU" and m[1:].isdigit()]
    if len(signs) != 2:
        raise unsupported(i)
    x, y, total = int32(e, a), int32(e, b), int32(e, c)
    if i.has("4A"):
        put32(e, dst, e.dot4(x, y, total, signs[0][0] == "S", signs[1][0] == "S"))
        return
    extend_a = e.sext if signs[0][0] == "S" else e.zext
    extend_b = e.sext if signs[1][0] == "S" else e.zext
    first_byte = 2 if i.has("HI") else 0
    for lane in range(2):
        p = extend_a(e.trunc(e.lshr(x, e.const(16 * lane, 32)), 16), 32)
        q = extend_b(e.trunc(e.lshr(y, e.const(8 * (first_byte + lane), 32)), 8), 32)
        total = e.add(total, e.mul(p, q))
    put32(e, dst, total)
