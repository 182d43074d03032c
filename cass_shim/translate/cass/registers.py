"""Register names of our own model's answers, and their allocation.

In: lines of fields (`fields.py`) whose registers are names: a value is numbered when it is first written and keeps
its number. Out: the same lines with registers of gfx1100. A model that has to choose free registers must know what
is read later; one that gives names need not, and to allocate is an old and exact art (linear scan over live
intervals: Poletto and Sarkar, 1999).

Numbers below `FIXED` are registers that the hardware fills before the kernel starts (AMDGPUUsage, "Initial Kernel
Execution State"): kernarg pointer, workgroup ids, workitem ids.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from cass_shim.model.errors import Rejected
from cass_shim.translate.cass.fields import Line

FIXED = {"v": 4, "s": 16}
LIMIT = {"v": 256, "s": 106}  # what gfx1100 has; VCC begins at s106

Register = tuple[str, int]  # ("v", 3) or ("s", 16)

_NO_RESULT = re.compile(
    r"(?:global|flat|scratch|buffer|ds|image)_store|s_cmp|s_bitcmp|s_cbranch|s_branch|s_barrier|s_endpgm|s_waitcnt"
    r"|v_cmpx|s_setpc|s_setreg|s_sleep|s_nop|v_nop|s_trap|s_sendmsg|buffer_gl|s_dcache|s_denorm_mode|s_round_mode"
)
_TWO_RESULTS = re.compile(r"v_mad_[ui]64_[ui]32|v_(?:add|sub|subrev)_co_|v_div_scale")
_LOCAL_RESULT = re.compile(r"ds_(?:load|.*_rtn|permute|bpermute|swizzle|consume|append)")
_KEEPS = re.compile(  # the destination's old value counts: accumulators, and results that fill a part of it
    r"fmac|v_dot\d\w*c_|v_writelane|s_cmov|s_bitset|s_addk|s_mulk|_dpp|_d16|v_swap|v_permlane|v_movrel|sdwa"
)


@dataclass(frozen=True, slots=True)
class Place:
    """A register operand of a line. at: of its number's token; size: in registers; written, read: by the line."""

    kind: str
    number: int
    size: int
    at: int
    written: bool
    read: bool

    def registers(self) -> Iterator[Register]:
        """Each register of a range."""
        return ((self.kind, self.number + part) for part in range(self.size))


def results(line: Line) -> int:
    """How many of the first operands an instruction writes."""
    name = line[0]
    if name.startswith("ds_"):
        return int(_LOCAL_RESULT.match(name) is not None)
    if "_atomic_" in name:
        return int("glc" in line)
    if _NO_RESULT.match(name):
        return 0
    return 2 if _TWO_RESULTS.match(name) else 1


def places(line: Line) -> list[Place]:
    """The register operands of a line, none of a label. Raises Rejected for a register without a number."""
    if not line or line[0] == "L":
        return []
    written, keeps = results(line), bool(_KEEPS.search(line[0])) or "op_sel" in line
    found, operand = [], 0
    for at, token in enumerate(line):
        operand += token == ","
        kind, _, width = token.partition("*")
        if at == 0 or kind not in FIXED or (width and not width.isdigit()):
            continue
        number = line[at + 1][1:] if at + 1 < len(line) else ""
        if not number.isdigit() or (width and not 1 < int(width) <= 16):
            raise Rejected(f"a register without a number in {' '.join(line)[:60]!r}")
        result = operand < written
        reads = not result or keeps or line[0].startswith("v_swap")
        found.append(Place(kind, int(number), int(width or 1), at + 1, result, reads))
    return found


@dataclass(slots=True)
class _Group:
    """Names that ranges tie together. low: the smallest; begin, end: the lines between which they hold values."""

    kind: str
    low: int
    size: int
    begin: int
    end: int
    align: int
    carried: bool  # its first line reads it


def _groups(found: Sequence[list[Place]]) -> list[_Group]:
    leader: dict[Register, Register] = {}

    def find(one: Register) -> Register:
        while leader.setdefault(one, one) != one:
            one = leader[one]
        return one

    for line in found:
        for place in line:
            first, *rest = place.registers()
            for one in rest:
                leader[find(one)] = find(first)
            find(first)
    groups: dict[Register, _Group] = {}
    for number, line in enumerate(found):
        for place in sorted(line, key=lambda place: place.written):  # reads happen before writes
            for one in place.registers():
                group = groups.setdefault(find(one), _Group(place.kind, one[1], 1, number, number, 1, place.read))
                high = max(group.low + group.size, one[1] + 1)
                group.low = min(group.low, one[1])
                group.size, group.end = high - group.low, number
                group.align = max(group.align, alignment(place.kind, place.size))
    return sorted(groups.values(), key=lambda group: (group.begin, group.kind, group.low))


def alignment(kind: str, size: int) -> int:
    """Scalar ranges begin at even registers, those of four and more at multiples of four (RDNA3 ISA, "SGPRs")."""
    return 1 if kind == "v" else {1: 1, 2: 2}.get(size, 4)


def loops(lines: Sequence[Line]) -> list[tuple[int, int]]:
    """From label to branch of every branch backwards, inner loops first."""
    labels = {line[1]: number for number, line in enumerate(lines) if line[:1] == ["L"] and line[-1] == ":"}
    found = []
    for number, line in enumerate(lines):
        if line and line[0].startswith(("s_cbranch", "s_branch")) and line[1:2] == ["L"]:
            target = labels.get(line[2] if len(line) > 2 else "", number + 1)
            if target <= number:
                found.append((target, number))
    return sorted(found, key=lambda loop: loop[1] - loop[0])


def _widen(groups: list[_Group], found: list[tuple[int, int]]) -> None:
    """What crosses a loop's bounds, or comes around in it, holds through all of it."""
    changed = True
    while changed:
        changed = False
        for begin, end in found:
            for group in groups:
                inside = group.begin >= begin and group.end <= end
                if group.end < begin or group.begin > end or (inside and not group.carried):
                    continue
                low, high = min(group.begin, begin), max(group.end, end)
                changed |= (low, high) != (group.begin, group.end)
                group.begin, group.end = low, high


class _Scan:
    """Registers given out so far: per register, the intervals in which it is taken."""

    def __init__(self) -> None:
        self.taken: dict[Register, list[tuple[int, int]]] = {}

    def free(self, group: _Group, base: int) -> bool:
        return all(
            end < group.begin or begin > group.end
            for part in range(group.size)
            for begin, end in self.taken.get((group.kind, base + part), ())
        )

    def take(self, group: _Group, base: int) -> int:
        for part in range(group.size):
            self.taken.setdefault((group.kind, base + part), []).append((group.begin, group.end))
        return base - group.low

    def place(self, group: _Group) -> int:
        """The shift from names to registers."""
        for base in range(0, LIMIT[group.kind] - group.size + 1, group.align):
            if self.free(group, base):
                return self.take(group, base)
        raise Rejected(f"no {group.size} {group.kind} registers are free between lines {group.begin} and {group.end}")


def allocate(lines: Sequence[Line]) -> list[Line]:
    """The lines with registers for names. Raises Rejected when they do not suffice or ranges contradict."""
    found = [places(line) for line in lines]
    groups = _groups(found)
    _widen(groups, loops(lines))
    scan = _Scan()
    shifts: dict[Register, int] = {}
    fixed = [group for group in groups if group.low < FIXED[group.kind]]
    for group in fixed:
        if group.low + group.size > FIXED[group.kind]:
            raise Rejected(f"a range ties {group.kind}{group.low}, which the hardware fills, to names")
        group.begin = 0
        scan.take(group, group.low)
    for group in groups:
        shift = 0 if group.low < FIXED[group.kind] else scan.place(group)
        shifts |= {(group.kind, group.low + part): shift for part in range(group.size)}
    made = [list(line) for line in lines]
    for line, its in zip(made, found, strict=True):
        for place in its:
            line[place.at] = f"#{place.number + shifts[place.kind, place.number]}"
    return made
