"""The tree of a function's statements between its graph and its text, and which of its regions need no `goto`.

A region is code from which control goes forward to what comes right behind it, from several places. Where none of these
is inside a loop or switch of the region, and nothing in it leaves or repeats a loop around it, it is written as
`do { … break; … } while (0);`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(slots=True)
class Code:
    block: int


@dataclass(slots=True)
class If:
    block: int
    yes: list[Node]
    no: list[Node]


@dataclass(slots=True)
class Choose:
    """cases: (indices, body); the last one is the default."""

    block: int
    cases: list[tuple[list[int], list[Node]]]


@dataclass(slots=True)
class Loop:
    header: int
    body: list[Node]


@dataclass(slots=True)
class Region:
    """Code from which a jump to `target` goes to what comes right behind it."""

    body: list[Node]
    target: int


@dataclass(slots=True)
class Exit:
    target: int


@dataclass(slots=True)
class Leave:
    exits: bool


Node = Code | If | Choose | Loop | Region | Exit | Leave


@dataclass(slots=True)
class Place:
    """Where control goes: `follow` when a list ends, `leave` on break, `again` on continue (None: not possible)."""

    follow: int | None
    leave: int | None = None
    again: int | None = None


def first_block(node: Node) -> int | None:
    """The block at which a node starts."""
    if isinstance(node, Code):
        return node.block
    if isinstance(node, Loop):
        return node.header
    if isinstance(node, Region):
        return first_block(node.body[0]) if node.body else None
    return None


@dataclass(slots=True)
class Jumps:
    """What becomes of the jumps of a tree. breaks: targets of regions that `break` leaves. labels: targets of gotos.

    between: targets of regions that are left by `break`, with jumps in them to places farther on.
    """

    breaks: set[int] = field(default_factory=set)
    labels: set[int] = field(default_factory=set)
    between: set[int] = field(default_factory=set)


def jumps_of(nodes: Sequence[Node]) -> Jumps:
    """Of the tree of a whole function."""
    search = _Search(Jumps())
    search.body(nodes, Place(None))
    return search.found


@dataclass(slots=True)
class _Search:
    """Each method gives the targets of jumps out of its nodes: those that a `break` here could be, and deeper ones."""

    found: Jumps

    def body(self, nodes: Sequence[Node], place: Place) -> tuple[set[int], set[int]]:
        near: set[int] = set()
        deep: set[int] = set()
        for position, node in enumerate(nodes):
            follow = place.follow if position == len(nodes) - 1 else first_block(nodes[position + 1])
            one, other = self._node(node, Place(follow, place.leave, place.again))
            near |= one
            deep |= other
        return near, deep

    def _node(self, node: Node, place: Place) -> tuple[set[int], set[int]]:
        if isinstance(node, Exit):
            return ({node.target} if node.target != place.follow else set()), set()
        if isinstance(node, Region):
            return self._region(node, place)
        if isinstance(node, If):
            (near, deep), (other, deeper) = self.body(node.yes, place), self.body(node.no, place)
            return near | other, deep | deeper
        if isinstance(node, Loop):
            near, deep = self.body(node.body, Place(node.header, place.follow, node.header))
            return set(), deep | (near - {node.header, place.follow})
        if isinstance(node, Choose):
            sides = [self.body(body, Place(place.follow, place.follow)) for _, body in node.cases]
            near, deep = (set[int]().union(*(side[which] for side in sides)) for which in (0, 1))
            return set(), deep | (near - {place.follow})
        return set(), set()

    def _region(self, node: Region, place: Place) -> tuple[set[int], set[int]]:
        near, deep = self.body(node.body, Place(node.target, place.leave, place.again))
        others = near - {node.target}
        if node.target in near - deep and others.isdisjoint({place.leave, place.again}):
            self.found.breaks.add(node.target)
            if others:
                self.found.between.add(node.target)
            return set(), deep | others
        if node.target in near | deep:
            self.found.labels.add(node.target)
        return others, deep - {node.target}
