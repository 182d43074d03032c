"""Barriers of a block, fences, and their reductions. Source: PTX ISA 9.0 §9.7.13.

The hardware has one barrier per work-group; it serves every barrier that all threads of the block take part in. A
barrier for part of the block (with a thread count) is built in work-group memory.
"""

from __future__ import annotations

from cass_shim.isa.ptx.spec import Use, Writer, ptx
from cass_shim.isa.ptx.syntax import Integer, Operand

_BARRIERS = "ptx_barriers"
_COUNTS = "ptx_counts"
_COUNTS_BYTES = 3 * 16 * 4  # the counts of three generations in turn, for each of 16 barriers
_BARRIER_BYTES = 16 * 8  # arrived threads and generation, for each of 16 barriers


def _named(w: Writer, i: Use, barrier: Operand, count: Operand) -> str:
    """The arguments of a software barrier: memory, number, thread count."""
    if isinstance(count, Integer) and (count.value <= 0 or count.value % 32 or count.value > 1024):
        raise i.unsupported(f"{count.value} threads at a barrier, of whole warps up to 1024")
    at = w.shared_bytes(_BARRIERS, _BARRIER_BYTES)
    return f"{at}, {w.get(barrier, 'u32')}, {w.get(count, 'u32')}"


def _number(w: Writer, i: Use, barrier: Operand) -> None:
    """A barrier is one of sixteen."""
    if isinstance(barrier, Integer) and not 0 <= barrier.value < 16:
        raise i.unsupported(f"barrier {barrier.value}, of 0 to 15")
    w.get(barrier, "u32")


@ptx("bar.{cta}?.sync", "barrier.{cta}?.sync.{aligned}?")
def bar_sync(w: Writer, i: Use) -> None:
    """Wait for all threads of the block, or for b threads at barrier a."""
    operands = i.take(1, 2)
    _number(w, i, operands[0])
    w.line("ptx_barrier()" if len(operands) == 1 else f"ptx_named_sync({_named(w, i, *operands)})")


@ptx("bar.{cta}?.arrive", "barrier.{cta}?.arrive.{aligned}?")
def bar_arrive(w: Writer, i: Use) -> None:
    """Count this warp at barrier a without waiting."""
    a, b = i.take(2)
    _number(w, i, a)
    w.line(f"ptx_named_arrive({_named(w, i, a, b)})")


@ptx("bar.{cta}?.red.{op:popc}.{t:u32}", "barrier.{cta}?.red.{op:popc}.{aligned}?.{t:u32}",
     "bar.{cta}?.red.{op:and|or}.{t:pred}", "barrier.{cta}?.red.{op:and|or}.{aligned}?.{t:pred}")  # fmt: skip
def bar_red(w: Writer, i: Use) -> None:
    """A barrier that also counts or combines a predicate over the block, or over b threads."""
    operands = i.take(3, 4)
    _number(w, i, operands[1])
    negated = "!" if i["op"] == "and" else ""
    if len(operands) == 4:
        at, words = _named(w, i, *operands[1:3]), w.shared_bytes(_COUNTS, _COUNTS_BYTES)
        count = f"ptx_named_count({at}, {words}, {negated}{w.get(operands[3], 'pred')})"
    else:
        word = w.shared_bytes("ptx_reduction", 4)
        count = f"ptx_block_count({word}, {negated}{w.get(operands[2], 'pred')})"
    w.set(operands[0], i.t, {"popc": count, "and": f"{count} == 0", "or": f"{count} != 0"}[i["op"]])


@ptx("membar.{scope:cta|gl|sys}", "fence.{order:sc|acq_rel|acquire|release}?.{scope:cta|cluster|gpu|sys}")
def fence(w: Writer, i: Use) -> None:
    """Order memory accesses before and after, as seen from the scope."""
    i.take(0)
    scope = {"cta": '"workgroup"', "sys": '""'}.get(i["scope"], '"agent"')
    order = {"acq_rel": "ACQ_REL", "acquire": "ACQUIRE", "release": "RELEASE"}.get(i["order"], "SEQ_CST")
    w.line(f"__builtin_amdgcn_fence(__ATOMIC_{order}, {scope})")


@ptx(
    "fence.mbarrier_init.release.cluster",
    "fence.proxy.{alias|async}",
    "fence.proxy.async.{global|shared::cta|shared::cluster}",
    "membar.proxy.alias",
)
def fence_proxy(w: Writer, i: Use) -> None:
    """There is one way to memory here, so proxies need no more than an ordinary fence."""
    i.take(0)
    w.line('__builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent")')
