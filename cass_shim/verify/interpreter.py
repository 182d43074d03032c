"""The reference interpreter: runs SASS with one program counter per lane and explicit convergence barriers.

In: a `Program`, a launch, memory. Out: the memory after it, which instructions ran, printed records. Control flow,
addressing and divergence are this file's own; single instructions mean what `isa.sass` says. An illegal access, a
misaligned one, a deadlock and a run that does not end are `Fault`s with instruction address and thread.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field

import numpy as np

from cass_shim.model.errors import Unsupported
from cass_shim.model.instruction import PT, Barrier, Imm, Instruction, Pred, Reg, Target
from cass_shim.model.kernel_abi import KernelAbi
from cass_shim.verify.arithmetic import OTHER_NAN, Value, constant
from cass_shim.verify.atomics import AtomicState
from cass_shim.verify.memory import Arena, Fault, gather
from cass_shim.verify.program import Program, Step
from cass_shim.verify.state import WARP, Geometry, Lanes, Mask, Mufu
from cass_shim.verify.system_calls import SystemCalls, called

RUN, AT_BSYNC, AT_WARPSYNC, AT_BARRIER, AT_DIVERGENCE = range(5)
_CONVERGENCE = (AT_BSYNC, AT_WARPSYNC, AT_DIVERGENCE)
STACK_SLACK = 2048  # bytes of local memory beyond MIN_STACK_SIZE: recursion is not in it
MAX_STEPS = 400_000
FAIRNESS = 16  # every so many control transfers a group is picked at random, so that nobody starves behind a spin
SHARED_RESERVED_SM90 = 0x400


@dataclass(frozen=True)
class Launch:
    """One launch of the kernel. params: the parameter block. dynamic_shared: bytes."""

    geometry: Geometry
    params: bytes
    dynamic_shared: int = 0


@dataclass
class Outcome:
    """What a run left behind.

    executed: per step, whether any lane ran it. undefined_reads: loads of shared memory that nobody had written.
    contended: lanes met at one address in an atomic operation, so that results may depend on their order.
    """

    arena: Arena
    executed: np.ndarray
    printed: list[bytes] = field(default_factory=list)
    steps: int = 0
    undefined_reads: int = 0
    contended: bool = False


class Interpreter(AtomicState):
    """One run.

    policy: "lowest" (all lanes together, lowest address first), "random" (any group), "blocks" or "warps" (one after
    another, also "blocks reversed"); but for the first, atomics go in random order and NaNs have another payload.
    deadline: on the monotonic clock, seconds. heap: addresses from and to which malloc may give out.
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
        heap: tuple[int, int] = (0, 0),
    ) -> None:
        shared = abi.shared_bytes + launch.dynamic_shared
        if program.sm >= 90:
            shared = max(shared, SHARED_RESERVED_SM90 + launch.dynamic_shared)
        local = abi.local_bytes + STACK_SLACK
        super().__init__(program.sm, launch.geometry, arena, shared, local, seed, mufu)
        self.program, self.policy, self.max_steps, self.deadline = program, policy, max_steps, deadline
        self.shuffled = policy != "lowest"
        if self.shuffled:
            self.nan_payloads = OTHER_NAN
        self.banks = dict(program.banks)
        self.banks[0] = self._bank0(abi, launch, local)
        count = launch.geometry.lanes
        self.pc: Lanes = np.zeros(count, np.int64)
        self.alive: Mask = self.thread_of < launch.geometry.threads
        self.waiting = np.zeros(count, np.uint8)
        self.wait_for: Lanes = np.zeros(count, np.int64)  # barrier register, or mask of lanes
        self.wait_at = np.zeros(count, np.int8)  # which barrier register a BSYNC waits on
        self.convergence = np.zeros((16, count), np.uint32)  # B registers: mask of participating lanes
        self.exclusive: Lanes = np.zeros(count, np.int64)
        self.turn = self._turns(policy)
        self.arrived: dict[tuple[int, int], int] = {}  # (block, barrier) → threads of BAR.ARV
        self.executed = np.zeros(len(program.steps), bool)
        self.heap = heap  # addresses: what malloc may still give out
        self.calls = SystemCalls(self)
        self.steps = 0

    def _turns(self, policy: str) -> Lanes | None:
        """Rank of each lane's unit where units run one after another; None where all run together."""
        name, _, direction = policy.partition(" ")
        if name not in ("blocks", "warps"):
            return None
        units = self.block_of if name == "blocks" else np.arange(self.geometry.lanes) // WARP
        return units if direction != "reversed" else units.max() - units

    def _bank0(self, abi: KernelAbi, launch: Launch, local: int) -> np.ndarray:
        """Constant bank 0: dimensions, windows, stack base, parameters. Source: sass.md §2.5."""
        size = -(-(abi.params_base + max(abi.params_bytes, len(launch.params)) + 64) // 16) * 16
        bank = np.zeros(size, np.uint8)
        newer = self.sm >= 100
        words = bank.view(np.uint32)
        for position, (block, grid) in enumerate(zip(launch.geometry.block, launch.geometry.grid, strict=True)):
            words[(0x360 if newer else 0) // 4 + position] = block
            words[(0x370 if newer else 0x0C) // 4 + position] = grid
        if not newer:
            words[0x1C // 4] = self.shared_window >> 32
        words[(0x2FC if newer else 0x24) // 4] = self.local_window >> 32
        words[(0x37C if newer else 0x28) // 4] = local - 16
        params = np.frombuffer(launch.params, np.uint8)
        bank[abi.params_base : abi.params_base + len(params)] = params
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
        repeated = 0
        while self.alive.any():
            ready = self.alive & (self.waiting == RUN)
            if self.turn is not None:
                ready = self._whose_turn(ready)
            if not ready.any():
                self._release_or_fail()
                continue
            repeated += 1
            if time.monotonic() > self.deadline:
                raise Fault("not finished in time", address=self.program.where(int(self.pc[ready][0])))
            start = self._choose(ready, repeated % FAIRNESS == 0)
            chosen = ready & (self.pc == start)
            if self.exclusive.any():
                chosen = self._one_group(chosen)
            self._run_group(chosen, start)
        return Outcome(self.arena, self.executed, self.calls.printed, self.steps, self.undefined_reads, self.contended)

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
            return int(self.random.choice(np.unique(pcs)))
        return int(pcs.min())

    def _one_group(self, chosen: Mask) -> Mask:
        """Within each warp only the lanes of one WARPSYNC.EXCLUSIVE group run together."""
        rows = np.where(chosen, self.exclusive, np.iinfo(np.int64).max).reshape(self.warps, WARP)
        lowest = np.repeat(rows.min(axis=1), WARP)
        return chosen & (self.exclusive == lowest)

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

    def _guard(self, guard: Pred | None) -> Mask:
        assert guard is not None
        if guard.index == PT:
            return np.full(self.mask.shape, not guard.negate)
        value = self.get_pred(guard.index, guard.uniform)
        return ~value if guard.negate else value

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
        lane = int(np.flatnonzero(self.alive)[0])
        raise Fault("deadlock: every thread waits", address=self.program.where(int(self.pc[lane])), lane=lane)

    def _release_convergence(self) -> bool:
        """BSYNC and WARPSYNC: go on when every live lane of the mask waits at one too."""
        waiting = self.alive & ((self.waiting == AT_BSYNC) | (self.waiting == AT_WARPSYNC))
        released = False
        for warp in np.unique(np.flatnonzero(waiting) // WARP):
            released |= self._release_warp(slice(warp * WARP, warp * WARP + WARP))
        return released

    def _release_warp(self, lanes: slice) -> bool:
        alive = self.alive[lanes]
        done = False
        waiting = self.waiting[lanes]
        points = {(int(w), int(n)) for w, n in zip(waiting, self.wait_at[lanes], strict=True) if w in _CONVERGENCE}
        for state, number in points:
            at = alive & (waiting == state) & (self.wait_at[lanes] == number)
            if not at.any():
                continue
            live = _pack(alive)
            there = _pack(at)
            wanted = self.wait_for[lanes] & live
            ready = at & ((wanted & ~there) == 0)
            if ready.any():
                chosen = np.flatnonzero(ready) + lanes.start
                self.waiting[chosen] = RUN
                self.exclusive[chosen] = 0
                self.pc[chosen] += 1
                done = True
        return done

    def _release_barriers(self) -> bool:
        released = False
        for block in np.unique(self.block_of[self.alive & (self.waiting == AT_BARRIER)]):
            members = self.alive & (self.block_of == block)
            at = members & (self.waiting == AT_BARRIER)
            for number, count in sorted({self._barrier_operands(int(lane)) for lane in np.flatnonzero(at)}):
                released |= self._try_barrier(int(block), number, count, members, at)
        return released

    def _try_barrier(self, block: int, number: int, count: int, members: Mask, at: Mask) -> bool:
        here = np.zeros(members.shape, bool)
        for lane in np.flatnonzero(at):
            here[lane] = self._barrier_operands(int(lane))[0] == number
        if count:
            arrivals = len(np.unique(np.flatnonzero(here) // WARP)) * WARP + self.arrived.get((block, number), 0)
            complete = arrivals >= count
        else:
            complete = bool((here == members).all())
        if not complete:
            return False
        self.arrived.pop((block, number), None)
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

    def _barrier_operands(self, lane: int) -> tuple[int, int]:
        """(barrier number, thread count or 0) of the BAR that a lane waits at."""
        instruction = self.program.steps[int(self.pc[lane])].instruction
        values = []
        for operand in instruction.operands[:2]:
            if isinstance(operand, Imm):
                values.append(operand.bits)
            elif isinstance(operand, Reg):
                values.append(0 if operand.index == 255 else int(self.get_reg(operand.index, operand.uniform)[lane]))
        return (values[0] & 15 if values else 0, values[1] if len(values) > 1 else 0)

    # control flow

    def _control(self, step: Step, index: int, every: Mask) -> None:
        """One control instruction for the lanes `every`, of which those in `self.mask` pass the guard."""
        instruction = step.instruction
        lanes = np.flatnonzero(every)
        self.pc[lanes] = index + 1
        handler = getattr(self, f"_do_{instruction.mnemonic.lower()}", None)
        if handler is None:
            raise Unsupported(instruction.form, address=instruction.address, why="in the reference interpreter")
        if len(self.active) or instruction.mnemonic == "BRA":
            handler(step, index)

    def _jump(self, lanes: Lanes, step: Step, target: Target, register: Reg | None) -> None:
        """Send lanes to target (within the step's section), plus a register pair's value when there is one."""
        if register is None or register.index == 255:
            self.pc[lanes] = self._index(step.base + target.address, int(lanes[0]))
            return
        offsets = self.pair(
            self.get_reg(register.index, register.uniform), self.get_reg(register.index + 1, register.uniform)
        )
        absolute = step.instruction.has("ABS")
        base = 0 if absolute else step.base
        mask = (1 << 64) - 1 if absolute else (1 << 32) - 1
        for lane in lanes.tolist():
            address = base + ((int(offsets[lane]) + target.address) & mask)
            self.pc[lane] = self._index(address, lane)

    def _index(self, address: int, lane: int) -> int:
        index = self.program.index_of(address)
        if index < 0:
            raise Fault(f"jump to {address:#x}, where there is no code", lane=lane)
        return index

    @staticmethod
    def _split(instruction: Instruction) -> tuple[Target, Reg | None, list[Pred]]:
        target = next((o for o in instruction.operands if isinstance(o, Target)), Target(0))
        register = next((o for o in instruction.operands if isinstance(o, Reg)), None)
        return target, register, [o for o in instruction.operands if isinstance(o, Pred)]

    def _do_bra(self, step: Step, index: int) -> None:
        instruction = step.instruction
        target, _, conditions = self._split(instruction)
        if instruction.has("DIV"):
            self._wait_for_warp(index)
            return
        if instruction.has("ANY"):  # one lane that would jump takes its warp along
            taken = np.repeat(self.mask.reshape(self.warps, WARP).any(axis=1), WARP)
            self.set_mask(taken & self.alive & (self.waiting == RUN) & (self.pc == index + 1))
        mask = self.mask
        for condition in conditions:
            mask = mask & self._guard(condition)
        lanes = np.flatnonzero(mask)
        if len(lanes):
            self._jump(lanes, step, target, None)

    def _wait_for_warp(self, index: int) -> None:
        """BRA.DIV leaves for a slow path when the warp is diverged; here the lanes wait for the rest instead."""
        present = self.mask.reshape(self.warps, WARP)
        alive = self.alive.reshape(self.warps, WARP)
        missing = (alive & ~present).any(axis=1) & present.any(axis=1)
        if missing.any():
            lanes = self.mask & np.repeat(missing, WARP)
            self.pc[lanes] = index
            self.waiting[lanes] = AT_DIVERGENCE
            self.wait_at[lanes] = 0
            for warp in np.flatnonzero(missing).tolist():
                span = slice(warp * WARP, warp * WARP + WARP)
                self.wait_for[span][lanes[span]] = _pack(alive[warp])
                self._release_warp(span)

    def _do_brx(self, step: Step, index: int) -> None:
        target, register, _ = self._split(step.instruction)
        if register is None:
            raise Unsupported(step.instruction.form, address=step.instruction.address)
        self._jump(self.active, step, target, Reg(register.index, register.uniform))

    _do_brxu = _do_brx
    _do_jmx = _do_brx

    def _do_jmp(self, step: Step, index: int) -> None:
        target, register, _ = self._split(step.instruction)
        self._jump(self.active, step, target, register)

    def _do_call(self, step: Step, index: int) -> None:
        target, register, _ = self._split(step.instruction)
        symbol = target.symbol
        if symbol and symbol not in self.program.tokens:
            self.calls.perform(symbol, step.instruction)
            return
        if symbol:
            self.pc[self.active] = self._index(self.program.tokens[symbol] + target.address, int(self.active[0]))
            return
        if step.instruction.has("ABS") and register is not None:
            self._call_absolute(step, register)
            return
        self._jump(self.active, step, target, register)

    def _call_absolute(self, step: Step, register: Reg) -> None:
        addresses = self.pair(self.get_reg(register.index, False), self.get_reg(register.index + 1, False))
        lanes = self.active
        for address in np.unique(addresses[lanes]).tolist():
            chosen = lanes[addresses[lanes] == address]
            name = called(address)
            if name:
                self.set_mask(np.isin(np.arange(len(self.mask)), chosen))
                self.calls.perform(name, step.instruction)
            else:
                self.pc[chosen] = self._index(address, int(chosen[0]))

    def _do_ret(self, step: Step, index: int) -> None:
        target, register, _ = self._split(step.instruction)
        self._jump(self.active, step, target, register)

    def _do_exit(self, step: Step, index: int) -> None:
        self.alive[self.active] = False
        self._after_leaving()

    _do_kill = _do_exit

    def _after_leaving(self) -> None:
        for warp in np.unique(self.active // WARP).tolist():
            self._release_warp(slice(warp * WARP, warp * WARP + WARP))

    # convergence barriers

    def _masks(self) -> Value:
        """For each lane, the lanes of its warp that execute now."""
        return self.ballot(constant(1, 1))

    def _barrier_register(self, instruction: Instruction) -> int:
        return next(o.index for o in instruction.operands if isinstance(o, Barrier))

    def _do_bssy(self, step: Step, index: int) -> None:
        row = self.convergence[self._barrier_register(step.instruction)]
        row[self.active] = self._masks()[self.active]

    def _do_bsync(self, step: Step, index: int) -> None:
        number = self._barrier_register(step.instruction)
        masks = self.convergence[number][self.active].astype(np.int64)
        self._wait(AT_BSYNC, masks, index, number)

    def _do_break(self, step: Step, index: int) -> None:
        """The executing lanes leave the barrier: nobody waits for them any more."""
        row = self.convergence[self._barrier_register(step.instruction)]
        leaving = self._masks()
        mine = row.copy()
        for lane in self.active.tolist():
            span = slice(lane // WARP * WARP, lane // WARP * WARP + WARP)
            shared = row[span] == mine[lane]
            row[span][shared] &= ~leaving[lane]
        released = np.unique(self.active // WARP).tolist()
        self._refresh(released)

    def _refresh(self, warps: list[int]) -> None:
        """Lanes that wait at a BSYNC look at their barrier register again."""
        for warp in warps:
            span = slice(warp * WARP, warp * WARP + WARP)
            for lane in range(span.start, span.stop):
                if self.waiting[lane] == AT_BSYNC:
                    number = self._barrier_register(self.program.steps[int(self.pc[lane])].instruction)
                    self.wait_for[lane] = int(self.convergence[number][lane])
            self._release_warp(span)

    def _wait(self, state: int, masks: Lanes, index: int, number: int = 0) -> None:
        self.wait_at[self.active] = number
        self.pc[self.active] = index
        self.waiting[self.active] = state
        self.wait_for[self.active] = masks
        self._after_leaving()

    def _do_warpsync(self, step: Step, index: int) -> None:
        instruction = step.instruction
        if instruction.has("COLLECTIVE"):
            raise Unsupported(instruction.form, address=instruction.address, why="in the reference interpreter")
        masks = np.full(len(self.active), 0xFFFF_FFFF, np.int64)
        if not instruction.has("ALL"):
            source = instruction.operands[0]
            if isinstance(source, Imm):
                masks[:] = source.bits
            elif isinstance(source, Reg) and source.index != 255:
                masks = self.get_reg(source.index, source.uniform)[self.active].astype(np.int64)
        if instruction.has("EXCLUSIVE"):
            self.exclusive[self.active] = masks
            return
        self._wait(AT_WARPSYNC, masks, index)

    def _do_bmov(self, step: Step, index: int) -> None:
        first, second = step.instruction.operands
        if isinstance(first, Barrier):
            value = (
                self.get_reg(second.index, False)
                if isinstance(second, Reg) and second.index != 255
                else constant(0, 32)
            )
            self.convergence[first.index][self.active] = self.spread(value)[self.active]
            return
        if not isinstance(second, Barrier) or not isinstance(first, Reg):
            raise Unsupported(step.instruction.form, address=step.instruction.address)
        if first.index != 255:
            self.set_reg(first.index, False, self.convergence[second.index].copy())
        if step.instruction.has("CLEAR"):
            self.convergence[second.index][self.active] = 0

    def _do_lepc(self, step: Step, index: int) -> None:
        """The address of the next instruction, or of a label."""
        dst = step.instruction.operands[0]
        target, _, _ = self._split(step.instruction)
        has_target = any(isinstance(o, Target) for o in step.instruction.operands)
        address = step.base + target.address if has_target else self.program.address_of(index) + 16
        if isinstance(dst, Reg) and dst.index != 255:
            self.set_reg(dst.index, dst.uniform, constant(address & 0xFFFF_FFFF, 32))
            self.set_reg(dst.index + 1, dst.uniform, constant(address >> 32, 32))


def _pack(lanes: Mask) -> int:
    """Lanes of one warp as a bit mask."""
    return int(np.packbits(lanes, bitorder="little").view(np.uint32)[0])
