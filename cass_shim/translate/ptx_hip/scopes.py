"""Moves declarations to where a register gets its first value: `const u32 r5 = r3 + r4;`, `u32 r6 = 0u;`.

Works on the printed lines, whose indentation is their nesting. A register is moved when its first assignment is
unconditional and everything that names it comes after, inside the same braces; with one assignment it is const. Not
in front of a label inside the same braces: C++ does not let a goto jump over an initialisation.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping, Sequence

_WORD = re.compile(r"[A-Za-z_]\w*")
_ASSIGNS = re.compile(r"(?<![\w.>\])])([A-Za-z_]\w*) = ")
_HELD = re.compile(r"^ *auto ([A-Za-z_]\w*) = .*;$")
_STATEMENT = re.compile(r"^( *)([A-Za-z_]\w*) = ")


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def without_blocks(lines: Sequence[str], types: Mapping[str, str]) -> list[str]:
    """A vector's block, `{ auto loaded = …; r1 = loaded.x; r2 = loaded.y; }`, as lines of the scope around it.

    Not where a label is: C++ does not let a goto jump over `loaded`; nor where the block stands twice.
    """
    if any(map(_is_label, lines)):
        return list(lines)
    counted = Counter(found[1] for found in map(_HELD.match, lines) if found)
    result: list[str] = []
    at = 0
    while at < len(lines):
        margin = lines[at][: _depth(lines[at])]
        held = _HELD.match(lines[at + 1]) if lines[at] == margin + "{" else None
        if held is None or counted[held[1]] > 1:
            result.append(lines[at])
            at += 1
            continue
        end = lines.index(margin + "}", at)
        inside = lines[at + 2 : end]
        plain = all((found := _STATEMENT.match(line)) and found[2] in types for line in inside)
        head = lines[at + 1].removeprefix("    ").replace("auto ", "const auto ", 1)
        if plain:
            result += [head, *(line.removeprefix("    ") for line in inside)]
        else:
            result += lines[at : end + 1]
        at = end + 1
    return result


def move_declarations(lines: list[str], types: Mapping[str, str]) -> tuple[list[str], set[str]]:
    """The lines with declarations in them, and the names that no longer need one at the top.

    types: C++ type of each register's name.
    """
    labels = [number for number, line in enumerate(lines) if _is_label(line)]
    named: dict[str, list[int]] = {}
    assigned: dict[str, int] = {}
    for number, line in enumerate(lines):
        for word in set(_WORD.findall(line)) & types.keys():
            named.setdefault(word, []).append(number)
        if " = " in line:
            for word in _ASSIGNS.findall(line):
                assigned[word] = assigned.get(word, 0) + 1
    ends = _scope_ends(lines)
    result, moved = list(lines), set()
    for number, line in enumerate(lines):
        match = _STATEMENT.match(line)
        if match is None or match[2] not in types:
            continue
        name = match[2]
        places = named[name]
        if places[0] == number and places[-1] < ends[number] and not _between(labels, number, ends[number]):
            if _WORD.findall(line).count(name) > 1:
                continue  # it reads itself
            const = "const " if assigned[name] == 1 else ""
            result[number] = f"{match[1]}{const}{types[name]} {line.lstrip(' ')}"
            moved.add(name)
    return result, moved


def _is_label(line: str) -> bool:
    return line.rstrip().endswith(":;")


def _between(sorted_numbers: list[int], first: int, last: int) -> bool:
    at = bisect_left(sorted_numbers, first)
    return at < len(sorted_numbers) and sorted_numbers[at] < last


def _scope_ends(lines: list[str]) -> list[int]:
    """For each line, the first later line that is less deeply nested; labels stand at the margin and end nothing."""
    ends = [len(lines)] * len(lines)
    stack: list[int] = []
    for number, line in enumerate(lines):
        if _is_label(line):
            continue
        depth = _depth(line)
        while stack and _depth(lines[stack[-1]]) > depth:
            ends[stack.pop()] = number
        stack.append(number)
    return ends
