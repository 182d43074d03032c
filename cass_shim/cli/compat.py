"""`cass compat run` and `cass compat report`: does my program work?"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

import click
from rich.console import Console
from rich.progress import Progress, TaskID

from cass_shim import __version__
from cass_shim.compat import report as pages
from cass_shim.compat.build import DEFAULT_VARIANTS, VARIANTS
from cass_shim.compat.hardware import read_report
from cass_shim.compat.jobs import NO_PROGRAM, collect, jobs_below, serves
from cass_shim.compat.record import Recorded, machine, record
from cass_shim.compat.results import Outcome, Results, read_results, write_results
from cass_shim.compat.runner import Job, Limits, digest_of, run_all
from cass_shim.model.errors import Malformed
from cass_shim.native.build import BUILD


@click.group("compat")
def compat_command() -> None:
    """Run programs, compare them with goldens, and make the compatibility page."""


@compat_command.command("run")
@click.argument("what", nargs=-1, required=True)
@click.option(
    "--variant",
    "variants",
    multiple=True,
    default=DEFAULT_VARIANTS,
    show_default=True,
    help=f"How to build the suite's programs; may be given several times: all, {', '.join(VARIANTS)}.",
)
@click.option("--results", default="compat.json", type=click.Path(path_type=Path), help="Written after every program.")
@click.option(
    "--golden", type=click.Path(exists=True, file_okay=False, path_type=Path), help="Folder of expected outputs."
)
@click.option("--routes", default="lift,ptx-hip", help="Translators in order; several runs separated by ';'.")
@click.option("--jobs", default=os.cpu_count() or 2, help="Programs at once.")
@click.option("--timeout", default=300.0, help="Seconds a program may take.")
@click.option("--memory", default=0, help="MiB of data a program may use (0: no limit).")
@click.option("--again", is_flag=True, help="Run also what the results file already holds.")
def run_command(
    what: tuple[str, ...],
    variants: tuple[str, ...],
    results: Path,
    golden: Path | None,
    routes: str,
    jobs: int,
    timeout: float,
    memory: int,
    again: bool,
) -> None:
    """Run programs under cass-run. Exit status 1 when one is not right.

    WHAT: programs, folders of programs, or in a checkout parts of the suite, which are built first: all, samples,
    examples, a domain (graph, sparse, …) or a program (graph/pagerank).
    """
    orders = _orders(routes)
    done = read_results(results) if results.exists() else Results()
    done.version, done.device = __version__, _device()
    console = Console(stderr=True)
    with console.status("building the suite's programs with nvcc"):
        wanted = collect(what, golden, variants, jobs)
    with (
        tempfile.TemporaryDirectory(prefix="cass-compat-") as folder,
        Progress(console=console, disable=not sys.stderr.isatty()) as progress,
    ):
        for translators in orders:
            fitting = [job for job in wanted if serves(job, translators)]
            left = [job for job in fitting if again or not _is_stored(done, job, translators)]
            task = progress.add_task(translators, total=len(left))

            def record(outcome: Outcome, task: TaskID = task) -> None:
                _store(done, outcome, results)
                progress.advance(task)

            run_all(left, BUILD / "cass-run", translators, Limits(timeout, memory), Path(folder), jobs, record)
    sys.exit(_summary(done))


def _orders(routes: str) -> list[str]:
    """The orders of translators to run with. Raises Malformed for one that is not there."""
    from cass_shim.pipeline import TRANSLATORS

    orders = [order.replace(" ", "") for order in routes.split(";") if order.strip()]
    unknown = sorted({name for order in orders for name in order.split(",")} - set(TRANSLATORS))
    if unknown or not orders:
        raise Malformed(f"--routes: no translator {', '.join(unknown) or 'given'}; there are {', '.join(TRANSLATORS)}")
    return orders


def _store(done: Results, outcome: Outcome, path: Path) -> None:
    """Put an outcome in the place of an earlier one, and write the file."""
    key = (outcome.program, outcome.variant, outcome.translators)
    done.outcomes = [o for o in done.outcomes if (o.program, o.variant, o.translators) != key]
    done.outcomes.append(outcome)
    write_results(done, path)


def _summary(done: Results) -> int:
    """Print totals and what is not right; the exit status."""
    for rating, count in pages.totals(done.outcomes):
        click.echo(f"{count:5d} {rating}")
    wrong = [outcome for outcome in done.outcomes if not outcome.right]
    for outcome in wrong:
        reason = outcome.difference or "; ".join((*outcome.missing_calls, *outcome.untranslated))
        shown = reason or f"exit status {outcome.exit_code}"
        click.echo(f"{outcome.program} {outcome.variant} {outcome.translators}: {shown}")
    return 1 if wrong else 0


def _device() -> str:
    """The device that programs meet, for the page's head."""
    from cass_shim.device.library import open_library
    from cass_shim.model.config import Config
    from cass_shim.model.errors import CassError

    config = Config.read()
    try:
        return f"{open_library(config.device).kind} {config.gfx}"
    except CassError as error:
        return f"no device ({error})"


def _is_stored(results: Results, job: Job, translators: str) -> bool:
    found = results.find(job.title, digest_of(job.program), translators)
    return found is not None and found.variant == job.variant


@compat_command.command("record")
@click.argument("what", nargs=-1, required=True)
@click.option(
    "--golden", required=True, type=click.Path(file_okay=False, path_type=Path), help="Folder that the outputs go to."
)
@click.option("--timeout", default=300.0, help="Seconds a program may take.")
def record_command(what: tuple[str, ...], golden: Path, timeout: float) -> None:
    """Record what programs print on this machine's NVIDIA GPU, for `cass compat run --golden` elsewhere.

    WHAT: programs and folders of programs; each is run twice, without cass-shim. Exit status 1 when one got no golden.
    """
    where = machine()
    jobs = jobs_below([_existing(word) for word in what], None)
    if not jobs:
        raise Malformed(NO_PROGRAM, where=" ".join(what))

    def told(one: Recorded) -> None:
        click.echo(f"{one.name}: {one.reason or f'recorded, exit status {one.exit_code}'}")

    done = record(jobs, golden, timeout, told, where)
    click.echo(f"{where['gpu']}; compare elsewhere: cass compat run PROGRAM… --golden {golden}")
    sys.exit(1 if any(one.reason for one in done) else 0)


def _existing(word: str) -> Path:
    """A path that is there. Raises Malformed."""
    path = Path(word)
    if not path.exists():
        raise Malformed("no such file or folder", where=word)
    return path


@compat_command.command("report")
@click.argument("results", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--html", "page", type=click.Path(path_type=Path), help="Write the page here.")
@click.option("--markdown", type=click.Path(path_type=Path), help="Write Markdown here.")
@click.option(
    "--hardware",
    multiple=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A report of `cass selftest --json` to take in; may be given several times.",
)
def report_command(results: Path, page: Path | None, markdown: Path | None, hardware: tuple[Path, ...]) -> None:
    """Make the page from results; without options Markdown goes to standard output."""
    read = read_results(results)
    reports = [read_report(path) for path in hardware]
    if page:
        page.write_text(pages.page(read, reports))
    if markdown:
        markdown.write_text(pages.markdown(read, reports))
    if not page and not markdown:
        click.echo(pages.markdown(read, reports), nl=False)
