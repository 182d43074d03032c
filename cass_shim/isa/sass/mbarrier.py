"""Arrival barriers in shared memory (mbarrier) before sm_90, where the 64-bit state is plain memory to the compiler.

State, read off the code that ptxas 13.0 makes for cuda::barrier on sm_80: the high word is {phase bit, 31-bit
count of arrivals, which starts at -expected}; the low word is 0x40000000 - expected. The arrival that makes the
count overflow into the phase bit sets it back to -expected. Waiting is a loop of the program's own over the phase.
"""

from __future__ import annotations

from cass_shim.isa.emitter import Emitter
from cass_shim.isa.operands import V, address32
from cass_shim.isa.spec import Effect, sass, unsupported
from cass_shim.model.instruction import Instruction

EXPECTED_BASE = 0x4000_0000
COUNT_MASK = 0x7FFF_FFFF


@sass("ARRIVES", modifiers="LDGSTSBAR 64", effect=Effect.MEMORY)
def arrives(e: Emitter[V], i: Instruction) -> None:
    """Arrive when this lane's asynchronous copies are done, which they are: LDGSTS copies at once."""
    if not (i.has("LDGSTSBAR") and i.has("64")):
        raise unsupported(i)
    e.atomic("shared", "arrive", "u64", address32(e, i.operands[0]), e.const(1, 64), None, "cta")
