"""Asynchronous copies and mbarrier objects. Source: PTX ISA 9.0 §9.7.9.25 and §9.7.13.15.

A copy is done when it is issued, so groups are complete at once and waiting for them is a matter of memory order. An
mbarrier is one 64-bit word in shared memory: expected arrivals, transactions and arrivals to come, phase, as laid out
in prelude/asynchronous.hip. Transactions are completed by complete_tx; the bulk copies of sm_90 are not translated.
"""

from __future__ import annotations

from cass_shim.isa.ptx.memory import access_space
from cass_shim.isa.ptx.spec import Use, Writer, memory, ptx
from cass_shim.isa.ptx.syntax import Integer, Operand, Register

_SHARED = "{space:shared|shared::cta}"
_SCOPE = "{scope:cta|cluster}?"
# An order goes with a scope.
_ORDERED = {"release acquire relaxed": "cta cluster", "cta cluster": "release acquire relaxed"}


@ptx(
    "cp.async.{cop:ca|cg}.{to:shared|shared::cta}.{from:global}.{L2::cache_hint}?.{L2::64B|L2::128B|L2::256B}?",
)
def cp_async(w: Writer, i: Use) -> None:
    """Copy size bytes; the rest of cp-size is zero. A predicate operand that is true ignores the source."""
    operands = list(i.take(3, 4, 5))
    size = operands[2]
    if not isinstance(size, Integer) or size.value not in (4, 8, 16):
        raise i.unsupported("a copy of other than 4, 8 or 16 bytes")
    to, source = w.address(memory(operands[0], i), "shared"), w.address(memory(operands[1], i), "global")
    used = str(size.value)
    if (len(operands) > 3 and "L2::cache_hint" not in i.instruction.modifiers) or len(operands) > 4:
        used = _used(w, operands[3], used)
    w.line(f"ptx_copy<{size.value}>({to}, {source}, {used})")


def _used(w: Writer, operand: Operand, size: str) -> str:
    """The src-size operand, or what an ignore-src predicate leaves of the size."""
    if isinstance(operand, Register) and operand.type == "pred":
        return f"{w.get(operand, 'pred')} ? 0u : {size}u"
    return w.get(operand, "u32")


@ptx("cp.async.commit_group", "cp.async.wait_group", "cp.async.wait_all")
def cp_async_group(w: Writer, i: Use) -> None:
    """Every copy is complete when it was issued; what waits may read it."""
    i.take(0, 1)
    if "commit_group" not in i.instruction.modifiers:
        w.line('__builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "wavefront")')


def _object(w: Writer, i: Use, operand: Operand) -> str:
    address = memory(operand, i)
    space = access_space(w, i, address)
    if space in ("", "shared"):
        at = w.address(address, space)
        return f"(u32)ptx_to_shared({at})" if space == "" else at
    raise i.unsupported(f"an mbarrier in {space} memory")


@ptx(f"mbarrier.init.{_SHARED}?.{{t:b64}}")
def mbarrier_init(w: Writer, i: Use) -> None:
    """Expect `count` arrivals in each phase."""
    a, count = i.take(2)
    w.line(f"ptx_mbarrier_init({_object(w, i, a)}, {w.get(count, 'u32')})")


@ptx(f"mbarrier.inval.{_SHARED}?.{{t:b64}}")
def mbarrier_inval(w: Writer, i: Use) -> None:
    """The memory may be used for something else."""
    memory(i.take(1)[0], i)


@ptx(
    f"mbarrier.{{what:arrive|arrive_drop}}.{{noComplete}}?.{{order:release|relaxed}}?.{_SCOPE}.{_SHARED}?.{{t:b64}}",
    only=_ORDERED,
    never={"noComplete": "relaxed cluster"},
)
def mbarrier_arrive(w: Writer, i: Use) -> None:
    """One arrival (or count of them); the state before it says which phase to wait for."""
    state, a, *counts = i.take(2, 3)
    if i["noComplete"] and not counts:
        raise i.unsupported("no count")
    _arrive(w, i, state, a, w.get(counts[0], "u32") if counts else "1u")


def _arrive(w: Writer, i: Use, state: Operand, a: Operand, amount: str) -> None:
    drop = str(i["what"] == "arrive_drop").lower()
    w.set(state, "u64", f"ptx_mbarrier_arrive({_object(w, i, a)}, {drop}, {amount})")


@ptx(
    f"mbarrier.{{what:arrive|arrive_drop}}.expect_tx.{{order:release|relaxed}}?.{_SCOPE}.{_SHARED}?.{{t:b64}}",
    only=_ORDERED,
)
def mbarrier_arrive_expect(w: Writer, i: Use) -> None:
    """Expect b more transactions in this phase, then arrive once."""
    state, a, b = i.take(3)
    _arrive(w, i, state, a, f"1u, {w.get(b, 'u32')}")


@ptx(f"mbarrier.{{what:expect_tx|complete_tx}}.{{order:relaxed}}?.{_SCOPE}.{_SHARED}?.{{t:b64}}", only=_ORDERED)
def mbarrier_transactions(w: Writer, i: Use) -> None:
    """Expect b more transactions, or complete b of them."""
    a, b = i.take(2)
    count = w.get(b, "u32")
    change = count if i["what"] == "expect_tx" else f"0u - {count}"
    w.line(f"ptx_mbarrier_change({_object(w, i, a)}, 0u, 0u, {change})")


def _waited(w: Writer, i: Use) -> tuple[Operand, Operand, Operand]:
    """Result, object and what to wait for. try_wait may say how long, which is a hint."""
    d, a, awaited, *hint = i.take(*((3, 4) if i["what"] == "try_wait" else (3,)))
    for limit in hint:
        w.get(limit, "u32")
    return d, a, awaited


@ptx(f"mbarrier.{{what:test_wait|try_wait}}.{{order:acquire|relaxed}}?.{_SCOPE}.{_SHARED}?.{{t:b64}}", only=_ORDERED)
def mbarrier_test(w: Writer, i: Use) -> None:
    """Whether the phase of a state is over. try_wait may wait a while first; here it does not."""
    d, a, state = _waited(w, i)
    w.set(d, "pred", f"ptx_mbarrier_over({_object(w, i, a)}, (u32)({w.get(state, 'u64')} >> 63))")


@ptx(
    f"mbarrier.{{what:test_wait|try_wait}}.parity.{{order:acquire|relaxed}}?.{_SCOPE}.{_SHARED}?.{{t:b64}}",
    only=_ORDERED,
)
def mbarrier_test_parity(w: Writer, i: Use) -> None:
    """Whether the phase of this parity is over."""
    d, a, parity = _waited(w, i)
    if isinstance(parity, Integer) and parity.value not in (0, 1):
        raise i.unsupported(f"a phase parity of {parity.value}")
    w.set(d, "pred", f"ptx_mbarrier_over({_object(w, i, a)}, {w.get(parity, 'u32')} & 1)")


@ptx("mbarrier.pending_count.{t:b64}")
def mbarrier_pending(w: Writer, i: Use) -> None:
    """Arrivals still to come, of a state."""
    d, state = i.take(2)
    w.set(d, "u32", f"(u32)({w.get(state, 'u64')} >> 41) & 0xfffff")


@ptx(f"cp.async.mbarrier.arrive.{{noinc:noinc}}?.{_SHARED}?.{{t:b64}}")
def cp_async_mbarrier(w: Writer, i: Use) -> None:
    """Arrive when earlier copies are done, which they are; without .noinc the arrival is expected on top."""
    a = i.take(1)[0]
    function = "ptx_mbarrier_arrive" if i["noinc"] else "ptx_mbarrier_touch"
    arguments = ", false, 1u" if i["noinc"] else ""
    w.line(f"{function}({_object(w, i, a)}{arguments})")
