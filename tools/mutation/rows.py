"""Rows of mutants in a file: `kernel`, `kind`, `change`, `line`, `text`, `part`, `verdict`, `why`, and what survivors'
inputs add (`survivors`)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

Row = dict[str, Any]


def read(path: Path) -> list[Row]:
    """What `write` wrote."""
    rows: list[Row] = json.loads(path.read_text())
    return rows


def write(path: Path, rows: list[Row]) -> None:
    """Whole or not at all."""
    new = path.with_suffix(".new")
    new.write_text("[\n" + ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows) + "\n]\n")
    new.replace(path)
