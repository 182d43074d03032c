"""Runs a program again and again and watches what must not grow: the daemon's memory and descriptors, files, processes.

`python3 -m tools.soak --runs 100000` (a day's use; ten milliseconds a run where nothing else runs). Most runs find
everything cached; in every twentieth the files that C reads are gone, so that the daemon is asked. Every output is
compared. Exit status 1 when an output is wrong or something grows.
"""

from __future__ import annotations

import argparse
import datetime
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tools.dated_rows import add_rows
from tools.faults.stages import Place

ASK_EVERY = 20
GROWTH = 1.1  # of the daemon's memory between the first fifth and the end: allocators take a while to settle


@dataclass(frozen=True)
class Levels:
    """What the daemon and its folders hold at one moment. memory in KiB, of the daemon and its workers."""

    memory: int
    descriptors: int
    processes: int
    files: int


def daemon_processes(place: Place) -> list[Path]:
    """The daemon and its workers: those whose environment names this place's cache."""
    wanted = f"CASS_CACHE_DIR={place.cache}".encode()
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if (
                wanted in (folder / "environ").read_bytes().split(b"\0")
                and b"python" in (folder / "cmdline").read_bytes()
            ):
                found.append(folder)
        except OSError:
            continue
    return found


def levels(place: Place) -> Levels:
    """Now. Processes that end meanwhile count as nothing."""
    memory = descriptors = 0
    processes = daemon_processes(place)
    for folder in processes:
        try:
            status = (folder / "status").read_text()
            memory += int(status.partition("VmRSS:")[2].split()[0])
            descriptors += len(list((folder / "fd").iterdir()))
        except (OSError, IndexError):
            continue
    files = sum(1 for path in place.folder.rglob("*") if path.is_file())
    return Levels(memory, descriptors, len(processes), files)


def grown(early: Levels, late: Levels) -> list[str]:
    """What grew, in words."""
    found = []
    if late.memory > early.memory * GROWTH + 4096:
        found.append(f"the daemon's memory grew from {early.memory} to {late.memory} KiB")
    for name in ("descriptors", "processes", "files"):
        before, after = getattr(early, name), getattr(late, name)
        if after > before + 2:
            found.append(f"{name} grew from {before} to {after}")
    return found


def soak(place: Place, runs: int, seconds: float) -> tuple[int, list[str], Levels, Levels]:
    """(runs made, problems, levels after the first fifth, levels at the end)."""
    problems: list[str] = []
    began, done, early = time.monotonic(), 0, levels(place)
    while done < runs and time.monotonic() - began < seconds and len(problems) < 10:
        if done % ASK_EVERY == 0:
            place.forget_entries()
        outcome = place.run(False)
        done += 1
        if (outcome.returncode, outcome.stdout) != (0, place.expected):
            problems.append(f"run {done}: exit {outcome.returncode}, {outcome.stderr.strip()[-200:]}")
        passed = max(done / runs, (time.monotonic() - began) / seconds)
        if passed < 0.2 and done % ASK_EVERY == ASK_EVERY - 1:
            early = levels(place)
    late = levels(place)
    return done, problems + grown(early, late), early, late


def main(arguments: Sequence[str]) -> int:
    """Command line."""
    parser = argparse.ArgumentParser(prog="python3 -m tools.soak", description=__doc__)
    parser.add_argument("--runs", type=int, default=100_000)
    parser.add_argument("--seconds", type=float, default=1e9, help="stop after this long")
    parser.add_argument("--page", action="store_true", help="add a dated row to docs/hardening.md")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="cass-soak-") as name:
        place = Place(Path(name), Path("/none"), "program")
        first = place.run(False)
        if first.returncode != 0:
            raise SystemExit(f"the first run fails: {first.stderr}")
        place.expected, began = first.stdout, time.monotonic()
        try:
            done, problems, early, late = soak(place, options.runs, options.seconds)
        finally:
            place.stop_daemon()
    for line in problems:
        print(f"  {line}")
    row = (
        f"| {datetime.date.today()} | {done} | {time.monotonic() - began:.0f} | {early.memory} → {late.memory} KiB "
        f"| {early.descriptors} → {late.descriptors} | {early.files} → {late.files} | {len(problems)} |"
    )
    print(row)
    if options.page:
        add_rows("soak", [row])
    return int(bool(problems))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
