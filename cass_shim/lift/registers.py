"""Registers and predicates of the lifted code: one alloca each, values kept at hand within a block.

LLVM's mem2reg turns the allocas into SSA; keeping values at hand within a block spares it most of the loads.
A guarded instruction without effects runs always and selects; one with effects gets a block of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from cass_shim.lift.barriers import Barriers
from cass_shim.lift.builder import Value, typed


@dataclass
class Registers(Barriers):
    """Register part of the emitter. used: every register touched, with its width. guard: of selected writes."""

    used: dict[str, int] = field(default_factory=dict)
    held: dict[str, Value] = field(default_factory=dict)
    dirty: dict[str, None] = field(default_factory=dict)
    guard: Value | None = None

    def get_state(self, name: str, width: int) -> Value:
        value = self.held.get(name)
        if value is None:
            self.used[name] = width
            value = self.op(width, f"load i{width}, ptr addrspace(5) %{name}, align 4")
            self.held[name] = value
        return value

    def put_state(self, name: str, value: Value) -> None:
        if self.guard is not None:
            value = self.select(self.guard, value, self.get_state(name, value.width))
        self.used[name] = value.width
        self.held[name] = value
        self.dirty[name] = None

    def get_reg(self, index: int, uniform: bool) -> Value:
        return self.get_state(f"{'UR' if uniform else 'R'}{index}", 32)

    def set_reg(self, index: int, uniform: bool, value: Value) -> None:
        assert value.width == 32, f"{value!r} into a register"
        self.put_state(f"{'UR' if uniform else 'R'}{index}", value)

    def get_pred(self, index: int, uniform: bool) -> Value:
        return self.get_state(f"{'UP' if uniform else 'P'}{index}", 1)

    def set_pred(self, index: int, uniform: bool, value: Value) -> None:
        assert value.width == 1, f"{value!r} into a predicate"
        self.put_state(f"{'UP' if uniform else 'P'}{index}", value)

    def write_back(self) -> None:
        """Store what this block changed; before every terminator."""
        for name in self.dirty:
            self.raw(f"store {typed(self.held[name])}, ptr addrspace(5) %{name}, align 4")
        self.dirty.clear()

    def start_block(self, label: str) -> None:
        """Begin a block that may have several predecessors."""
        self.held.clear()
        self.dirty.clear()
        self.start(label)

    def guarded(self, guard: Value, run: Callable[[], None]) -> None:
        """Run with selected writes: for instructions without effects."""
        self.guard = guard
        try:
            run()
        finally:
            self.guard = None

    def branched(self, guard: Value, run: Callable[[], None]) -> None:
        """Run in a block that only the lanes with `guard` enter; registers written there meet theirs in phis."""
        held, dirty, before = dict(self.held), dict(self.dirty), self.block
        inside, after = self.new_label("then"), self.new_label("join")
        self.dirty.clear()
        self.block = inside
        body = self.body(run)
        end, written = self.block, {name: self.held[name] for name in self.dirty}
        self.held, self.dirty, self.block = held, dirty, before
        old = {name: self.get_state(name, value.width) for name, value in written.items()}
        self.raw(f"br i1 {guard.text}, label %{inside}, label %{after}")
        self.lines.append(f"{inside}:")
        self.lines += body
        self.raw(f"br label %{after}")
        self.start(after)
        for name, value in written.items():
            phi = f"phi i{value.width} [ {value.text}, %{end} ], [ {old[name].text}, %{before} ]"
            self.put_state(name, self.op(value.width, phi))

    def allocations(self) -> list[str]:
        """The allocas and their first values: any but fixed for registers, false for predicates."""
        lines = []
        for name, width in sorted(self.used.items()):
            lines.append(f"  %{name} = alloca i{width}, align 4, addrspace(5)")
            first = "false"
            if width != 1:
                lines.append(f"  %{name}.start = freeze i{width} poison")
                first = f"%{name}.start"
            lines.append(f"  store i{width} {first}, ptr addrspace(5) %{name}, align 4")
        return lines
