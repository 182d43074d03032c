"""A unit of compiled code: what starts at an instruction, as the scheduler of native/reference takes it."""

from __future__ import annotations

from dataclasses import dataclass, field

# Kinds of units, as native/reference/machine.c numbers them.
ABSENT, STRAIGHT, JUMP, LEAVE, BSSY, BSYNC, WARPSYNC, BREAK, PARK, TOGETHER = range(10)
EVERYONE, PLAIN_MASK, NONE = -1, -2, -1


@dataclass
class Unit:
    """What starts at an index. text: of its function, "" for what machine.c does by itself. rows: of the registers that
    it reads or writes."""

    kind: int
    length: int = 1
    text: str = ""
    guard: int = NONE
    negated: int = 0
    number: int = 0
    mask: int = 0
    intrinsics: dict[str, str] = field(default_factory=dict)
    rows: frozenset[int] = frozenset()
