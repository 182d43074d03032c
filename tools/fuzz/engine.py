"""The fuzzing loop for targets in Python: mutation, led by coverage where Python tells it cheaply.

From Python 3.12 on `sys.monitoring` reports every line once and every branch until both sides were seen; inputs that
reach something new join the corpus. Python 3.11 has no such events (a trace function costs tenfold), so there the
mutations are blind. Everything here needs the standard library only.
"""

from __future__ import annotations

import hashlib
import json
import mmap
import random
import resource
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import CodeType

from tools.fuzz.mutate import mutate

CASE_LIMIT_S = 10.0
MEMORY_LIMIT = 4 << 30  # bytes of address space
INPUT_LIMIT = 1 << 17
FINDINGS_LIMIT = 50
AGAIN_EVERY = 2000  # cases after which branches that were seen one way only are watched again
ONE_WAY_LIMIT = 50  # reports of one side of a branch before it is left alone for a while

Check = Callable[[bytes], None]


class NoEnd(BaseException):
    """A case took longer than it may. A BaseException, so that no parser catches it."""


@dataclass
class Finding:
    """what: the exception and where it was raised. file: the input. times: how often it was met."""

    what: str
    file: str
    times: int = 1


@dataclass
class Result:
    """One campaign of one target, as a result.json holds it. processor: seconds of it, all processes together."""

    target: str
    engine: str
    cases: int = 0
    seconds: float = 0.0
    coverage: str = "not measured"
    seeds: int = 0
    failures: int = 0
    findings: list[Finding] = field(default_factory=list)
    processor: float = 0.0

    def write(self, path: Path) -> None:
        path.write_text(json.dumps(asdict(self)) + "\n")


class Coverage:
    """What the package's code did that no case before did. None of it before Python 3.12."""

    TOOL = 3

    def __init__(self, root: str) -> None:
        self.root, self.fresh, self.lines = root, False, 0
        self.sides: dict[tuple[CodeType, int], Counter[int]] = {}
        self.monitoring = getattr(sys, "monitoring", None)
        if self.monitoring is None:
            return
        events = self.monitoring.events
        self.monitoring.use_tool_id(self.TOOL, "cass-fuzz")
        self.monitoring.register_callback(self.TOOL, events.LINE, self._line)
        self.monitoring.register_callback(self.TOOL, events.BRANCH, self._branch)

    def watch(self, on: bool) -> None:
        """Report events from now on, or no longer."""
        if self.monitoring is not None:
            events = self.monitoring.events
            self.monitoring.set_events(self.TOOL, events.LINE | events.BRANCH if on else 0)

    def again(self) -> None:
        """Ask for branches that are still known from one side only."""
        if self.monitoring is not None:
            self.monitoring.restart_events()

    def close(self) -> None:
        if self.monitoring is not None:
            self.watch(False)
            self.monitoring.free_tool_id(self.TOOL)

    def _line(self, code: CodeType, line: int) -> object:
        key = (code, -line)
        if code.co_filename.startswith(self.root) and key not in self.sides:
            self.sides[key] = Counter()
            self.lines += 1
            self.fresh = True
        assert self.monitoring is not None
        return self.monitoring.DISABLE

    def _branch(self, code: CodeType, offset: int, destination: int) -> object:
        assert self.monitoring is not None
        if not code.co_filename.startswith(self.root):
            return self.monitoring.DISABLE
        seen = self.sides.setdefault((code, offset), Counter())
        if destination not in seen:
            self.fresh = True
        seen[destination] += 1
        return self.monitoring.DISABLE if len(seen) > 1 or seen[destination] % ONE_WAY_LIMIT == 0 else None

    @property
    def summary(self) -> str:
        branches = sum(1 for (_, offset), seen in self.sides.items() if offset >= 0 for _ in seen)
        return f"{self.lines} lines, {branches} branch sides" if self.monitoring is not None else "not measured"


@dataclass
class Campaign:
    """Where one target's run keeps its things. check: the target; expected: what it may raise."""

    name: str
    check: Check
    expected: tuple[type[BaseException], ...]
    folder: Path
    text: bool
    seed: int
    stopped: bool = False

    def stop(self, *_: object) -> None:
        """End after the current case, with a result of what was done (SIGTERM)."""
        self.stopped = True

    def run(self, seeds: Sequence[bytes], seconds: float, cases: int) -> Result:
        """Fuzz until the time or the number of cases is used up; 0 means without limit."""
        corpus_folder = self.folder / "corpus"
        corpus_folder.mkdir(parents=True, exist_ok=True)
        coverage = Coverage(str(Path(__file__).resolve().parents[2] / "cass_shim"))
        engine = "sys.monitoring" if coverage.monitoring else "blind mutation"
        result = Result(self.name, f"Python {sys.version_info.major}.{sys.version_info.minor}, {engine}")
        corpus, chance = list(seeds) or [b""], random.Random(self.seed)
        result.seeds, began, used = len(seeds), time.monotonic(), time.process_time()
        until = began + seconds if seconds else float("inf")
        previous = signal.signal(signal.SIGALRM, too_late)
        current = self.current()
        coverage.watch(True)
        try:
            for data in corpus:
                self.case(data, coverage, result, current)
            while not self.stopped and time.monotonic() < until and (not cases or result.cases < cases):
                recent = corpus[-32:] if len(corpus) > 32 and chance.random() < 0.5 else corpus
                data = mutate(chance, chance.choice(recent), corpus, self.text)[:INPUT_LIMIT]
                if self.case(data, coverage, result, current):
                    corpus.append(data)
                    (corpus_folder / digest(data)).write_bytes(data)
                if result.cases % AGAIN_EVERY == 0:
                    coverage.again()
        finally:
            signal.signal(signal.SIGALRM, previous)
            coverage.close()
            current.close()
        result.seconds, result.coverage = round(time.monotonic() - began, 1), coverage.summary
        result.processor = round(time.process_time() - used, 1)
        return result

    def current(self) -> mmap.mmap:
        """The input being tried, where it survives the process."""
        path = self.folder / "current"
        path.write_bytes(bytes(INPUT_LIMIT + 8))
        with path.open("r+b") as file:
            return mmap.mmap(file.fileno(), INPUT_LIMIT + 8)

    def case(self, data: bytes, coverage: Coverage, result: Result, current: mmap.mmap) -> bool:
        """Run one input; true when it did something new."""
        current[: 8 + len(data)] = len(data).to_bytes(8, "little") + data
        coverage.fresh = False
        what = outcome(self.check, data, self.expected)
        result.cases += 1
        if what:
            self._note(what, data, result)
        return coverage.fresh

    def _note(self, what: str, data: bytes, result: Result) -> None:
        result.failures += 1
        known = next((one for one in result.findings if one.what == what), None)
        if known is not None:
            known.times += 1
        elif len(result.findings) < FINDINGS_LIMIT:
            path = self.folder / f"finding-{digest(data)}"
            path.write_bytes(data)
            result.findings.append(Finding(what, str(path)))


def too_late(number: int, frame: object) -> None:
    """The handler of SIGALRM while cases run."""
    raise NoEnd


def outcome(check: Check, data: bytes, expected: tuple[type[BaseException], ...]) -> str:
    """What went wrong with an input, or nothing: an error that is none of the expected ones, or no end."""
    signal.setitimer(signal.ITIMER_REAL, CASE_LIMIT_S)
    try:
        check(data)
    except expected:
        return ""
    except NoEnd:
        return f"no end within {CASE_LIMIT_S:g} s"
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        signal.setitimer(signal.ITIMER_REAL, 0)
        return f"{type(error).__name__} at {_place(error)}"
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    return ""


def _place(error: BaseException) -> str:
    """The innermost line of ours: it names the failure better than the message, which varies."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [one for one in frames if "cass_shim" in one.filename] or frames
    return f"{Path(ours[-1].filename).name}:{ours[-1].lineno} {ours[-1].name}" if ours else "?"


def minimize(check: Check, data: bytes, expected: tuple[type[BaseException], ...]) -> bytes:
    """A smaller input that fails in the same way."""
    signal.signal(signal.SIGALRM, too_late)
    wanted = outcome(check, data, expected)
    if not wanted:
        return data
    piece = len(data) // 2
    while piece:
        at = 0
        while at + piece <= len(data):
            trial = data[:at] + data[at + piece :]
            if outcome(check, trial, expected) == wanted:
                data = trial
            else:
                at += piece
        piece //= 2
    return data


def merge(check: Check, corpus: Sequence[bytes], expected: tuple[type[BaseException], ...]) -> list[bytes]:
    """The inputs, smallest first, that each reach something that those before do not; all before Python 3.12."""
    signal.signal(signal.SIGALRM, too_late)
    coverage = Coverage(str(Path(__file__).resolve().parents[2] / "cass_shim"))
    kept = []
    for data in sorted(set(corpus), key=lambda one: (len(one), one)):
        coverage.fresh = coverage.monitoring is None
        coverage.watch(True)
        outcome(check, data, expected)
        coverage.watch(False)
        if coverage.fresh:
            kept.append(data)
    coverage.close()
    return kept


def limit_memory() -> None:
    """A parser that reserves what a forged size says ends with MemoryError instead of the machine."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT, MEMORY_LIMIT))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]
