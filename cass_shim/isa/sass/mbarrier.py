"""Arrival barriers in shared memory (mbarrier), and their states.

Before sm_90 the 64-bit state is plain memory to the compiler. Read off the code that ptxas 13.0 makes for cuda::barrier
on sm_80: the high word is {phase bit, 31-bit count of arrivals, which starts at -expected}; the low word is 0x40000000
- expected. The arrival that makes the count overflow into the phase bit sets it back to -expected. Waiting is a loop of
the program's own over the phase.

From sm_90 on SYNCS keeps it. Read off what ptxas 13.0 stores to initialise one for n arrivals, (2^20 - n) << 1 in the
low word and << 11 in the high one, and off its use of the result's high word: bits 1 to 20 are -n, 43 to 62 minus the
arrivals that are missing, 63 the phase. Where the transactions are counted no program sees; here in bits 21 to 42. A
phase ends when no arrival and no transaction is missing (PTX ISA, mbarrier).
"""

from __future__ import annotations

from cass_shim.isa.emitter import Emitter
from cass_shim.isa.operands import V, address32, put64, put_predicate, raw32, raw64
from cass_shim.isa.spec import Effect, sass, unsupported
from cass_shim.model.instruction import RZ, Instruction, Mem, Operand, Reg

EXPECTED_BASE = 0x4000_0000
COUNT_MASK = 0x7FFF_FFFF
# Fields of the state from sm_90 on: first bit and width.
EXPECTED_AT, TRANSACTIONS_AT, MISSING_AT, COUNT_BITS, TRANSACTION_BITS = 1, 21, 43, 20, 22
# What one arrival counts for, arrivals and transactions: a number, the register or minus the register. Source: PTX's
# mbarrier.arrive, .arrive.expect_tx, .expect_tx, .complete_tx and cp.async.mbarrier.arrive as ptxas 13.0 writes them.
_COUNTS: dict[str, tuple[int | str, int | str]] = {
    "A1T0": (1, 0), "A0T1": (0, 1), "A0TR": (0, "+"), "A0TX": (0, "-"), "ART0": ("+", 0), "": (1, "+"),
}  # fmt: skip


def step(old: int, amounts: int) -> int:
    """The state after an arrival, from sm_90 on; the amounts are in the fields that they count for."""

    def field(word: int, first: int, width: int) -> int:
        return word >> first & ((1 << width) - 1)

    def added(first: int, width: int) -> int:
        return field(field(old, first, width) + field(amounts, first, width), 0, width)

    expected, transactions = added(EXPECTED_AT, COUNT_BITS), added(TRANSACTIONS_AT, TRANSACTION_BITS)
    missing, phase = added(MISSING_AT, COUNT_BITS), old >> 63
    if not missing and not transactions:
        missing, phase = expected, phase ^ 1
    return phase << 63 | missing << MISSING_AT | transactions << TRANSACTIONS_AT | expected << EXPECTED_AT


def arrival(old: int) -> int:
    """The state after one arrival, before sm_90."""
    low, high = old & 0xFFFF_FFFF, old >> 32
    following = high + 1 & 0xFFFF_FFFF
    if (following ^ high) >> 31:
        following = following & COUNT_MASK + 1 | low - EXPECTED_BASE & COUNT_MASK
    return following << 32 | low


def _arrive(e: Emitter[V], where: Operand, arrivals: V, transactions: V, drop: bool = False) -> V:
    """Count, and give the state before it. drop: expect so many fewer from now on."""
    low = e.shl(e.and_(transactions, e.const(0x7FF, 32)), e.const(TRANSACTIONS_AT, 32))
    if drop:
        low = e.or_(low, e.shl(arrivals, e.const(EXPECTED_AT, 32)))
    high = e.and_(e.lshr(transactions, e.const(11, 32)), e.const(0x7FF, 32))
    high = e.or_(high, e.shl(arrivals, e.const(MISSING_AT - 32, 32)))
    e.fence("cta")
    return e.atomic("shared", "mbarrier", "u64", address32(e, where), e.pair(low, high), None, "cta")


@sass("ARRIVES", modifiers="LDGSTSBAR 64 TRANSCNT ARVCNT", effect=Effect.MEMORY)
def arrives(e: Emitter[V], i: Instruction) -> None:
    """Arrive when this lane's asynchronous copies are done, which they are: LDGSTS copies at once.

    .TRANSCNT ends a transaction that was announced before them.
    """
    if not (i.has("LDGSTSBAR") and i.has("64")):
        raise unsupported(i)
    if i.has("TRANSCNT"):
        _arrive(e, i.operands[0], e.const(0, 32), e.const(-1, 32))
    elif i.has("ARVCNT"):
        _arrive(e, i.operands[0], e.const(1, 32), e.const(0, 32))
    else:
        e.atomic("shared", "arrive", "u64", address32(e, i.operands[0]), e.const(1, 64), None, "cta")


def _count(e: Emitter[V], amount: Operand, what: int | str) -> V:
    if isinstance(what, int):
        return e.const(what, 32)
    value = raw32(e, amount)
    return value if what == "+" else e.sub(e.const(0, 32), value)


@sass("FENCE", modifiers="VIEW ASYNC S T G", effect=Effect.MEMORY)
def fence(e: Emitter[V], i: Instruction) -> None:
    """Order with the asynchronous proxy, whose copies are done at once here."""
    e.fence("cta" if i.has("S") else "gpu")


@sass(
    "SYNCS",
    modifiers="ARRIVE TRANS64 TMASK RED OPTOUT A1T0 A0T1 A0TR A0TX ART0 PHASECHK TRYWAIT EXCH 64 CCTL IV",
    effect=Effect.MEMORY,
)
def syncs(e: Emitter[V], i: Instruction) -> None:
    """Operations on an mbarrier: set it, arrive, ask whether the phase of an earlier state has ended, or forget it.

    The state is of 64 bits; asking reads the phase from the high word's top bit. TRYWAIT may wait, and need not.
    TMASK gives the lanes that arrived as one instead of the low word, from which the program (PTX's
    mbarrier.arrive.noComplete) makes each lane's own state; here each lane arrives by itself, so the mask is its own.
    """
    if i.has("EXCH") and i.has("64"):
        dst, where, new = i.operands
        old = e.atomic("shared", "exch", "u64", address32(e, where), raw64(e, new), None, "cta")
        if isinstance(dst, Reg) and dst.index != RZ:
            put64(e, dst, old)
    elif i.has("PHASECHK") and i.has("TRANS64"):
        done, where, token = i.operands
        high = e.load("shared", e.add(address32(e, where), e.const(4, 32)), 32, 1, order="cta")[0]
        put_predicate(e, done, e.compare("slt", e.xor(high, raw32(e, token)), e.const(0, 32)))
        e.fence("cta")
    elif i.has("ARRIVE") and i.has("TRANS64"):
        dst, where, amount = i.operands
        kind = next((m for m in i.modifiers if m in _COUNTS), "")
        arrivals, transactions = (_count(e, amount, what) for what in _COUNTS[kind])
        old = _arrive(e, where, arrivals, transactions, drop=i.has("OPTOUT"))
        if isinstance(dst, Reg) and dst.index != RZ and not i.has("RED"):
            put64(e, dst, e.pair(e.special("SR_EQMASK"), e.high(old)) if i.has("TMASK") else old)
    elif not (i.has("CCTL") and i.has("IV") and isinstance(i.operands[0], Mem)):
        raise unsupported(i)
