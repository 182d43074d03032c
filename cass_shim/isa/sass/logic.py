"""Bitwise logic on registers and predicates, and moves. Source: sass.md §5.2 (table index a<<2 | b<<1 | c)."""

from __future__ import annotations

from functools import cache
from typing import TypeAlias

from cass_shim.isa.emitter import Emitter
from cass_shim.isa.operands import (
    V,
    immediate,
    int32,
    int64,
    predicate,
    put32,
    put64,
    put_predicate,
    raw32,
    unwanted,
)
from cass_shim.isa.spec import sass, unsupported
from cass_shim.model.instruction import Imm, Instruction, Operand, Pred, Reg

_VARIABLES = (0xF0, 0xCC, 0xAA)  # the tables of a, b and c themselves
# An input's number, or an operation and its operands.
Plan: TypeAlias = "int | tuple[str, Plan, Plan]"


def _cofactor(table: int, variable: int, value: int) -> int:
    """The table with one variable fixed, as a table over all three."""
    mask = _VARIABLES[variable]
    shift = 4 >> variable
    kept = table & mask if value else table & ~mask & 0xFF
    return kept | (kept >> shift if value else kept << shift)


@cache
def _plan(table: int) -> tuple[int, Plan]:
    """(operations, expression) of few and/or/xor/not for a table, by splitting on one variable."""
    if table in (0, 0xFF):
        return 0, ("constant", 0, 0)
    for index, mask in enumerate(_VARIABLES):
        if table == mask:
            return 0, index
        if table == mask ^ 0xFF:
            return 1, ("not", index, 0)
    best: tuple[int, Plan] | None = None
    for variable in range(3):
        zero, one = _cofactor(table, variable, 0), _cofactor(table, variable, 1)
        if zero == one:
            continue
        candidate = _split(variable, zero, one)
        if best is None or candidate[0] < best[0]:
            best = candidate
    assert best is not None
    return best


def _split(x: Plan, zero: int, one: int) -> tuple[int, Plan]:
    """The cheapest way found for `x ? one : zero`."""
    zero_cost, zero_plan = _plan(zero)
    one_cost, one_plan = _plan(one)
    if zero == 0:
        return one_cost + 1, ("and", x, one_plan)
    if one == 0:
        return zero_cost + 2, ("and", ("not", x, 0), zero_plan)
    if one == 0xFF:
        return zero_cost + 1, ("or", x, zero_plan)
    if zero == 0xFF:
        return one_cost + 2, ("or", ("not", x, 0), one_plan)
    if zero ^ one == 0xFF:
        return zero_cost + 1, ("xor", x, zero_plan)
    both_cost, both_plan = _plan(zero ^ one)
    return zero_cost + both_cost + 2, ("xor", zero_plan, ("and", x, both_plan))


def table3(e: Emitter[V], inputs: tuple[V, V, V], table: int, width: int) -> V:
    """Any boolean function of three values of one width (1 or 32)."""

    def run(plan: Plan) -> V:
        if isinstance(plan, int):
            return inputs[plan]
        if plan[0] == "constant":
            return e.const((1 << width) - 1 if table & 1 else 0, width)
        first = run(plan[1])
        if plan[0] == "not":
            return e.not_(first)
        return {"and": e.and_, "or": e.or_, "xor": e.xor}[plan[0]](first, run(plan[2]))

    return run(_plan(table)[1])


@sass("LOP3", "ULOP3", modifiers="LUT PAND")
def lop3(e: Emitter[V], i: Instruction) -> None:
    """dst = table(a, b, c); an optional leading predicate is (dst != 0) | the last operand, with .PAND & it."""
    operands = list(i.operands)
    flag = operands.pop(0) if isinstance(operands[0], Pred) else None
    dst, a, b, c, table, accumulator = operands
    result = table3(e, (int32(e, a), int32(e, b), int32(e, c)), immediate(table), 32)
    if flag is not None:
        combined = e.and_ if i.has("PAND") else e.or_
        nonzero = combined(e.compare("ne", result, e.const(0, 32)), predicate(e, accumulator))
        put32(e, dst, result)
        put_predicate(e, flag, nonzero)
        return
    put32(e, dst, result)


def _truth(e: Emitter[V], operand: Operand) -> V:
    if not isinstance(operand, Reg) or operand.suffix != ("SIGN",):
        return predicate(e, operand)
    negative = e.compare("slt", raw32(e, operand), e.const(0, 32))
    return e.not_(negative) if operand.negate or operand.invert else negative


@sass("PLOP3", "UPLOP3", modifiers="LUT")
def plop3(e: Emitter[V], i: Instruction) -> None:
    """Two predicates, each its own table of three predicates, or of the signs of registers (R0.SIGN)."""
    first, second, a, b, c, table, second_table = i.operands
    inputs = (_truth(e, a), _truth(e, b), _truth(e, c))
    one = table3(e, inputs, immediate(table), 1)
    two = None if unwanted(second) else table3(e, inputs, immediate(second_table), 1)
    put_predicate(e, first, one)
    if two is not None:
        put_predicate(e, second, two)


@sass("MOV", "UMOV", "MOV32I", modifiers="64")
def mov(e: Emitter[V], i: Instruction) -> None:
    """dst = a, a pair for .64. A mask of four bits names the lanes of each quad that are written; 0xf is all."""
    dst, source = i.operands[:2]
    mask = immediate(i.operands[2]) if len(i.operands) > 2 else 0xF
    if mask != 0xF and (i.has("64") or not isinstance(dst, Reg) or dst.uniform):
        raise unsupported(i, "partial write mask")
    if i.has("64"):
        put64(e, dst, e.const(source.bits, 64) if isinstance(source, Imm) else int64(e, source))
    elif mask == 0xF:
        put32(e, dst, int32(e, source))
    else:
        place = e.and_(e.special("SR_LANEID"), e.const(3, 32))
        here = e.and_(e.lshr(e.const(mask, 32), place), e.const(1, 32))
        put32(e, dst, e.select(e.compare("ne", here, e.const(0, 32)), int32(e, source), int32(e, dst)))


@sass("R2UR", "UR2R", modifiers="OR")
def r2ur(e: Emitter[V], i: Instruction) -> None:
    """Uniform registers are kept per lane, so this is a move (sass.md §5.1).

    A predicate tells which lanes' values are not the first lane's; .OR adds to what it held. nvcc leaves for a slow
    path where it is set (`@!P BRA.DIV`), and serves one texture handle after the other with it (`@!P TEX`). Where only
    some lanes have a value (`warp_wide`), all get the first one's.
    """
    operands = list(i.operands)
    flag = operands.pop(0) if isinstance(operands[0], Pred) else None
    dst, source, *which = operands
    value = int32(e, source)
    if flag is None and not which:
        put32(e, dst, value)
        return
    first, having = e.read_first(value), [predicate(e, one) for one in which]
    for held in having:
        first = _of_first_lane(e, value, held, raw32(e, dst))
    put32(e, dst, first if having else value)
    if flag is not None and not unwanted(flag):
        differs = e.compare("ne", value, first)
        told = e.or_(predicate(e, flag), differs) if i.has("OR") else differs
        for held in having:
            told = e.select(held, told, predicate(e, flag))
        put_predicate(e, flag, told)


def _of_first_lane(e: Emitter[V], value: V, held: V, otherwise: V) -> V:
    """The value of the lowest lane that has the predicate, in every lane; without one, what each has otherwise."""
    lanes, one = e.ballot(held), e.const(1, 32)
    lowest = e.sub(e.popcount(e.xor(lanes, e.sub(lanes, one))), one)
    found, _ = e.shuffle("idx", value, e.and_(lowest, e.const(31, 32)), e.const(31, 32))
    return e.select(e.compare("ne", lanes, e.const(0, 32)), found, otherwise)


_PREDICATES = 7


@sass("P2R", "UP2UR", modifiers="B1 B2 B3")
def p2r(e: Emitter[V], i: Instruction) -> None:
    """dst = a with the predicate file in one byte where mask is set (recorded on an H200, every byte)."""
    dst, _file, a, mask = i.operands
    if not isinstance(dst, Reg) or (isinstance(a, Reg) and a.suffix):
        raise unsupported(i)
    selected = immediate(mask) & 0xFF  # no more of it counts (recorded)
    shift = next((8 * byte for byte in (1, 2, 3) if i.has(f"B{byte}")), 0)
    uniform = i.mnemonic == "UP2UR"
    packed = e.and_(raw32(e, a), e.const(~(selected << shift) & 0xFFFF_FFFF, 32))
    for index in range(_PREDICATES):
        if selected >> index & 1:
            bit = e.zext(e.get_pred(index, uniform), 32)
            packed = e.or_(packed, e.shl(bit, e.const(shift + index, 32)))
    put32(e, dst, packed)


@sass("R2P", "R2UP")
def r2p(e: Emitter[V], i: Instruction) -> None:
    """Set the predicates of mask from the bits of a byte of a."""
    _file, a, mask = i.operands
    suffix = a.suffix if isinstance(a, Reg) else ()
    shift = {(): 0, ("B0",): 0, ("B1",): 8, ("B2",): 16, ("B3",): 24}.get(suffix)
    if shift is None:
        raise unsupported(i)
    value = raw32(e, a)
    for index in range(_PREDICATES):
        if immediate(mask) >> index & 1:
            bit = e.trunc(e.lshr(value, e.const(shift + index, 32)), 1)
            put_predicate(e, Pred(index, uniform=i.mnemonic == "R2UP"), bit)
