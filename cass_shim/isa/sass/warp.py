"""What lanes of a warp say to each other. Source: sass.md §5.4; PTX ISA, shfl, vote, match, redux."""

from __future__ import annotations

from cass_shim.isa.emitter import Emitter
from cass_shim.isa.operands import (
    V,
    int32,
    predicate,
    put32,
    put_predicate,
    raw64,
    unwanted,
)
from cass_shim.isa.spec import Effect, sass, unsupported
from cass_shim.model.instruction import Instruction, Pred, Reg


@sass("SHFL", modifiers="IDX UP DOWN BFLY", effect=Effect.LANES)
def shfl(e: Emitter[V], i: Instruction) -> None:
    """dst = a of another lane; P = that lane is in range."""
    in_range, dst, a, lane, clamp = i.operands
    value, valid = e.shuffle(i.modifiers[0].lower(), int32(e, a), int32(e, lane), int32(e, clamp))
    put32(e, dst, value)
    put_predicate(e, in_range, valid)


@sass("VOTE", "VOTEU", modifiers="ALL ANY EQ", effect=Effect.LANES)
def vote(e: Emitter[V], i: Instruction) -> None:
    """R = mask of active lanes where the source holds; P = all, any, or all the same."""
    operands = list(i.operands)
    mask = operands.pop(0) if isinstance(operands[0], Reg) else None
    flag, source = operands
    held = predicate(e, source)
    ballot = e.ballot(held)
    zero = e.const(0, 32)
    any_lane = e.compare("ne", ballot, zero)
    verdict = any_lane
    if i.has("ALL", "EQ") and not unwanted(flag):
        all_lanes = e.compare("eq", e.ballot(e.not_(held)), zero)
        verdict = all_lanes if i.has("ALL") else e.or_(all_lanes, e.not_(any_lane))
    if mask is not None:
        put32(e, mask, ballot)
    put_predicate(e, flag, verdict)


@sass("MATCH", modifiers="ANY ALL U32 U64", effect=Effect.LANES)
def match(e: Emitter[V], i: Instruction) -> None:
    """.ANY: the lanes with my value. .ALL: all active lanes if they agree, else 0, and P says whether."""
    operands = list(i.operands)
    flag = operands.pop(0) if isinstance(operands[0], Pred) else None
    dst, source = operands
    value = raw64(e, source) if i.has("U64") else int32(e, source)
    if i.has("ANY"):
        if flag is not None and not unwanted(flag):
            raise unsupported(i, "predicate result")
        put32(e, dst, e.match_any(value))
        return
    mask, agreed = e.match_all(value)
    put32(e, dst, mask)
    if flag is not None:
        put_predicate(e, flag, agreed)


@sass("REDUX", "CREDUX", modifiers="AND OR XOR SUM MIN MAX S32 U32", effect=Effect.LANES)
def redux(e: Emitter[V], i: Instruction) -> None:
    """dst = the active lanes' values combined, AND when no operation is printed."""
    dst, source = i.operands
    name = next((m.lower() for m in i.modifiers if m in ("AND", "OR", "XOR", "SUM", "MIN", "MAX")), "and")
    operation = {"sum": "add", "min": "umin", "max": "umax"}.get(name, name)
    if i.has("S32"):
        operation = {"umin": "smin", "umax": "smax"}.get(operation, operation)
    put32(e, dst, e.reduce(operation, int32(e, source)))


@sass("ELECT", effect=Effect.LANES)
def elect(e: Emitter[V], i: Instruction) -> None:
    """P in the lowest active lane only; the register receives that lane's number."""
    flag, *rest = i.operands
    active = e.ballot(e.const(1, 1))
    lowest = e.popcount(e.and_(e.not_(active), e.sub(active, e.const(1, 32))))
    if rest and isinstance(rest[0], Reg):
        put32(e, rest[0], lowest)
    put_predicate(e, flag, e.compare("eq", lowest, e.special("SR_LANEID")))
