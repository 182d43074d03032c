"""Graphs whose sets of nodes are numbers with a bit for each: what depends on what, among definitions of registers.

In: node → those it depends on. Out: components, and what depends on given nodes. Guarded definitions keep what was
there before, so that a loop of 700 definitions has 15,000 dependencies: looked at one by one they took half of
some kernels' translation. Here a step looks at all of a node's dependencies.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping


def bits(mask: int) -> Iterator[int]:
    """The numbers of the bits that are set."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def union(masks: Iterable[int]) -> int:
    """What is in any of them."""
    found = 0
    for mask in masks:
        found |= mask
    return found


def components(behind: Mapping[int, int]) -> list[int]:
    """The strongly connected components, those that others depend on first. behind: every node → what it depends on.

    Source: Gabow's path-based algorithm. Instead of a node's place in the path it keeps the path's components-to-be
    as numbers: a dependency on an earlier one makes one of all from there on.
    """
    found: list[int] = []
    unseen = union(1 << node for node in behind)
    for root in behind:
        if not unseen >> root & 1:
            continue
        unseen ^= 1 << root
        path, parts, below = [root], [1 << root], [0]  # below: what the parts in front of it hold
        while path:
            node = path[-1]
            following = behind[node] & unseen
            if following:
                first = following & -following
                unseen ^= first
                below.append(below[-1] | parts[-1])
                parts.append(first)
                path.append(first.bit_length() - 1)
                continue
            while behind[node] & below[-1]:
                below.pop()
                later = parts.pop()
                parts[-1] |= later
            path.pop()
            if not path or not parts[-1] >> path[-1] & 1:
                found.append(parts.pop())
                below.pop()
    return found


def closure(seeds: int, behind: Mapping[int, int], ordered: list[int], without: int = 0) -> int:
    """The seeds and what depends on them. ordered: `components(behind)`. without: nodes that only a seed makes such."""
    found = seeds
    for members in ordered:
        waiting = members & ~without & ~found
        reached = True
        while waiting and reached:
            reached = False
            for node in bits(waiting):
                if behind[node] & found:
                    found |= 1 << node
                    reached = True
            waiting &= ~found
    return found
