"""Addresses that malloc gave: one in the device's heap is as good as one in the reference's, a null pointer is not."""

from __future__ import annotations

import numpy as np
import pytest

from cass_shim.verify.compare import Heaps, compare
from cass_shim.verify.interpreter import Outcome
from cass_shim.verify.memory import Arena

BASE, AT, SIZE = 0x7EBF_0000_0000, 64, 1 << 12
HEAPS = Heaps(AT, (BASE + AT, BASE + AT + SIZE), (0x10_0000_0000, 0x10_0000_1000))


def outcome(*words: int) -> Outcome:
    """A run that stored these 64-bit words one after another."""
    content = np.zeros(AT + SIZE, np.uint8)
    content[: 8 * len(words)] = np.array(words, np.uint64).view(np.uint8)
    arena = Arena(BASE, content, np.ones(len(content), bool))
    arena.touched[: 8 * len(words)] = True
    return Outcome(arena, np.ones(1, bool))


@pytest.mark.parametrize(
    ("device", "differs"),
    [
        (HEAPS.device[0] + 32, []),
        (0, [1]),  # malloc failed on the device only
        (HEAPS.device[1], [1]),  # behind its heap
        (HEAPS.reference[0] + 0x7_0000_0000, [1]),
    ],
)
def test_addresses_in_the_heap(device: int, differs: list[int]) -> None:
    """Two runs, whose heaps begin elsewhere, so that only the upper half of the address is the same."""
    runs = [outcome(HEAPS.reference[0] + 16 * k) for k in (0, 1)]
    after = outcome(device).arena.content
    assert compare(after, runs, False, HEAPS).bad.tolist() == differs


def test_an_address_that_was_a_number() -> None:
    """No run holds an address there: the device's must be the same number."""
    after = outcome(HEAPS.device[0]).arena.content
    assert compare(after, [outcome(7), outcome(7)], False, HEAPS).bad.tolist() == [0, 1]
