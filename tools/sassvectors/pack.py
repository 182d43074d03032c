"""Pack a recording into `tests/vectors/sass/`: only the registers and predicates that an instruction changed.

`python3 -m tools.sassvectors.pack RECORDING.npz` writes `sm90.npz` (one uint32 array `words`, all probes one after the
other, each [registers, LANES] then one row of predicate bits) and `sm90.json` (machine, and per probe text, word,
changed registers as offsets from R32, changed predicates as offsets from P4, offset into `words`).
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np

from tools.sassvectors.inputs import inputs

FOLDER = Path(__file__).resolve().parent.parent.parent / "tests" / "vectors" / "sass"


def main(arguments: list[str]) -> None:
    """Read a recording, write the two files."""
    recording = np.load(arguments[0])
    document = json.loads(bytes(recording["meta"]))
    rows, arrays, offset = [], [], 0
    for index, probe in enumerate(document["probes"]):
        if f"v{index}" not in recording:
            continue
        output, source = recording[f"v{index}"], inputs(probe["text"])
        registers = [k for k in range(4) if (output[:, k] != source[:, 12 + k]).any()]
        predicates = [k for k in range(2) if (output[:, 4 + k] != (source[:, 16] >> (3 + k) & 1)).any()]
        if not registers and not predicates:
            print(f"left out, no effect seen: {probe['text']}")
            continue
        block = [output[:, k] for k in registers]
        if predicates:
            block.append(output[:, 4] | output[:, 5] << 1)
        rows.append({**probe, "registers": registers, "predicates": predicates, "offset": offset})
        arrays += block
        offset += sum(map(len, block))
    np.savez_compressed(FOLDER / "sm90.npz", words=np.concatenate(arrays))
    summary = {"machine": document["machine"], "lanes": 512, "failed": document["failed"], "probes": rows}
    (FOLDER / "sm90.json").write_text(json.dumps(summary, indent=0) + "\n")
    print(f"{len(rows)} probes, {offset * 4} bytes before compression")


if __name__ == "__main__":
    main(sys.argv[1:])
