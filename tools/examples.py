"""`python3 -m tools examples`: every example, four builds, every route, against what an NVIDIA GPU printed.

Prints one table: a cell is `ok`, or the first line that differs. Exit status 1 unless every cell is ok.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import json
import os
import subprocess
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from tools import environment, samples

EXPECTED = samples.EXAMPLES / "expected"
ANSWERS = environment.ROOT / "tests" / "translate" / "cass" / "answers"  # of the CASS model, recorded


@dataclass(frozen=True)
class Cell:
    """One program × variant × route. detail: empty when right; seconds: the cold run's wall time."""

    example: str
    variant: str
    route: str
    detail: str
    seconds: float


def exit_codes() -> dict[str, int]:
    """Recorded exit code per example."""
    codes: dict[str, int] = json.loads((EXPECTED / "RECORDED.json").read_text())["exit_codes"]
    return codes


def difference(expected: str, code: int, done: subprocess.CompletedProcess[str]) -> str:
    """Empty when output and exit code are the recorded ones, else the first difference in one line."""
    if done.returncode != code:
        last = (done.stderr.strip() or done.stdout.strip()).splitlines()[-1:]
        return f"exit {done.returncode}, recorded {code}: {' '.join(last)}"
    if done.stdout == expected:
        return ""
    pairs = zip(expected.splitlines(), done.stdout.splitlines(), strict=False)
    for number, (want, got) in enumerate(pairs, 1):
        if want != got:
            return f"line {number}: {got!r}, recorded {want!r}"
    return f"{len(done.stdout.splitlines())} lines, recorded {len(expected.splitlines())}"


def run(
    program: Path, example: str, variant: str, route: str, cache: Path, more: Mapping[str, str] = MappingProxyType({}),
    limit_s: float = 240.0,
) -> Cell:  # fmt: skip
    """Run one program under cass-run with one route ("cass+ptx-hip": a chain) and a cache of its own.

    more: settings besides, or instead of the recorded answers that stand for the model. limit_s: on the clock.
    """
    settings = {"CASS_TRANSLATORS": route.replace("+", ","), "CASS_CACHE_DIR": str(cache), "CASS_DEVICE": "emulated"}
    if "cass" in route:
        settings["CASS_MODEL"] = str(ANSWERS)
    begin = time.monotonic()
    command = [str(environment.launcher()), str(program)]
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=limit_s,
            env={**os.environ, **settings, **more},
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Cell(example, variant, route, f"no end after {limit_s:g} s", limit_s)
    expected = (EXPECTED / f"{example}.txt").read_text()
    detail = difference(expected, exit_codes()[example], done)
    return Cell(example, variant, route, detail, time.monotonic() - begin)


def run_all(chosen: list[str], routes: list[str], jobs: int) -> list[Cell]:
    """Build and run; PTX routes only where the binary has PTX."""
    programs = samples.build_all(chosen)
    with (
        tempfile.TemporaryDirectory(prefix="cass-examples-") as folder,
        concurrent.futures.ThreadPoolExecutor(jobs) as pool,
    ):
        pending = [
            pool.submit(
                run,
                programs[name, variant.name],
                name,
                variant.name,
                route,
                Path(folder) / f"{name}-{variant.name}-{route}",
            )
            for name in chosen
            for variant in samples.VARIANTS
            for route in routes
            if variant.has_ptx or "ptx-hip" not in route
        ]
        return [job.result() for job in pending]


def table(cells: list[Cell]) -> str:
    """The cells as text: one row an example, one column a variant and route."""
    columns = list(dict.fromkeys((cell.variant, cell.route) for cell in cells))
    width = max(len(f"{variant} {route}") for variant, route in columns)
    lines = ["example".ljust(16) + "".join(f"{variant} {route}".rjust(width + 2) for variant, route in columns)]
    for name in dict.fromkeys(cell.example for cell in cells):
        row = {(cell.variant, cell.route): cell for cell in cells if cell.example == name}
        shown = [f"{'ok' if not row[c].detail else 'FAIL'} {row[c].seconds:.1f}s" if c in row else "" for c in columns]
        lines.append(name.ljust(16) + "".join(text.rjust(width + 2) for text in shown))
    return "\n".join(lines)


def main(arguments: list[str]) -> int:
    """Command line: names of examples (all when none), --routes, --jobs."""
    parser = argparse.ArgumentParser(prog="python3 -m tools examples", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="EXAMPLE")
    parser.add_argument("--routes", default="lift,ptx-hip", help="comma separated; + makes a chain (%(default)s)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 2)
    options = parser.parse_args(arguments)
    if why := samples.can_build():
        print(f"the examples cannot be built here: {why}")
        return 2
    unknown = set(options.names) - set(samples.names())
    if unknown:
        print(f"no example called {', '.join(sorted(unknown))}; there are: {', '.join(samples.names())}")
        return 2
    cells = run_all(options.names or samples.names(), options.routes.split(","), options.jobs)
    print(table(cells))
    failed = [cell for cell in cells if cell.detail]
    for cell in failed:
        print(f"{cell.example} {cell.variant} {cell.route}: {cell.detail}")
    print(f"\n{len(cells) - len(failed)} passed, {len(failed)} failed")
    return 1 if failed else 0
