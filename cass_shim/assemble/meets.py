"""Values that LLVM 22's structurizer could lose where ways meet.

`StructurizeCFG::hoistZeroCostElseBlockPhiValues` moves what costs nothing (a bitcast, half of a wide load, …) and is
a phi's value for one way up to where the ways part, and then lets lanes of other ways have it too where the shape is
more than an if with an else (llvm/llvm-project#183792, mended after 22). Generated kernel 3414 was wrong by it on every
launch and agreed on every generated input. Such a value goes through an empty asm here: no instruction, but one whose
cost is not nothing.

In: optimised IR as text. Out: the same text with those values guarded, or None where there are none. Left alone are
the shapes in which the pass does nothing or is right, since guards cost uniform counters and pointers their scalar
registers. `python3 -m tools.hoists` shows what the pass still moves.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from graphlib import CycleError, TopologicalSorter

from cass_shim.assemble.ir_text import NAME, functions

_LABEL = re.compile(r'^([\w.$-]+|"[^"]*"):', re.MULTILINE)
_TARGET = re.compile(rf"label ({NAME})")
_PHI = re.compile(rf"^  ({NAME}) = phi (?:\w+ )*?(?P<type>ptr addrspace\(\d+\)|<[^>]*>|\S+) (?P<ways>\[.*)$")
_WAY = re.compile(rf"\[ (?P<value>[^\[\]]+?), (?P<block>{NAME}) \]")
_DEFINED = re.compile(rf"^  ({NAME}) = (?:tail |musttail |notail )?([\w.]+)(.*)$")
_VALUE = re.compile(NAME)
# What the cost model of AMDGPU may give for nothing, and loads: the vectoriser makes of neighbours parts of a wide one.
_FREE = {
    "bitcast", "trunc", "zext", "sext", "ptrtoint", "inttoptr", "addrspacecast", "getelementptr", "extractelement",
    "insertelement", "shufflevector", "extractvalue", "insertvalue", "freeze", "fneg", "load",
}  # fmt: skip
_FREE_CALL = re.compile(r"@llvm\.(fabs|ssa\.copy|annotation|arithmetic\.fence|ptrmask)")
_BITS = {"half": 16, "bfloat": 16, "float": 32, "double": 64}
_TAKEN = re.compile(r"i(32|64)|float|double|ptr( addrspace\([0-6]\))?|<[248] x (i32|float)>")  # as asm takes them


@dataclass(slots=True)
class _Block:
    """first, last: numbers of its label's and its terminator's line. values: what it defines, in which line."""

    name: str
    first: int
    last: int = 0
    targets: tuple[str, ...] = ()
    values: dict[str, int] = field(default_factory=dict)


def guarded(text: str) -> str | None:
    """The module with the values that could be lost behind an empty asm each; None where it has none."""
    lines = text.split("\n")
    before: dict[int, list[str]] = defaultdict(list)
    number = 0
    for start, end in functions(lines):
        if not any(" = phi " in line for line in lines[start:end]):
            continue
        for line, way, type_, block in _Function(lines, start, end).ways_to_lose():
            number += 1
            code, name = _guard(way["value"], type_, number)
            before[block.last] += code
            lines[line] = lines[line].replace(way[0], f"[ {name}, {way['block']} ]", 1)
    if not number:
        return None
    return "\n".join(one for at, line in enumerate(lines) for one in (*before.get(at, ()), line))


class _Function:
    """One function's blocks, and who leads where."""

    def __init__(self, lines: list[str], start: int, end: int) -> None:
        self.lines = lines
        self.blocks: dict[str, _Block] = {}
        self.sources: dict[str, list[str]] = defaultdict(list)
        block = None
        for at in range(start + 1, end):
            if lines[at][:1] != " " and (label := _LABEL.match(lines[at])):
                block = _Block("%" + label[1], at)
                self.blocks[block.name] = block
            elif block is not None:
                self._line(block, at)
            elif lines[at].strip():
                block = self._unnamed(at)
        for one in self.blocks.values():
            text = "\n".join(lines[one.last : one.last + 1]) if "[" not in lines[one.last] else self._switch(one)
            one.targets = tuple(dict.fromkeys(_TARGET.findall(text)))
            for target in one.targets:
                self.sources[target].append(one.name)

    def _unnamed(self, at: int) -> _Block:
        """The first block, which has no label: LLVM numbers it after the parameters."""
        block = _Block("%first block", at)
        self.blocks[block.name] = block
        self._line(block, at)
        return block

    def _line(self, block: _Block, at: int) -> None:
        line = self.lines[at]
        if line.startswith("  %"):
            block.values[line[2:].split(" = ", 1)[0]] = block.last = at
        elif line.startswith("  ") and not line.startswith("    "):
            block.last = at if line.strip() != "]" else block.last

    def _switch(self, block: _Block) -> str:
        end = next(at for at in range(block.last, len(self.lines)) if self.lines[at].strip().endswith("]"))
        return "\n".join(self.lines[block.last : end + 1])

    def ways_to_lose(self) -> Iterator[tuple[int, re.Match[str], str, _Block]]:
        """(the phi's line, its way, its type, the block the way comes from)."""
        where = {name: block for block in self.blocks.values() for name in block.values}
        for meeting in self.blocks.values():
            for at in range(meeting.first, meeting.last):
                if " = phi " not in self.lines[at] or not (phi := _PHI.match(self.lines[at])):
                    continue
                for way in _WAY.finditer(phi["ways"]):
                    source = self.blocks.get(way["block"])
                    if source is None or len(source.targets) != 1 or not self._may_move(way["value"], source, where):
                        continue
                    if not self._is_simple(source.name, meeting.name):
                        yield at, way, phi["type"], source

    def _may_move(self, value: str, source: _Block, where: dict[str, _Block]) -> bool:
        """Whether the value may come to stand in `source` at no cost, with nothing in it that `source` computes."""
        if not value.startswith("%"):
            return False
        home = where.get(value)
        if home is None:
            return True  # a parameter: a part of the load of all of them
        defined = _DEFINED.match(self.lines[home.values[value]])
        if defined is None:
            return True
        opcode, rest = defined[2], defined[3]
        if opcode == "call":
            if not _FREE_CALL.search(rest):
                return False
        elif opcode not in _FREE or (opcode == "load" and home is source):
            return False
        operands = [name for name in _VALUE.findall(rest) if name in source.values]
        return home is not source or all(self._may_move(name, source, where) for name in operands)

    def _is_simple(self, source: str, meeting: str) -> bool:
        """Whether the pass looks away (`Visited`: the other branch comes later), or is right.

        It is in an if with an else, and where the meeting begins the loop that `source` ends. A switch is none: it
        becomes many branches, by way of blocks that are not there yet (generated kernel 5823).
        """
        sources = self.sources[meeting]
        if self._dominates(meeting, source) and len(sources) == 2:
            return True
        if any(self.lines[self.blocks[above].last].startswith("  switch ") for above in self.sources[source]):
            return False
        if len(sources) == 2:
            other = sources[1] if sources[0] == source else sources[0]
            is_else = self.sources[source] == self.sources[other] and self.blocks[other].targets == (meeting,)
            if is_else and len(self.sources[source]) == 1:
                return True
        others = {one for above in self.sources[source] for one in self.blocks[above].targets} - {source}
        return all(self._leads_on(source, one) for one in others)

    def _dominates(self, above: str, below: str) -> bool:
        return bool(self._dominators[below] & self._bit[above])

    @cached_property
    def _bit(self) -> dict[str, int]:
        return {name: 1 << number for number, name in enumerate(self.blocks)}

    @cached_property
    def _dominators(self) -> dict[str, int]:
        """Block → those on every way to it, a bit each; all of them where no way leads there."""
        first = next(iter(self.blocks))
        found = dict.fromkeys(self.blocks, -1)
        found[first] = self._bit[first]
        waiting = [first]
        while waiting:
            block = waiting.pop()
            for target in self.blocks[block].targets:
                fewer = found[target] & (found[block] | self._bit[target])
                if fewer != found[target]:
                    found[target] = fewer
                    waiting.append(target)
        return found

    def _leads_on(self, start: str, end: str) -> bool:
        """Whether a way leads from one to the other that goes round no loop; of loops with two entries: no."""
        return bool(self._beyond.get(start, 0) & self._bit[end])

    def _forward(self, block: str) -> list[str]:
        return [one for one in self.blocks[block].targets if not self._dominates(one, block)]

    @cached_property
    def _beyond(self) -> dict[str, int]:
        """Block → itself and those that ways lead to which go round no loop, a bit each; nothing where a loop has two
        entries: without the ways back there is no order then."""
        found: dict[str, int] = {}
        try:
            forward = {name: self._forward(name) for name in self.blocks}
            for name in TopologicalSorter(forward).static_order():
                found[name] = self._bit[name]
                for after in forward[name]:
                    found[name] |= found[after]
        except CycleError:
            return {}
        return found


def _guard(value: str, type_: str, number: int) -> tuple[list[str], str]:
    """Lines that give the value by another name, and that name."""
    name = f"%kept.{number}"
    if _TAKEN.fullmatch(type_):
        return [f'  {name} = call {type_} asm "", "=v,0"({type_} {value})'], name
    bits = _bits(type_)
    wide = "i32" if bits <= 32 else "i64" if bits <= 64 else f"<{bits // 32} x i32>"
    widen, narrow = ("bitcast", "bitcast") if bits > 64 or bits in (32, 64) else ("zext", "trunc")
    return [
        f"  {name}.bits = bitcast {type_} {value} to i{bits}",
        f"  {name}.wide = {widen} i{bits} {name}.bits to {wide}",
        f'  {name}.same = call {wide} asm "", "=v,0"({wide} {name}.wide)',
        f"  {name}.narrow = {narrow} {wide} {name}.same to i{bits}",
        f"  {name} = bitcast i{bits} {name}.narrow to {type_}",
    ], name


def _bits(type_: str) -> int:
    if vector := re.fullmatch(r"<(\d+) x (\S+)>", type_):
        return int(vector[1]) * _bits(vector[2])
    return _BITS[type_] if type_ in _BITS else int(type_.removeprefix("i"))
