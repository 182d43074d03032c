"""Runs programs under cass-run with limits of time and memory, several at once, and collects the facts.

In: programs, goldens, limits. Out: `Outcome`s. Each program has a cache of its own below one folder, so that what it
launched is what the cache holds afterwards.
"""

from __future__ import annotations

import concurrent.futures
import datetime
import hashlib
import os
import re
import resource
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from cass_shim.cache.local import LocalTier
from cass_shim.compat.results import KernelFact, Outcome

MISSING_CALL = re.compile(r"(\w+) is not implemented; it returns")
UNTRANSLATED = re.compile(r"no translation of kernel (\S+) \((.*)\)$")
MESSAGE_LIMIT = 20


@dataclass(frozen=True, slots=True)
class Job:
    """A program to run. golden: a text file with the expected standard output, or None. exit_code: expected."""

    program: Path
    golden: Path | None = None
    exit_code: int = 0
    name: str = ""
    domain: str = ""
    variant: str = ""

    @property
    def title(self) -> str:
        return self.name or str(self.program)


@dataclass(frozen=True, slots=True)
class Limits:
    """seconds: wall time a program; memory_mib: address space beyond the emulated device's reservation, 0 for none."""

    seconds: float = 300.0
    memory_mib: int = 0


def digest_of(path: Path) -> str:
    """SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def compare(expected: str, exit_code: int, done: subprocess.CompletedProcess[str]) -> str:
    """Empty when the run is the golden one, else the first difference in one line."""
    if done.returncode != exit_code:
        return f"exit status {done.returncode}, expected {exit_code}"
    if done.stdout == expected:
        return ""
    pairs = zip(expected.splitlines(), done.stdout.splitlines(), strict=False)
    for number, (want, got) in enumerate(pairs, 1):
        if want != got:
            return f"line {number}: {got[:120]!r}, expected {want[:120]!r}"
    return f"{len(done.stdout.splitlines())} lines, expected {len(expected.splitlines())}"


def untranslated(messages: list[str]) -> tuple[str, ...]:
    """The reasons of kernels that found no translation, without their names."""
    found = (UNTRANSLATED.search(line) for line in messages)
    return tuple(sorted({match[2].split(";")[0][:160] for match in found if match}))


def run_one(job: Job, launcher: Path, translators: str, limits: Limits, folder: Path) -> Outcome:
    """One program, from its first byte to its exit."""
    cache = folder / hashlib.sha256(f"{job.title}/{job.variant}/{translators}".encode()).hexdigest()[:16]
    env = {
        **os.environ,
        "CASS_CACHE_DIR": str(cache),
        "CASS_TRANSLATORS": translators,
        "CASS_IDLE": "5",
        "CASS_BEHIND": "0",
    }

    def limit() -> None:
        if limits.memory_mib:
            bound = limits.memory_mib << 20
            resource.setrlimit(resource.RLIMIT_DATA, (bound, bound))

    begin = time.monotonic()
    command = [str(launcher), "--", str(job.program.resolve())]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", env=env, check=False,
            timeout=limits.seconds, stdin=subprocess.DEVNULL, preexec_fn=limit if limits.memory_mib else None,
        )  # fmt: skip
        late = ""
    except subprocess.TimeoutExpired as expired:
        output = expired.stdout.decode(errors="replace") if isinstance(expired.stdout, bytes) else ""
        done, late = subprocess.CompletedProcess(command, 124, output, ""), f"no end after {limits.seconds:g} s"
    seconds = time.monotonic() - begin
    messages = done.stderr.splitlines()
    golden, difference = "", late
    if job.golden is not None:
        difference = late or compare(job.golden.read_text(), job.exit_code, done)
        golden = "differs" if difference else "same"
    return Outcome(
        program=job.title, digest=digest_of(job.program), translators=translators, exit_code=done.returncode,
        seconds=round(seconds, 3), golden=golden, difference=difference, kernels=tuple(kernel_facts(cache)),
        untranslated=untranslated(messages),
        missing_calls=tuple(sorted({match[1] for line in messages if (match := MISSING_CALL.search(line))})),
        messages=tuple(messages[:MESSAGE_LIMIT]), domain=job.domain, variant=job.variant,
        date=datetime.datetime.now(datetime.UTC).date().isoformat(),
    )  # fmt: skip


def kernel_facts(cache: Path) -> Iterator[KernelFact]:
    """What was translated, from the records of the program's own cache."""
    if not cache.is_dir():
        return
    for record in LocalTier(cache).records():
        yield KernelFact(record.kernel, record.route, record.evidence)


def run_all(
    jobs: list[Job], launcher: Path, translators: str, limits: Limits, folder: Path, workers: int,
    done: Callable[[Outcome], None],
) -> None:  # fmt: skip
    """Run every job, `workers` at once; `done` is called with each outcome as it comes, in one thread at a time."""
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        pending = [pool.submit(run_one, job, launcher, translators, limits, folder) for job in jobs]
        for future in concurrent.futures.as_completed(pending):
            done(future.result())
