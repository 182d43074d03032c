"""Summaries of results: by domain, by variant, and every program in every variant.

In: `Outcome`s. Out: rows of text, which the pages print.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from cass_shim.compat.results import RATINGS, Outcome
from cass_shim.model.artifacts import Evidence

LEVELS = tuple(one.label for one in sorted(Evidence))  # the weakest first
Table = list[tuple[str, ...]]


def by(outcomes: Iterable[Outcome], first: str, key: Callable[[Outcome], str]) -> Table:
    """A head and a row for each key: programs, runs, runs whose output is right, runs by rating."""
    groups: dict[str, list[Outcome]] = {}
    for one in outcomes:
        groups.setdefault(key(one), []).append(one)
    used = [rating for rating in RATINGS if any(one.rating == rating for rows in groups.values() for one in rows)]
    table: Table = [(first, "programs", "runs", "right", *used)]
    for name in sorted(groups):
        rows = groups[name]
        counts = Counter(one.rating for one in rows)
        programs = len({one.program for one in rows})
        right = sum(one.right for one in rows)
        table.append((name, str(programs), str(len(rows)), str(right), *(str(counts[rating]) for rating in used)))
    return table


def domains(outcomes: Sequence[Outcome]) -> Table:
    """By domain; empty where nothing has one."""
    known = [one for one in outcomes if one.domain]
    return by(known, "domain", lambda one: one.domain.replace("_", " ")) if known else []


def variants(outcomes: Sequence[Outcome]) -> Table:
    """By variant and translators; empty where nothing has a variant."""
    known = [one for one in outcomes if one.variant]
    return by(known, "variant, route", lambda one: f"{one.variant}, {one.translators}") if known else []


def cell(outcome: Outcome) -> str:
    """A run in a word: the weakest evidence of its kernels, or what is wrong."""
    if not outcome.right:
        return outcome.rating
    levels = [one.evidence for one in outcome.kernels]
    return min(levels, key=LEVELS.index) if levels else "-"


def matrix(outcomes: Sequence[Outcome], translators: str) -> Table:
    """A row for each program, a column for each variant, with these translators."""
    rows = [one for one in outcomes if one.translators == translators]
    columns = sorted({one.variant for one in rows})
    cells = {(one.program, one.variant): cell(one) for one in rows}
    table: Table = [("program", *columns)]
    for program in sorted({one.program for one in rows}):
        table.append((program, *(cells.get((program, column), "") for column in columns)))
    return table


def as_markdown(table: Table) -> list[str]:
    """The lines of a table; none for an empty one."""
    if not table:
        return []
    head, *rows = [" | ".join(text.replace("|", "\\|") for text in row) for row in table]
    return [f"| {head} |", "|" + "---|" * len(table[0]), *(f"| {row} |" for row in rows)]
