"""`python3 -m tools compat [RESULTS.json…]`: the compatibility page of the suite, and its table in the README.

Takes results of `cass compat run` into `docs/compatibility.json` (a run of the same program, variant and translators
replaces the earlier one), and makes `docs/compatibility.md` and the table between the marks in README.md from it.
"""

from __future__ import annotations

import collections
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from pathlib import Path

from cass_shim.compat.report import totals
from cass_shim.compat.results import SCHEMA, Outcome, Results, ranked, read_results
from cass_shim.compat.tables import Table, as_markdown, by, domains, matrix
from tools import environment

DOCS = environment.ROOT / "docs"
STORE, PAGE, README = DOCS / "compatibility.json", DOCS / "compatibility.md", environment.ROOT / "README.md"
BEGIN, END = "<!-- the suite: made by `python3 -m tools compat` -->", "<!-- end of the suite -->"


def merged(held: Iterable[Outcome], more: Iterable[Outcome]) -> list[Outcome]:
    """The latest run of each program, variant and order of translators, sorted."""
    found = {(one.program, one.variant, one.translators): one for one in (*held, *more)}
    return [found[key] for key in sorted(found)]


def store(results: Results, path: Path) -> None:
    """A run a line, so that changes can be read; without what a right program said."""
    rows = [asdict(replace(one, messages=()) if one.right else one) for one in results.outcomes]
    lines = ",\n".join(json.dumps(row, separators=(",", ":")) for row in rows)
    head = f'"schema":{SCHEMA},"device":{json.dumps(results.device)},"version":{json.dumps(results.version)}'
    path.write_text(f'{{{head},"outcomes":[\n{lines}\n]}}\n')


def dates(outcomes: Iterable[Outcome]) -> str:
    """When they ran: a day, or the first and the last."""
    days = sorted({one.date for one in outcomes if one.date})
    return "undated" if not days else days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"


def suite_table(outcomes: Sequence[Outcome]) -> Table:
    """What the README shows: a row for each way of building and each route."""
    return by(outcomes, "built as, route", lambda one: f"{one.variant}, {one.translators}")


def not_verified(outcomes: Iterable[Outcome]) -> list[str]:
    """A line for each run that is not right, or has a kernel at E0; with the reason where there is one."""
    lines = []
    for one in outcomes:
        weak = ", ".join(f"`{kernel.name or 'a kernel'}`" for kernel in one.kernels if kernel.evidence == "E0")
        reason = "; ".join(filter(None, (one.difference, *one.missing_calls, *one.untranslated)))
        if not one.right:
            lines.append(
                f"- {one.program}, {one.variant}, {one.translators}: {reason or f'exit status {one.exit_code}'}"
            )
        elif weak and one.variant != "ptx-only":
            lines.append(f"- {one.program}, {one.variant}, {one.translators}: right; at E0 {weak}")
    return lines


def uncompared(outcomes: Iterable[Outcome]) -> list[tuple[str, int]]:
    """(program, runs) where no GPU's output was there to compare with: the program's own check alone decided."""
    return sorted(collections.Counter(one.program for one in outcomes if not one.golden).items())


def page(results: Results) -> str:
    """docs/compatibility.md."""
    runs = results.outcomes
    lines = [
        "# Compatibility of the suite",
        f"Made by `python3 -m tools compat` from `docs/compatibility.json`: {len(runs)} runs, {dates(runs)}, "
        f"{results.device or 'unknown device'}, cass-shim {results.version}. A cell is the weakest evidence of the "
        "program's kernels (`docs/verification.md`), or what is wrong; an empty one has not been run. Programs with "
        "PTX only stop at E0: there is no machine code to compare with.",
        "",
        *(f"- {rating}: {count}" for rating, count in totals(runs)),
        "",
        *as_markdown(suite_table(runs)),
        "",
        "## By domain",
        "",
        *as_markdown(domains(runs)),
    ]
    if missing := ranked(runs):
        lines += [
            "",
            "## Missing, by how many programs need it",
            "",
            *(f"- {count} × {what}" for what, count in missing),
        ]
    if alone := uncompared(runs):
        lines += [
            "",
            "## Compared with no GPU's output",
            "",
            "There was no recording when these were run; the programs' own check against a CPU reference decided.",
            "",
            *(f"- {program}: {count} run{'s' if count > 1 else ''}" for program, count in alone),
        ]
    if wrong := not_verified(runs):
        lines += ["", "## Not right, or not verified", "", *wrong]
    for translators in sorted({one.translators for one in runs}):
        lines += ["", f"## Every program, route {translators}", "", *as_markdown(matrix(runs, translators))]
    return "\n".join(lines) + "\n"


def readme(text: str, outcomes: Sequence[Outcome]) -> str:
    """The README with the table of today between the marks."""
    right = sum(one.right for one in outcomes)
    said = f"{right} of {len(outcomes)} runs are right ({dates(outcomes)}, emulated device)."
    table = "\n".join([BEGIN, said, "", *as_markdown(suite_table(outcomes)), END])
    made, count = re.subn(f"{re.escape(BEGIN)}.*?{re.escape(END)}", lambda _: table, text, flags=re.DOTALL)
    if count != 1:
        raise SystemExit(f"README.md: the marks {BEGIN} and {END} must be there once")
    return made


def main(arguments: list[str]) -> int:
    """Merge, store, write."""
    held = read_results(STORE) if STORE.exists() else Results()
    for argument in arguments:
        more = read_results(Path(argument))
        held = Results(merged(held.outcomes, more.outcomes), more.device, more.version)
    if arguments:
        store(held, STORE)
    PAGE.write_text(page(held))
    README.write_text(readme(README.read_text(), held.outcomes))
    print(f"{len(held.outcomes)} runs; wrote {PAGE.relative_to(environment.ROOT)} and README.md")
    return 0
