"""`cass view PROGRAM`: one HTML page with SASS, PTX and RDNA3 side by side, evidence, rejections and a step-through.

The page is self-contained (works from file://, fetches nothing), follows the system's light or dark colours, and can
be used with the keyboard alone.
"""

from __future__ import annotations

import concurrent.futures
import contextlib
import html
import json
import multiprocessing
import os
import re
import signal
import sys
from collections.abc import Callable, Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from cass_shim import __version__
from cass_shim.cli.precompile import Asker, Job
from cass_shim.cli.programs import demangled, find_modules, no_kernel
from cass_shim.cli.view_kernel import Listed, listed
from cass_shim.compat.report import look
from cass_shim.model.config import Config
from cass_shim.model.errors import CassError


def all_facts(program: Path, wanted: str, config: Config, lane: int) -> list[dict[str, Any]]:
    """What the page says of the kernels that are meant, each translated (or found in the cache) first; several at once,
    with a progress bar on a terminal. Raises Malformed for none, CassError without a cache."""
    jobs = [Job(program, found, name) for found in find_modules(program, config) for name in found.module.kernels]
    meant = [job for job in jobs if _is_meant(job.kernel, wanted)]
    if not meant:
        raise no_kernel(program, (job.kernel for job in jobs), wanted)
    asker = Asker(config)
    several = min(len(os.sched_getaffinity(0)), len(meant))
    with _processes(several) as show, concurrent.futures.ThreadPoolExecutor(several) as pool:

        def ask_and_show(job: Job) -> dict[str, Any]:
            refusal = asker.run(job).message
            return show(listed, Listed(program, job.found.number, job.kernel, refusal), config, lane)

        requests = [pool.submit(ask_and_show, job) for job in meant]
        try:
            _watch(requests)
            return [one.result() for one in requests]
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            asker.abandon()
            for one in multiprocessing.active_children():
                one.terminate()
            raise


def _watch(requests: list[concurrent.futures.Future[dict[str, Any]]]) -> None:
    """A progress bar until all are done or one has failed."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), disable=not sys.stderr.isatty()) as progress:
        task = progress.add_task("kernels", total=len(requests))
        for one in concurrent.futures.as_completed(requests):
            one.result()
            progress.advance(task)


@contextlib.contextmanager
def _processes(count: int) -> Iterator[Callable[..., dict[str, Any]]]:
    """What calls a function in one of so many processes, since listings are compiled and stepped through in Python; in
    this one where that is enough. Raises CassError there when one of them dies."""
    if count == 1:
        yield lambda function, *arguments: function(*arguments)
        return
    context = multiprocessing.get_context("spawn")  # this process has threads, which a fork would cut off
    with concurrent.futures.ProcessPoolExecutor(count, context, _quiet) as pool:

        def call(function: Callable[..., dict[str, Any]], *arguments: Any) -> dict[str, Any]:
            try:
                return pool.submit(function, *arguments).result()
            except concurrent.futures.BrokenExecutor:
                raise CassError("a process that makes the listings died; `-k KERNEL` shows a kernel alone") from None

        yield call


def _quiet() -> None:
    """Ctrl-C goes to the whole group; what is to be said of it is said once."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _is_meant(kernel: str, wanted: str) -> bool:
    name = demangled(kernel)
    return not wanted or wanted in (kernel, name, name.split("(")[0])


def page(program: str, kernels: list[dict[str, Any]]) -> str:
    """The HTML page of these kernels."""
    template = files("cass_shim.cli").joinpath("view.html").read_text(encoding="utf-8")
    data = json.dumps({"program": program, "kernels": kernels}, default=str, separators=(",", ":"))
    values = {
        "LOOK": look(),
        "PROGRAM": html.escape(program),
        "VERSION": html.escape(__version__),
        "DATA": data.replace("<", "\\u003c"),  # nothing in it ends the script element
    }
    return re.sub("@(LOOK|PROGRAM|VERSION|DATA)@", lambda mark: values[mark.group(1)], template)


@click.command("view")
@click.argument("program", type=click.Path(path_type=Path))
@click.option("--kernel", "-k", default="", help="Kernel name, mangled or as C++ prints it; default all.")
@click.option("--output", "-o", type=click.Path(path_type=Path), help="The page; default PROGRAM's name and .html.")
@click.option("--lane", default=0, show_default=True, help="Whose registers to record, counted over the launch.")
def view_command(program: Path, kernel: str, output: Path | None, lane: int) -> None:
    """Make a page that shows PROGRAM's kernels: SASS, PTX and RDNA3 side by side, and how far each is proved.

    Kernels that are not in the cache yet are translated first. Exit status 1 when one has no translation.
    """
    config = Config.read()
    output = output or Path(f"{program.name}.html")
    shown = all_facts(program, kernel, config, lane)
    complete = not any(one["refusal"] for one in shown)
    try:
        output.write_text(page(program.name, shown), encoding="utf-8")
    except OSError as error:
        raise CassError(f"{output}: {error.strerror}; name another file with -o") from error
    print(output)
    sys.exit(0 if complete else 1)
