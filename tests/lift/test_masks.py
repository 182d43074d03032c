"""Components and closures over numbers with a bit for each node, against the same by sets."""

from __future__ import annotations

import random

import pytest

from cass_shim.lift.dataflow import strongly_connected
from cass_shim.lift.masks import bits, closure, components, union


def graph(seed: int) -> dict[int, int]:
    """A random graph of up to 40 nodes, thin or dense, whose nodes are not numbered from 0 on."""
    of = random.Random(seed)
    nodes = of.sample(range(80), of.randint(1, 40))
    most = of.choice((1, 2, 6))
    return {node: union(1 << n for n in of.choices(nodes, k=of.randint(0, most))) for node in nodes}


def by_sets(seeds: int, behind: dict[int, int], without: int) -> int:
    """`closure`, one node after the other until nothing is added."""
    found, before = seeds, -1
    while found != before:
        before = found
        found |= union(1 << n for n, those in behind.items() if those & found and not without >> n & 1)
    return found


@pytest.mark.parametrize("seed", range(300))
def test_components_are_those_of_tarjan_and_come_behind_what_they_depend_on(seed: int) -> None:
    behind = graph(seed)
    ordered = components(behind)
    cycles = {frozenset(bits(m)) for m in ordered if m.bit_count() > 1 or behind[m.bit_length() - 1] & m}
    assert cycles == {frozenset(c) for c in strongly_connected({n: list(bits(m)) for n, m in behind.items()})}
    assert sum(ordered) == union(1 << n for n in behind)  # each node once
    before = 0
    for members in ordered:
        before |= members
        assert not union(behind[n] for n in bits(members)) & ~before


@pytest.mark.parametrize("seed", range(300))
def test_a_closure_is_what_one_node_after_the_other_gives(seed: int) -> None:
    behind = graph(seed)
    of = random.Random(seed)
    seeds, without = (union(1 << n for n in of.sample(list(behind), len(behind) // 4)) for _ in range(2))
    assert closure(seeds, behind, components(behind), without) == by_sets(seeds, behind, without)


def test_a_long_chain_needs_no_recursion() -> None:
    behind = {n: 1 << n + 1 for n in range(3000)} | {3000: 0}
    ordered = components(behind)
    assert ordered[0] == 1 << 3000
    assert closure(1 << 3000, behind, ordered).bit_count() == 3001
