"""Goldens: what programs print on a machine with an NVIDIA GPU, for `cass compat run --golden` elsewhere.

In: `Job`s, a folder. Out: `<name>.txt` per program and RECORDED.json, which says where the outputs come from and how
the programs ended. A program that does not end, or prints something else the second time, gets no golden and is named.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from cass_shim.compat.runner import Job
from cass_shim.model.errors import Malformed, ToolFailed

RECORDED = "RECORDED.json"
QUERY = ("--query-gpu=name,driver_version,compute_cap", "--format=csv,noheader")
QUERY_S = 60


@dataclass(frozen=True, slots=True)
class Recorded:
    """One program. reason: why it got no golden, "" when it did."""

    name: str
    exit_code: int = 0
    reason: str = ""


def machine() -> dict[str, str]:
    """The GPU and its driver. Raises ToolFailed where there is none: a golden must not come from us."""
    tool = shutil.which("nvidia-smi")
    if tool is None:
        advice = "not found; goldens are recorded on a machine with an NVIDIA GPU and its driver"
        raise ToolFailed("nvidia-smi", stderr=advice)
    try:
        done = subprocess.run([tool, *QUERY], capture_output=True, text=True, check=False, timeout=QUERY_S)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ToolFailed("nvidia-smi", stderr=str(error)) from error
    facts = done.stdout.strip().splitlines()[0].split(", ") if done.stdout.strip() else []
    if done.returncode or len(facts) != 3:
        raise ToolFailed("nvidia-smi", command=tool, stderr=done.stderr or done.stdout or "it names no GPU")
    return dict(zip(("gpu", "driver", "compute_capability"), facts, strict=True))


def native_environment() -> dict[str, str]:
    """This process's environment without anything of ours: the program must meet NVIDIA's own libraries."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("CASS_")}
    preloaded = kept.pop("LD_PRELOAD", "")
    others = [one for one in preloaded.replace(" ", ":").split(":") if one and "libcass" not in one]
    return {**kept, "LD_PRELOAD": ":".join(others)} if others else kept


def record_one(job: Job, seconds: float, folder: Path) -> Recorded:
    """Run a program twice and write its golden."""
    runs: list[tuple[bytes, int]] = []
    for _ in range(2):
        try:
            done = subprocess.run(
                [str(job.program.resolve())], stdout=subprocess.PIPE, env=native_environment(), check=False,
                timeout=seconds, stdin=subprocess.DEVNULL,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return Recorded(job.title, reason=f"no end after {seconds:g} s; --timeout gives it more")
        except OSError as error:
            return Recorded(job.title, reason=f"does not start: {error.strerror}")
        runs.append((done.stdout, done.returncode))
    if runs[0] != runs[1]:
        return Recorded(job.title, reason="two runs differ, so there is nothing to compare with")
    output, code = runs[0]
    path = folder / f"{job.title}.txt"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(output)
    return Recorded(job.title, code)


def record(
    jobs: list[Job], folder: Path, seconds: float, told: Callable[[Recorded], None], where: dict[str, str]
) -> list[Recorded]:
    """Record every program, one after another; `told` hears of each. where: as `machine` says. Raises Malformed."""
    names = [job.title for job in jobs]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise Malformed(f"two programs are called {twice[0]}; record them into folders of their own")
    folder.mkdir(parents=True, exist_ok=True)
    found = []
    for job in jobs:
        found.append(record_one(job, seconds, folder))
        told(found[-1])
    document = {
        "machine": where,
        "exit_codes": {one.name: one.exit_code for one in found if not one.reason},
        "skipped": {one.name: one.reason for one in found if one.reason},
    }
    (folder / RECORDED).write_text(json.dumps(document, indent=1, sort_keys=True) + "\n")
    return found
