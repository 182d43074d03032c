"""The reference interpreter: runs SASS with one program counter per lane and explicit convergence barriers.

In: a `Program`, a launch, memory. Out: the memory after it, which instructions ran, printed records. Control flow,
addressing and divergence are this file's own; single instructions mean what `isa.sass` says. An illegal access, a
misaligned one, a deadlock and a run that does not end are `Fault`s with instruction address and thread.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cass_shim.isa import shared_memory
from cass_shim.model.instruction import RZ, Imm, Instruction, Reg
from cass_shim.model.kernel_abi import WARP, KernelAbi, TextureKind
from cass_shim.verify.arithmetic import OTHER_NAN, SIGNED_NAN, Value, constant
from cass_shim.verify.control import AT_BARRIER, AT_BSYNC, AT_DIVERGENCE, AT_WARPSYNC, RUN, ControlFlow
from cass_shim.verify.memory import Arena, Fault, gather
from cass_shim.verify.program import Program, Step
from cass_shim.verify.regions import Regions
from cass_shim.verify.state import Geometry, Lanes, Mask, Mufu
from cass_shim.verify.surfaces import Surface
from cass_shim.verify.survey import grid_barrier
from cass_shim.verify.system_calls import SystemCalls

STACK_SLACK = 2048  # bytes of local memory beyond MIN_STACK_SIZE, where there are calls: recursion is not in it
STACK_ALIGNMENT = 16  # of a frame's end: STL.128 stores relative to it
MAX_STEPS = 400_000
FAIRNESS = 16  # every so many control transfers a group is picked at random, so that nobody starves behind a spin
PARAMETERS_AT = (
    (100, 0x380),
    (90, 0x210),
    (0, 0x160),
)  # where bank 0 holds them, from which SM on. Source: sass.md §2.5
CONSTANTS_AT = {0x380: 0x120, 0x210: 0xD0, 0x160: 0x50}  # where it holds the generic address of bank 3, by the above


@dataclass(frozen=True)
class Launch:
    """One launch of the kernel. params: the parameter block. dynamic_shared: bytes.

    workspace: address of the grid barrier's words, 0 where the launch is no cooperative one.
    """

    geometry: Geometry
    params: bytes
    dynamic_shared: int = 0
    workspace: int = 0


@dataclass
class Outcome:
    """What a run left behind.

    executed: per step, whether any lane ran it. undefined_reads: loads of shared memory that nobody
    had written, and shuffles from lanes that take no part.
    contended: lanes met at one address in an atomic operation, so that results may depend on their order.
    textures, surfaces: the objects it used, by handle; surfaces as they are afterwards.
    freed: addresses of blocks that malloc had given before.
    """

    arena: Arena
    executed: np.ndarray
    printed: list[bytes] = field(default_factory=list)
    steps: int = 0
    undefined_reads: int = 0
    contended: bool = False
    textures: Mapping[int, TextureKind] = field(default_factory=dict)
    surfaces: Mapping[int, Surface] = field(default_factory=dict)
    freed: frozenset[int] = frozenset()


class Interpreter(ControlFlow):
    """One run.

    policy: "lowest" (all lanes together, lowest address first), "random" (any group), "blocks" or "warps" (one after
    another, also "blocks reversed"); but for the first, atomics go in random order and NaNs have another payload,
    of the other sign too but for "random".
    deadline: of the CPU time of this thread, seconds; until: on the monotonic clock. heap: addresses from and to which
    malloc may give out. given: those that malloc gave before and nobody freed; kept up to date.
    """

    def __init__(
        self,
        program: Program,
        abi: KernelAbi,
        launch: Launch,
        arena: Arena,
        *,
        seed: int,
        mufu: Mufu,
        policy: str = "lowest",
        max_steps: int = MAX_STEPS,
        deadline: float = math.inf,
        until: float = math.inf,
        heap: tuple[int, int] = (0, 0),
        given: set[int] | None = None,
    ) -> None:
        shared, total, self.reserved_at = program.shared_room(abi, launch.dynamic_shared)
        slack = STACK_SLACK if program.calls else STACK_ALIGNMENT
        local = -(-abi.local_bytes // STACK_ALIGNMENT) * STACK_ALIGNMENT + slack
        super().__init__(program.sm, launch.geometry, arena, shared, local, seed, mufu)
        self._specials[shared_memory.TOTAL] = np.full(launch.geometry.lanes, total, np.uint32)
        self.program, self.policy, self.max_steps, self.deadline = program, policy, max_steps, deadline
        self.until, self._look_at = until, -math.inf
        self.shuffled = policy != "lowest"
        if self.shuffled:
            self.nan_payloads = OTHER_NAN if policy == "random" else SIGNED_NAN
        self.banks = dict(program.banks)
        self.banks[0] = self._bank0(abi, launch, local)
        count = launch.geometry.lanes
        self.pc: Lanes = np.zeros(count, np.int64)
        self.alive: Mask = self.thread_of < launch.geometry.threads
        self.waiting = np.zeros(count, np.uint8)
        self.wait_for: Lanes = np.zeros(count, np.int64)  # barrier register, or mask of lanes
        self.wait_at = np.zeros(count, np.int8)  # which barrier register a BSYNC waits on
        self.convergence = np.zeros((16, count), np.uint32)  # B registers: mask of participating lanes
        self.return_address: dict[str, Value] = {}
        self.regions = Regions(count)
        self.yields: Lanes = np.zeros(count, np.int64)
        self.turn = self._turns(policy)
        self.arrived: dict[tuple[int, int], int] = {}  # (block, barrier) → threads of BAR.ARV
        self.executed = np.zeros(len(program.steps), bool)
        self.heap = heap  # addresses: what malloc may still give out
        self.calls = SystemCalls(self, set() if given is None else given)
        self.steps = 0
        self.repeated = 0  # groups that have run

    def _turns(self, policy: str) -> Lanes | None:
        """Rank of each lane's unit where units run one after another; None where all run together."""
        name, _, direction = policy.partition(" ")
        if name not in ("blocks", "warps"):
            return None
        units = self.block_of if name == "blocks" else np.arange(self.geometry.lanes) // WARP
        return units if direction != "reversed" else units.max() - units

    def _bank0(self, abi: KernelAbi, launch: Launch, local: int) -> np.ndarray:
        """Constant bank 0: dimensions, windows, stack base, parameters. Source: sass.md §2.5."""
        system = next(base for sm, base in PARAMETERS_AT if self.sm >= sm)  # a kernel without parameters names no base
        end = max(max(abi.params_base, system) + max(abi.params_bytes, len(launch.params)), *self.program.references, 0)
        size = -(-(end + 64) // 16) * 16
        bank = np.zeros(size, np.uint8)
        newer = self.sm >= 100
        words = bank.view(np.uint32)
        for position, (block, grid) in enumerate(zip(launch.geometry.block, launch.geometry.grid, strict=True)):
            words[(0x360 if newer else 0) // 4 + position] = block
            words[(0x370 if newer else 0x0C) // 4 + position] = grid
        if not newer:
            words[0x1C // 4] = self.shared_window >> 32
        words[(0x2FC if newer else 0x24) // 4] = self.local_window >> 32
        words[(0x37C if newer else 0x28) // 4] = local - STACK_ALIGNMENT
        sizes = {
            shared_memory.DYNAMIC: launch.dynamic_shared,
            shared_memory.GROUPS: self.reserved_at + shared_memory.GROUPS_AT,
            shared_memory.END: self.reserved_at + shared_memory.RESERVED_BYTES,
        }
        for offset, name in shared_memory.size_words(self.sm).items():
            words[offset // 4] = sizes[name]
        at = CONSTANTS_AT[system]
        bank[at : at + 8] = np.frombuffer(self.program.constants.to_bytes(8, "little"), np.uint8)
        high, low = grid_barrier(self.sm)
        words[high // 4], words[low // 4] = launch.workspace >> 32, launch.workspace & 0xFFFF_FFFF
        params = np.frombuffer(launch.params, np.uint8)
        bank[abi.params_base : abi.params_base + len(params)] = params
        for at, address in self.program.references.items():
            bank[at : at + 4] = self.arena.content[address - self.arena.base :][:4]
        return bank

    def load_const(self, bank: int, offset: int, index: Value | None, width: int) -> Value:
        content = self.banks.get(bank)
        size = width // 8
        if content is None:
            raise Fault(f"constant bank {bank} is not there")
        if index is None:
            if not 0 <= offset <= len(content) - size:
                raise Fault(f"c[{bank:#x}][{offset:#x}] is out of range")
            value = int.from_bytes(content[offset : offset + size].tobytes(), "little")
            return constant(value, max(width, 32))
        at = (self.spread(index) + np.uint32(offset & 0xFFFF_FFFF)).astype(np.int64)
        at = np.where(self.mask, at, 0)
        bad = (at > len(content) - size) | (at & (size - 1) != 0)
        if bad.any():
            lane = int(np.flatnonzero(bad)[0])
            raise Fault(f"c[{bank:#x}][{int(at[lane]):#x}] is out of range or misaligned", lane=lane)
        return gather(content, at, size).astype(np.uint64 if width == 64 else np.uint32)

    # scheduling

    def run(self) -> Outcome:
        """Run to the end. Raises Fault, Unsupported."""
        while self.alive.any():
            self._advance()
        said = (self.calls.printed, self.steps, self.undefined_reads, self.contended)
        return Outcome(self.arena, self.executed, *said, self.texture_kinds, self.surfaces)

    def _advance(self) -> None:
        """Run one group of lanes up to its next control transfer, or release some that wait."""
        ready = self.alive & (self.waiting == RUN)
        if self.turn is not None:
            ready = self._whose_turn(ready)
        if not ready.any():
            self._release_or_fail()
            return
        self.repeated += 1
        if self.is_late():
            raise Fault("not finished in time", address=self.program.where(int(self.pc[ready][0])))
        start = self._choose(ready, self.repeated % FAIRNESS == 0)
        chosen = ready & (self.pc == start)
        if self.regions.masks.any():
            chosen = self._one_group(chosen)
        self._run_group(chosen, start)

    def is_late(self) -> bool:
        """Whether the run has had its time. The thread's clock, a system call, is read no sooner than it can tell."""
        now = time.monotonic()
        if now > self._look_at:
            left = self.deadline - time.thread_time()
            self._look_at = now + left
            return left < 0 or now > self.until
        return now > self.until

    def _whose_turn(self, ready: Mask) -> Mask:
        """Of the ready lanes those of the unit (block or warp) that runs now: the first that has not finished.

        When all its lanes wait, what can be released is, and only then may the next unit go on.
        """
        assert self.turn is not None
        first = self.turn[self.alive].min()
        if not (ready & (self.turn == first)).any() and (self._release_convergence() | self._release_barriers()):
            ready = self.alive & (self.waiting == RUN)
        if not ready.any():
            return ready
        return ready & (self.turn == self.turn[ready].min())

    def _choose(self, ready: Mask, shake: bool) -> int:
        pcs = self.pc[ready]
        if self.policy == "random" or shake:
            kinds = np.unique(pcs)
            return int(kinds[self.picks.below(len(kinds)) if len(kinds) > 1 else 0])
        return int(pcs.min())

    def _one_group(self, chosen: Mask) -> Mask:
        """Within each warp only the lanes of one WARPSYNC.EXCLUSIVE group run together."""
        rows = np.where(chosen, self.regions.masks, np.iinfo(np.int64).max).reshape(self.warps, WARP)
        lowest = np.repeat(rows.min(axis=1), WARP)
        return chosen & (self.regions.masks == lowest)

    def _run_group(self, chosen: Mask, index: int) -> None:
        """Run lanes that share a program counter up to and including the next control transfer."""
        program = self.program
        self.set_mask(chosen)
        every, every_active, every_full = chosen, self.active, self.full
        while True:
            self.steps += 1
            if self.steps > self.max_steps:
                raise Fault(
                    f"not finished after {self.max_steps} steps",
                    address=program.where(index),
                    lane=int(every_active[0]),
                )
            step = program.steps[index]
            if step.parks:
                self._park(step.instruction, every, index)
                return
            self.executed[index] = True
            guarded = step.instruction.guard is not None
            if guarded:
                self.set_mask(every & self._guard(step.instruction.guard))
            self._step(step, index, every)
            if step.control:
                return
            if guarded:
                self.mask, self.active, self.full = every, every_active, every_full
            index += 1
            if index >= len(program.steps):
                raise Fault("ran off the end of the code", address=program.where(index - 1))

    def _park(self, instruction: Instruction, every: Mask, index: int) -> None:
        """Lanes that pass the guard wait at a barrier of the block; the others go on."""
        stay = every if instruction.guard is None else every & self._guard(instruction.guard)
        self.pc[every] = index + 1
        self.pc[stay] = index
        self.waiting[stay] = AT_BARRIER

    def _step(self, step: Step, index: int, every: Mask) -> None:
        self.current = step.instruction.address
        try:
            if step.control:
                self._control(step, index, every)
            elif len(self.active):
                if index in self.program.unsupported:
                    raise self.program.unsupported[index]
                if step.meaning is not None:
                    step.meaning(self, step.instruction)
                elif step.yields:
                    self._yield()
        except Fault as fault:
            if fault.address >= 0:
                raise
            where = step.instruction
            raise Fault(fault.reason, address=where.address, lane=fault.lane, text=where.text) from None

    # waiting

    def _release_or_fail(self) -> None:
        """Nobody can run: open a barrier of the block, or convergence points that are complete."""
        if self._release_convergence() | self._release_barriers():
            return
        stuck = self.alive & (self.waiting == AT_DIVERGENCE)
        if stuck.any():  # the lanes it waits for are somewhere else for good: go on diverged
            self.waiting[stuck] = RUN
            self.pc[stuck] += 1
            return
        if self._open_convergence():
            return
        lane = int(np.flatnonzero(self.alive)[0])
        raise Fault("deadlock: every thread waits", address=self.program.where(int(self.pc[lane])), lane=lane)

    def _release_convergence(self) -> bool:
        """BSYNC and WARPSYNC: go on when every live lane of the mask waits at one too."""
        waiting = self.alive & ((self.waiting == AT_BSYNC) | (self.waiting == AT_WARPSYNC))
        released = False
        for warp in np.unique(np.flatnonzero(waiting) // WARP):
            released |= self._release_warp(slice(warp * WARP, warp * WARP + WARP))
        return released

    def _release_barriers(self) -> bool:
        released = False
        waiting = self.alive & (self.waiting == AT_BARRIER)
        asked = self._asked_barriers(waiting)
        for block in np.unique(self.block_of[waiting]):
            members = self.alive & (self.block_of == block)
            for pair in np.unique(asked[members & waiting]).tolist():
                released |= self._try_barrier(
                    int(block), pair, members, members & waiting & (asked >> 16 == pair >> 16)
                )
        return released

    def _try_barrier(self, block: int, pair: int, members: Mask, here: Mask) -> bool:
        """Let the threads `here`, which wait at a barrier of the block, go on if nobody is missing."""
        number, count = pair >> 16, pair & 0xFFFF
        here = here & (self.waiting == AT_BARRIER)  # another count may have let them go
        if count:
            arrivals = len(np.unique(np.flatnonzero(here) // WARP)) * WARP + self.arrived.get((block, number), 0)
            complete = arrivals >= count
        else:
            complete = bool((here == members).all())
        if not complete:
            return False
        self.arrived.pop((block, number), None)
        if self.races is not None:
            self.races.barrier(block)
        for index in np.unique(self.pc[here]):
            group = here & (self.pc == index)
            self._cross(group, int(index))
        return True

    def _cross(self, group: Mask, index: int) -> None:
        step = self.program.steps[index]
        self.executed[index] = True
        self.set_mask(group)
        self._step(step, index, group)
        self.waiting[group] = RUN
        self.pc[group] = index + 1

    def _asked_barriers(self, waiting: Mask) -> Lanes:
        """For each waiting lane, the number of its barrier (bits 16 and up) and the thread count or 0 below."""
        asked: Lanes = np.zeros(len(waiting), np.int64)
        for index in np.unique(self.pc[waiting]).tolist():
            operands = self.program.steps[index].instruction.operands[:2]
            values = [self._barrier_operand(o) for o in operands if isinstance(o, Imm | Reg)]
            count = values[1] if len(values) > 1 else np.int64(0)
            if len(values) > 1 and isinstance(operands[0], Reg):  # one register holds both (special.py)
                count = count >> 16
            number = values[0] & 15 if values else np.int64(0)
            group = waiting & (self.pc == index)
            asked[group] = np.broadcast_to(number << 16 | (count & 0xFFF), asked.shape)[group]
        return asked

    def _barrier_operand(self, operand: Imm | Reg) -> Any:
        """An operand of BAR in every lane."""
        if isinstance(operand, Imm):
            return np.int64(operand.bits)
        if operand.index == RZ:
            return np.int64(0)
        return self.get_reg(operand.index, operand.uniform).astype(np.int64)
