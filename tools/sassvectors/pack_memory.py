"""Pack a recording of memory probes: `python3 -m tools.sassvectors.pack_memory RECORDING.npz`.

Writes `memory-sm90.npz` (uint32 `words`: per probe the changed columns, each LANES long) and `memory-sm90.json`
(machine, and per probe text, word, changed columns: 0-3 are R32-R35, 4-19 the words of the lane's cell; offset).
"""

from __future__ import annotations

import json
import sys

import numpy as np

from tools.sassvectors.inputs import LANES, inputs
from tools.sassvectors.pack import FOLDER


def main(arguments: list[str]) -> None:
    """Read a recording, write the two files."""
    recording = np.load(arguments[0])
    document = json.loads(bytes(recording["meta"]))
    rows, arrays = [], []
    for index, probe in enumerate(document["probes"]):
        if f"v{index}" not in recording:
            continue
        output, given = recording[f"v{index}"], inputs(probe["text"])
        before = np.concatenate([given[:, 12:16], given[:, :16]], axis=1)
        columns = [k for k in range(20) if (output[:, k] != before[:, k]).any()]
        if not columns:
            print(f"left out, no effect seen: {probe['text']}")
            continue
        rows.append({**probe, "columns": columns, "offset": LANES * len(arrays)})
        arrays += [output[:, k] for k in columns]
    np.savez_compressed(FOLDER / "memory-sm90.npz", words=np.concatenate(arrays))
    summary = {"machine": document["machine"], "lanes": LANES, "failed": document["failed"], "probes": rows}
    (FOLDER / "memory-sm90.json").write_text(json.dumps(summary, indent=0) + "\n")
    print(f"{len(rows)} probes, {len(arrays) * LANES * 4} bytes before compression")


if __name__ == "__main__":
    main(sys.argv[1:])
