"""Control flow of the reference interpreter: jumps, calls, exits and explicit convergence barriers, lane by lane.

In: one control instruction and the lanes that execute it. Out: new program counters and waiting states. Nothing is
structurised: a BSSY notes who takes part, a BSYNC waits for them, a BREAK takes lanes out. Who yields again and again
is no longer waited for, and is left behind when the barrier opens (US patent 10,067,768, claim 1).
"""

from __future__ import annotations

from typing import cast

import numpy as np

from cass_shim.isa import quads
from cass_shim.isa.emitter import Emitter
from cass_shim.isa.operands import put32, register
from cass_shim.model.errors import Unsupported
from cass_shim.model.instruction import PT, Barrier, Imm, Instruction, Pred, Reg, Target, Word
from cass_shim.model.kernel_abi import WARP
from cass_shim.verify.arithmetic import Value, constant
from cass_shim.verify.atomics import AtomicState
from cass_shim.verify.memory import Fault
from cass_shim.verify.program import Program, Step
from cass_shim.verify.regions import Regions
from cass_shim.verify.state import Lanes, Mask
from cass_shim.verify.system_calls import SystemCalls, called

RUN, AT_BSYNC, AT_WARPSYNC, AT_BARRIER, AT_DIVERGENCE = range(5)
_CONVERGENCE = (AT_BSYNC, AT_WARPSYNC, AT_DIVERGENCE)
_NUMBERS = np.arange(WARP)
PATIENCE = 64  # times that a lane yields before a BSYNC opens without it


class ControlFlow(AtomicState):
    """What a control instruction does to the lanes of `mask`. The scheduler owns and fills the fields."""

    program: Program
    calls: SystemCalls
    return_address: dict[str, Value]  # its halves, by name
    executed: Mask  # by step, whether any lane ran it
    pc: Lanes  # index of the next step
    alive: Mask
    waiting: Lanes  # RUN or what it waits at
    wait_for: Lanes  # the lanes (a bit mask) it waits for
    wait_at: Lanes  # which barrier register a BSYNC waits on
    convergence: Value  # B registers: mask of participating lanes
    yields: Lanes  # how often it has yielded since it last waited at a BSYNC
    regions: Regions  # of WARPSYNC.EXCLUSIVE

    def _guard(self, guard: Pred | None) -> Mask:
        assert guard is not None
        if guard.index == PT:
            return np.full(self.mask.shape, not guard.negate)
        value = self.get_pred(guard.index, guard.uniform)
        return ~value if guard.negate else value

    def _release_warp(self, lanes: slice) -> bool:
        waiting = self.waiting[lanes]
        if not waiting.any():
            return False
        alive, done = self.alive[lanes], False
        pairs = zip(waiting.tolist(), self.wait_at[lanes].tolist(), strict=True)
        points = {(state, number) for state, number in pairs if state in _CONVERGENCE}
        for state, number in points:
            at = alive & (waiting == state) & (self.wait_at[lanes] == number)
            if not at.any():
                continue
            live = _pack(alive)
            there = _met(at, self.wait_for[lanes])
            wanted = self.wait_for[lanes] & live
            if state == AT_BSYNC:
                wanted &= ~_pack(self.yields[lanes] >= PATIENCE)
            ready = at & ((wanted & ~there) == 0)
            if ready.any():
                chosen = np.flatnonzero(ready) + lanes.start
                if state == AT_BSYNC and (self.yields[lanes] >= PATIENCE).any():
                    self._leave_behind(lanes, number, ready)
                self.waiting[chosen] = RUN
                if state == AT_BSYNC:
                    self.regions.pass_barrier(chosen, number)
                else:
                    self.regions.pass_mask(chosen)
                self.pc[chosen] += 1
                done = True
        return done

    def _open_convergence(self) -> bool:
        """Nobody waits for anything else: lanes that are furthest behind at a BSYNC of their warp go on.

        Masks that callees restore from registers (BMOV) still name lanes that went on because others yielded; two
        groups may wait for each other so. As the lifter has it (`lift.independent`, "stuck").
        """
        waiting = self.alive & (self.waiting == AT_BSYNC)
        if not waiting.any():
            return False
        index = int(self.pc[waiting].min())
        at = np.flatnonzero(waiting & (self.pc == index))
        chosen = at[at // WARP == at[0] // WARP]
        self.waiting[chosen] = RUN
        self.regions.pass_barrier(chosen, int(self.wait_at[chosen[0]]))
        self.pc[chosen] += 1
        return True

    def _leave_behind(self, lanes: slice, number: int, ready: Mask) -> None:
        """The lanes of an opened barrier that have not come to it no longer wait there for those that have."""
        row, mask = self.convergence[number][lanes], self.wait_for[lanes][ready][0]
        part = row == mask
        row[part & ~ready] &= ~np.uint32(_pack(ready))
        self.yields[lanes][part] = 0

    def _yield(self) -> None:
        """The executing lanes wait for somebody."""
        self.yields[self.active] += 1
        if (self.yields[self.active] == PATIENCE).any() and (self.waiting == AT_BSYNC).any():
            self._after_leaving()

    def _control(self, step: Step, index: int, every: Mask) -> None:
        """One control instruction for the lanes `every`, of which those in `self.mask` pass the guard."""
        instruction = step.instruction
        lanes = np.flatnonzero(every)
        self.pc[lanes] = index + 1
        handler = getattr(self, f"_do_{instruction.mnemonic.lower()}", None)
        voting = instruction.has("ANY") and any(isinstance(o, Pred) for o in instruction.operands)
        if handler is None or voting:
            raise Unsupported(instruction.form, address=instruction.address, why="in the reference interpreter")
        if instruction.has("DIV"):
            self._diverge(step, index, every)
        elif len(self.active) or instruction.mnemonic == "BRA":
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
        if instruction.has("ANY"):  # one lane that would jump takes its warp along
            taken = np.repeat(self.mask.reshape(self.warps, WARP).any(axis=1), WARP)
            self.set_mask(taken & self.alive & (self.waiting == RUN) & (self.pc == index + 1))
        mask = self.mask
        for condition in conditions:
            mask = mask & self._guard(condition)
        lanes = np.flatnonzero(mask)
        if len(lanes):
            self._jump(lanes, step, target, None)

    def _diverge(self, step: Step, index: int, every: Mask) -> None:
        """BRA.DIV compares the lanes that pass its guard with a mask, and leaves for a slow path when they differ.

        A lane of the warp that fails the guard (its own mask is not its neighbours') sends all of them there; for
        lanes that are merely elsewhere the others wait instead.
        """
        failing = (every & ~self.mask).reshape(self.warps, WARP).any(axis=1)
        slow = every & np.repeat(failing, WARP)
        if slow.any():
            self._jump(np.flatnonzero(slow), step, self._split(step.instruction)[0], None)
        self.set_mask(every & ~slow)
        self._wait_for_warp(index)

    def _wait_for_warp(self, index: int) -> None:
        """The executing lanes wait for the living rest of their warp."""
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
            self.regions.call(self.active, 1)
            self.pc[self.active] = self._index(self.program.tokens[symbol] + target.address, int(self.active[0]))
            return
        if step.instruction.has("ABS") and register is not None:
            self._call_absolute(step, register)
            return
        self.regions.call(self.active, 1)
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
                self.regions.call(chosen, 1)
                self.pc[chosen] = self._index(address, int(chosen[0]))

    def _do_ret(self, step: Step, index: int) -> None:
        self.regions.call(self.active, -1)
        target, register, _ = self._split(step.instruction)
        self._jump(self.active, step, target, register)

    def _do_exit(self, step: Step, index: int) -> None:
        self.alive[self.active] = False
        self._after_leaving()

    _do_kill = _do_exit

    def _after_leaving(self) -> None:
        for warp in np.unique(self.active // WARP).tolist():
            self._release_warp(slice(warp * WARP, warp * WARP + WARP))

    def _masks(self) -> Value:
        """For each lane, the lanes of its warp that execute now."""
        return self.ballot(constant(1, 1))

    def _barrier_register(self, instruction: Instruction) -> int:
        return next(o.index for o in instruction.operands if isinstance(o, Barrier))

    def _do_bssy(self, step: Step, index: int) -> None:
        row = self.convergence[self._barrier_register(step.instruction)]
        row[self.active] = self._masks()[self.active]
        self.regions.set_barrier(self.active, self._barrier_register(step.instruction))

    def _do_bsync(self, step: Step, index: int) -> None:
        number = self._barrier_register(step.instruction)
        masks = self.convergence[number][self.active].astype(np.int64)
        self.yields[self.active] = 0
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
        masks = np.full(len(self.active), 0xFFFF_FFFF, np.int64)
        if not instruction.has("ALL"):
            source = instruction.operands[0]
            if isinstance(source, Imm):
                masks[:] = source.bits
            elif isinstance(source, Reg) and source.index != 255:
                masks = self.get_reg(source.index, source.uniform)[self.active].astype(np.int64)
        if instruction.has("EXCLUSIVE", "COLLECTIVE") and not instruction.has("ALL"):
            self.regions.begin(self.active, masks)
            return
        self._wait(AT_WARPSYNC, masks, index)

    def _do_endcollective(self, step: Step, index: int) -> None:
        """The end of a WARPSYNC.COLLECTIVE region, at the BSYNC where its groups meet again."""

    def _run_quads(self, index: int) -> None:
        """Run the region of whole quads that begins here, in the lanes that need it, and go on behind it."""
        section = next(n for n in reversed(range(len(self.program.starts))) if self.program.starts[n] <= index)
        end = self.program.starts[section] + self.program.sizes[section]
        region = quads.region([step.instruction for step in self.program.steps[index:end]])
        quads.run(cast(Emitter[Value], self), region)
        self.executed[index : index + len(region)] = True
        self.pc[self.active] = index + len(region)

    def _do_bmov(self, step: Step, index: int) -> None:
        first, second = step.instruction.operands
        if quads.begins(step.instruction):
            self._run_quads(index)
            return
        if isinstance(first, Barrier) and quads.notes_lanes(step.instruction):
            self.convergence[first.index][self.active] = self._masks()[self.active]
            return
        if quads.touches_state(step.instruction):
            raise Unsupported(step.instruction.form, address=step.instruction.address)
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

    def _do_rpcmov(self, step: Step, index: int) -> None:
        """To or from half of the register of return addresses, which no RET here reads."""
        first, second = step.instruction.operands
        if isinstance(first, Word) and isinstance(second, Reg):
            kept = self.return_address.setdefault(first.text, np.zeros(len(self.mask), np.uint32))
            kept[self.active] = self.spread(register(cast(Emitter[Value], self), second))[self.active]
        elif isinstance(second, Word) and isinstance(first, Reg):
            kept = self.return_address.get(second.text)
            put32(cast(Emitter[Value], self), first, self._garbage() if kept is None else kept.copy())
        else:
            raise Unsupported(step.instruction.form, address=step.instruction.address)

    def _do_lepc(self, step: Step, index: int) -> None:
        """The address of the next instruction, or of a label."""
        dst = step.instruction.operands[0]
        target, _, _ = self._split(step.instruction)
        has_target = any(isinstance(o, Target) for o in step.instruction.operands)
        address = step.base + target.address if has_target else self.program.address_of(index) + 16
        if isinstance(dst, Reg) and dst.index != 255:
            self.set_reg(dst.index, dst.uniform, constant(address & 0xFFFF_FFFF, 32))
            self.set_reg(dst.index + 1, dst.uniform, constant(address >> 32, 32))


def _met(at: Mask, wanted: Lanes) -> Lanes:
    """For each lane of a warp those of the lanes `at` one barrier register that wait for it too, or for the same lanes.

    Callees save a register that their caller's siblings wait at (BMOV) and use it: these are at the caller's barrier.
    """
    masks = wanted.astype(np.int64)
    mutual = (masks[None, :] >> _NUMBERS[:, None]) & 1 | (masks[None, :] == masks[:, None])
    found: Lanes = ((mutual & at) << _NUMBERS).sum(axis=1)
    return found


def _pack(lanes: Mask) -> int:
    """Lanes of one warp as a bit mask."""
    return int(np.packbits(lanes, bitorder="little").view(np.uint32)[0])
