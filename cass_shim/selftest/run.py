"""The order of the checks and their time: vectors, examples, launch times, each in processes of its own.

In: a device kind ("hip" or "emulated"). Out: a `HardwareReport`. A fault on AMD hardware ends a process, so nothing
that launches runs in this one; what does not end is stopped and is a failure by name.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from cass_shim.compat.hardware import CheckResult, HardwareReport
from cass_shim.compat.results import Outcome
from cass_shim.compat.runner import Job, Limits, run_one
from cass_shim.model.errors import CassError
from cass_shim.native.locate import built
from cass_shim.selftest.machine import software_versions
from cass_shim.selftest.material import folder

BUDGET_S = 290.0  # of everything: under five minutes
VECTORS_S, TIMING_S, EXAMPLE_S = 150.0, 60.0, 45.0
ARCH = "gfx1100"  # what translations are made for
EXCEPTION = re.compile(r"^[\w.]+(Failed|Error): (open: HIP error 100: )?")  # how Python prints an uncaught one
ROUTES = {"fat": ("lift", "ptx-hip"), "sass": ("lift",)}


class NoDevice(CassError):
    """The device that was asked for is not there, or is another one."""


class Failed(Exception):
    """A child that ended badly; the text is its last line."""


def self_test(kind: str, tell: Callable[[CheckResult], None]) -> HardwareReport:
    """Everything, in order; `tell` hears of each check. Raises NoDevice."""
    deadline = time.monotonic() + BUDGET_S
    report = HardwareReport(time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()))

    def note(check: CheckResult) -> None:
        report.checks.append(check)
        tell(check)

    started = time.monotonic()
    try:
        facts = _child("timing", kind, TIMING_S)
    except Failed as failure:
        raise NoDevice(f"the {kind} device cannot be used: {failure}") from failure
    _check_device(kind, facts)
    report.device, report.driver, report.emulated = facts["device"], facts["driver"], facts["emulated"]
    report.versions, report.timings = software_versions(), dict(facts["timings"])
    shown = ", ".join(f"{name.removesuffix(' ns')} {value:.0f} ns" for name, value in report.timings.items())
    note(CheckResult("launch", "an empty kernel through hip-python", "passed", shown, _since(started)))
    note(_vectors(kind, deadline))
    with tempfile.TemporaryDirectory(prefix="cass-selftest-", ignore_cleanup_errors=True) as name:
        run_examples(kind, deadline, Path(name), report.timings, note)
    return report


def _check_device(kind: str, facts: Mapping[str, Any]) -> None:
    """What was opened must be what was asked for."""
    if kind == "hip" and facts["emulated"]:
        raise NoDevice("the library found is the emulated one; unset CASS_HIP_LIBRARY")
    arch = facts["device"]["arch"]
    if arch != ARCH:
        raise NoDevice(f"the device is a {arch}; translations are made for {ARCH}")


def _since(started: float) -> float:
    return round(time.monotonic() - started, 2)


def _child(module: str, kind: str, timeout_s: float) -> dict[str, Any]:
    """The JSON that `python -m cass_shim.selftest.MODULE KIND` prints. Raises Failed."""
    command = [sys.executable, "-m", f"cass_shim.selftest.{module}", kind]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", timeout=max(timeout_s, 1), check=False,
            stdin=subprocess.DEVNULL,
        )  # fmt: skip
    except subprocess.TimeoutExpired as late:
        raise Failed(f"no end after {timeout_s:.0f} s") from late
    if done.returncode:
        lines = done.stderr.strip().splitlines() or [f"exit status {done.returncode}"]
        raise Failed(EXCEPTION.sub("", lines[-1]))
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def _vectors(kind: str, deadline: float) -> CheckResult:
    name, started = "single SASS instructions against an NVIDIA H200", time.monotonic()
    try:
        found = _child("vectors", kind, min(VECTORS_S, deadline - started))
    except Failed as failure:
        return CheckResult("vectors", name, "failed", str(failure), _since(started))
    wrong: dict[str, str] = found["different"]
    right = found["compared"] - len(wrong)
    text = f"{right} of {found['compared']} agree in 512 lanes each; {found['approximate']} approximate ones left out"
    shown = [f"{instruction}: {where}" for instruction, where in list(wrong.items())[:20]]
    return CheckResult("vectors", name, "failed" if wrong else "passed", "; ".join([text, *shown]), _since(started))


def programs() -> list[tuple[str, Job, tuple[str, ...]]]:
    """The example binaries: name, how to run and judge one, and the routes that have what they need."""
    place, expected = folder("examples/prebuilt"), folder("examples/expected")
    listed = json.loads((place / "PREBUILT.json").read_text())["samples"]
    codes = json.loads((expected / "RECORDED.json").read_text())["exit_codes"]
    found = []
    for name, facts in listed.items():
        example = facts["example"]
        job = Job(place / name, expected / f"{example}.txt", codes[example], name=name)
        found.append((name, job, ROUTES["sass" if name.endswith("_sass") else "fat"]))
    return found


def run_examples(
    kind: str, deadline: float, place: Path, timings: dict[str, float], note: Callable[[CheckResult], None]
) -> None:
    """Each program by each route, first with an empty cache, then again."""
    os.environ["CASS_DEVICE"] = kind  # run_one's programs inherit it
    for name, job, routes in programs():
        for route in routes:
            title = f"{name} by {route}"
            left = deadline - time.monotonic()
            if left < 5:
                note(CheckResult("examples", title, "skipped", "no time left"))
                continue
            limits = Limits(min(EXAMPLE_S, left))
            first = run_one(job, built("cass-run"), route, limits, place)
            note(CheckResult("examples", title, "passed" if first.right else "failed", _told(first), first.seconds))
            timings[f"{title}, first run s"] = first.seconds
            if first.right:
                timings[f"{title}, second run s"] = run_one(job, built("cass-run"), route, limits, place).seconds


def _told(outcome: Outcome) -> str:
    """What the run shows: the difference, or the evidence of its kernels."""
    if not outcome.right:
        last = outcome.messages[-1] if outcome.messages else ""
        return f"{outcome.difference}{': ' + last if last else ''}"
    levels = ", ".join(f"{kernel.name} {kernel.evidence}" for kernel in outcome.kernels)
    return f"output as recorded on an NVIDIA H200; {levels or 'no kernel was translated'}"
