"""Operations that emitters take over, and the reference's own, against what the PTX ISA says they are.

The reference's SHFL, IDP.4A, MATCH.ALL and comparisons of two words are held to an H200 in
`tests/isa/sass/test_hardware_vectors`, the lifter's in `tests/lift/test_hardware_vectors`.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from cass_shim.isa.derived import LANE_MASKS, Derived
from cass_shim.verify.arithmetic import Arithmetic, Value
from cass_shim.verify.memory import Arena
from cass_shim.verify.state import Geometry, State
from tests.isa.sass.test_hardware_vectors import machine_state

WORDS = [0, 1, 2, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFE, 0xFFFF_FFFF]


class Shared(Derived[Value], Arithmetic):
    """What the others take over, in numpy."""


both = pytest.mark.parametrize("emitter", [Arithmetic(), Shared()], ids=["reference", "shared"])


def columns(count: int) -> list[np.ndarray]:
    """Every choice of so many words, one to a lane."""
    return [np.array(c, np.uint32) for c in zip(*itertools.product(WORDS, repeat=count), strict=True)]


@both
def test_a_sum_of_three_words_carries_once_or_twice(emitter: Arithmetic) -> None:
    """add.cc, addc.cc: the carry is what leaves the word."""
    a, b, c = columns(3)
    low, once, twice = emitter.add_carry3(a, b, c)
    sums = [int(x) + int(y) + int(z) for x, y, z in zip(a, b, c, strict=True)]
    assert low.tolist() == [s & 0xFFFF_FFFF for s in sums]
    assert once.tolist() == [s >= 1 << 32 for s in sums]
    assert twice.tolist() == [s >= 1 << 33 for s in sums]


@both
def test_a_difference_does_not_borrow_from_its_like(emitter: Arithmetic) -> None:
    """sub.cc: no borrow where a >= b, equal words among them."""
    a, b = columns(2)
    found, stays = emitter.sub_borrow(a, b)
    assert found.tolist() == [int(x) - int(y) & 0xFFFF_FFFF for x, y in zip(a, b, strict=True)]
    assert stays.tolist() == [int(x) >= int(y) for x, y in zip(a, b, strict=True)]


# Bits that are set in a lane's mask (PTX ISA, special registers, %lanemask_*).
BITS = {
    "SR_EQMASK": lambda bit, lane: bit == lane,
    "SR_LTMASK": lambda bit, lane: bit < lane,
    "SR_LEMASK": lambda bit, lane: bit <= lane,
    "SR_GEMASK": lambda bit, lane: bit >= lane,
    "SR_GTMASK": lambda bit, lane: bit > lane,
}


def one_block() -> State:
    return machine_state(Geometry((1, 1, 1), (64, 1, 1)), Arena(0x10000, np.zeros(16, np.uint8), np.zeros(16, bool)))


@pytest.mark.parametrize("name", LANE_MASKS)
def test_lane_masks(name: str) -> None:
    state = one_block()
    expected = [sum(1 << bit for bit in range(32) if BITS[name](bit, lane % 32)) for lane in range(64)]
    assert state.special(name).tolist() == expected
    assert Shared().lane_mask(LANE_MASKS[name], state.lane_of).tolist() == expected


@pytest.mark.parametrize("mode", ["idx", "up", "down", "bfly"])
def test_a_shuffle_reads_the_lane_that_the_reference_reads(mode: str) -> None:
    """For every offset and every clamp of a power of two; the reference's is held to an H200."""
    state = one_block()
    for offset, segment, limit in itertools.product(range(32), (0, 16, 24, 28, 30, 31), (0, 3, 15, 31)):
        by, clamp = np.full(64, offset, np.uint32), np.full(64, segment << 8 | limit, np.uint32)
        read, valid = state.shuffle(mode, state.lane_of, by, clamp)
        source, inside = Shared().shuffle_source(mode, state.lane_of, by, clamp)
        assert (source & 31).tolist() == read.tolist() and inside.tolist() == valid.tolist()
