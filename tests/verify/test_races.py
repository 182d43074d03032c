"""Launches that race, and sums whose order is open: what the verifier may forgive, and what it may not."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import pytest

from cass_shim.verify import mufu
from cass_shim.verify.agreement import Judge, raced, run_reference
from cass_shim.verify.atomics import otherwise_rounded
from cass_shim.verify.inputs import Shape, first_roles
from cass_shim.verify.memory import Fault
from cass_shim.verify.plan import probes
from cass_shim.verify.races import Races, each_byte
from cass_shim.verify.surfaces import Surfaces
from cass_shim.verify.survey import survey
from tests.verify.text import kernel

BLOCKS = np.array([0, 0, 1, 1])  # four warps in two blocks
ARENA = 0x7200_0000_0000
CHANGED = np.array([True])
VALUE = np.array([7])


def at(*numbers: int) -> np.ndarray:
    return np.array(numbers, np.int64)


def test_words_of_one_warp_do_not_race() -> None:
    races = Races(BLOCKS)
    races.store("global", 16, at(3), at(1), CHANGED, VALUE)
    races.load("global", 16, at(3), at(1))
    races.store("global", 16, at(3), at(1), CHANGED, VALUE)
    races.load("shared", 16, at(3), at(0))  # another space
    assert races.found == ""


@pytest.mark.parametrize(("first", "second", "barrier", "clash"), [
    ("store", "load", False, True), ("load", "store", False, True), ("store", "store", False, True),
    ("load", "load", False, False), ("store", "load", True, False), ("load", "store", True, False),
])  # fmt: skip
def test_a_barrier_orders_the_warps_of_a_block(first: str, second: str, barrier: bool, clash: bool) -> None:
    races = Races(BLOCKS)
    for number, access in enumerate((first, second)):
        if access == "load":
            races.load("global", 16, at(5), at(number))
        else:
            races.store("global", 16, at(5), at(number), CHANGED, VALUE)
        if barrier:
            races.barrier(0)
    assert bool(races.found) == clash
    assert not clash or "global memory at byte 5 " in races.found


def test_no_barrier_orders_two_blocks() -> None:
    races = Races(BLOCKS)
    races.load("global", 16, at(1, 1), at(0, 1))
    races.barrier(0)
    races.barrier(1)
    races.store("global", 16, at(1), at(2), CHANGED, VALUE)
    assert "read by another warp" in races.found


@pytest.mark.parametrize(
    ("warps", "values", "clash"), [((0, 1), (5, 6), True), ((0, 1), (5, 5), False), ((1, 1), (5, 6), False)]
)
def test_what_one_store_writes_may_clash_among_itself(
    warps: tuple[int, int], values: tuple[int, int], clash: bool
) -> None:
    """All warps of a launch may do it in one step of the reference."""
    races = Races(BLOCKS)
    races.store("global", 16, at(4, 9, 4), at(warps[0], 0, warps[1]), np.ones(3, bool), at(values[0], 1, values[1]))
    assert bool(races.found) == clash
    assert not clash or "global memory at byte 4 " in races.found


def test_writing_the_same_value_again_is_no_race() -> None:
    races = Races(BLOCKS)
    races.store("global", 16, at(2), at(0), CHANGED, VALUE)
    races.store("global", 16, at(2), at(2), ~CHANGED, VALUE)
    assert races.found == ""


def test_who_writes_what_is_there_already_orders_nothing() -> None:
    """A warp reads what it wrote, also where another one has written the same since."""
    races = Races(BLOCKS)
    races.store("global", 16, at(2), at(0), CHANGED, VALUE)
    races.store("global", 16, at(2), at(1), ~CHANGED, VALUE)
    races.load("global", 16, at(2), at(0))
    assert races.found == ""
    races.store("global", 16, at(2), at(2), CHANGED, VALUE)
    assert "written by another warp" in races.found


def test_who_read_before_the_barrier_does_not_count_with_who_reads_behind_it() -> None:
    """A step of a scan in shared memory: a warp reads and then writes what others have read before the barrier."""
    races = Races(BLOCKS)
    races.load("shared", 16, at(3), at(1))
    races.barrier(0)
    races.load("shared", 16, at(3), at(0))
    races.store("shared", 16, at(3), at(0), CHANGED, VALUE)
    assert races.found == ""


def test_all_who_read_in_one_step_count() -> None:
    races = Races(BLOCKS)
    races.load("shared", 16, at(3, 3), at(1, 0))
    races.store("shared", 16, at(3), at(0), CHANGED, VALUE)
    assert "read by another warp" in races.found


@pytest.mark.parametrize(
    ("reader", "barrier", "clash"), [(0, False, False), (1, False, True), (1, True, False), (2, True, True)]
)
@pytest.mark.parametrize("first", ["load", "atomic"])
def test_a_load_of_what_others_change_atomically_leaves_it_open(
    first: str, reader: int, barrier: bool, clash: bool
) -> None:
    races = Races(BLOCKS, mixed=True)
    races.store("global", 16, at(5), at(3), CHANGED, VALUE)  # what stores do is not asked there
    for access in (first, "atomic" if first == "load" else "load"):
        if access == "load":
            races.load("global", 16, at(5), at(reader))
        else:
            races.atomic("global", 16, at(5), at(0))
        if barrier:
            races.barrier(0)
            races.barrier(1)
    assert bool(races.found) == clash


def test_atomic_operations_do_not_race_with_each_other_nor_with_what_comes_behind_a_barrier() -> None:
    """A histogram in shared memory; and one whose bins the other block reads."""
    races = Races(BLOCKS, mixed=True)
    races.atomic("shared", 16, at(2, 2), at(0, 1))
    races.barrier(0)
    races.load("shared", 16, at(2), at(1))
    assert races.found == ""
    races.atomic("shared", 16, at(3, 3), at(0, 2))
    races.barrier(0)
    races.load("shared", 16, at(3), at(0))
    assert "written by another warp" in races.found


def test_halves_of_a_word_are_apart() -> None:
    """Rows of halves meet within a word; a kernel that writes them was never told from a wrong one before."""
    races = Races(BLOCKS)
    rows, warps = each_byte(at(0, 2, 0, 2), 2, at(0, 0, 1, 1))
    halves = np.array([5, 6, 5, 6], np.uint16).view(np.uint8)
    races.store("global", 16, rows, warps, np.ones(8, bool), halves)
    for number in (0, 1):
        races.store("global", 16, *each_byte(at(8 + 2 * number), 2, at(number)), np.ones(2, bool), at(5, 0))
    assert races.found == ""
    races.store("global", 16, *each_byte(at(10), 2, at(2)), np.ones(2, bool), at(7, 0))
    assert "at byte 10 " in races.found


def test_exact_sums_have_one_value_in_any_order() -> None:
    add = otherwise_rounded("f32", np.random.default_rng(1))
    one, two = 0x3F80_0000, 0x4000_0000
    assert {add(one, one, 0) for _ in range(50)} == {two}
    wide = otherwise_rounded("f64", np.random.default_rng(1))
    assert {wide(0x3FF0 << 48, 0x3FF0 << 48, 0) for _ in range(50)} == {0x4000 << 48}


def test_inexact_sums_may_be_a_unit_off() -> None:
    add = otherwise_rounded("f32", np.random.default_rng(1))
    third, tenth = 0x3EAA_AAAB, 0x3DCC_CCCD
    nearest = int((np.float32(1 / 3) + np.float32(0.1)).view(np.uint32))
    assert {add(third, tenth, 0) for _ in range(80)} == {nearest - 1, nearest, nearest + 1}


def test_denormals_are_flushed() -> None:
    assert otherwise_rounded("f32", np.random.default_rng(1))(3, 4, 0) == 0


class Cells(Surfaces):
    """Two warps in blocks of their own, and a surface."""

    mask = np.ones(64, bool)
    shuffled = False

    def __init__(self) -> None:
        self.surfaces, self.texture_kinds, self.races = {}, {}, Races(np.array([0, 1]))

    def spread(self, value: np.ndarray) -> np.ndarray:
        return np.broadcast_to(value, 64)


@pytest.mark.parametrize(("cells", "races"), [(64, False), (32, True)])
def test_texels_of_a_surface_race_as_words_do(cells: int, races: bool) -> None:
    """Each lane writes a texel and reads it: of 32 texels two lanes have each, of 64 one."""
    state, lane, handle = Cells(), np.arange(64, dtype=np.uint32), np.uint32(1)
    place = [lane % cells * 8]
    state.surface_store(handle, "1d", place, [lane + 1, lane], 8, "ignore")
    state.surface_load(handle, "1d", place, 8, "ignore")
    assert state.races is not None and bool(state.races.found) == races


RACING = """
    S2R R0, SR_TID.X
    MOV R2, c[0x0][0x160]
    MOV R3, c[0x0][0x164]
    STG.E.SYS [R2.64], R0
    EXIT
"""  # all threads to one word


def test_a_race_is_told_on_a_machine_that_is_too_busy_for_more_inputs() -> None:
    """Training pairs made by more processes than there were cores were refused for it: a race that is not looked for
    is a difference like any other."""
    sass = kernel(RACING)
    found = survey(sass)
    judge, roles = Judge(sass, None, found, mufu.nearest, 12_000), first_roles(sass, found)
    scenario = replace(probes(sass, found, 1)[0], shape=Shape((1, 1, 1), (64, 1, 1)))
    made = run_reference(judge, roles, scenario, ARENA)
    assert not isinstance(made, Fault), made
    judge.until = time.monotonic() - 1
    assert raced(judge, made[0], ARENA) == ""
    with judge.deciding():
        assert "written by another warp" in raced(judge, made[0], ARENA)
    assert judge.until < time.monotonic()
