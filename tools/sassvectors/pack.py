"""Pack recordings into `tests/vectors/sass/`: only the registers and predicates that an instruction changed.

`python3 -m tools.sassvectors.pack [--add] RECORDING.npz` writes `sm90.npz` (one uint32 array `words`, all probes one
after the other, each [registers, LANES] then one row of predicate bits) and `sm90.json` (machine, and per probe text,
word, changed registers as offsets from R32, changed predicates as offsets from P4, offset into `words`). --add: to
those that are there, from the same machine.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

from tools.sassvectors.inputs import inputs

FOLDER = Path(__file__).resolve().parent.parent.parent / "tests" / "vectors" / "sass"


def changes(output: np.ndarray, text: str) -> tuple[list[int], list[int]]:
    """Registers and predicates that differ from what the probe started with."""
    source = inputs(text)
    registers = [k for k in range(4) if (output[:, k] != source[:, 12 + k]).any()]
    predicates = [k for k in range(2) if (output[:, 4 + k] != (source[:, 16] >> (3 + k) & 1)).any()]
    return registers, predicates


def packed(recording: Any, document: dict[str, Any], offset: int) -> tuple[list[dict[str, Any]], list[np.ndarray]]:
    """Rows and arrays of a recording whose words begin at `offset`."""
    rows, arrays = [], []
    for index, probe in enumerate(document["probes"]):
        if f"v{index}" not in recording:
            continue
        output = recording[f"v{index}"]
        registers, predicates = changes(output, probe["text"])
        if not registers and not predicates:
            print(f"left out, no effect seen: {probe['text']}")
            continue
        block = [output[:, k] for k in registers]
        if predicates:
            block.append(output[:, 4] | output[:, 5] << 1)
        rows.append({**probe, "registers": registers, "predicates": predicates, "offset": offset})
        arrays += block
        offset += sum(map(len, block))
    return rows, arrays


def main(arguments: list[str]) -> None:
    """Read a recording, write the two files."""
    add = arguments[:1] == ["--add"]
    recording = np.load(arguments[-1])
    document = json.loads(bytes(recording["meta"]))
    held: dict[str, Any] = {"machine": document["machine"], "failed": [], "probes": []}
    words = np.zeros(0, np.uint32)
    if add:
        held, words = json.loads((FOLDER / "sm90.json").read_text()), np.load(FOLDER / "sm90.npz")["words"]
        if held["machine"] != document["machine"]:
            raise SystemExit(f"recorded on {document['machine']}, the others on {held['machine']}")
    known = {probe["text"] for probe in held["probes"]}
    rows, arrays = packed(recording, document, len(words))
    if twice := sorted(known & {row["text"] for row in rows}):
        raise SystemExit(f"there already: {', '.join(twice)}")
    np.savez_compressed(FOLDER / "sm90.npz", words=np.concatenate([words, *arrays]))
    summary = {"machine": document["machine"], "lanes": 512, "failed": held["failed"] + document["failed"],
               "probes": held["probes"] + rows}  # fmt: skip
    (FOLDER / "sm90.json").write_text(json.dumps(summary, indent=0) + "\n")
    print(f"{len(rows)} probes, {sum(map(len, arrays)) * 4} bytes before compression")


if __name__ == "__main__":
    main(sys.argv[1:])
