"""Special registers, barriers of the block, and traps. Source: sass.md §5.4, §5.5, §5.7."""

from __future__ import annotations

from cass_shim.isa.emitter import Emitter
from cass_shim.isa.operands import V, int32, predicate, put32, put64, put_predicate, refuse
from cass_shim.isa.spec import Effect, sass, unsupported
from cass_shim.model.instruction import Imm, Instruction, Operand, Pred, Reg, Special

_CLOCKS = ("SR_CLOCKLO", "SR_GLOBALTIMERLO", "SR_GLOBALTIMER")
_STACK_END = "SR_LMEMHIOFF"  # debug builds trap when the stack pointer falls below it; local memory starts at 0 here


def _name(operand: Operand) -> str:
    if not isinstance(operand, Special):
        raise refuse(operand, "a special register")
    return operand.name


@sass("S2R", "S2UR")
def s2r(e: Emitter[V], i: Instruction) -> None:
    """dst = a special register, 32 bits."""
    dst, source = i.operands
    name = _name(source)
    if name in ("SRZ", _STACK_END):
        put32(e, dst, e.const(0, 32))
        return
    value = e.special(name)
    put32(e, dst, e.low(value) if name in _CLOCKS else value)


@sass("CS2R", "CS2UR", modifiers="32")
def cs2r(e: Emitter[V], i: Instruction) -> None:
    """dst = a special register, 64 bits unless .32; SRZ is the usual way to clear a pair."""
    dst, source = i.operands
    name = _name(source)
    if name == "SRZ":
        value = e.const(0, 64)
    elif name in _CLOCKS:
        value = e.special(name)
    elif name in ("SR_CLOCKHI", "SR_GLOBALTIMERHI"):
        value = e.zext(e.high(e.special(name.removesuffix("HI") + "LO")), 64)
    elif i.has("32"):
        value = e.zext(e.special(name), 64)
    else:
        raise unsupported(i, name)
    if i.has("32"):
        put32(e, dst, e.low(value))
    else:
        put64(e, dst, value)


def _number(e: Emitter[V], operands: list[Operand]) -> V | None:
    """The barrier; None for barrier 0 of the whole block."""
    number = operands[0]
    if isinstance(number, Imm) and number.bits == 0 and len(operands) == 1:
        return None
    value = int32(e, number)
    return e.and_(value, e.const(15, 32)) if _packed(operands) else value


def _packed(operands: list[Operand]) -> bool:
    """One register printed twice holds the number in its low four bits and the count from bit 16 on.

    Seen in what ptxas makes of `bar.sync %r1, %r2`: (count << 16) | (number & 15).
    """
    return len(operands) > 1 and isinstance(operands[0], Reg) and operands[0] == operands[1]


def _count(e: Emitter[V], operands: list[Operand]) -> V | None:
    """How many threads take part; None for all."""
    if len(operands) < 2:
        return None
    value = int32(e, operands[1])
    return e.and_(e.lshr(value, e.const(16, 32)), e.const(0xFFF, 32)) if _packed(operands) else value


_BLOCKING = "DEFER_BLOCKING"


@sass("BAR", modifiers=f"SYNC ARV RED AND OR POPC {_BLOCKING}", effect=Effect.BARRIER)
def bar(e: Emitter[V], i: Instruction) -> None:
    """Barrier of the block. .RED leaves its result for B2R.RESULT."""
    operands = list(i.operands)
    if i.has("RED"):
        source = operands.pop()
        operation = next((m.lower() for m in i.modifiers if m in ("AND", "OR", "POPC")), None)
        if operation is None or not isinstance(source, Pred):
            raise unsupported(i)
        e.barrier_reduce(operation, predicate(e, source), _number(e, operands), _count(e, operands))
        return
    if any(isinstance(o, Pred) for o in operands):
        raise unsupported(i)
    number, count = _number(e, operands), _count(e, operands)
    if i.has("ARV"):
        if count is None:
            raise unsupported(i, "no thread count")
        e.barrier_arrive(number, count)
    elif i.has("SYNC"):
        e.barrier(number, count)
    else:
        raise unsupported(i)


@sass("B2R", modifiers="RESULT", effect=Effect.BARRIER)
def b2r(e: Emitter[V], i: Instruction) -> None:
    """dst = the result of the last BAR.RED: the count, or all ones or zero; a predicate says it is not zero."""
    if not i.has("RESULT"):
        raise unsupported(i)
    result = e.barrier_result()
    operands = list(i.operands)
    put32(e, operands.pop(0), result)
    if operands:
        put_predicate(e, operands[0], e.compare("ne", result, e.const(0, 32)))


@sass("BPT", modifiers="TRAP DRAIN_ILLEGAL PAUSE_QUIET", effect=Effect.MEMORY)
def bpt(e: Emitter[V], i: Instruction) -> None:
    """Stop the kernel."""
    if not i.has("TRAP", "DRAIN_ILLEGAL"):
        raise unsupported(i)
    e.trap()
