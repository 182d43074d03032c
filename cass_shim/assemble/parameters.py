"""A kernel's parameters are loaded in its first block, as those of HIP's own kernels are.

Where parameters are read through a pointer to their block, LLVM's optimiser moves each load down to where its value is
needed, and neighbours that are needed in different blocks are no longer joined to one scalar load. HIP's kernels have
arguments, whose loads come only with code generation, all in front (AMDGPULowerKernelArguments); what is needed late
is moved down again behind the joining (MachineSink).

In: optimised IR as text. Out: the same text with those loads in front, or None where all are there.
"""

from __future__ import annotations

import re

from cass_shim.assemble.ir_text import functions

_MOST_BYTES = 128  # of all that is moved: 32 of 106 scalar registers
_BLOCK = re.compile(
    r"ptr addrspace\(4\) (?:[^,()]|\([^()]*\))*?byref\([^()]*\)(?:[^,()]|\([^()]*\))*?(%[\w.]+)(?=[,)])"
)
_STEP = re.compile(r"^  (%[\w.]+) = getelementptr (?:\w+ )*i8, ptr addrspace\(4\) (%[\w.]+), i(?:32|64) \d+(?:,|$)")
_LOAD = re.compile(r"^  %[\w.]+ = load (i8|i16|i32|i64|float|double|half), ptr addrspace\(4\) (%[\w.]+),")
_BYTES = {"i8": 1, "i16": 2, "half": 2, "i32": 4, "float": 4, "i64": 8, "double": 8}
_NUMBERED = re.compile(r"^  %(\d+) = ")
_FRONT = "%front."
_LABEL = re.compile(r'^(?:[\w.$-]+|"[^"]*"):')


def in_front(text: str) -> str | None:
    """The module with the loads of its kernels' parameters in front; None where there is nothing to move."""
    lines = text.split("\n")
    moves: dict[int, list[int]] = {}
    for start, end in functions(lines):
        blocks = set(_BLOCK.findall(lines[start]))
        if blocks and (late := _late(lines, start, end, blocks)):
            moves[_first(lines, start)] = late
    if not moves:
        return None
    moved = {at for late in moves.values() for at in late}
    written: list[str] = []
    for at, line in enumerate(lines):
        late = moves.get(at, [])
        numbered = {name[1] for one in late if (name := _NUMBERED.match(lines[one]))}
        written += [_as_front(lines[one], numbered) for one in late]
        if at not in moved:
            written.append(line)
        elif name := _NUMBERED.match(line):
            written.append(f"  %{name[1]} = bitcast {_type(line)} {_FRONT}{name[1]} to {_type(line)}")
    return "\n".join(written)


def _as_front(line: str, numbered: set[str]) -> str:
    """A line in front: values without a name are numbered by their place in the text, and keep the place they had."""
    return re.sub(r"%(\d+)\b", lambda one: f"{_FRONT}{one[1]}" if one[1] in numbered else one[0], line)


def _type(line: str) -> str:
    """Of the value that a line which is moved gives."""
    load = _LOAD.match(line)
    return load[1] if load else "ptr addrspace(4)"


def _first(lines: list[str], start: int) -> int:
    """The first line of a function that is neither its head, its label nor an alloca."""
    at = start + 1
    while _LABEL.match(lines[at]) or " = alloca " in lines[at]:
        at += 1
    return at


def _late(lines: list[str], start: int, end: int, blocks: set[str]) -> list[int]:
    """Lines of the loads of parameters, with those that make their addresses; none if all are in front, or too many."""
    steps: set[str] = set()
    found: list[int] = []
    behind = late = False
    total = 0
    for at in range(start + 2, end):
        line = lines[at]
        if line[:1] != " ":
            behind = behind or _LABEL.match(line) is not None
        elif "addrspace(4)" not in line:
            continue
        elif (step := _STEP.match(line)) and step[2] in blocks:
            steps.add(step[1])
            found.append(at)
        elif (load := _LOAD.match(line)) and (load[2] in blocks or load[2] in steps):
            total += _BYTES[load[1]]
            late = late or behind
            found.append(at)
    return found if late and total <= _MOST_BYTES else []
