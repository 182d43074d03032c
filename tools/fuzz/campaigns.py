"""Runs campaigns, each target in a process of its own, and keeps what they found and how far they came."""

from __future__ import annotations

import concurrent.futures
import datetime
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tools import dated_rows
from tools.environment import ROOT
from tools.fuzz import native_build
from tools.fuzz.engine import Finding, Result, digest
from tools.fuzz.targets import TARGETS

CORPUS = ROOT / "tests" / "fuzz" / "corpus"
GRACE_S = 120.0  # beyond a target's own limit: its corpus is run first
LAST_CASE_S = 15.0  # beyond the limit of a whole run: the case that is being tried, and writing the result
LAST = "finding-last"  # the input at which a process ended
PART = "part-"  # and a number: the folder of one of a target's processes
HEAD = "| date | target | cases | seconds | coverage | findings | engine |"


@dataclass(frozen=True)
class Limits:
    """Of each target: seconds and cases (0: none of that kind); seed of its chance; processes that share its cases.

    jobs: targets at once. minutes: of all of them together (0: no limit); each target may use its share of what is
    left. more: what an earlier run of the same folder did counts towards the cases.
    """

    seconds: float
    cases: int
    seed: int
    jobs: int
    split: int = 1
    minutes: float = 0.0
    more: bool = False


def corpus_of(name: str) -> Path:
    """The committed inputs of a target."""
    if name in TARGETS:
        return CORPUS / TARGETS[name].seeds
    return CORPUS / native_build.TARGETS[name].seeds


def _command(name: str, folder: Path, limits: Limits, programs: dict[str, Path]) -> list[str]:
    rest = [str(folder), str(limits.seconds), str(limits.cases), str(limits.seed), str(corpus_of(name))]
    # what an earlier campaign found is where the next one begins
    whole = folder.parent if folder.name.startswith(PART) else folder
    rest += [str(one / "corpus") for one in dict.fromkeys((whole, folder)) if (one / "corpus").is_dir()]
    if name in programs:
        return [str(programs[name]), "run", *rest]
    return [sys.executable, "-m", "tools.fuzz.worker", name, *rest]


def _environment() -> dict[str, str]:
    """A target's own: this tree first, and what the caller's PYTHONPATH adds."""
    path = os.pathsep.join(one for one in (str(ROOT), os.environ.get("PYTHONPATH", "")) if one)
    return {**os.environ, "PYTHONPATH": path, "PYTHONHASHSEED": "0"}


class Running:
    """The processes of a run, so that SIGTERM ends all of them with the results that they have."""

    def __init__(self) -> None:
        self.stopping = False
        self.until = float("inf")  # on the monotonic clock; nothing waits for longer
        self._processes: set[subprocess.Popen[bytes]] = set()

    def stop(self, *_: object) -> None:
        self.stopping = True
        for process in list(self._processes):
            process.terminate()

    def wait(self, command: Sequence[str], patience: float | None) -> str:
        """Run a process to its end; how it ended. Raises TimeoutExpired."""
        with subprocess.Popen(
            command, env=_environment(), cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        ) as process:
            self._processes.add(process)
            if self.stopping:  # the signal came before this process was known
                process.terminate()
            try:
                said = process.communicate(timeout=self._within(patience))[1].decode(errors="replace").strip()
            except subprocess.TimeoutExpired:
                process.kill()
                raise
            finally:
                self._processes.discard(process)
        return f"ended with {process.returncode}: {said.splitlines()[-1] if said else 'nothing said'}"

    def _within(self, patience: float | None) -> float | None:
        """Seconds to wait for a process: its own, and not beyond the end of the whole run."""
        left = max(self.until + LAST_CASE_S - time.monotonic(), 1.0)
        if left == float("inf"):
            return patience
        return left if patience is None else min(patience, left)


RUNNING = Running()


def run_one(name: str, out: Path, limits: Limits, programs: dict[str, Path]) -> Result:
    """One target's campaign, in as many processes as it is split into, each with a seed of its own."""
    folder = out / name
    folder.mkdir(parents=True, exist_ok=True)
    known = folder / "result.json"
    earlier = read_result(known) if limits.more and known.exists() else None
    if earlier is not None and limits.cases:
        if earlier.cases >= limits.cases:
            return earlier
        limits = replace(limits, cases=limits.cases - earlier.cases, seed=limits.seed + earlier.cases)
    campaign = run_process if limits.split <= 1 else _split
    result = campaign(name, folder, limits, programs)
    if earlier is not None:
        result = added(earlier, result)
    result.write(known)
    return result


def _split(name: str, folder: Path, limits: Limits, programs: dict[str, Path]) -> Result:
    share = replace(limits, cases=-(-limits.cases // limits.split))
    with concurrent.futures.ThreadPoolExecutor(limits.split) as pool:
        places = [folder / f"{PART}{number}" for number in range(limits.split)]
        shares = [replace(share, seed=limits.seed + number) for number in range(limits.split)]
        parts = list(pool.map(lambda place, one: run_process(name, place, one, programs), places, shares))
    for place in places:
        gather(place, folder)
    return joined(parts, folder)


def gather(part: Path, folder: Path) -> None:
    """Moves what one process found and what was new to it into the target's folder."""
    (folder / "corpus").mkdir(exist_ok=True)
    for path in (part / "corpus").glob("*"):
        path.replace(folder / "corpus" / path.name)
    for path in part.glob("finding-*"):
        path.replace(folder / (f"{path.name}-{part.name}" if path.name == LAST else path.name))
    shutil.rmtree(part)


def joined(parts: Sequence[Result], folder: Path) -> Result:
    """The sum of the processes of one target; what two of them met is one finding."""
    for number, part in enumerate(parts):
        for one in part.findings:
            file = Path(one.file).name
            one.file = str(folder / (f"{file}-{PART}{number}" if file == LAST else file))
    result = _sum(parts)
    result.engine = f"{result.engine}; {len(parts)} processes"
    result.seconds = max(part.seconds for part in parts)
    return result


def added(*runs: Result) -> Result:
    """The sum of runs of one target that followed each other, or were made on several machines."""
    result = _sum(runs)
    result.engine = "; then ".join(dict.fromkeys(one.engine for one in runs if one.cases)) or runs[-1].engine
    result.seconds = round(sum(one.seconds for one in runs), 1)
    return result


def _sum(parts: Sequence[Result]) -> Result:
    """Cases, failures and findings together; the coverage of the part that reached most."""
    widest = max(parts, key=lambda one: sum(map(int, re.findall(r"\d+", one.coverage))))
    result = Result(widest.target, widest.engine, coverage=widest.coverage)
    found: dict[str, Finding] = {}
    for part in parts:
        result.cases += part.cases
        result.failures += part.failures
        result.processor += part.processor
        result.seeds = max(result.seeds, part.seeds)
        for one in part.findings:
            found.setdefault(one.what, Finding(one.what, one.file, 0)).times += one.times
    result.findings = list(found.values())
    return result


def run_process(name: str, folder: Path, limits: Limits, programs: dict[str, Path]) -> Result:
    """One process of a campaign; one that dies is a finding too."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "result.json").unlink(missing_ok=True)
    patience = limits.seconds * 1.5 + GRACE_S if limits.seconds else None
    try:
        command = _command(name, folder, limits, programs)
        why = RUNNING.wait(command, patience)
    except subprocess.TimeoutExpired:
        why = "the whole campaign did not end"
    if (folder / "result.json").exists():
        return read_result(folder / "result.json")
    if RUNNING.stopping:  # before it could say anything
        return Result(name, "ended before it began")
    return Result(name, "", failures=1, findings=[_died(folder, why)])


def _died(folder: Path, why: str) -> Finding:
    """The input at which a process of Python ended, which engine.py keeps in `current`."""
    path, current = folder / LAST, folder / "current"
    if current.exists():
        content = current.read_bytes()
        path.write_bytes(content[8 : 8 + int.from_bytes(content[:8], "little")])
    return Finding(why, str(path))


def read_result(path: Path) -> Result:
    """A result.json of either engine."""
    value = json.loads(path.read_text())
    return Result(**{**value, "findings": [Finding(**one) for one in value["findings"]]})


def read_results(places: Iterable[Path]) -> list[Result]:
    """Results in files, or in the folders of an `--out`; those of one target as their sum."""
    found = [path for place in places for path in (sorted(place.rglob("result.json")) if place.is_dir() else [place])]
    runs: dict[str, list[Result]] = {}
    for one in map(read_result, found):
        runs.setdefault(one.target, []).append(one)
    return [added(*runs[name]) for name in sorted(runs)]


class Shares:
    """The minutes of a whole run: what is left is shared by the targets that have not begun, the last ends in time."""

    def __init__(self, limits: Limits, targets: int) -> None:
        self.limits, self.targets, self._lock = limits, targets, threading.Lock()
        RUNNING.until = time.monotonic() + limits.minutes * 60 if limits.minutes else float("inf")

    def next(self) -> Limits:
        """The limits of the target that begins now."""
        with self._lock:
            rounds = -(-self.targets // self.limits.jobs)
            self.targets -= 1
        if not self.limits.minutes:
            return self.limits
        share = max((RUNNING.until - time.monotonic()) / rounds, 1.0)
        return replace(self.limits, seconds=min(share, self.limits.seconds or share))


def run(names: Sequence[str], out: Path, limits: Limits, page: Path | None) -> int:
    """All of them, `jobs` at once; prints a line each. 1 when something was found."""
    native = [name for name in names if name in native_build.TARGETS]
    programs: dict[str, Path] = {}
    if native and (why := native_build.why_not()):
        print(f"targets in C are left out: {why}")
        names = [name for name in names if name not in native]
    elif native:
        programs = native_build.build(native)
    results = []
    signal.signal(signal.SIGTERM, RUNNING.stop)
    shares = Shares(limits, len(names))
    alarm = threading.Timer(limits.minutes * 60, RUNNING.stop)
    if limits.minutes:
        alarm.start()

    def begin(name: str) -> Result | None:
        return None if RUNNING.stopping else run_one(name, out, shares.next(), programs)

    with concurrent.futures.ThreadPoolExecutor(limits.jobs) as pool:
        jobs = [pool.submit(begin, name) for name in names]
        for name, job in zip(names, jobs, strict=True):
            if (result := job.result()) is None:
                print(f"{name:14} not begun: the run was ended", flush=True)
            else:
                results.append(result)
                show(result)
    alarm.cancel()
    if page is not None:
        add_rows(page, results)
    return int(any(one.findings for one in results))


def show(result: Result) -> None:
    """A line a target, and one for each finding."""
    what = result.coverage if result.cases else result.engine
    print(f"{result.target:14} {result.cases:9} cases {result.seconds:7.1f} s  {what}", flush=True)
    for one in result.findings:
        print(f"    {one.times} × {one.what}\n      {one.file}", flush=True)


def add_rows(page: Path, results: Sequence[Result]) -> None:
    """Dated rows above the mark in a page, which holds the table's head."""
    if HEAD not in page.read_text():
        raise SystemExit(f"{page} has no table of campaigns (a line {HEAD!r})")
    rows = [
        f"| {datetime.date.today()} | {one.target} | {one.cases} | {one.seconds:g} | {one.coverage} "
        f"| {len(one.findings)} | {one.engine}{used(one)} |"
        for one in results
    ]
    dated_rows.add_rows("fuzz", rows, page)


def used(result: Result) -> str:
    """The processor's time behind a row's engine, as tools.fuzz.totals reads it."""
    return f"; {result.processor:.0f} s of processor" if result.processor else ""


def merge(names: Sequence[str], out: Path, keep: int) -> int:
    """Adds to the committed corpus the smallest new inputs that reach more, up to `keep` bytes a target."""
    for name in names:
        found = sorted((out / name / "corpus").glob("*"), key=lambda one: one.stat().st_size)
        if not found:
            continue
        folder, left, added = corpus_of(name), keep, 0
        for path in _thinned(name, out):
            content = path.read_bytes()
            if (folder / path.name).exists() or any(folder.glob(f"*{digest(content)}")) or len(content) > left:
                continue
            folder.mkdir(parents=True, exist_ok=True)
            (folder / f"found-{digest(content)}").write_bytes(content)
            left, added = left - len(content), added + 1
        print(f"{name}: {added} of {len(found)} new inputs kept")
    return 0


def _thinned(name: str, out: Path) -> list[Path]:
    """Those of a campaign's inputs that together with the committed ones reach all that it reached."""
    folder = out / name / "merged"
    if name in native_build.TARGETS:
        program = native_build.build([name])[name]
        command = [str(program), "merge", str(folder), str(corpus_of(name)), str(out / name / "corpus")]
    else:
        command = [sys.executable, "-m", "tools.fuzz.worker", name, "merge", str(folder), str(corpus_of(name))]
        command.append(str(out / name / "corpus"))
    subprocess.run(command, cwd=ROOT, env=_environment(), check=True)
    return sorted((folder / "corpus").glob("*"), key=lambda one: one.stat().st_size)


def one_input(verb: str, name: str, files: Sequence[Path]) -> int:
    """`replay` or `minimize` of one target."""
    if name in native_build.TARGETS:
        command = [str(native_build.build([name])[name]), verb, *map(str, files)]
    else:
        command = [sys.executable, "-m", "tools.fuzz.worker", name, verb, *map(str, files)]
    return subprocess.run(command, cwd=ROOT, env=_environment(), check=False).returncode
