"""The situations in which calls are made to fail, each with a cache and a runtime directory of its own."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from cass_shim.cache.inspection import inspect_tier
from cass_shim.cache.local import LocalTier
from cass_shim.cache.trust import TrustSet
from tools import environment
from tools.faults import Fault, State
from tools.faults.programs import VECTOR_ADD

RUN_LIMIT_S = 120.0
CLEAR = re.compile(r"cass|error|memory|denied|cannot|failed", re.IGNORECASE)


@dataclass
class Place:
    """One cache, one daemon, one program. injector: the built library. side: "program", "daemon" or "both".

    command: the program and its arguments.
    """

    folder: Path
    injector: Path
    side: str
    command: tuple[str, ...] = VECTOR_ADD
    state: State = field(init=False)
    expected: str = ""

    def __post_init__(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        self.state = State(self.folder / "state")
        if self.side != "program":
            self._write_python()

    def _write_python(self) -> None:
        """The daemon's interpreter, with the injector in it: the client scrubs LD_PRELOAD."""
        path = self.folder / "python"
        path.write_text(
            f"#!/bin/sh\nLD_PRELOAD={self.injector} CASS_FAULT_STATE={self.state.path} "
            f'CASS_FAULT_UNDER={self.folder} exec {environment.python()} "$@"\n'
        )
        path.chmod(0o755)

    @property
    def cache(self) -> Path:
        return self.folder / "cache"

    def settings(self, faulty: bool) -> dict[str, str]:
        """The environment of a run."""
        values = {
            **{name: value for name, value in os.environ.items() if not name.startswith("CASS_")},
            "CASS_CACHE_DIR": str(self.cache),
            "CASS_RUNTIME_DIR": str(self.folder / "run"),
            "CASS_DEVICE": "emulated",
            "CASS_EMU_THREADS": "2",
            "CASS_TIMEOUT": "60",
            "CASS_IDLE": "300",
            "PYTHONPATH": str(environment.ROOT),
        }
        if self.side != "program":
            values["CASS_PYTHON"] = str(self.folder / "python")
        if self.side != "daemon" and faulty:
            values |= {"LD_PRELOAD": str(self.injector), "CASS_FAULT_STATE": str(self.state.path)}
        return values

    def run(
        self, faulty: bool, more: Mapping[str, str] | None = None, limits: Sequence[str] = ()
    ) -> subprocess.CompletedProcess[str]:
        """Run the program; TimeoutExpired when it hangs. more: variables; limits: options of prlimit(1)."""
        command = [str(environment.launcher()), *self.command]
        if limits:
            command = ["prlimit", *limits, "--", *command]
        return subprocess.run(
            command, env={**self.settings(faulty), **(more or {})}, capture_output=True, text=True, errors="replace",
            timeout=RUN_LIMIT_S, check=False, stdin=subprocess.DEVNULL,
        )  # fmt: skip

    def stop_daemon(self) -> None:
        """End it however it is; SIGKILL is part of the campaign."""
        for path in Path("/proc").glob("[0-9]*/cmdline"):
            with suppress(OSError):
                words = path.read_bytes().split(b"\0")
                if str(self.folder / "run").encode() in b" ".join(words):
                    os.kill(int(path.parent.name), signal.SIGKILL)

    def forget_entries(self) -> None:
        """What C reads: manifests and code entries; records and blobs stay, so that nothing is translated anew."""
        for kind in ("modules", "code"):
            for path in self.cache.glob(f"v*/*/{kind}"):
                shutil.rmtree(path, ignore_errors=True)

    def forget_all(self) -> None:
        shutil.rmtree(self.cache, ignore_errors=True)

    def damage(self) -> list[str]:
        """What `cass cache verify` would say of the cache."""
        return [f"{one.path}: {one.reason}" for one in inspect_tier(LocalTier(self.cache), TrustSet({})).findings]


@dataclass(frozen=True)
class Stage:
    """A situation. prepare: what is done before each run."""

    purpose: str
    side: str
    prepare: Callable[[Place], None]


def _nothing(place: Place) -> None:
    pass


def _served(place: Place) -> None:
    place.forget_entries()


def _started(place: Place) -> None:
    place.stop_daemon()
    place.forget_entries()


def _cold(place: Place) -> None:
    place.stop_daemon()
    place.forget_all()


STAGES = {
    "warm": Stage("calls of the program's process, everything cached", "program", _nothing),
    "served": Stage("calls of the program's process, answers from a running daemon", "program", _served),
    "started": Stage("calls of the program's process, which starts the daemon", "program", _started),
    "daemon": Stage("calls of the daemon and its workers, empty cache", "daemon", _cold),
}


def judge(place: Place, stage: Stage, fault: Fault) -> str:
    """Run once with the fault and once without: "right", "clear", "unmet", or what is wrong."""
    stage.prepare(place)
    place.state.arm(fault)
    try:
        done = place.run(True)
    except subprocess.TimeoutExpired:
        place.stop_daemon()
        return "hangs"
    failed = place.state.failed
    place.state.arm(None)
    verdict = judged(place, done)
    return "unmet" if verdict in ("right", "clear") and not failed else verdict


def judged(place: Place, done: subprocess.CompletedProcess[str]) -> str:
    """The verdict on a run that ended, after an undisturbed one: "right", "clear", or what is wrong."""
    verdict = _verdict(done, place.expected)
    if verdict not in ("right", "clear"):
        return verdict
    try:
        again = place.run(False)
    except subprocess.TimeoutExpired:
        return "the next run hangs"
    if (again.returncode, again.stdout) != (0, place.expected):
        return f"the next run is wrong: {again.returncode} {again.stderr.strip()[-200:]}"
    return verdict


def _verdict(done: subprocess.CompletedProcess[str], expected: str) -> str:
    if done.returncode == 0:
        return "right" if done.stdout == expected else f"another output, and success: {done.stderr.strip()[-200:]}"
    if done.returncode < 0 or done.returncode > 128:
        return f"killed by signal {-done.returncode if done.returncode < 0 else done.returncode - 128}"
    said = done.stderr + done.stdout
    return "clear" if CLEAR.search(said) else f"exit {done.returncode} without a word"
