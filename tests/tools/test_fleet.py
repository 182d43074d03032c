"""The simulated fleet: nothing is lost from its books, and more cache means fewer requests."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from tools.fleet import KERNELS_A_PROGRAM, REQUESTS_A_HIT, REQUESTS_A_MISS, SIZES, Day, Fleet, report, simulate

SMALL = Fleet(clients=20, entries=12_000, runs=10, days=3)


def days(fleet: Fleet) -> list[Day]:
    return simulate(fleet, SIZES, random.Random(1))


def test_every_launch_is_in_the_books() -> None:
    found = days(SMALL)
    assert len(found) == SMALL.days
    for day in found:
        assert day.launches == SMALL.clients * SMALL.runs * KERNELS_A_PROGRAM
        assert day.requests == day.hits * REQUESTS_A_HIT + day.misses * REQUESTS_A_MISS
        assert len(day.touched) <= day.hits
    assert found[0].hits > found[-1].hits, "the first day begins with empty caches"


def test_local_caches_that_hold_nothing_send_everything_to_the_server() -> None:
    full, none = days(SMALL)[-1], days(replace(SMALL, cache_bytes=0))[-1]
    assert none.hits + none.misses == none.launches
    assert none.requests > full.requests


def test_everybody_s_first_start_falls_into_ten_minutes() -> None:
    rush = days(replace(SMALL, runs=1, days=1))[0]
    assert sum(rush.by_minute[9 * 60 : 9 * 60 + 10]) == rush.requests


@pytest.mark.parametrize("entries", [12_000, 24_000])
def test_what_is_held_grows_with_the_entries(entries: int) -> None:
    fleet = replace(SMALL, entries=entries, days=1)
    rows = dict(report(fleet, SIZES, days(fleet)))
    assert f"{3 * entries:,} files" in rows["held in a directory or by nginx"]
