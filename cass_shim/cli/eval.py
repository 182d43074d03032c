"""`cass eval`: a model or another translator against a benchmark."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from cass_shim import __version__
from cass_shim.compat.crew import measure_shared
from cass_shim.compat.evaluate import (
    PASS_AT,
    Measured,
    Options,
    Share,
    Summary,
    summarise,
)
from cass_shim.compat.problems import Program, build_program, programs, read_problems
from cass_shim.compat.rows import SUFFIXES, columns_of, write_rows
from cass_shim.compat.runner import Job, Limits, run_one
from cass_shim.compat.sources import ROUTE as SOURCE_ROUTE
from cass_shim.compat.sources import measure_source
from cass_shim.model.config import Config
from cass_shim.model.errors import CassError
from cass_shim.native.build import BUILD


@click.command("eval")
@click.argument("benchmarks", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option("--translators", default="cass", help="Each alone, with commas: cass, lift, ptx-hip, cass-src.")
@click.option("--samples", default=10, help="Answers drawn from a model besides its greedy one.")
@click.option("--temperature", default=0.8, help="Of these samples.")
@click.option("--seconds", default=60.0, help="One request to a model may take.")
@click.option("--repairs", default=2, help="Second looks where a model's greedy answer is rejected.")
@click.option("--no-grammar", is_flag=True, help="Let our own model say what cannot be assembled, to compare.")
@click.option("--parts", default=0, help="Cut kernels into parts of at most so many instructions, for a model.")
@click.option("--small", default=24, help="The same, where nothing else was right, as the translator does (0: not).")
@click.option("--limit", default=0, help="Kernels of each benchmark (0: all).")
@click.option("--jobs", default=1, help="Processes that measure, each with a model of its own.")
@click.option("--json", "out", type=click.Path(path_type=Path), help="Write everything here, after every kernel.")
@click.option("--columns", default="", help="Of a benchmark in JSON rows: name=…,domain=…,source=…,output=….")
@click.option("--run", "runs", is_flag=True, help="Also run programs whose expected output lies beside them.")
def eval_command(
    benchmarks: tuple[Path, ...], translators: str, samples: int, temperature: float, seconds: float, repairs: int,
    no_grammar: bool, parts: int, small: int, limit: int, jobs: int, out: Path | None, columns: str, runs: bool,
) -> None:  # fmt: skip
    """Measure translators on benchmarks: folders of held-out pairs, folders of .cu files, .cu files or cubins.

    A kernel counts as verified when the verifier gives it E1u or better on the device that CASS_DEVICE names. In a
    folder of .cu files, <name>.txt is what the program prints on an NVIDIA GPU (--run compares), and folders within
    are domains. A .json or .jsonl file is such a benchmark in rows. cass-src: a model translates CUDA sources to HIP;
    what hipcc builds counts as assembled, what prints the expected output as verified (--run).
    """
    with tempfile.TemporaryDirectory(prefix="cass-eval-") as folder:
        places = [
            write_rows(path, columns_of(columns), Path(folder)) if path.suffix in SUFFIXES else path
            for path in benchmarks
        ]
        options = Options(samples, temperature, seconds, repairs, not no_grammar, parts, small)
        evaluate(places, translators.split(","), options, limit, out, runs, jobs)


def evaluate(
    benchmarks: Sequence[Path], translators: Sequence[str], options: Options, limit: int, out: Path | None, runs: bool,
    jobs: int = 1,
) -> None:  # fmt: skip
    """Every problem with every translator, and the table."""
    config = Config.read()
    console, measured, outputs = Console(stderr=True), list[Measured](), list[dict[str, str]]()
    routes = [one for one in translators if one != SOURCE_ROUTE]
    for path in benchmarks:
        problems, trouble = read_problems(path, limit) if routes else ([], [])
        for line in trouble:
            console.print(f"left out: {line}", markup=False, highlight=False, soft_wrap=True)
        for translator in routes:
            with contextlib.closing(measure_shared(problems, translator, config, options, jobs)) as found:
                for one in found:
                    measured.append(one)
                    console.print(line_of(one), markup=False, highlight=False, soft_wrap=True)
                    save(out, measured, outputs, options, finished=False)
            if runs:
                outputs += [run_program(program, translator) for program in programs(path)[: limit or None]]
                save(out, measured, outputs, options, finished=False)
        for program in programs(path)[: limit or None] if len(routes) < len(translators) else ():
            measured.append(measure_source(program, config, options, runs))
            console.print(line_of(measured[-1]), markup=False, highlight=False, soft_wrap=True)
            save(out, measured, outputs, options, finished=False)
    save(out, measured, outputs, options, finished=True)
    show(summarise(measured), outputs)
    if lost := [one for one in measured if one.lost]:
        console.print(f"left out: {len(lost)} kernels, whose answers the back end failed to give: {lost[0].lost}",
                      markup=False, highlight=False, soft_wrap=True)  # fmt: skip


def line_of(one: Measured) -> str:
    """What is printed while measuring."""
    if one.verified or one.repaired or one.small:
        how = "" if one.verified else f", look {one.looks}" if one.repaired else f", in {one.parts} parts"
        mark = f"ok{how}"
    else:
        mark = one.reason[:100]
    note = f" {one.accepted}/{one.samples}" if one.samples else f" {one.own}/{one.parts} parts" if one.parts else ""
    return f"{one.translator} {one.problem}{note}: {mark}"


def save(
    out: Path | None, measured: list[Measured], outputs: list[dict[str, str]], options: Options, *, finished: bool
) -> None:
    """The JSON document, in place of the one before by rename. finished: everything is in it."""
    if out is None:
        return
    document = {
        "cass-shim": __version__,
        "finished": finished,
        "options": asdict(options),
        "summary": [asdict(one) for one in summarise(measured)],
        "kernels": [asdict(one) for one in measured],
        "programs": outputs,
    }
    if out.exists() and not out.is_file():  # a device or a pipe
        out.write_text(json.dumps(document, indent=1) + "\n")
        return
    beside = out.with_name(f".{out.name}.{os.getpid()}.tmp")
    try:
        beside.write_text(json.dumps(document, indent=1) + "\n")
        os.replace(beside, out)
    finally:
        beside.unlink(missing_ok=True)


def run_program(program: Program, translator: str) -> dict[str, str]:
    """A whole program under cass-run with one translator, compared with its expected output."""
    found = {"program": program.name, "group": program.group, "translator": translator}
    with tempfile.TemporaryDirectory(prefix="cass-eval-") as folder:
        try:
            built = build_program(program, Path(folder))
        except CassError as error:
            return {**found, "result": f"does not build: {' '.join(str(error).split())[:200]}"}
        job = Job(built, program.golden, 0, program.name)
        outcome = run_one(job, BUILD / "cass-run", translator, Limits(), Path(folder))
        return {**found, "result": outcome.golden or "no output", "difference": outcome.difference}


def percent(share: Share | None) -> str:
    """With its interval, for a cell."""
    if share is None:
        return ""
    return f"{100 * share.share:.1f} ({100 * share.low:.0f}-{100 * share.high:.0f})"


def show(rows: list[Summary], outputs: list[dict[str, str]]) -> None:
    """The table, and a line for each program that was run."""
    table = Table("group", "translator", "kernels", "unsupported", "assembled %", "verified %", "exact %")
    table.add_column("+repair %")
    table.add_column("+parts %")
    table.add_column("best %")
    for k in PASS_AT:
        table.add_column(f"pass@{k} %")
    table.add_column("s")
    table.add_column("tokens")
    for one in rows:
        passed = [percent(one.passed.get(f"pass@{k}")) for k in PASS_AT]
        shares = [
            percent(one.assembled),
            percent(one.verified),
            percent(one.exact),
            percent(one.repaired),
            percent(one.small),
            percent(one.best),
            *passed,
        ]
        counts = [str(one.problems), str(one.unsupported)]
        table.add_row(one.group, one.translator, *counts, *shares, f"{one.seconds:.1f}", f"{one.tokens:.0f}")
    Console(width=None if sys.stdout.isatty() else 190).print(table)
    if outputs:
        Console(width=None if sys.stdout.isatty() else 190).print(right_outputs(outputs))
    for program in outputs:
        click.echo(f"{program['program']} {program['translator']}: {program['result']} {program.get('difference', '')}")


def right_outputs(outputs: list[dict[str, str]]) -> Table:
    """Programs whose output is right, by domain and translator, as the CASS paper's table 3 counts them."""
    table = Table("group", "translator", "programs", "right", "output right %")
    groups: dict[tuple[str, str], list[bool]] = {}
    for one in outputs:
        whole = f"{one['group'].split('/')[0]}, all"
        for group in (one["group"], *([whole] if "/" in one["group"] else [])):
            groups.setdefault((group, one["translator"]), []).append(one["result"] == "same")
    for (group, translator), right in sorted(groups.items()):
        share = Share.of(sum(right) / len(right), len(right))
        table.add_row(group, translator, str(len(right)), str(sum(right)), percent(share))
    return table
