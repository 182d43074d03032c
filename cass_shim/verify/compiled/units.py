"""Units of compiled code: which instructions run as one loop over the lanes, and the text of that function.

In: a prepared program and which of its instructions have run. Out: per index a `Unit`: what starts there, and how many
instructions it stands for. An instruction without a unit is numpy's.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any, cast

from cass_shim.isa.emitter import Emitter
from cass_shim.model.errors import Unsupported
from cass_shim.model.instruction import PT, Barrier, Imm, Instruction, Pred, Reg, Target
from cass_shim.verify.compiled.emitter import HostEmitter, Stop
from cass_shim.verify.compiled.functions import several_loops, single_loop
from cass_shim.verify.compiled.text import PREDICATES, UNIFORM, Body, Missing, Value, number
from cass_shim.verify.compiled.unit import (
    ABSENT,
    BREAK,
    BSSY,
    BSYNC,
    EVERYONE,
    JUMP,
    LEAVE,
    NONE,
    PARK,
    PLAIN_MASK,
    STRAIGHT,
    TOGETHER,
    WARPSYNC,
    Unit,
)
from cass_shim.verify.program import Program, Step

SECTIONS = 16  # functions of a program, through which a jump to a register is looked up
LONGEST = 200  # instructions of one unit: compile time grows faster than their number


def starts(program: Program) -> set[int]:
    """Where lanes can arrive from elsewhere, or go on behind a control transfer."""
    found = set(program.starts)
    for index, step in enumerate(program.steps):
        if step.control or step.parks:
            found.add(index + 1)
        targets = [o.address for o in step.instruction.operands if isinstance(o, Target) and not o.symbol]
        for address in (*targets, *step.instruction.targets):
            found.add(program.index_of(step.base + address))
    return found


def guard_of(instruction: Instruction) -> tuple[int, int]:
    """Row of the guard's predicate and whether it is negated; NONE without one. Raises Missing for @!PT."""
    guard = instruction.guard
    if guard is None or (guard.index == PT and not guard.negate):
        return NONE, 0
    if guard.index == PT:
        raise Missing("never executed")
    return guard.index + PREDICATES * guard.uniform, int(guard.negate)


class Units:
    """Makes the units of one program."""

    def __init__(self, program: Program, banks: dict[int, int], specials: dict[str, int], nearest: bool) -> None:
        self.program = program
        self.emitter = HostEmitter(program.sm, banks, specials, nearest)
        self.starts = starts(program)
        self._bodies = 0

    def at(self, index: int) -> Iterator[tuple[int, Unit]]:
        """The units from a start to the next control transfer or start."""
        while index < len(self.program.steps):
            step = self.program.steps[index]
            unit = None
            with contextlib.suppress(Missing, Unsupported):
                unit = self._transfer(step, index) if step.control or step.parks else self._straight(index)
            if unit is not None:
                yield index, unit
            length = 1 if unit is None else unit.length
            ended = step.control or step.parks or (unit is not None and unit.kind == JUMP)
            index += length
            if ended or index in self.starts:
                return

    def _transfer(self, step: Step, index: int) -> Unit | None:
        instruction = step.instruction
        row, negated = guard_of(instruction)
        unit = Unit(ABSENT, guard=row, negated=negated)
        name = instruction.mnemonic
        barrier = next((o.index for o in instruction.operands if isinstance(o, Barrier)), 0)
        if step.parks:
            unit.kind = PARK
        elif name == "BRA" and instruction.has("DIV"):
            unit.kind = TOGETHER
        elif name == "BRA":
            return self._jump([], index)
        elif name in ("CALL", "RET", "BRX", "BRXU", "JMP", "JMX"):
            return self._far_jump(step, index)
        elif name == "EXIT" and not instruction.operands:
            unit.kind = LEAVE
        elif name in ("BSSY", "BSYNC", "BREAK"):
            if any(isinstance(o, Pred) for o in instruction.operands):
                raise Missing(name)
            unit.kind, unit.number = {"BSSY": BSSY, "BSYNC": BSYNC, "BREAK": BREAK}[name], barrier
        elif name == "WARPSYNC" and (instruction.has("ALL") or not instruction.has("EXCLUSIVE", "COLLECTIVE")):
            unit.kind = WARPSYNC
            unit.number, unit.mask = _mask_of(instruction)
            unit.rows = frozenset({unit.number} if unit.number >= 0 else ())
        else:
            raise Missing(name)
        return unit

    def _straight(self, index: int) -> Unit | None:
        """As many instructions as one loop may hold."""
        bodies: list[Body] = []
        at = index
        while at < len(self.program.steps) and at - index < LONGEST:
            step = self.program.steps[at]
            if at != index and at in self.starts:
                break
            if step.control or step.parks:
                if step.instruction.mnemonic == "BRA" and bodies:
                    with contextlib.suppress(Missing):
                        return self._jump(bodies, at)
                break
            try:
                body, calls = self._instruction(step, at)
            except (Missing, Unsupported):
                break
            if calls:
                if bodies:
                    break
                return several_loops(index, body, calls, guard_of(step.instruction))
            bodies.append(body[0])
            at += 1
        if not bodies:
            return None
        return single_loop(index, bodies, STRAIGHT)

    def _instruction(self, step: Step, index: int) -> tuple[list[Body], list[tuple[str, int]]]:
        """The bodies of an instruction's parts, and the calls between them."""
        if index in self.program.unsupported or step.yields:
            raise Missing(step.instruction.form)
        row = guard_of(step.instruction)
        first, call = self._part(step, index, 0, False)
        if call is None:
            return [_guarded(first, *row)], []
        bodies: list[Body] = []
        calls: list[tuple[str, int]] = []
        done = 0
        while True:
            body, call = self._part(step, index, done, True)
            bodies.append(body)
            if call is None:
                return bodies, calls
            calls.append(call)
            done = self.emitter.event

    def _part(self, step: Step, index: int, done: int, keeps: bool) -> tuple[Body, tuple[str, int] | None]:
        e = self.emitter
        e.body, e.index, e.address = self._body(), index, step.instruction.address
        e.event, e.done, e.keeps = 0, done, keeps
        try:
            if step.meaning is not None:
                step.meaning(cast("Emitter[Any]", e), step.instruction)
        except Stop as stop:
            return e.body, (stop.call, stop.row)
        e.body.save()
        return e.body, None

    def _jump(self, bodies: list[Body], index: int) -> Unit:
        """A branch behind some instructions: every lane's next place."""
        step = self.program.steps[index]
        instruction = step.instruction
        if instruction.has("ANY", "DIV") or any(isinstance(o, Reg) for o in instruction.operands):
            raise Missing(instruction.form)
        target = next((o for o in instruction.operands if isinstance(o, Target)), None)
        where = -1 if target is None or target.symbol else self.program.index_of(step.base + target.address)
        if where < 0:
            raise Missing(instruction.form)
        e = self._fresh()
        conditions = [instruction.guard, *(o for o in instruction.operands if isinstance(o, Pred))]
        self._go(self._held(conditions), number(where, 64), index)
        first = index - len(bodies)
        return single_loop(first, [*bodies, e.body], JUMP)

    def _fresh(self) -> HostEmitter:
        self.emitter.body = self._body()
        return self.emitter

    def _body(self) -> Body:
        """An empty one, whose names no other has."""
        self._bodies += 1
        return Body(f"b{self._bodies}")

    def _held(self, conditions: Sequence[Pred | None]) -> Value:
        """Whether all of them hold."""
        e, taken = self.emitter, number(1, 1)
        for condition in conditions:
            if condition is None:
                continue
            held = number(1, 1) if condition.index == PT else e.get_pred(condition.index, condition.uniform)
            taken = e.and_(taken, e.not_(held) if condition.negate else held)
        return taken

    def _go(self, taken: Value, where: Value, index: int) -> None:
        """The lane's next place: `where`, or behind the instruction."""
        e = self.emitter
        place = e.select(taken, where, number(index + 1, 64))
        at = e.body.put(0, "getelementptr i64, ptr %pc, i64 %lane").text
        e.body.raw(f"  store i64 {place.text}, ptr {at}")

    def _far_jump(self, step: Step, index: int) -> Unit:
        """Calls, returns and jumps to where a register says; numpy takes those that lead out of the code."""
        instruction, e = step.instruction, self._fresh()
        target = next((o for o in instruction.operands if isinstance(o, Target)), Target(0))
        register = next((o for o in instruction.operands if isinstance(o, Reg)), None)
        if target.symbol and target.symbol not in self.program.tokens:
            raise Missing(target.symbol)
        base = self.program.tokens[target.symbol] if target.symbol else step.base
        if register is None and instruction.mnemonic in ("RET", "BRX", "BRXU", "JMX"):
            raise Missing(instruction.form)
        address = number(base + target.address, 64)
        if register is not None and register.index != 255 and not target.symbol:
            held = e.pair(*(e.get_reg(register.index + part, register.uniform) for part in range(2)))
            held = e.add(held, number(target.address, 64))
            near = e.add(e.and_(held, number(0xFFFF_FFFF, 64)), number(step.base, 64))
            address = held if instruction.has("ABS") else near
        taken = self._held([instruction.guard])
        place = self._place(address)
        lost = e.and_(taken, e.compare("eq", place, number(-1, 64)))
        state = e.body.put(32, "load i32, ptr %status")
        e.body.raw(f"  store i32 {e.select(lost, number(2, 32), state).text}, ptr %status")
        self._go(taken, place, index)
        return single_loop(index, [e.body], JUMP)

    def _place(self, address: Value) -> Value:
        """Index of the instruction at a virtual address, -1 where there is none."""
        e, program, found = self.emitter, self.program, number(-1, 64)
        if len(program.bases) > SECTIONS:
            raise Missing("many functions")
        for start, base, size in zip(program.starts, program.bases, program.sizes, strict=True):
            offset = e.sub(address, number(base, 64))
            inside = e.compare("ult", offset, number(16 * size, 64))
            aligned = e.compare("eq", e.and_(offset, number(15, 64)), number(0, 64))
            here = e.add(e.lshr(offset, number(4, 64)), number(start, 64))
            found = e.select(e.and_(inside, aligned), here, found)
        return found


def _mask_of(instruction: Instruction) -> tuple[int, int]:
    if instruction.has("ALL"):
        return EVERYONE, 0
    source = instruction.operands[0]
    if isinstance(source, Imm):
        return PLAIN_MASK, source.bits & 0xFFFF_FFFF
    if isinstance(source, Reg) and source.index != 255:
        return source.index + UNIFORM * source.uniform, 0
    return EVERYONE, 0


def _guarded(body: Body, row: int, negated: int) -> Body:
    """The body behind a branch around it."""
    if row == NONE:
        return body
    held, bit, run, past = body.name(), body.name(), body.name()[1:], body.name()[1:]
    first, second = (past, run) if negated else (run, past)
    body.used.add(("p", row))
    body.lines[:0] = [
        f"  {held}.at = getelementptr i8, ptr %b.p{row}, i64 %lane",
        f"  {held} = load i8, ptr {held}.at",
        f"  {bit} = trunc i8 {held} to i1",
        f"  br i1 {bit}, label %{first}, label %{second}",
        f"{run}:",
    ]
    body.lines += [f"  br label %{past}", f"{past}:"]
    return body
