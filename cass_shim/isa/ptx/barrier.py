"""Barriers of a block, fences, and their reductions. Source: PTX ISA 9.0 §9.7.13.

The hardware has one barrier per work-group; it serves every barrier that all threads of the block take part in. A
barrier for part of the block (with a thread count) is built in work-group memory.
"""

from __future__ import annotations

from cass_shim.isa.ptx.spec import Use, Writer, ptx
from cass_shim.isa.ptx.syntax import Operand

_BARRIERS = "ptx_barriers"
_BARRIER_BYTES = 16 * 8  # arrived threads and generation, for each of 16 barriers


def _named(w: Writer, i: Use, barrier: Operand, count: Operand) -> str:
    """The arguments of a software barrier: memory, number, thread count."""
    at = w.shared_bytes(_BARRIERS, _BARRIER_BYTES)
    return f"{at}, {w.get(barrier, 'u32')}, {w.get(count, 'u32')}"


@ptx("bar.{cta}?.sync", "barrier.{cta}?.sync.{aligned}?")
def bar_sync(w: Writer, i: Use) -> None:
    """Wait for all threads of the block, or for b threads at barrier a."""
    operands = i.take(1, 2)
    w.line("ptx_barrier()" if len(operands) == 1 else f"ptx_named_sync({_named(w, i, *operands)})")


@ptx("bar.{cta}?.arrive", "barrier.{cta}?.arrive.{aligned}?")
def bar_arrive(w: Writer, i: Use) -> None:
    """Count this warp at barrier a without waiting."""
    a, b = i.take(2)
    w.line(f"ptx_named_arrive({_named(w, i, a, b)})")


@ptx("bar.{cta}?.red.{op:popc}.{t:u32}", "barrier.{cta}?.red.{op:popc}.{aligned}?.{t:u32}",
     "bar.{cta}?.red.{op:and|or}.{t:pred}", "barrier.{cta}?.red.{op:and|or}.{aligned}?.{t:pred}")  # fmt: skip
def bar_red(w: Writer, i: Use) -> None:
    """A barrier that also counts or combines a predicate over the block."""
    operands = i.take(3, 4)
    if len(operands) == 4:
        raise i.unsupported("a reduction over part of the block")
    word = w.shared_bytes("ptx_reduction", 4)
    p = w.get(operands[2], "pred")
    count = f"ptx_block_count({word}, {'!' if i['op'] == 'and' else ''}{p})"
    w.set(operands[0], i.t, {"popc": count, "and": f"{count} == 0", "or": f"{count} != 0"}[i["op"]])


@ptx("membar.{scope:cta|gl|sys}", "fence.{order:sc|acq_rel|acquire|release}?.{scope:cta|cluster|gpu|sys}")
def fence(w: Writer, i: Use) -> None:
    """Order memory accesses before and after, as seen from the scope."""
    scope = {"cta": '"workgroup"', "sys": '""'}.get(i["scope"], '"agent"')
    order = {"acq_rel": "ACQ_REL", "acquire": "ACQUIRE", "release": "RELEASE"}.get(i["order"], "SEQ_CST")
    w.line(f"__builtin_amdgcn_fence(__ATOMIC_{order}, {scope})")


@ptx(
    "fence.mbarrier_init.release.cluster",
    "fence.proxy.{alias|async|async.global|async.shared::cta|async::generic}",
    "fence.proxy.async.{global|shared::cta|shared::cluster}",
    "membar.proxy.{alias|async}",
)
def fence_proxy(w: Writer, i: Use) -> None:
    """There is one way to memory here, so proxies need no more than an ordinary fence."""
    w.line('__builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent")')
