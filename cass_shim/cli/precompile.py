"""`cass precompile PATH…`: translate every kernel of every program below the paths before anybody runs one."""

from __future__ import annotations

import concurrent.futures
import contextlib
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from cass_shim.cli.daemon import await_team, connect
from cass_shim.cli.programs import FoundModule, demangled, find_modules, read_program
from cass_shim.daemon.runtime import Client
from cass_shim.model.config import Config
from cass_shim.model.errors import CassError
from cass_shim.model.wire import FrameKind, KernelRequest, ModuleRequest, Reply, Status

ELF_MAGIC, FATBIN_MAGIC = b"\x7fELF", (0xBA55ED50).to_bytes(4, "little")
OTHER_FORMS = (".ptx", ".cubin", ".fatbin")


@dataclass(frozen=True)
class Job:
    """One kernel of one program."""

    program: Path
    found: FoundModule
    kernel: str


@dataclass(frozen=True)
class Outcome:
    """How a job ended; `message` is empty when it is in the cache now."""

    job: Job
    message: str


def program_files(paths: Sequence[Path]) -> Iterator[Path]:
    """The files that may hold CUDA code: named ones, and below directories those that look like it."""
    for path in paths:
        if not path.is_dir():
            yield path
            continue
        for folder, _, names in os.walk(path):
            for name in sorted(names):
                file = Path(folder) / name
                if file.is_file() and not file.is_symlink() and _looks_like_cuda(file):
                    yield file


def _looks_like_cuda(file: Path) -> bool:
    try:
        with file.open("rb") as stream:
            head = stream.read(4)
    except OSError:
        return False
    return head in (ELF_MAGIC, FATBIN_MAGIC) or file.suffix in OTHER_FORMS


def find_jobs(paths: Sequence[Path], config: Config, report: Callable[[str], None]) -> Iterator[Job]:
    """One job per distinct kernel; what cannot be read is reported and passed over."""
    seen: set[str] = set()
    for file in program_files(paths):
        try:
            for found in find_modules(file, config):
                for kernel in found.module.kernels:
                    key = found.module.key(kernel, config.gfx).digest.hex()
                    if key not in seen:
                        seen.add(key)
                        yield Job(file, found, kernel)
        except CassError as error:
            if file in paths or "not an ELF file" not in str(error):
                report(str(error))


class Interrupted(Exception):
    """The user stopped it: `done` of `total` kernels are in the cache."""

    def __init__(self, done: int, total: int) -> None:
        super().__init__(f"{done} of {total}")
        self.done, self.total = done, total


class Asker:
    """Asks the daemon from several threads, a connection each."""

    def __init__(self, config: Config) -> None:
        self.config, self.local = config, threading.local()
        self.clients = list[Client]()

    def _ask(self, kind: FrameKind, payload: bytes) -> Reply:
        if not hasattr(self.local, "client"):
            self.local.client = connect(self.config)
            self.clients.append(self.local.client)
        try:
            reply: Reply = self.local.client.ask(kind, payload)
        except OSError:
            del self.local.client
            raise
        return reply

    def abandon(self) -> None:
        """End every request that is under way; what the daemon has begun it finishes and keeps."""
        for one in self.clients:
            with contextlib.suppress(OSError):
                one.connection.shutdown(socket.SHUT_RDWR)

    def run(self, job: Job) -> Outcome:
        """Translate one kernel; its message says why not."""
        options, found = self.config.options(), job.found
        module = ModuleRequest(found.digest, found.entry_offset, found.region, options).pack()
        kernel = KernelRequest(found.digest, job.kernel, options).pack()
        try:
            reply = self._ask(FrameKind.KERNEL, kernel)
            if reply.status is Status.NEED_MODULE:
                reply = self._ask(FrameKind.MODULE, module)
                if reply.status is Status.OK:
                    reply = self._ask(FrameKind.KERNEL, kernel)
        except (OSError, CassError) as error:
            return Outcome(job, f"the daemon did not answer: {error}")
        return Outcome(job, "" if reply.status is Status.OK else reply.body.decode(errors="replace"))


def precompile(paths: Sequence[Path], config: Config, jobs: int) -> list[Outcome]:
    """Translate everything below `paths`, with a progress bar on a terminal. What is cached costs nothing."""
    console = Console(stderr=True)
    work = list(find_jobs(paths, config, lambda text: console.print(f"cass: {text}", markup=False)))
    asker = Asker(config)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with (
        Progress(*columns, console=console, disable=not sys.stderr.isatty()) as progress,
        concurrent.futures.ThreadPoolExecutor(jobs) as pool,
    ):
        task = progress.add_task("translating", total=len(work))
        requests = [pool.submit(asker.run, job) for job in work]
        try:
            for _ in concurrent.futures.as_completed(requests):
                progress.advance(task)
        except KeyboardInterrupt:
            pool.shutdown(wait=False, cancel_futures=True)
            asker.abandon()
            done = sum(one.done() and not one.cancelled() and not one.result().message for one in requests)
            raise Interrupted(done, len(requests)) from None
        return [one.result() for one in requests]


@click.command("precompile")
@click.argument("paths", type=click.Path(path_type=Path), nargs=-1, required=True)
@click.option("--jobs", "-j", default=0, help="Requests at once; default one per processor.")
def precompile_command(paths: tuple[Path, ...], jobs: int) -> None:
    """Translate, verify and cache every kernel of the programs at or below PATHS.

    Can be interrupted and repeated: what is in the cache is not done again. With CASS_REMOTE_ROLE=write it waits until
    the team's caches have everything. Exit status 1 when there is no kernel, one has no translation, or a team's cache
    had trouble.
    """
    config = Config.read()
    for path in paths:
        if not path.is_dir():
            read_program(path)  # raises for what is not there
    try:
        outcomes = precompile(paths, config, jobs or len(os.sched_getaffinity(0)))
    except Interrupted as error:
        print(
            f"stopped; {error.done} of {error.total} kernels are in the cache, and the same command goes on from there"
        )
        sys.exit(128 + signal.SIGINT)
    failed = [one for one in outcomes if one.message]
    if not outcomes:
        print("no CUDA kernels there; libraries that a program loads may hold them")
        sys.exit(1)
    print(f"{len(outcomes) - len(failed)} of {len(outcomes)} kernels are in the cache")
    for one in failed:
        print(f"{one.job.program}: {demangled(one.job.kernel)}: {one.message}")
    trouble = [] if config.remote_role == "read" else await_team(config)  # CI may end as soon as we do
    for line in trouble:
        print(f"cass: team cache {line}; `cass cache push` gives it the rest", file=sys.stderr)
    sys.exit(1 if failed or trouble else 0)
