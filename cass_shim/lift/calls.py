"""Callees that become functions of their own, called wherever the kernel calls them.

In: the entry of a callee that many places call. Out: one LLVM function, which is given the registers that it may read
and gives back those that it may write; all others stay in their caller, so that a call site costs as much as its callee
touches, however many there are. (Merged by a dispatch on the return address, every register that is alive at any site
would meet in the callee: quadratic text, and more than that in LLVM's SSAUpdater.) Cross-lane operations and barriers
stay apart too: LLVM neither merges nor moves convergent calls (Language Reference, "convergent").
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from cass_shim.lift.builder import Value
from cass_shim.lift.code import STEP, Code, Function
from cass_shim.lift.emitter import LlvmEmitter
from cass_shim.lift.layout import Instance, Layout
from cass_shim.lift.lines import CALLEE, MARK
from cass_shim.lift.meetings import Meetings
from cass_shim.lift.transfer import BACK, GIVE

# What a body may name of the kernel's beginning, with its type: passed on in scalar registers where a callee does.
_SURROUNDINGS = {
    "%params": "ptr addrspace(4)",
    "%bindings": "ptr addrspace(4)",
    "%frame": "ptr addrspace(5)",
    "%shared.base": "ptr addrspace(1)",
    "%shared.address": "i64",
}
_FRAME = "%frame"  # it goes as a number, see `LlvmEmitter.frame_low`
_SURROUNDING = re.compile(r"%(?:params|bindings|frame|shared\.base|shared\.address)(?![\w.])")
_REGISTER = re.compile(r"U?[RP]\d+")  # other states (who has been served, …) are a body's own
_LABEL = re.compile(r"^([\w.]+):$")
_LOAD = re.compile(r"^  \S+ = load i\d+, ptr addrspace\(5\) %([\w.]+), align 4$")
_STORE = re.compile(r"^  store i\d+ \S+, ptr addrspace\(5\) %([\w.]+), align 4$")
_TARGET = re.compile(r"label %([\w.]+)")

Registers = tuple[tuple[str, int], ...]  # names with their widths


@dataclass(frozen=True, slots=True)
class Callee:
    """A function. surroundings: what of the kernel's beginning it names; takes: registers it may read;
    gives: those it may write; ends: whether a lane may end in it."""

    symbol: str
    surroundings: tuple[str, ...]
    takes: Registers
    gives: Registers
    ends: bool

    @property
    def result(self) -> str:
        return _result(self.gives, self.ends)


class Calls(Meetings):
    """Writes functions for callees, and the blocks that call them. callees: by entry; sites: blocks that call."""

    def __init__(self, code: Code, emitter: LlvmEmitter, functions: dict[int, Function], layout: Layout) -> None:
        super().__init__(code, emitter, functions, layout)
        self.callees: dict[int, Callee] = {}
        self.sites: list[str] = []

    def _instances(self) -> None:
        """Write the blocks of all instances that wait to be written."""
        raise NotImplementedError

    def _callee(self, instance: Instance, address: int, entry: int) -> str:
        """Label of the callee's instance, or of a block that calls its function."""
        if entry not in self.layout.called or self.layout.within(instance, entry):
            return super()._callee(instance, address, entry)
        callee = self._function(entry)
        label = self.e.new_label("call")
        back = address + STEP
        behind = instance.label(back) if back in instance.function.blocks else "lost"
        self.sites += self._site(callee, address, label, behind)
        return label

    def _site(self, callee: Callee, address: int, label: str, behind: str) -> Iterator[str]:
        """The block that calls: registers out of their places, and what comes back into them."""
        e = self.e
        yield f"{label}:"
        if self.marks:
            yield f"{MARK}{address}"
        given = [f"{_SURROUNDINGS[name]} inreg {name}" for name in callee.surroundings]
        if _FRAME in callee.surroundings:
            found: list[Value] = []
            yield from e.body(lambda: found.append(e.frame_low()))
            given[callee.surroundings.index(_FRAME)] = f"i32 inreg {found[0].text}"
        given.append(f"i32 {address + STEP}")
        for name, width in callee.takes:
            e.used[name] = width
            value = e.name()
            yield f"  {value} = load i{width}, ptr addrspace(5) %{name}, align 4"
            given.append(f"i{width} {value}")
        call = f'call {callee.result} @"{callee.symbol}"({", ".join(given)})'
        if callee.result == "void":
            yield f"  {call}"
        else:
            whole = e.name()
            yield f"  {whole} = {call}"
            for at, (name, width) in enumerate(callee.gives):
                e.used[name] = width
                value = e.name()
                yield f"  {value} = extractvalue {callee.result} {whole}, {at}"
                yield f"  store i{width} {value}, ptr addrspace(5) %{name}, align 4"
            if callee.ends:
                yield f"  %{label}.ended = extractvalue {callee.result} {whole}, {len(callee.gives)}"
                yield f"  br i1 %{label}.ended, label %done, label %{behind}"
                return
        yield f"  br label %{behind}"

    def _function(self, entry: int) -> Callee:
        if entry not in self.callees:
            with self._apart():
                self.callees[entry] = self._write_function(entry)
        return self.callees[entry]

    @contextmanager
    def _apart(self) -> Iterator[None]:
        """A body beside the one at hand, which goes on behind it."""
        e, layout = self.e, self.layout
        body = e.lines, e.used, e.held, e.dirty, e.fresh, e.block, e.region
        mine = self.returns, self.sites, self.exclusive, self.address, layout.waiting
        e.lines, e.used, e.held, e.dirty, e.fresh, e.region = [], {}, {}, {}, {}, None
        self.returns, self.sites, self.exclusive, layout.waiting = [], [], None, []
        yield
        e.lines, e.used, e.held, e.dirty, e.fresh, e.block, e.region = body
        self.returns, self.sites, self.exclusive, self.address, layout.waiting = mine

    def _write_function(self, entry: int) -> Callee:
        e = self.e
        root = self.layout.function(entry)
        self._instances()
        gives = tuple((n, w) for n, w in sorted(e.used.items()) if n in _stored(e.lines) and _REGISTER.fullmatch(n))
        ends = any("%done" in line for line in e.lines)
        behind = [*_giving(gives, ends), *(_ending(gives) if ends else [])]
        first = root.label(entry)
        alive = alive_at(first, [*e.lines, *behind])
        takes = tuple((n, w) for n, w in sorted(e.used.items()) if n in alive and _REGISTER.fullmatch(n))
        found = {name for line in e.lines for name in _SURROUNDING.findall(line)}
        e.calls = True
        callee = Callee(f"{CALLEE}{entry:x}", tuple(n for n in _SURROUNDINGS if n in found), takes, gives, ends)
        e.helpers[callee.symbol] = "\n".join(self._text(callee, first, behind))
        return callee

    def _text(self, callee: Callee, first: str, behind: list[str]) -> Iterator[str]:
        framed = _FRAME in callee.surroundings
        given = [f"{_SURROUNDINGS[name]} inreg {name}" for name in callee.surroundings]
        if framed:
            given[callee.surroundings.index(_FRAME)] = f"i32 inreg {_FRAME}.low"
        given.append(f"i32 {BACK}")
        given += [f"i{width} %in.{name}" for name, width in callee.takes]
        yield f'define internal {callee.result} @"{callee.symbol}"({", ".join(given)}) #2 {{'
        yield "entry:"
        if framed:
            yield f"  {_FRAME} = inttoptr i32 {_FRAME}.low to ptr addrspace(5)"
        yield from self.e.allocations()
        yield from (f"  store i{w} %in.{name}, ptr addrspace(5) %{name}, align 4" for name, w in callee.takes)
        yield f"  br label %{first}"
        yield from self.e.lines
        yield from behind
        yield from ("lost:", "  call void @llvm.trap()", "  unreachable", "}")


def _stored(lines: Iterable[str]) -> set[str]:
    return {found[1] for line in lines if (found := _STORE.match(line))}


def _result(gives: Registers, ends: bool) -> str:
    """The type of what a function gives back: registers, and behind them whether the lane has ended."""
    kinds = [f"i{width}" for _, width in gives] + ["i1"] * ends
    return f"{{ {', '.join(kinds)} }}" if kinds else "void"


def _giving(gives: Registers, ends: bool) -> Iterator[str]:
    """The block that returns."""
    whole = _result(gives, ends)
    yield f"{GIVE}:"
    if whole == "void":
        yield "  ret void"
        return
    for name, width in gives:
        yield f"  %out.{name} = load i{width}, ptr addrspace(5) %{name}, align 4"
    values = [f"i{width} %out.{name}" for name, width in gives] + ["i1 false"] * ends
    last = "poison"
    for at, value in enumerate(values):
        yield f"  %given.{at} = insertvalue {whole} {last}, {value}, {at}"
        last = f"%given.{at}"
    yield f"  ret {whole} {last}"


def _ending(gives: Registers) -> Iterator[str]:
    """The block of lanes that have ended: their registers do not matter any more."""
    whole = _result(gives, True)
    yield from ("done:", f"  %ended = insertvalue {whole} poison, i1 true, {len(gives)}", f"  ret {whole} %ended")


@dataclass(slots=True)
class _Block:
    """What a block reads before it writes it, what it writes, and which blocks follow."""

    reads: set[str]
    writes: set[str]
    following: set[str]


def _blocks(lines: Iterable[str]) -> Mapping[str, _Block]:
    found: dict[str, _Block] = {}
    block = _Block(set(), set(), set())
    for line in lines:
        if label := _LABEL.match(line):
            block = found.setdefault(label[1], _Block(set(), set(), set()))
        elif load := _LOAD.match(line):
            if load[1] not in block.writes:
                block.reads.add(load[1])
        elif store := _STORE.match(line):
            block.writes.add(store[1])
        else:
            block.following.update(_TARGET.findall(line))
    return found


def alive_at(first: str, lines: Iterable[str]) -> set[str]:
    """The places of registers that a body reads, from its block `first` on, before it writes them."""
    blocks = _blocks(lines)
    alive = {label: set(block.reads) for label, block in blocks.items()}
    before: dict[str, list[str]] = {}
    for label, block in blocks.items():
        for one in block.following:
            before.setdefault(one, []).append(label)
    waiting = list(blocks)
    while waiting:
        label = waiting.pop()
        for one in before.get(label, ()):
            more = alive[label] - blocks[one].writes - alive[one]
            if more:
                alive[one] |= more
                waiting.append(one)
    return alive.get(first, set())
