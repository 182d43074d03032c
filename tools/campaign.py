"""Generated kernels through the product, against digests recorded on a real NVIDIA GPU, or computed by g++.

`python3 -m tools.campaign --count 200` builds units of generated kernels for sm_80 (with PTX), runs them under
`cass-run` on the emulated device by each route, and compares every digest. A kernel that differs, fails or is
unsupported is listed with its number: `python3 -m tools.kernelgen --seed 1 --first N --count 1` prints its source.
For seeds without a recording the digests are those that the source has on the host (`tools.kernelgen.host`).
With `--results FILE` every finished unit is a line of that file, and a later call goes on with the units that are not
in it; the sums are then over everything that the file holds. Units come in an order in which the first ones, however
many, are spread evenly over all: what `--minutes` leaves of a campaign is a fair sample of it.
"""

from __future__ import annotations

import argparse
import collections
import concurrent.futures
import json
import math
import os
import re
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

from cass_shim.compat.runner import kernel_facts
from tools import environment, samples
from tools.kernelgen import host
from tools.kernelgen.program import unit as source_of

VECTORS = environment.ROOT / "tests" / "vectors" / "kernelgen"
TARGETS = {
    "80": "arch=compute_80,code=[sm_80,compute_80]",
    "89": "arch=compute_89,code=[sm_89,compute_89]",
    "90": "arch=compute_90,code=sm_90",  # from here on machine code only
    "100": "arch=compute_100,code=sm_100",
    "120": "arch=compute_120,code=sm_120",
}


@dataclass
class Outcome:
    """What became of a range of kernels on one route. failures: kernel → what happened. evidence: of each record."""

    passed: int = 0
    failures: dict[int, str] = field(default_factory=dict)
    messages: list[str] = field(default_factory=list)
    evidence: list[str] = field(default_factory=list)


def recorded(seed: int) -> tuple[int, ...]:
    """Two digests a kernel, as the GPU gave them; 0 where none is to be trusted."""
    content = (VECTORS / f"kernelgen-{seed}.bin").read_bytes()
    return struct.unpack(f"<{len(content) // 8}Q", content)


def expected(seed: int, first: int, count: int) -> dict[tuple[int, int], str]:
    """(kernel, input seed) → the digest to be seen, where one is to be trusted."""
    if not (VECTORS / f"kernelgen-{seed}.bin").exists():
        return host.digests(seed, first, count)
    known = recorded(seed)
    keys = ((kernel, s) for kernel in range(first, first + count) for s in (0, 1))
    return {(kernel, s): f"{known[2 * kernel + s]:016x}" for kernel, s in keys if known[2 * kernel + s]}


def build(seed: int, first: int, count: int, sm: str) -> Path:
    """The program of one unit."""
    folder = environment.ROOT / "build" / "kernelgen" / f"sm{sm}"
    folder.mkdir(parents=True, exist_ok=True)
    source = folder / f"{seed}-{first}-{count}.cu"
    source.write_text(source_of(seed, first, count))
    program = source.with_suffix("")
    command = ["nvcc", "-w", "-gencode", TARGETS[sm], "-o", str(program), str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}\n{done.stderr}")
    return program


def run_unit(program: Path, route: str, seed: int, first: int, count: int, limit_s: int) -> Outcome:
    """Run one unit; after a crash or a time-out the rest of its kernels run one by one."""
    wanted = expected(seed, first, count)
    outcome = Outcome()
    seen: dict[tuple[int, int], str] = {}
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as cache:
        env = {**os.environ, "CASS_TRANSLATORS": route, "CASS_CACHE_DIR": cache, "CASS_DEVICE": "emulated"}

        def run(*arguments: str) -> None:
            command = [str(environment.launcher()), str(program), *arguments]
            try:
                done = subprocess.run(command, capture_output=True, text=True, timeout=limit_s, env=env, check=False)
                output, errors = done.stdout, done.stderr
            except subprocess.TimeoutExpired as late:
                output, errors = (late.stdout or b"").decode(), "no end\n"
            outcome.messages += errors.splitlines()
            for line in output.splitlines():
                if found := re.match(r"k(\d+) s(\d) (.*)$", line):
                    seen[int(found[1]), int(found[2])] = found[3]

        run()
        for number in range(first, first + count):
            if (number, 1) not in seen and (number, 0) not in seen:
                run(str(number))
        outcome.evidence += [fact.evidence for fact in kernel_facts(Path(cache))]
    for number in range(first, first + count):
        results = [seen.get((number, s), "no output") for s in (0, 1)]
        if all(wanted.get((number, s), result) == result for s, result in enumerate(results)):
            outcome.passed += 1
        else:
            outcome.failures[number] = " ".join(results)
    return outcome


Unit = tuple[str, str, int, int, int]  # SM, route, seed, first kernel, count


class Results:
    """Units that are done, in a file of JSON lines when there is one."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.done: dict[Unit, Outcome] = {}
        for line in _whole_lines(path) if path is not None and path.exists() else ():
            row = json.loads(line)
            failures = {int(number): text for number, text in row["failures"].items()}
            sm, route, seed, first, count = row["unit"]
            self.done[sm, route, seed, first, count] = Outcome(
                row["passed"], failures, row["messages"], row["evidence"]
            )

    def add(self, unit: Unit, outcome: Outcome) -> None:
        """Keep one outcome."""
        self.done[unit] = outcome
        if self.path is not None:
            with self.path.open("a") as file:
                file.write(json.dumps({"unit": unit, **asdict(outcome)}) + "\n")


def _whole_lines(path: Path) -> list[str]:
    """The file's lines; a last one that was cut off, as by a process that was killed, is taken out of the file."""
    content = path.read_bytes()
    whole = content[: content.rfind(b"\n") + 1]
    if len(whole) < len(content):
        path.write_bytes(whole)
    return whole.decode().splitlines()


def run_units(units: list[Unit], results: Results, limit_s: int, jobs: int, until: float = math.inf) -> None:
    """Build and run what is not done yet, a program built just before it runs on each route.

    until: when to begin no more, on the monotonic clock.
    """

    def several(part: list[Unit]) -> list[tuple[Unit, Outcome]]:
        if time.monotonic() > until:
            return []
        sm, _, seed, first, count = part[0]
        program = build(seed, first, count, sm)
        return [(unit, run_unit(program, unit[1], seed, first, count, limit_s)) for unit in part]

    programs: dict[tuple[int, int], list[Unit]] = {}
    for unit in units:
        if unit not in results.done:
            programs.setdefault(unit[3:], []).append(unit)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        waiting = [pool.submit(several, part) for part in programs.values()]
        for job in concurrent.futures.as_completed(waiting):
            for unit, outcome in job.result():
                results.add(unit, outcome)


def spread(number: int) -> list[int]:
    """0 … number - 1 in an order whose first ones lie evenly: by the multiples of the golden ratio."""
    return sorted(range(number), key=lambda at: at * (math.sqrt(5) - 1) / 2 % 1)


def told(results: Results) -> Iterator[str]:
    """What became of everything that is done, route by route."""
    for route in sorted({unit[1] for unit in results.done}):
        outcomes = [outcome for unit, outcome in sorted(results.done.items()) if unit[1] == route]
        failures = {number: text for outcome in outcomes for number, text in outcome.failures.items()}
        levels = collections.Counter(level for outcome in outcomes for level in outcome.evidence)
        evidence = ", ".join(f"{level} × {times}" for level, times in levels.most_common())
        passed = sum(outcome.passed for outcome in outcomes)
        count = sum(unit[4] for unit in results.done if unit[1] == route)
        yield f"{route}: of {count} kernels {passed} passed, {len(failures)} failed; evidence {evidence}"
        yield from (f"  k{number}: {text}" for number, text in sorted(failures.items()))
        reasons = collections.Counter(
            re.sub(r"k\d+|0x[0-9a-f]+", "#", m) for outcome in outcomes for m in outcome.messages
        )
        yield from (f"  {times} × {reason}" for reason, times in reasons.most_common(12))


def main(arguments: list[str]) -> int:
    """Command line; exit status 1 when any digest differs."""
    parser = argparse.ArgumentParser(prog="python3 -m tools.campaign", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--routes", default="lift,ptx-hip", help="each is run alone (default: %(default)s)")
    parser.add_argument("--sm", choices=sorted(TARGETS), default="80")
    parser.add_argument("--unit", type=int, default=25, help="kernels a program (default: %(default)s)")
    parser.add_argument("--skip", type=int, default=0, help="so many units, which another machine has run")
    parser.add_argument("--limit", type=int, default=300, help="seconds a program may take")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 2, help="programs at once (default: %(default)s)")
    parser.add_argument("--minutes", type=float, default=math.inf, help="after which no more programs are begun")
    parser.add_argument("--results", type=Path, metavar="FILE", help="units that are done; a later call goes on")
    options = parser.parse_args(arguments)
    if why := samples.can_build():
        print(f"the campaign cannot be built here: {why}")
        return 2
    until = time.monotonic() + 60 * options.minutes
    end = options.first + options.count
    starts = range(options.first, end, options.unit)
    units = [
        (options.sm, route, options.seed, starts[at], min(options.unit, end - starts[at]))
        for at in spread(len(starts))[options.skip :]
        for route in options.routes.split(",")
    ]
    results = Results(options.results)
    run_units(units, results, options.limit, options.jobs, until)
    print("\n".join(told(results)))
    return 1 if any(outcome.failures for outcome in results.done.values()) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
