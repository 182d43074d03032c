"""The reference interpreter that compiles what runs long: numpy first, then the host's own code, exactly alike.

In: what `Interpreter` takes, and the kernel's `Translation`, which its runs share. Out: the same `Outcome` or `Fault`.
Registers become rows of one matrix when the run changes over, so that an instruction that is not compiled runs in
numpy between two that are. Runs that look for races stay in numpy.
"""

from __future__ import annotations

import ctypes
from collections.abc import Set
from typing import Any

import numpy as np

from cass_shim.verify import mufu as mufu_models
from cass_shim.verify.arithmetic import Value
from cass_shim.verify.compiled.emitter import EVENT_ROWS, EVENTS
from cass_shim.verify.compiled.functions import CONTEXT, NO_FAULT
from cass_shim.verify.compiled.library import Memory, Scheduler, library
from cass_shim.verify.compiled.text import PREDICATE_ROWS, PREDICATES, ROWS, UNIFORM
from cass_shim.verify.compiled.translation import Translation
from cass_shim.verify.interpreter import Interpreter, Outcome
from cass_shim.verify.memory import Fault
from cass_shim.verify.state import Mask

NOBODY, BY_PYTHON, FAULT, PAUSE = range(4)
BANKS = 16  # memory.c adds it to the number of a bank
PAUSE_STEPS = 20_000  # between two looks at the clock
QUICKER = 40  # how many more steps a compiled run may take than one in numpy


class Machine(Interpreter):
    """One run.

    translation: compiled code of this program, None: numpy all the way. window_bytes: of the arena, for `observe`.
    """

    translation: Translation | None = None
    compiled = False  # whether the run has changed over
    window_bytes = 0

    def _advance(self) -> None:
        if not self.compiled:
            if self.translation is None or self.races is not None or not self.translation.pays(self.steps):
                super()._advance()
                return
            self._change_over(self.translation)
        if self.regions.masks.any():
            super()._advance()
            return
        self._scheduler.steps = self.steps
        self._scheduler.pause_at = self.steps + PAUSE_STEPS
        self._scheduler.repeated, self._scheduler.picks = self.repeated, self.picks.state
        self._memory.turns = self.turns.state
        answer = library().cass_reference_run(ctypes.byref(self._scheduler))
        self.steps, self.repeated = self._scheduler.steps, self._scheduler.repeated
        self.picks.state, self.turns.state = self._scheduler.picks, self._memory.turns
        if answer == FAULT:
            raise self._fault()
        if answer == NOBODY:
            if self.alive.any():
                super()._advance()
        elif answer == BY_PYTHON:
            self._in_numpy()
        self._check_time()

    def _in_numpy(self) -> None:
        """One instruction for the lanes on the list."""
        index = int(self._scheduler.index)
        every = np.zeros(self.mask.shape, bool)
        every[self._list[: int(self._context[CONTEXT.index("count")])]] = True
        assert self.translation is not None
        if self.translation.missed(index):
            self._fill(self.translation.rows)
        self.set_mask(every)
        if self._single(index, every):
            self._scheduler.index, self._scheduler.resumed = index + 1, 1
            if index + 1 >= len(self.program.steps):
                raise Fault("ran off the end of the code", address=self.program.where(index))

    def run(self) -> Outcome:
        try:
            outcome = super().run()
        finally:
            if self.translation is not None:
                self.translation.spent(self.steps, self.compiled)
            if self.compiled:
                self._tell_loads()
        if self.compiled:
            outcome.undefined_reads += int(self._memory.undefined)
            outcome.contended |= bool(self._memory.contended)
        return outcome

    def _tell_loads(self) -> None:
        """What the compiled part of the run would have told the observer."""
        if self.observe is None or self._seen is None:
            return
        for index, window in np.argwhere(self._seen).tolist():
            self.current = self.program.steps[index].instruction.address
            where = np.array([self.arena.base + window * self.window_bytes], np.uint64)
            self.observe(where, int(self._seen[index, window]))

    # registers as rows

    def get_reg(self, index: int, uniform: bool) -> Value:
        if not self.compiled:
            return super().get_reg(index, uniform)
        row = index + UNIFORM * uniform
        if row not in self._filled:
            self._fill({row})
        return self._matrix[row].copy()

    def set_reg(self, index: int, uniform: bool, value: Value) -> None:
        if not self.compiled:
            super().set_reg(index, uniform, value)
            return
        assert value.dtype == np.uint32, value.dtype
        row = index + UNIFORM * uniform
        if row not in self._filled:
            self._fill({row})
        np.copyto(self._matrix[row], value, where=self.mask)

    def get_pred(self, index: int, uniform: bool) -> Value:
        if not self.compiled:
            return super().get_pred(index, uniform)
        return self._flags[index + PREDICATES * uniform].copy()

    def set_pred(self, index: int, uniform: bool, value: Value) -> None:
        if not self.compiled:
            super().set_pred(index, uniform, value)
            return
        assert value.dtype == np.bool_, value.dtype
        np.copyto(self._flags[index + PREDICATES * uniform], value, where=self.mask)

    def _fill(self, wanted: Set[int]) -> None:
        """Put registers into their rows that have not been needed so far."""
        fresh = wanted - self._filled
        for uniform in (False, True):
            indices = [row - UNIFORM * uniform for row in fresh if (row >= UNIFORM) == uniform]
            if indices:
                self._matrix[[index + UNIFORM * uniform for index in indices]] = self.register_rows(indices, uniform)
        self._filled |= fresh

    # changing over

    def _change_over(self, translation: Translation) -> None:
        """From here on the scheduler of native/reference runs the lanes."""
        count = len(self.mask)
        self._matrix = np.empty((ROWS, count), np.uint32)
        self._filled: set[int] = set()
        self._flags = np.empty((PREDICATE_ROWS, count), bool)
        for row in range(PREDICATE_ROWS):
            uniform = row >= PREDICATES
            self._flags[row] = super().get_pred(row - PREDICATES * uniform, uniform)
        translation.begin(self.program, self.banks, self._specials, self.model_mufu is mufu_models.nearest)
        translation.extend(self.executed)
        self._fill(translation.rows)
        self.waiting = np.ascontiguousarray(self.waiting)
        self._list, self._active, self._order_room = (np.zeros(count, np.int32) for _ in range(3))
        self._scratch = np.zeros((EVENT_ROWS * EVENTS, count), np.uint64)
        self._memory = self._make_memory(len(self.program.steps))
        self._context = self._make_context(translation)
        self._scheduler = self._make_scheduler(translation, count)
        self.compiled = True
        self.max_steps *= QUICKER

    def _make_memory(self, steps: int) -> Memory:
        windows = -(-len(self.arena.content) // self.window_bytes) if self.window_bytes else 1
        self._seen = np.zeros((steps, windows), np.uint32) if self.observe is not None and self.window_bytes else None
        self._noted, self._flagged = np.full(steps, -1, np.int64), np.full(steps, -1, np.int64)
        arena, shared, local = self.arena, self.shared, self.local
        return Memory(
            arena.content.ctypes.data, arena.valid.ctypes.data, arena.touched.ctypes.data, arena.writer.ctypes.data,
            arena.base, len(arena.content), shared.content.ctypes.data, self.shared_written.ctypes.data, shared.size,
            local.content.ctypes.data, local.size, self.shared_window >> 32, self.local_window >> 32,
            self.block_of.ctypes.data, NO_FAULT, 0, 0, None if self._seen is None else self._seen.ctypes.data, windows,
            self.window_bytes or 1, self._noted.ctypes.data, self._flagged.ctypes.data, 0, 0, 0,
            self.shuffled, self.turns.state, self._order_room.ctypes.data,
        )  # fmt: skip

    def _make_context(self, translation: Translation) -> Any:
        self._bank_table = np.zeros(max(self.banks) + 1, np.uint64)
        for bank, content in self.banks.items():
            self._bank_table[bank] = content.ctypes.data
        self._special_rows = [np.ascontiguousarray(self._specials[name]) for name in translation.specials]
        self._special_table = np.array([row.ctypes.data for row in self._special_rows], np.uint64)
        places = np.arange(len(self._scratch), dtype=np.uint64) * np.uint64(self._scratch.strides[0])
        self._scratch_table = np.uint64(self._scratch.ctypes.data) + places
        payloads = {f"nan.{kind}": self.nan_payloads.get(kind, 0) for kind in ("f32", "f64", "f16", "bf16")}
        words: dict[str, int] = {
            "regs": self._matrix.ctypes.data, "preds": self._flags.ctypes.data, "pc": self.pc.ctypes.data,
            "list": self._list.ctypes.data, "active": self._active.ctypes.data,
            "memory": ctypes.addressof(self._memory), "scratch": self._scratch_table.ctypes.data,
            "banks": self._bank_table.ctypes.data, "specials": self._special_table.ctypes.data,
            "fault": ctypes.addressof(self._memory) + Memory.fault_key.offset, "count": 0, "lanes": len(self.mask),
            **payloads, "shared.high": self.shared_window >> 32, "local.high": self.local_window >> 32,
        }  # fmt: skip
        return np.array([words[name] for name in CONTEXT], np.uint64)

    def _make_scheduler(self, translation: Translation, count: int) -> Scheduler:
        context = self._context.ctypes.data
        turn = None if self.turn is None else np.ascontiguousarray(self.turn, np.int64)
        self._turn, self._units = turn, translation.table
        return Scheduler(
            lanes=count, policy_random=self.policy == "random", list=self._list.ctypes.data, context=context,
            count=context + 8 * CONTEXT.index("count"), units=ctypes.addressof(translation.table),
            regs=self._matrix.ctypes.data, preds=self._flags.ctypes.data,
            pc=self.pc.ctypes.data, alive=self.alive.ctypes.data, waiting=self.waiting.ctypes.data,
            wait_for=self.wait_for.ctypes.data, wait_at=self.wait_at.ctypes.data,
            convergence=self.convergence.ctypes.data, exclusive=self.regions.masks.ctypes.data,
            yields=self.yields.ctypes.data, turn=None if turn is None else turn.ctypes.data,
            executed=self.executed.ctypes.data,
            stamp=ctypes.addressof(self._memory) + Memory.stamp.offset,
            most_steps=self.max_steps * QUICKER, program=len(self.program.steps),
        )  # fmt: skip

    def _fault(self) -> Fault:
        """The fault that numpy would have raised (`Arena.locate`, `Scratch.locate`, `check_aligned`, `load_const`)."""
        key, address, what = (
            int(n) for n in (self._memory.fault_key, self._memory.fault_address, self._memory.fault_what)
        )
        phase, size, space = key >> 36 & 15, what >> 8, what & 0xFF
        if space >= BANKS:
            reason = f"c[{space - BANKS:#x}][{address:#x}] is out of range or misaligned"
        elif phase % 2:
            reason = f"misaligned access of {size} bytes"
        elif space == 0:
            reason = f"access of {size} bytes at {address:#x} is out of range"
        else:
            held = (self.shared, self.local)[space - 1]
            reason = f"{held.name} access of {size} bytes at {address:#x} is out of range ({held.size} bytes)"
        instruction = self.program.steps[key >> 40].instruction
        return Fault(reason, address=instruction.address, lane=key & 0xFFFF_FFFF, text=instruction.text)

    def _check_time(self) -> None:
        if self.is_late() and self.alive.any():
            raise Fault("not finished in time", address=self.program.where(int(self.pc[self.alive][0])))

    def _single(self, index: int, every: Mask) -> bool:
        """One instruction in numpy; whether the lanes go on with the next."""
        self.steps += 1
        if self.steps > self.max_steps:
            raise Fault(f"not finished after {self.max_steps} steps", address=self.program.where(index),
                        lane=int(self.active[0]))  # fmt: skip
        step = self.program.steps[index]
        if step.parks:
            self._park(step.instruction, every, index)
            return False
        self.executed[index] = True
        if step.instruction.guard is not None:
            self.set_mask(every & self._guard(step.instruction.guard))
        self._step(step, index, every)
        return not step.control
