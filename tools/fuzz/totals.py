"""`python3 -m tools.fuzz totals`: what the campaigns on docs/hardening.md add up to, against the rule.

The rule: a million cases or an hour of processor time for every target. In: the dated rows of `tools.fuzz`. Out: a line
a target. Where a row does not say its processor time, the hours are the seconds of its longest process times the number
of processes: those rows are of machines that had a core for each.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tools.dated_rows import PAGE, mark

CASES, HOURS = 1_000_000, 1.0
ROW = re.compile(r"\| \d{4}-\d\d-\d\d \| (?P<target>[\w-]+) \| (?P<cases>\d+) \| (?P<seconds>[\d.]+) \|(?P<rest>.*)")
PROCESSES, PROCESSOR = re.compile(r"(\d+) processes"), re.compile(r"(\d+) (s|minutes) of processor")


@dataclass
class Total:
    """Of one target. hours: of processor time, all processes together."""

    cases: int = 0
    hours: float = 0.0
    runs: int = 0

    @property
    def enough(self) -> bool:
        return self.cases >= CASES or self.hours >= HOURS


def rows_of(text: str) -> Iterator[re.Match[str]]:
    """The rows above the mark of tools.fuzz, up to the head of their table. SystemExit for one that is none."""
    before, found, _ = text.partition(mark("fuzz"))
    if not found:
        raise SystemExit(f"no line {mark('fuzz')!r} on the page")
    for line in reversed(before.rstrip().splitlines()):
        if line.startswith("|---"):
            return
        row = ROW.fullmatch(line)
        if row is None:
            raise SystemExit(f"not a row of a campaign: {line!r}")
        yield row


def add_up(text: str, targets: Iterable[str]) -> dict[str, Total]:
    """Target → its sums, in the order of `targets`; rows of targets that are gone count for nothing."""
    found = {name: Total() for name in targets}
    for row in rows_of(text):
        one = found.get(row["target"])
        if one is None:
            continue
        one.cases += int(row["cases"])
        one.hours += _processor_seconds(row) / 3600
        one.runs += 1
    return found


def _processor_seconds(row: re.Match[str]) -> float:
    if said := PROCESSOR.search(row["rest"]):
        return float(said[1]) * (60 if said[2] == "minutes" else 1)
    # a row of several runs names each one's processes; which ran how long it does not say, so the fewest count
    return float(row["seconds"]) * min(map(int, PROCESSES.findall(row["rest"])), default=1)


def show(targets: Iterable[str], page: Path = PAGE) -> int:
    """A line a target and the command for those that fall short. 1 when there is one."""
    totals = add_up(page.read_text(encoding="utf-8"), targets)
    print(f"{'target':14} {'runs':>4} {'cases':>9} {'hours':>6}  {CASES:,} cases or {HOURS:g} h")
    for name, one in totals.items():
        print(f"{name:14} {one.runs:4} {one.cases:9} {one.hours:6.2f}  {'yes' if one.enough else 'no'}")
    short = [name for name, one in totals.items() if not one.enough]
    print(f"{len(totals) - len(short)} of {len(totals)} targets")
    for name in short:
        seconds = (HOURS - totals[name].hours) * 3600
        print(f"python3 -m tools.fuzz run {name} --seconds {seconds:.0f} --page {PAGE.relative_to(PAGE.parents[1])}")
    return 1 if short else 0
