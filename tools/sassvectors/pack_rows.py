"""`python3 -m tools.sassvectors.pack_rows NPZ…`: recordings of `record_rows` added to `tests/vectors/sass/rows-sm90.*`.

`rows-sm90.npz` holds uint32 `words`: per probe the columns that it changed, each xor what was there, ROWS long;
`rows-sm90.json` the machine and per probe text, word, name, mode, setup (the last three where they are not
`rows.usual`), changed columns (of `rows.before`), offset. What a later recording holds too replaces an earlier one's.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import numpy as np

from tools.sassvectors.pack import FOLDER
from tools.sassvectors.rows import ROWS, usual

Found = dict[str, tuple[dict[str, Any], np.ndarray]]


def kept() -> tuple[dict[str, str], Found, set[str]]:
    """(machine, probes, failed ones) of what is packed already."""
    document = json.loads((FOLDER / "rows-sm90.json").read_text())
    words = np.load(FOLDER / "rows-sm90.npz")["words"]
    found: Found = {}
    for row in document["probes"]:
        changed = np.zeros((ROWS, 32), np.uint32)
        for number, column in enumerate(row["columns"]):
            changed[:, column] = words[row["offset"] + ROWS * number :][:ROWS]
        probe = {**usual(row), **{key: value for key, value in row.items() if key not in ("columns", "offset")}}
        found[probe["name"]] = probe, changed
    return document["machine"], found, set(document["failed"])


def main(arguments: list[str]) -> None:
    """Read the recordings, write the two files."""
    machine, found, failed = kept()
    for path in arguments:
        recording = np.load(path)
        document = json.loads(bytes(recording["meta"]))
        assert machine in ({}, document["machine"]), "recordings of two machines"
        machine = document["machine"]
        failed |= set(document["failed"])
        found |= {one["name"]: (one, what) for one, what in zip(document["probes"], recording["results"], strict=True)}
    rows: list[dict[str, Any]] = []
    columns: list[np.ndarray] = []
    for name in sorted(found):
        probe, changed = found[name]
        if probe["setup"].get("space") == "local" and "R28.X" in probe["text"]:
            continue  # recorded with a setup that misses the cell
        touched = [column for column in range(changed.shape[1]) if changed[:, column].any()]
        if not touched:
            print(f"left out, no effect seen: {name}")
            continue
        said = {key: value for key, value in probe.items() if value != usual(probe).get(key)}
        rows.append({**said, "columns": touched, "offset": ROWS * len(columns)})
        columns += [changed[:, column] for column in touched]
    np.savez_compressed(FOLDER / "rows-sm90.npz", words=np.concatenate(columns))
    lines = ",\n".join(json.dumps(row) for row in rows)
    head = json.dumps({"machine": machine, "rows": ROWS, "failed": sorted(failed - found.keys())})[:-1]
    (FOLDER / "rows-sm90.json").write_text(f'{head}, "probes": [\n{lines}\n]}}\n')
    print(f"{len(rows)} probes, {4 * ROWS * len(columns)} bytes before compression")


if __name__ == "__main__":
    main(sys.argv[1:])
