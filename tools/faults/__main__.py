"""See `tools.faults`. Exit status 1 when a program crashed, hung, or left something wrong behind."""

from __future__ import annotations

import argparse
import collections
import concurrent.futures
import datetime
import queue
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tools.dated_rows import add_rows
from tools.faults import Fault, faults
from tools.faults.hardships import HARDSHIPS
from tools.faults.hardships import judge as judge_hardship
from tools.faults.programs import PROGRAMS, VECTOR_ADD, why_not
from tools.faults.stages import STAGES, Place, Stage, judge


def build(folder: Path) -> Path:
    """The injector."""
    target = folder / "injector.so"
    flags = ["-std=gnu17", "-O1", "-D_GNU_SOURCE", "-shared", "-fPIC", "-Wall", "-Wextra", "-Werror"]
    source = Path(__file__).with_name("injector.c")
    subprocess.run(["cc", *flags, "-o", str(target), str(source), "-ldl"], check=True)
    return target


def prepared(folder: Path, injector: Path, side: str, command: tuple[str, ...] = VECTOR_ADD) -> Place:
    """A place whose cache is filled and whose reference output is known. side: where calls fail, as Place has it."""
    place = Place(folder, injector, side, command)
    place.state.arm(None)
    first = place.run(False)
    if first.returncode != 0:
        raise SystemExit(f"the undisturbed run fails: {first.stderr}")
    place.expected = first.stdout
    return place


def counted(place: Place, stage: Stage) -> dict[str, int]:
    """How often each function is called in this situation."""
    stage.prepare(place)
    place.state.arm(None)
    place.run(True)
    return place.state.counts


def campaign(stage: Stage, plan: Sequence[Fault], places: Sequence[Place], until: float) -> dict[Fault, str]:
    """Judge every fault of the plan that fits into the time; one place at a time serves one of them."""
    free: queue.Queue[Place] = queue.Queue()
    for place in places:
        free.put(place)

    def one(fault: Fault) -> str:
        place = free.get()
        try:
            return judge(place, stage, fault) if time.monotonic() < until else ""
        finally:
            free.put(place)

    with concurrent.futures.ThreadPoolExecutor(len(places)) as pool:
        return {fault: verdict for fault, verdict in zip(plan, pool.map(one, plan), strict=True) if verdict}


@dataclass(frozen=True)
class Subject:
    """A program in which calls fail. name: with a comma before it where it is another than the first."""

    name: str
    command: tuple[str, ...]


def run_stage(
    name: str, subject: Subject, options: argparse.Namespace, folder: Path, injector: Path
) -> tuple[str, int]:
    """One situation: a row for the page, and the number of findings."""
    stage, began = STAGES[name], time.monotonic()
    places = [
        prepared(folder / f"{name}{number}", injector, stage.side, subject.command) for number in range(options.jobs)
    ]
    counts = counted(places[0], stage)
    plan = faults({call: count for call, count in counts.items() if not options.calls or call in options.calls},
                  options.places)  # fmt: skip
    random.Random(options.seed).shuffle(plan)  # what does not fit into the time is then a sample
    verdicts = campaign(stage, plan, places, began + options.seconds)
    damage = [line for place in places for line in place.damage()]
    for place in places:
        place.stop_daemon()
    tally = collections.Counter(one if one in ("right", "clear", "unmet") else "wrong" for one in verdicts.values())
    for fault, verdict in verdicts.items():
        if verdict not in ("right", "clear", "unmet"):
            print(f"  {fault}: {verdict}", flush=True)
    for line in damage:
        print(f"  damaged: {line}")
    found = tally["wrong"] + len(damage)
    row = (
        f"| {datetime.date.today()} | {name}{subject.name}: {stage.purpose} | {len(verdicts)} of {len(plan)} "
        f"| {tally['right']} | {tally['clear']} | {tally['unmet']} | {found} | {time.monotonic() - began:.0f} |"
    )
    print(row, flush=True)
    return row, found


def run_hardship(name: str, subject: Subject, folder: Path, injector: Path) -> tuple[str, int]:
    """The same for a hardship: all its values, one after another."""
    hardship, began = HARDSHIPS[name], time.monotonic()
    place = prepared(folder / name, injector, hardship.side, subject.command)
    verdicts = [(value, judge_hardship(place, hardship, value)) for value in hardship.values]
    damage = place.damage()
    place.stop_daemon()
    wrong = [(value, verdict) for value, verdict in verdicts if verdict not in ("right", "clear")]
    for value, verdict in wrong:
        print(f"  {value} {hardship.purpose}: {verdict}", flush=True)
    for line in damage:
        print(f"  damaged: {line}")
    tally, found = collections.Counter(verdict for _, verdict in verdicts), len(wrong) + len(damage)
    row = (
        f"| {datetime.date.today()} | {name}{subject.name}: {hardship.purpose} | {len(verdicts)} | {tally['right']} "
        f"| {tally['clear']} | 0 | {found} | {time.monotonic() - began:.0f} |"
    )
    print(row, flush=True)
    return row, found


def run_all(options: argparse.Namespace, programs: Sequence[str], folder: Path) -> list[tuple[str, int]]:
    """Every chosen situation of every chosen program."""
    injector, results = build(folder), []
    for program in programs:
        place = folder / program
        place.mkdir()
        subject = Subject("" if program == "vector_add" else f", {program}", PROGRAMS[program](place))
        for one in options.stages:
            if one in STAGES:
                results.append(run_stage(one, subject, options, place, injector))
            else:
                results.append(run_hardship(one, subject, place, injector))
    return results


def main(arguments: Sequence[str]) -> int:
    """Command line."""
    parser = argparse.ArgumentParser(prog="python3 -m tools.faults", description=__doc__)
    parser.add_argument(
        "stages", nargs="*", default=[*STAGES, *HARDSHIPS], help=f"of {', '.join([*STAGES, *HARDSHIPS])}"
    )
    parser.add_argument("--programs", nargs="*", default=["vector_add"], help=f"of {', '.join(PROGRAMS)}, or all")
    parser.add_argument("--places", type=int, default=40, help="places a function is made to fail at, at most")
    parser.add_argument("--calls", nargs="*", default=[], help="only these functions")
    parser.add_argument("--seconds", type=float, default=1e9, help="of each stage; then the rest is left out")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--page", action="store_true", help="add dated rows to docs/hardening.md")
    options = parser.parse_args(arguments)
    if unknown := set(options.stages) - {*STAGES, *HARDSHIPS}:
        parser.error(f"no stage {min(unknown)}")
    wanted = [*PROGRAMS] if "all" in options.programs else options.programs
    if unknown := set(wanted) - {*PROGRAMS}:
        parser.error(f"no program {min(unknown)}")
    if why := next(filter(None, map(why_not, wanted)), ""):
        parser.error(f"the programs cannot be built here: {why}")
    with tempfile.TemporaryDirectory(prefix="cass-faults-") as name:
        results = run_all(options, wanted, Path(name))
    if options.page:
        add_rows("faults", (row for row, _ in results))
    return int(any(found for _, found in results))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
