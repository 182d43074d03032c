"""docs/api.md: which calls exist, by chapter, and what is missing."""

from __future__ import annotations

from itertools import groupby

from cass_shim.api.spec import IMPLEMENTED, VERSION_END, Row
from cass_shim.api.table import table


def version(number: int) -> str:
    """12020 as "12.2"."""
    return f"{number // 1000}.{number % 1000 // 10}"


def versions(row: Row) -> str:
    text = f"from {version(row.since)}"
    return text if row.until == VERSION_END else f"{text} to before {version(row.until)}"


def coverage(kind: str, first: int, end: int) -> tuple[int, int]:
    """(implemented, all) of the public functions of these versions; compiler-generated calls included."""
    rows = [row for row in table() if row.kind == kind and row.exported_in(first, end)]
    return sum(row.status is IMPLEMENTED for row in rows), len(rows)


def document() -> str:
    """The whole page."""
    lines = ["# CUDA calls", "", "Generated from the table in `cass_shim/api`.", ""]
    for kind in ("runtime", "driver"):
        done, total = coverage(kind, 13000, 14000)
        if total == 0:
            continue
        lines.append(f"- {kind} of CUDA 13: {done} of {total} implemented ({100 * done / total:.0f} %)")
    for (kind, chapter), rows in groupby(table(), key=lambda row: (row.kind, row.chapter)):
        lines += ["", f"## {chapter} ({kind})", "", "| call | versions | status | note |", "|---|---|---|---|"]
        for row in rows:
            note = row.note or ("" if row.status is IMPLEMENTED else "returns the not-supported error")
            lines.append(f"| `{row.name}` | {versions(row)} | {row.status.value} | {note} |")
    return "\n".join(lines) + "\n"
