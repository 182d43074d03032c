"""Shared memory in a global arena, for launches with more of it than LDS has (CASS_SHARED=spill).

A block takes a slot of the arena (`model.kernel_abi`, SHARED_ARENA) before its first instruction and gives it back
behind its last one. Shared addresses stay what they are, offsets, and generic ones keep the hardware's aperture:
both are turned into addresses in the slot where they are used, so what a program computes from them is unchanged.
The barriers' counters stay in LDS (`lift.barriers`).

Such code runs in CU mode, where a block's waves share one L0 cache: plain accesses of one wave are then seen by the
others in the order in which they were made, as in LDS (LLVM AMDGPUUsage, memory model gfx10 and later).
"""

from __future__ import annotations

from cass_shim.lift.builder import constant, typed
from cass_shim.lift.emitter import LlvmEmitter
from cass_shim.model.kernel_abi import ARENA_SLOTS_OFFSET, ARENA_TAKEN_OFFSET, SlotKind

# LDS words between the counter of reductions and those of barriers (lift.barriers).
_SLOT, _GONE = 4, 8
LEAST_LDS = 16
# A function's own features take the place of those that code is generated with (`assemble.toolchain.FEATURES`, which
# says why each is not wanted), so those stand here too.
MODE = '"target-features"="+cumode,-real-true16,-back-off-barrier"'

# The number of a slot that was free, from `start` on round the arena. Others give theirs back when their block ends.
_TAKE = f"""
define internal i32 @cass.arena.take(ptr addrspace(1) %arena, i32 %start) alwaysinline nounwind {{
entry:
  %count = load i32, ptr addrspace(1) %arena, align 4
  %first = urem i32 %start, %count
  br label %try
try:
  %slot = phi i32 [ %first, %entry ], [ %next, %taken ]
  %wide = zext i32 %slot to i64
  %words = getelementptr i8, ptr addrspace(1) %arena, i64 {ARENA_TAKEN_OFFSET}
  %word = getelementptr i32, ptr addrspace(1) %words, i64 %wide
  %pair = cmpxchg ptr addrspace(1) %word, i32 0, i32 1 syncscope("agent") acquire monotonic
  %won = extractvalue {{ i32, i1 }} %pair, 1
  br i1 %won, label %done, label %taken
taken:
  call void @llvm.amdgcn.s.sleep(i32 1)
  %behind = add i32 %slot, 1
  %over = icmp uge i32 %behind, %count
  %next = select i1 %over, i32 0, i32 %behind
  br label %try
done:
  ret i32 %slot
}}
"""


def _word(offset: int) -> str:
    return f"ptr addrspace(3) inttoptr (i32 {offset} to ptr addrspace(3))"


def begin(e: LlvmEmitter, first: str) -> list[str]:
    """The kernel's beginning up to its block `first`: makes %shared.base, %shared.address and %shared.slot."""
    return e.body(lambda: _begin(e, first))


def _begin(e: LlvmEmitter, first: str) -> None:
    e.helpers["cass.arena.take"] = _TAKE
    e.declarations["llvm.amdgcn.s.sleep"] = "declare void @llvm.amdgcn.s.sleep(i32 immarg)"
    e.declarations["llvm.amdgcn.s.barrier"] = "declare void @llvm.amdgcn.s.barrier()"
    e.raw(f"%arena = inttoptr {typed(e.slot(SlotKind.SHARED_ARENA))} to ptr addrspace(1)")
    x, y, z = (e.special(f"SR_TID.{axis}") for axis in "XYZ")
    leads = e.compare("eq", e.or_(x, e.or_(y, z)), constant(0, 32))
    e.raw(f"br i1 {leads.text}, label %arena.take, label %arena.wait")
    e.start("arena.take")
    block = e.special("SR_CTAID.X")
    taken = e.call(32, "cass.arena.take", "ptr addrspace(1) %arena", typed(block))
    e.raw(f"store {typed(taken)}, {_word(_SLOT)}, align 4")
    e.raw(f"store i32 0, {_word(_GONE)}, align 4")
    e.raw("br label %arena.wait")
    e.start("arena.wait")
    e.barrier(None, None)
    slot = e.read_first(e.op(32, f"load i32, {_word(_SLOT)}, align 4"))
    e.raw(f"%shared.slot = zext {typed(slot)} to i64")
    size = e.text("getelementptr i8, ptr addrspace(1) %arena, i64 4")
    bytes_ = e.zext(e.op(32, f"load i32, ptr addrspace(1) {size}, align 4"), 64)
    offset = e.text(f"mul i64 %shared.slot, {bytes_.text}")
    slots = e.text(f"getelementptr i8, ptr addrspace(1) %arena, i64 {ARENA_SLOTS_OFFSET}")
    e.raw(f"%shared.base = getelementptr i8, ptr addrspace(1) {slots}, i64 {offset}")
    e.raw("%shared.address = ptrtoint ptr addrspace(1) %shared.base to i64")
    e.raw(f"br label %{first}")


def end(e: LlvmEmitter) -> list[str]:
    """Behind the last instruction: the block's last thread gives the slot back, once what all wrote has arrived."""
    return e.body(lambda: _end(e))


def _end(e: LlvmEmitter) -> None:
    x, y, z = (e.special(f"SR_NTID.{axis}") for axis in "XYZ")
    threads = e.mul(e.mul(x, y), z)
    e.raw('fence syncscope("agent") release')
    gone = e.text(f'atomicrmw add {_word(_GONE)}, i32 1 syncscope("workgroup") acq_rel')
    last = e.compare("eq", e.op(32, f"add i32 {gone}, 1"), threads)
    e.raw(f"br i1 {last.text}, label %arena.give, label %arena.left")
    e.start("arena.give")
    taken = e.text(f"getelementptr i8, ptr addrspace(1) %arena, i64 {ARENA_TAKEN_OFFSET}")
    word = e.text(f"getelementptr i32, ptr addrspace(1) {taken}, i64 %shared.slot")
    e.raw(f'store atomic i32 0, ptr addrspace(1) {word} syncscope("agent") release, align 4')
    e.raw("br label %arena.left")
    e.start("arena.left")
