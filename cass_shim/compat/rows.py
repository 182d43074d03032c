"""A benchmark that is a table: rows of sources and what they print, as a folder that `problems.py` reads.

In: a file of JSON rows, one a line or as one list (a Hugging Face data set: `load_dataset(…)["test"].to_json(FILE)`),
and which columns hold what. Out: `<domain>/<name>.cu`, and `<name>.txt` where the row has an output.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cass_shim.model.errors import Malformed

COLUMNS = {"name": "name", "domain": "domain", "source": "source", "output": "output"}
SUFFIXES = (".json", ".jsonl")
MOST_BYTES = 256 << 20


def columns_of(text: str) -> dict[str, str]:
    """`source=cuda,output=stdout` over the columns that a row has by default. Raises Malformed."""
    found = dict(COLUMNS)
    for part in text.split(",") if text else ():
        key, equals, value = part.partition("=")
        if not equals or key not in COLUMNS or not value:
            raise Malformed(f"{part!r} is none of {', '.join(f'{one}=COLUMN' for one in COLUMNS)}", where="--columns")
        found[key] = value
    return found


def write_rows(file: Path, columns: Mapping[str, str], folder: Path) -> Path:
    """The rows as sources in folders of domains; the folder. Raises Malformed."""
    place = folder / _plain(file.stem)
    for number, row in enumerate(_rows(file)):
        if columns["source"] not in row:
            had = ", ".join(map(str, row))
            raise Malformed(
                f"no column {columns['source']!r}, but {had}; say --columns source=COLUMN", where=f"{file}:{number}"
            )
        name = _plain(str(row.get(columns["name"]) or f"row{number:03d}").removesuffix(".cu"))
        domain = place / _plain(str(row.get(columns["domain"]) or ""))
        domain.mkdir(parents=True, exist_ok=True)
        source = domain / f"{name}.cu"
        if source.exists():
            source = domain / f"{name}_{number:03d}.cu"
        source.write_text(str(row[columns["source"]]))
        if row.get(columns["output"]) is not None:
            source.with_suffix(".txt").write_text(str(row[columns["output"]]))
    return place


def _rows(file: Path) -> list[dict[str, Any]]:
    try:
        if file.stat().st_size > MOST_BYTES:
            raise Malformed(f"more than {MOST_BYTES} bytes", where=str(file))
        text = file.read_text()
        found = json.loads(text) if text.lstrip().startswith("[") else [
            json.loads(line) for line in text.splitlines() if line.strip()
        ]  # fmt: skip
    except (OSError, ValueError) as error:
        raise Malformed(f"no rows of JSON: {error}", where=str(file)) from error
    if not found or not all(isinstance(row, dict) for row in found):
        raise Malformed("no rows of JSON: each must be an object", where=str(file))
    return found


def _plain(name: str) -> str:
    """As a file's or folder's name."""
    return re.sub(r"[^\w.-]+", "_", name).strip("._")[:80]
