"""LLVM IR as text: what the rewritings of optimised IR (`zeros`, `ones`, `meets`) have in common.

In: a module as LLVM prints it, an instruction a line.
"""

from __future__ import annotations

from collections.abc import Iterator

NAME = r'%(?:[\w.$-]+|"[^"]*")'  # of a local value or a block


def functions(lines: list[str]) -> Iterator[tuple[int, int]]:
    """Of each function: the numbers of its first line and of its closing brace."""
    at = 0
    while at < len(lines):
        if lines[at].startswith("define "):
            try:
                end = lines.index("}", at)
            except ValueError:
                return
            yield at, end
            at = end
        at += 1
