"""The compatibility page: one self-contained HTML file, and the same as Markdown.

In: `Results`. Out: text. The page works from file://, in light and dark, filters and sorts with the keyboard.
"""

from __future__ import annotations

import html
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from importlib.resources import files

from cass_shim.compat.hardware import STATES, HardwareReport
from cass_shim.compat.results import RATINGS, Outcome, Results, ranked
from cass_shim.compat.tables import Table, as_markdown, domains, variants

COLUMNS = ("program", "variant", "route", "rating", "kernels", "evidence", "seconds", "detail")


def evidence_of(outcome: Outcome) -> str:
    """How often each evidence level occurs, the best first: "E1u × 3"."""
    counts = Counter(kernel.evidence for kernel in outcome.kernels)
    return ", ".join(f"{level} × {count}" for level, count in sorted(counts.items(), reverse=True))


def row_of(outcome: Outcome) -> tuple[str, ...]:
    """One row of the table, as text."""
    detail = outcome.difference or "; ".join((*outcome.missing_calls, *outcome.untranslated))
    routes = sorted({kernel.route for kernel in outcome.kernels}) or [outcome.translators]
    return (
        outcome.program, outcome.variant, "+".join(routes), outcome.rating, str(len(outcome.kernels)),
        evidence_of(outcome), f"{outcome.seconds:.2f}", detail,
    )  # fmt: skip


def totals(outcomes: Iterable[Outcome]) -> list[tuple[str, int]]:
    """Outcomes by rating, in the order of RATINGS."""
    counts = Counter(outcome.rating for outcome in outcomes)
    return [(rating, counts[rating]) for rating in RATINGS if counts[rating]]


NO_HARDWARE = "None from a physical AMD GPU yet: not yet run on one."


def hardware_lines(reports: Sequence[HardwareReport]) -> list[str]:
    """What self-tests found, a line each, AMD's cards first; says so where none is from a physical card."""
    lines = [] if any(not one.emulated for one in reports) else [NO_HARDWARE]
    for one in sorted(reports, key=lambda one: (one.emulated, one.title, one.created)):
        counts = Counter(check.state for check in one.checks)
        told = ", ".join(f"{counts[state]} {state}" for state in STATES if counts[state])
        failed = "; ".join(f"{check.name}: {check.detail}" for check in one.checks if check.state == "failed")
        facts = ", ".join(f"{name} {value}" for name, value in one.driver.items())
        version = one.versions.get("cass-shim", "unknown version")
        lines.append(
            f"{one.title}, {one.created[:10]}, cass-shim {version}: {told}. {facts}{'. ' + failed if failed else ''}"
        )
    return lines


def markdown(results: Results, reports: Sequence[HardwareReport] = ()) -> str:
    """The table, the totals, what is missing, and what self-tests found."""
    lines = [f"# Compatibility: {results.device or 'unknown device'}, cass-shim {results.version}", ""]
    lines += [f"- {rating}: {count}" for rating, count in totals(results.outcomes)]
    for title, table in summaries(results.outcomes):
        lines += ["", f"## {title}", "", *as_markdown(table)]
    lines += ["", "## Runs", "", *as_markdown([COLUMNS, *(row_of(outcome) for outcome in results.outcomes)])]
    if missing := ranked(results.outcomes):
        lines += ["", "## Missing, by how many programs need it", ""]
        lines += [f"- {count} × {what}" for what, count in missing]
    lines += ["", "## Hardware reports", "", *(f"- {line}" for line in hardware_lines(reports))]
    return "\n".join(lines) + "\n"


def summaries(outcomes: Sequence[Outcome]) -> list[tuple[str, Table]]:
    """The tables of totals that are not empty, with their titles."""
    both = [("By domain", domains(outcomes)), ("By variant", variants(outcomes))]
    return [(title, table) for title, table in both if table]


def summary_html(outcomes: Sequence[Outcome]) -> str:
    """The tables of totals, folded, each cell with its column's name for narrow screens."""
    parts = []
    for title, (head, *rows) in summaries(outcomes):
        names = "".join(f'<th scope="col">{html.escape(name)}</th>' for name in head)
        lines = "".join(f"<tr>{_cells(head, row)}</tr>" for row in rows)
        table = f"<table><thead><tr>{names}</tr></thead><tbody>{lines}</tbody></table>"
        parts.append(f'<details><summary>{title}</summary><div class="scroll">{table}</div></details>')
    return "".join(parts)


def _cells(head: tuple[str, ...], row: tuple[str, ...]) -> str:
    named = zip(head, row, strict=True)
    return "".join(f'<td data-name="{html.escape(name)}">{html.escape(text)}</td>' for name, text in named)


def chart(results: Results) -> str:
    """A bar of the ratings as inline SVG, with text for those who cannot see it."""
    parts, left = [], 0.0
    whole = max(len(results.outcomes), 1)
    for rating, count in totals(results.outcomes):
        width = 100.0 * count / whole
        name = rating.replace(" ", "-")
        parts.append(f'<rect class="{name}" x="{left:.2f}" y="0" width="{width:.2f}" height="8"/>')
        left += width
    spoken = ", ".join(f"{count} {rating}" for rating, count in totals(results.outcomes))
    return (
        f'<svg viewBox="0 0 100 8" preserveAspectRatio="none" role="img" aria-label="{spoken}">{"".join(parts)}</svg>'
    )


def look() -> str:
    """The style that all our pages share: colours in light and dark, text, controls."""
    return files("cass_shim.compat").joinpath("look.css").read_text(encoding="utf-8").rstrip()


def page(results: Results, reports: Sequence[HardwareReport] = ()) -> str:
    """The HTML page."""
    template = files("cass_shim.compat").joinpath("page.html").read_text(encoding="utf-8")
    rows = [[*row_of(outcome), list(outcome.messages)] for outcome in results.outcomes]
    data = json.dumps({"columns": COLUMNS, "rows": rows}).replace("</", "<\\/")
    legend = "".join(
        f'<li><span class="key {rating.replace(" ", "-")}"></span>{rating}: {count}</li>'
        for rating, count in totals(results.outcomes)
    )
    missing = "".join(f"<li>{count} × {html.escape(what)}</li>" for what, count in ranked(results.outcomes))
    values = {
        "@LOOK@": look(),
        "@DEVICE@": html.escape(results.device or "unknown device"),
        "@VERSION@": html.escape(results.version),
        "@CHART@": chart(results),
        "@LEGEND@": legend,
        "@SUMMARY@": summary_html(results.outcomes),
        "@MISSING@": missing or "<li>nothing</li>",
        "@HARDWARE@": "".join(f"<li>{html.escape(line)}</li>" for line in hardware_lines(reports)),
        "@DATA@": data,
    }
    for mark, value in values.items():
        template = template.replace(mark, value)
    return template
