"""Barriers of the block: the hardware's one for all waves, and counters in LDS for the rest.

LDS layout of the counters, in front of the program's shared memory (or in the kilobyte that sm_90 reserves there):
a word for reductions, then from BARRIERS_OFFSET on {u32 arrived threads, u32 phase} for each of the 16 barriers.
A warp counts as 32 threads, as on NVIDIA hardware (PTX ISA, barrier).
"""

from __future__ import annotations

from dataclasses import dataclass

from cass_shim.lift.builder import Value, constant, typed
from cass_shim.lift.memory import Memory
from cass_shim.model.errors import Unsupported
from cass_shim.model.kernel_abi import WARP

BARRIERS_OFFSET = 16
BARRIERS = 16
FRONT_BYTES = BARRIERS_OFFSET + 8 * BARRIERS


@dataclass
class Barriers(Memory):
    """Barrier part of the emitter. block_threads is asked for where a named barrier is for the whole block."""

    def block_threads(self) -> Value:
        raise NotImplementedError

    def put_state(self, name: str, value: Value) -> None:
        raise NotImplementedError

    def get_state(self, name: str, width: int) -> Value:
        raise NotImplementedError

    def barrier(self, barrier_id: Value | None, thread_count: Value | None) -> None:
        if barrier_id is None:
            self._whole_block()
        elif barrier_id.known is None and thread_count is None:
            self._named_at_run_time(barrier_id)
        else:
            self._counted(barrier_id, thread_count, wait=True)

    def _whole_block(self) -> None:
        self.raw('fence syncscope("workgroup") release')
        self.call_text("void", "llvm.amdgcn.s.barrier")
        self.raw('fence syncscope("workgroup") acquire')

    def _named_at_run_time(self, barrier_id: Value) -> None:
        """Debug builds keep the number in a register: 0 is the hardware's barrier, as where it is written out."""
        whole, named, done = (self.new_label(s) for s in ("whole", "named", "met"))
        zero = self.compare("eq", self.read_first(barrier_id), constant(0, 32))
        self.raw(f"br i1 {zero.text}, label %{whole}, label %{named}")
        self.start(whole)
        self._whole_block()
        self.raw(f"br label %{done}")
        self.start(named)
        self._counted(barrier_id, None, wait=True)
        self.raw(f"br label %{done}")
        self.start(done)

    def barrier_arrive(self, barrier_id: Value | None, thread_count: Value) -> None:
        self._counted(constant(0, 32) if barrier_id is None else barrier_id, thread_count, wait=False)

    def clear_barriers(self) -> None:
        """Before the first instruction: each thread clears what it can reach, then all wait."""
        thread = self.call(32, "llvm.amdgcn.mbcnt.lo", "i32 -1", "i32 0")
        for first in range(0, 2 * BARRIERS, WARP):
            place = self.add(self.shl(thread, constant(2, 32)), constant(BARRIERS_OFFSET + 4 * first, 32))
            pointer = self.text(f"inttoptr {typed(place)} to ptr addrspace(3)")
            self.raw(f"store i32 0, ptr addrspace(3) {pointer}, align 4")
        self._whole_block()

    def _leader(self) -> Value:
        """Whether this is the lowest active lane."""
        active = self.ballot(constant(1, 1))
        below = self.call(32, "llvm.amdgcn.mbcnt.lo", typed(active), "i32 0")
        return self.compare("eq", below, constant(0, 32))

    def _counted(self, barrier_id: Value, thread_count: Value | None, wait: bool) -> None:
        """The last warp to arrive clears the count and moves the phase on; the others wait for that."""
        count = self.block_threads() if thread_count is None else thread_count
        place = self.add(
            self.shl(self.and_(barrier_id, constant(15, 32)), constant(3, 32)), constant(BARRIERS_OFFSET, 32)
        )
        arrived = f"ptr addrspace(3) {self.text(f'inttoptr {typed(place)} to ptr addrspace(3)')}"
        after = self.add(place, constant(4, 32))
        phase = f"ptr addrspace(3) {self.text(f'inttoptr {typed(after)} to ptr addrspace(3)')}"
        arrive, last, spin, done = (self.new_label(s) for s in ("arrive", "last", "spin", "passed"))
        self.raw('fence syncscope("workgroup") release')
        self.raw(f"br i1 {self._leader().text}, label %{arrive}, label %{done}")
        self.start(arrive)
        before = self.text(f'load atomic i32, {phase} syncscope("workgroup") monotonic, align 4')
        old = self.text(f'atomicrmw add {arrived}, i32 {WARP} syncscope("workgroup") acq_rel')
        total = self.text(f"add i32 {old}, {WARP}")
        full = self.text(f"icmp uge i32 {total}, {count.text}")
        self.raw(f"br i1 {full}, label %{last}, label %{spin if wait else done}")
        self.start(last)
        self.raw(f'store atomic i32 0, {arrived} syncscope("workgroup") monotonic, align 4')
        self.text(f'atomicrmw add {phase}, i32 1 syncscope("workgroup") release')
        self.raw(f"br label %{done}")
        if wait:
            self.start(spin)
            self.call_text("void", "llvm.amdgcn.s.sleep", "i32 1")
            now = self.text(f'load atomic i32, {phase} syncscope("workgroup") acquire, align 4')
            same = self.text(f"icmp eq i32 {now}, {before}")
            self.raw(f"br i1 {same}, label %{spin}, label %{done}")
        self.start(done)
        self.raw('fence syncscope("workgroup") acquire')

    def barrier_reduce(self, operation: str, p: Value, barrier_id: Value | None, thread_count: Value | None) -> None:
        """One counter at LDS offset 0: cleared, added to by one lane of each wave, read by all."""
        if barrier_id is not None or thread_count is not None:
            raise Unsupported("BAR.RED of a named or partial barrier")
        counter = "ptr addrspace(3) null"
        self.barrier(None, None)
        self.raw(f"store i32 0, {counter}, align 4")
        self.barrier(None, None)
        votes = self.popcount(self.ballot(self.not_(p) if operation == "and" else p))
        vote, done = self.new_label("vote"), self.new_label("voted")
        self.raw(f"br i1 {self._leader().text}, label %{vote}, label %{done}")
        self.start(vote)
        self.text(f'atomicrmw add {counter}, {typed(votes)} syncscope("workgroup") monotonic')
        self.raw(f"br label %{done}")
        self.start(done)
        self.barrier(None, None)
        total = self.op(32, f"load i32, {counter}, align 4")
        if operation == "popc":
            result = total
        else:
            condition = "eq" if operation == "and" else "ne"
            agreed = self.compare(condition, total, constant(0, 32))
            result = self.sext(agreed, 32)
        self.put_state("barrier.result", result)

    def barrier_result(self) -> Value:
        return self.get_state("barrier.result", 32)
