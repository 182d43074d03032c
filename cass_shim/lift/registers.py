"""Registers and predicates of the lifted code: one alloca each, values kept at hand within a block.

LLVM's mem2reg turns the allocas into SSA; keeping values at hand within a block spares it most of the loads.
A guarded instruction without effects runs always and selects; those with effects that follow each other under one
guard share a block, which instructions without effects between them are moved out of. What is guarded alike reads what
was written before the selection: an address that is made under a guard is an address, not four words selected.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from cass_shim.lift.barriers import Barriers
from cass_shim.lift.builder import Value, typed

# What each lane has one of (`lift.independent`); served, idle and vain are of a wave, and stay in scalar registers.
_OF_A_LANE = re.compile(r"(?:U?[RP]|B)\d+|pc|wait|need|region|chain|yielded|weary")


class _Meets(Exception):
    """An instruction beside a region touches what the region writes."""


class Fresh(NamedTuple):
    """A register's value for lanes with a guard, and the one of other lanes, None where both are in one value."""

    guard: Value
    value: Value
    old: Value | None


@dataclass
class Region:
    """An open region: its guard, the label it starts with and the one it has got to, lines and values at hand.

    made: what it has by text; all that the block in front of it had is there, too.
    """

    guard: Value
    key: str
    label: str
    block: str
    held: dict[str, Value]
    made: dict[str, str]
    lines: list[str] = field(default_factory=list)
    dirty: dict[str, None] = field(default_factory=dict)


@dataclass
class Registers(Barriers):
    """Register part of the emitter. used: every register touched, with its width. guard: of selected writes.

    fresh: what was written under a guard; selected once anybody without that guard wants it, if it is `is_late`.
    initial: first values that are not just any; freezes: registers without one hold any fixed value, not nothing.
    region: what guarded instructions have opened and others may still join.
    in_memory: registers stay in their allocas. Where thousands of blocks come back to one place, LLVM's values of all
    registers there take it minutes.
    """

    used: dict[str, int] = field(default_factory=dict)
    initial: dict[str, str] = field(default_factory=dict)
    held: dict[str, Value] = field(default_factory=dict)
    dirty: dict[str, None] = field(default_factory=dict)
    fresh: dict[str, Fresh] = field(default_factory=dict)
    freezes: bool = True
    guard: Value | None = None
    region: Region | None = None
    in_memory: bool = False

    def get_state(self, name: str, width: int) -> Value:
        self._meet(name)
        if name in self.fresh:
            if self._is_alike(self.fresh[name]):
                return self.fresh[name].value
            self._select(name)
        value = self.held.get(name)
        if value is None:
            self.used[name] = width
            value = self.op(width, f"load i{width}, ptr addrspace(5) %{name}, align 4")
            self.held[name] = value
            if self.region is not None:
                self.region.held.setdefault(name, value)
        return value

    def _meet(self, name: str) -> None:
        if self.region is not None and name in self.region.dirty:
            raise _Meets

    def _is_alike(self, fresh: Fresh) -> bool:
        """Whether that was written under the guard at hand."""
        return self.guard is not None and self.guard.text == fresh.guard.text

    def _select(self, name: str) -> None:
        """Let a register hold what was written under a guard, or what it held before."""
        guard, value, old = self.fresh[name]
        if old is not None:
            self.held[name] = self.result(self.select(guard, value, old))
            self.fresh[name] = Fresh(guard, value, None)

    def put_state(self, name: str, value: Value) -> None:
        self._meet(name)
        if self.guard is None:
            self._put(name, self.result(value))
            return
        before = self.fresh.get(name)
        if before is None or not self._is_alike(before):
            old = self.get_state(name, value.width)
        else:
            old = self.held[name] if before.old is None else before.old
        self.used[name] = value.width
        self.dirty[name] = None
        self.fresh[name] = Fresh(self.guard, value, old)
        if not self.is_late(value):
            self._select(name)
            self._put(name, self.held[name])

    def is_late(self, value: Value) -> bool:
        """Whether what is written under a guard waits with its selection for who wants it."""
        return True

    def result(self, value: Value) -> Value:
        """What a register takes of an instruction's result; for emitters that keep instructions apart."""
        return value

    def _put(self, name: str, value: Value) -> None:
        self.fresh.pop(name, None)
        self.used[name] = value.width
        self.held[name] = value
        self.dirty[name] = None
        if self.region is not None:
            self.region.held[name] = value

    def replace_held(self, old: Value, new: Value) -> None:
        for name, value in self.held.items():
            if value is old:
                self.held[name] = new
        for name, fresh in self.fresh.items():
            if fresh.value is old:
                self.fresh[name] = fresh._replace(value=new)

    def get_reg(self, index: int, uniform: bool) -> Value:
        return self.get_state(f"{'UR' if uniform else 'R'}{index}", 32)

    def set_reg(self, index: int, uniform: bool, value: Value) -> None:
        assert value.width == 32, f"{value!r} into a register"
        self.put_state(f"{'UR' if uniform else 'R'}{index}", value)

    def get_pred(self, index: int, uniform: bool) -> Value:
        return self.get_state(f"{'UP' if uniform else 'P'}{index}", 1)

    def pred_at_hand(self, index: int, uniform: bool) -> Value | None:
        """A predicate's value where this block has it and no open region writes it."""
        name = f"{'UP' if uniform else 'P'}{index}"
        if self.region is not None and name in self.region.dirty:
            return None
        if name in self.fresh:
            self._select(name)
        return self.held.get(name)

    def set_pred(self, index: int, uniform: bool, value: Value) -> None:
        assert value.width == 1, f"{value!r} into a predicate"
        self.put_state(f"{'UP' if uniform else 'P'}{index}", value)

    def write_back(self) -> None:
        """Store what this block changed; before every terminator."""
        self.settle()
        for name in self.dirty:
            if name in self.fresh:
                self._select(name)
            self.raw(f"store {typed(self.held[name])}, ptr addrspace(5) %{name}, align 4")
        self.dirty.clear()

    def start_block(self, label: str) -> None:
        """Begin a block that may have several predecessors."""
        self.held.clear()
        self.dirty.clear()
        self.fresh.clear()
        self.start(label)

    def go_on(self, label: str) -> None:
        """Begin a block that only the one at hand leads to."""
        held, fresh = dict(self.held), dict(self.fresh)
        self.start_block(label)
        self.held.update(held)
        self.fresh.update(fresh)

    def guarded(self, guard: Value, run: Callable[[], None]) -> None:
        """Run with selected writes: for instructions without effects."""
        self.guard = guard
        try:
            run()
        finally:
            self.guard = None

    # regions: blocks that only the lanes with a guard enter
    def branched(self, guard: Value, key: str, run: Callable[[], None], alone: bool = False) -> None:
        """Run in a block that only the lanes with `guard` enter; registers written there meet theirs in phis.

        key: equal for equal guards; instructions with one key share a block. alone: not with others.
        """
        if self.region is not None and (alone or self.region.key != key):
            self.settle()
        region = self.region
        if region is None:
            label = self.new_label("then")
            region = Region(guard, key, label, block=label, held=dict(self.held), made=self.had())
        region.held |= {n: v for n, v in self._written_for(guard).items() if n not in region.dirty}
        outside = self.lines, self.held, self.dirty, self.block, self.had()
        self.lines, self.held, self.dirty, self.block = region.lines, region.held, region.dirty, region.block
        fresh, self.fresh = self.fresh, {}
        self.has(region.made)
        self.region = None
        run()
        region.block, region.made = self.block, self.had()
        self.lines, self.held, self.dirty, self.block, made = outside
        self.fresh = fresh
        self.has(made)
        self.region = region
        if alone:
            self.settle()

    def _written_for(self, guard: Value) -> dict[str, Value]:
        """What lanes with a guard find where something was written under one."""
        for name, fresh in list(self.fresh.items()):
            if fresh.guard.text != guard.text:
                self._select(name)
        return {n: f.value if f.guard.text == guard.text else self.held[n] for n, f in self.fresh.items()}

    def beside(self, run: Callable[[], None]) -> None:
        """Run an instruction without effects in front of the open region, or behind it where the two meet."""
        if self.region is None:
            run()
            return
        held, dirty, count, inner = dict(self.held), dict(self.dirty), len(self.lines), dict(self.region.held)
        fresh, made = dict(self.fresh), self.had()
        try:
            run()
        except _Meets:
            self.held, self.dirty, self.region.held, self.fresh = held, dirty, inner, fresh
            del self.lines[count:]
            self.has(made)
            self.settle()
            run()

    def settle(self) -> None:
        """Close the open region: its blocks, and phis for what it wrote."""
        region, self.region = self.region, None
        if region is None:
            return
        after = self.new_label("join")
        written = {name: region.held[name] for name in region.dirty}
        old = {name: self.get_state(name, value.width) for name, value in written.items()}
        before, made = self.block, self.had()
        self.raw(f"br i1 {region.guard.text}, label %{region.label}, label %{after}")
        self.lines.append(f"{region.label}:")
        self.lines += region.lines
        self.raw(f"br label %{after}")
        self.start(after)
        self.has(made)  # what was there before both ways is there behind them
        for name, value in written.items():
            phi = f"phi i{value.width} [ {value.text}, %{region.block} ], [ {old[name].text}, %{before} ]"
            self._put(name, self.op(value.width, phi))

    def allocations(self) -> list[str]:
        """The allocas and their first values: any but fixed for registers, false for predicates."""
        lines = []
        for name, width in sorted(self.used.items()):
            lines.append(f"  %{name} = alloca i{width}, align 4, addrspace(5)")
            first = "false" if width == 1 else "poison"
            if name in self.initial:
                first = self.initial[name]
            elif width != 1 and self.freezes:
                lines.append(f"  %{name}.start = freeze i{width} poison")
                first = f"%{name}.start"
            lines.append(f"  store i{width} {first}, ptr addrspace(5) %{name}, align 4")
            if self.in_memory and _OF_A_LANE.fullmatch(name):  # whose address is known elsewhere is not made a value
                lines.append(f'  call void asm sideeffect "", "v"(ptr addrspace(5) %{name})')
        return lines
