"""A simulated fleet on one team cache: what its server must hold, send and bear.

`python3 -m tools.fleet` simulates (it does not measure a server): 1,000 clients and 10⁶ entries unless told otherwise.
Every client draws programs by popularity (Zipf's law with exponent 1, as build and web caches see), keeps what it
fetched in a local cache of CASS_CACHE_SIZE with LRU, and asks the team for the rest: head, record, code entry. The
worst day is simulated too: a package with other sources reaches everybody, so all local caches are empty at nine
o'clock, while CI has filled the place anew. Sizes of records and code entries are drawn from those of translations in
the local cache (`--sizes`), or from the distribution measured over the compatibility suite (`SIZES`).
"""

from __future__ import annotations

import argparse
import bisect
import itertools
import json
import random
import sys
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

HOUR_S, DAY_S = 3600.0, 24 * 3600.0
HEAD_BYTES = 72  # one row of a listing
KERNELS_A_PROGRAM = 12  # that a run launches
FILE_OVERHEAD = 4096  # of an object in a directory or below nginx: its inode and the last block's rest
REDIS_OVERHEAD = 250  # bytes beside the value: key, headers, rounding (MEMORY USAGE of Redis 7.0, values of 1 and 5 KB)
REQUESTS_A_HIT, REQUESTS_A_MISS = 3, 2  # head, record, code entry; the head, and the head of a refusal


@dataclass(frozen=True)
class Fleet:
    """clients and entries; runs: programs a client starts on a day; cache_bytes: of one client's local tier.

    known: share of launches of kernels that CI has translated.
    """

    clients: int = 1000
    entries: int = 1_000_000
    runs: int = 40
    known: float = 0.98
    cache_bytes: int = 4 << 30
    days: int = 5


@dataclass
class Day:
    """What the server saw. by_minute: requests in each minute of the day."""

    launches: int = 0
    hits: int = 0
    misses: int = 0
    sent_bytes: int = 0
    touched: set[int] = field(default_factory=set)
    by_minute: list[int] = field(default_factory=lambda: [0] * 24 * 60)

    @property
    def requests(self) -> int:
        return sum(self.by_minute)


@dataclass
class Client:
    """A local cache: what was fetched, least recently used first."""

    kept: OrderedDict[int, int] = field(default_factory=OrderedDict)
    kept_bytes: int = 0

    def uses(self, entry: int, size: int, limit: int) -> bool:
        """Whether an entry was there; it is afterwards."""
        if entry in self.kept:
            self.kept.move_to_end(entry)
            return True
        self.kept[entry] = size
        self.kept_bytes += size
        while self.kept_bytes > limit:
            self.kept_bytes -= self.kept.popitem(last=False)[1]
        return False


class Popularity:
    """Programs by Zipf's law: the n-th is drawn in proportion to 1/n."""

    def __init__(self, programs: int) -> None:
        self.sums = list(itertools.accumulate(1.0 / number for number in range(1, programs + 1)))

    def draw(self, chance: random.Random) -> int:
        """A program's number."""
        return bisect.bisect_left(self.sums, chance.random() * self.sums[-1])


def start_of(chance: random.Random, *, rush: bool) -> float:
    """When on a day a program starts, in seconds: a working day, or everybody's first start within ten minutes."""
    if rush:
        return 9 * HOUR_S + chance.uniform(0, 600)
    return min(max(chance.gauss(13.5 * HOUR_S, 2.5 * HOUR_S), 0.0), DAY_S - 1)


def simulate(fleet: Fleet, sizes: Sequence[tuple[int, int]], chance: random.Random) -> list[Day]:
    """A week from empty caches. sizes: (record, code entry) in bytes, drawn for each entry alike."""
    popularity, clients = Popularity(fleet.entries // KERNELS_A_PROGRAM), [Client() for _ in range(fleet.clients)]
    return [_day(fleet, sizes, chance, popularity, clients, number == 0) for number in range(fleet.days)]


def _day(
    fleet: Fleet,
    sizes: Sequence[tuple[int, int]],
    chance: random.Random,
    popularity: Popularity,
    clients: Sequence[Client],
    is_first: bool,
) -> Day:
    day = Day()
    for client in clients:
        for run in range(fleet.runs):
            at = start_of(chance, rush=is_first and run == 0)
            first = popularity.draw(chance) * KERNELS_A_PROGRAM
            for entry in range(first, first + KERNELS_A_PROGRAM):
                record, code = sizes[entry % len(sizes)]
                day.launches += 1
                if client.uses(entry, record + code, fleet.cache_bytes):
                    continue
                is_hit = chance.random() < fleet.known
                day.hits, day.misses = day.hits + is_hit, day.misses + (not is_hit)
                day.by_minute[int(at // 60)] += REQUESTS_A_HIT if is_hit else REQUESTS_A_MISS
                if is_hit:
                    day.sent_bytes += HEAD_BYTES + record + code
                    day.touched.add(entry)
    return day


def report(fleet: Fleet, sizes: Sequence[tuple[int, int]], days: Sequence[Day]) -> Iterator[tuple[str, str]]:
    """What the server must hold and bear, as (what, how much)."""
    object_bytes = sum(record + code for record, code in sizes) / len(sizes)
    mean = object_bytes + HEAD_BYTES
    first, later = days[0], days[-1]
    yield "bytes of an entry: head, record, code entry", f"{mean:,.0f}"
    yield f"held, {fleet.entries:,} entries, as objects", f"{fleet.entries * mean / 1e9:.1f} GB"
    yield (
        "held in a directory or by nginx",
        (f"{fleet.entries * (mean + 3 * FILE_OVERHEAD) / 1e9:.1f} GB in {3 * fleet.entries:,} files"),
    )
    yield "held by Redis, everything", f"{fleet.entries * (mean + 3 * REDIS_OVERHEAD) / 1e9:.1f} GB of memory"
    hot = set().union(*(one.touched for one in days))
    yield (
        f"held by Redis, what was asked for in {fleet.days} days",
        (f"{len(hot) * (mean + 3 * REDIS_OVERHEAD) / 1e9:.2f} GB ({len(hot):,} entries)"),
    )
    for name, day in (("first day, all local caches empty", first), (f"day {len(days)}", later)):
        peak = max(day.by_minute) / 60
        yield f"{name}: launches answered on the spot", f"{100 * (1 - (day.hits + day.misses) / day.launches):.1f} %"
        yield f"{name}: requests", f"{day.requests:,}"
        yield f"{name}: busiest minute", f"{peak:,.0f} requests/s, {peak / REQUESTS_A_HIT * mean * 8 / 1e6:,.1f} Mbit/s"
        yield f"{name}: sent", f"{day.sent_bytes / 1e9:.2f} GB"


# (record, code entry) in bytes: every fifteenth of 613 translations of the compatibility suite, by size, 2026-11-21.
SIZES: tuple[tuple[int, int], ...] = (
    (1198, 4280), (1226, 4280), (1365, 4368), (1183, 4592), (1173, 4632), (1216, 4696), (1194, 4784), (1224, 4832),
    (1178, 4968), (1172, 5136), (1205, 5136), (1221, 5128), (1186, 5232), (1398, 5136), (1256, 5408), (1183, 5528),
    (2349, 4448), (1285, 5568), (1611, 5352), (1790, 5320), (1198, 5976), (1674, 5632), (1634, 5784), (2504, 5024),
    (1628, 5960), (1610, 6168), (1340, 6536), (2308, 5704), (2773, 5360), (1319, 7008), (1211, 7264), (1268, 7368),
    (1196, 7760), (2461, 6688), (1648, 7776), (1334, 8728), (1175, 10144), (1242, 14952), (1640, 18528), (1729, 38080),
)  # fmt: skip


def sizes_of(cache: Path) -> list[tuple[int, int]]:
    """(record, code entry) of every translation in a local cache."""
    found = []
    for path in sorted(cache.glob("v*/records/*/*/*.json")):
        record = path.read_bytes()
        blob = json.loads(record)["entry"]
        code = next(iter(cache.glob(f"v*/blobs/{blob[:2]}/{blob}")), None)
        if code is not None:
            found.append((len(record), code.stat().st_size))
    return found


def main(arguments: list[str]) -> int:
    """Simulate and print."""
    parser = argparse.ArgumentParser(prog="python3 -m tools.fleet", description=__doc__)
    parser.add_argument("--clients", type=int, default=Fleet.clients)
    parser.add_argument("--entries", type=int, default=Fleet.entries)
    parser.add_argument("--runs", type=int, default=Fleet.runs, help="programs a client starts on a day")
    parser.add_argument("--sizes", type=Path, help="a local cache to take sizes from")
    parser.add_argument("--list-sizes", action="store_true", help="print the sizes found in --sizes")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    sizes = sizes_of(options.sizes) if options.sizes else list(SIZES)
    if not sizes:
        print(f"no translation in {options.sizes}; `cass precompile` makes some", file=sys.stderr)
        return 1
    if options.list_sizes:
        print(sizes)
        return 0
    fleet = Fleet(options.clients, options.entries, options.runs)
    print(f"simulated, not measured: {fleet}, sizes of {len(sizes)} translations, seed {options.seed}")
    for what, number in report(fleet, sizes, simulate(fleet, sizes, random.Random(options.seed))):
        print(f"{what:<66} {number}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
