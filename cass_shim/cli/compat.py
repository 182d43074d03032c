"""`cass compat run` and `cass compat report`: does my program work?"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path

import click
from rich.console import Console
from rich.progress import Progress

from cass_shim import __version__
from cass_shim.compat import report as pages
from cass_shim.compat.results import Outcome, Results, read_results, write_results
from cass_shim.compat.runner import Job, Limits, digest_of, run_all
from cass_shim.model.errors import Malformed
from cass_shim.native.build import BUILD

MAGIC = b"\x7fELF"


@click.group("compat")
def compat_command() -> None:
    """Run programs, compare them with goldens, and make the compatibility page."""


def jobs_of(paths: tuple[Path, ...], golden: Path | None) -> list[Job]:
    """Programs named or below folders. A golden is `<name>.txt` in the golden folder; exit codes in RECORDED.json."""
    codes: dict[str, int] = {}
    if golden is not None and (recorded := golden / "RECORDED.json").exists():
        codes = json.loads(recorded.read_text()).get("exit_codes", {})
    found: list[Job] = []
    for path in paths:
        programs = sorted(p for p in path.rglob("*") if p.is_file()) if path.is_dir() else [path]
        for program in programs:
            with program.open("rb") as file:
                if file.read(4) != MAGIC or (path.is_dir() and not os.access(program, os.X_OK)):
                    continue
            text = golden / f"{program.name}.txt" if golden is not None else None
            variant = program.parent.name if path.is_dir() and program.parent != path else ""
            found.append(
                Job(
                    program,
                    text if text and text.exists() else None,
                    codes.get(program.name, 0),
                    program.name,
                    "",
                    variant,
                )
            )
    return found


@compat_command.command("run")
@click.argument("paths", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
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
    paths: tuple[Path, ...],
    results: Path,
    golden: Path | None,
    routes: str,
    jobs: int,
    timeout: float,
    memory: int,
    again: bool,
) -> None:
    """Run programs (or every program below folders) under cass-run. Exit status 1 when one is not right."""
    done = read_results(results) if results.exists() else Results()
    done.version, done.device = __version__, os.environ.get("CASS_DEVICE", "auto") + " gfx1100"
    console = Console(stderr=True)
    wanted = jobs_of(paths, golden)
    if not wanted:
        raise Malformed("no program among them", where=" ".join(map(str, paths)))
    with tempfile.TemporaryDirectory(prefix="cass-compat-") as folder, Progress(console=console) as progress:
        for translators in routes.split(";"):
            left = [job for job in wanted if again or not _is_stored(done, job, translators)]
            task = progress.add_task(translators, total=len(left))

            def record(outcome: Outcome, task: object = task) -> None:
                key = (outcome.program, outcome.variant, outcome.translators)
                done.outcomes = [o for o in done.outcomes if (o.program, o.variant, o.translators) != key]
                done.outcomes.append(outcome)
                write_results(done, results)
                progress.advance(task)  # type: ignore[arg-type]

            run_all(left, BUILD / "cass-run", translators, Limits(timeout, memory), Path(folder), jobs, record)
    for rating, count in pages.totals(done.outcomes):
        click.echo(f"{count:5d} {rating}")
    for outcome in done.outcomes:
        if not outcome.right:
            click.echo(
                f"{outcome.program} {outcome.variant} {outcome.translators}: {outcome.difference or outcome.exit_code}"
            )
    sys.exit(0 if all(outcome.right for outcome in done.outcomes) else 1)


def _is_stored(results: Results, job: Job, translators: str) -> bool:
    found = results.find(job.title, digest_of(job.program), translators)
    return found is not None and found.variant == job.variant


@compat_command.command("report")
@click.argument("results", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--html", "page", type=click.Path(path_type=Path), help="Write the page here.")
@click.option("--markdown", type=click.Path(path_type=Path), help="Write Markdown here.")
def report_command(results: Path, page: Path | None, markdown: Path | None) -> None:
    """Make the page from results; without options Markdown goes to standard output."""
    read = read_results(results)
    if page:
        page.write_text(pages.page(read))
    if markdown:
        markdown.write_text(pages.markdown(read))
    if not page and not markdown:
        click.echo(pages.markdown(read), nl=False)
