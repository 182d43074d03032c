"""Which reads and writes of a register belong to one value.

In: per line of code what it reads and writes, and which lines may follow. Out: webs, the classes of definitions that
share a use (Muchnick, Advanced Compiler Design, 16.3.3), found by reaching definitions. Registers are any hashable.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

R = TypeVar("R", bound=Hashable)


class Classes:
    """Numbers that belong together (union-find)."""

    def __init__(self, amount: int) -> None:
        self.leader = list(range(amount))

    def find(self, one: int) -> int:
        """The class's number."""
        while self.leader[one] != one:
            self.leader[one] = self.leader[self.leader[one]]
            one = self.leader[one]
        return one

    def join(self, ones: Sequence[int]) -> None:
        """Make one class of these."""
        for one in ones[1:]:
            self.leader[self.find(one)] = self.find(ones[0])


@dataclass(frozen=True)
class Flow(Generic[R]):
    """Code. follow: per line, the lines that may run next. asleep: further steps, on which only the registers keep
    their values that `sleeping` names (lanes of a wave that wait while others run)."""

    reads: Sequence[Collection[R]]
    writes: Sequence[Collection[R]]
    follow: Sequence[Sequence[int]]
    asleep: Mapping[int, Sequence[int]] = field(default_factory=dict)
    sleeping: Callable[[R], bool] = bool


class Webs(Generic[R]):
    """The webs of one piece of code; definitions are bits: one per register at the start, one per write."""

    def __init__(self, flow: Flow[R]) -> None:
        self.flow = flow
        self.owner: list[R] = []
        self.bits: dict[R, int] = {}
        touched = dict.fromkeys(one for each in (*flow.reads, *flow.writes) for one in each)
        self.start = {one: self._define(one) for one in touched}
        self.made = [{one: self._define(one) for one in line} for line in flow.writes]
        self.before = self._reaching()
        self.classes = Classes(len(self.owner))
        for number, line in enumerate(flow.reads):
            for one in line:
                self.classes.join(list(_bits(self.before[number] & self.bits[one])))

    def _define(self, one: R) -> int:
        bit = len(self.owner)
        self.owner.append(one)
        self.bits[one] = self.bits.get(one, 0) | 1 << bit
        return bit

    def _reaching(self) -> list[int]:
        """Per line, the definitions that may hold before it."""
        flow = self.flow
        kept = sum(1 << bit for bit, one in enumerate(self.owner) if flow.sleeping(one))
        before = [0] * len(flow.follow)
        before[0] = sum(1 << bit for bit in self.start.values())
        work, seen = [0], {0}
        while work:
            number = work.pop()
            after = before[number]
            for one, bit in self.made[number].items():
                after = after & ~self.bits[one] | 1 << bit
            steps = [(target, after) for target in flow.follow[number]]
            steps += [(target, after & kept) for target in flow.asleep.get(number, ())]
            for target, state in steps:
                if state & ~before[target] or target not in seen:
                    before[target] |= state
                    seen.add(target)
                    work.append(target)
        return before

    def keep(self, number: int, one: R) -> None:
        """A line's write leaves parts of the old value, or lanes with it: both are one value."""
        before = self.read(number, one)
        if before is not None:
            self.classes.join([before, self.written(number, one)])

    def read(self, number: int, one: R) -> int | None:
        """The web that a line reads in a register, None where no path leads to the line."""
        found = self.before[number] & self.bits[one]
        return self.classes.find((found & -found).bit_length() - 1) if found else None

    def written(self, number: int, one: R) -> int:
        """The web that a line writes in a register."""
        return self.classes.find(self.made[number][one])

    def from_start(self) -> set[int]:
        """The webs of what registers hold before the first line."""
        return {self.classes.find(bit) for bit in self.start.values()}


def _bits(mask: int) -> Iterator[int]:
    while mask:
        yield (mask & -mask).bit_length() - 1
        mask &= mask - 1
