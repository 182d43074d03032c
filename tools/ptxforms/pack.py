"""`python3 -m tools.ptxforms.pack FOLDER`: what FOLDER/on_the_gpu.py recorded into `tests/vectors/ptx/probes.npz`.

Probes recorded before stay. A probe whose form is probed in another way today is left out.
"""

from __future__ import annotations

import json
import lzma
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tools.ptxforms.known import recorded_names
from tools.ptxforms.recorded import FILE, KEPT_LANES, WORDS, described, recording
from tools.ptxforms.selection import all_probes

_WRITTEN_LANES = 128  # by the launcher


def read(folder: Path) -> tuple[dict[int, NDArray[np.uint32]], dict[int, str]]:
    """What was recorded, uint32 [KEPT_LANES, WORDS] by number, and why the others were not."""
    row_of = {int(number): row for number, row in json.loads((folder / "done.json").read_text()).items()}
    content = np.frombuffer(lzma.decompress((folder / "results.xz").read_bytes()), np.uint32)
    rows = content.reshape(-1, _WRITTEN_LANES, WORDS)[:, :KEPT_LANES]
    failed = json.loads((folder / "failed.json").read_text())
    return {number: rows[row] for number, row in row_of.items()}, {int(number): why for number, why in failed.items()}


def _before(names: set[str]) -> tuple[list[dict[str, Any]], list[NDArray[np.uint32]]]:
    """Probes of the file there is and their results, as far as they are not recorded anew."""
    if not FILE.exists():
        return [], []
    recorded = recording()
    kept = [number for number, probe in enumerate(recorded.probes) if probe.name not in names]
    return [described(recorded.probes[number]) for number in kept], [recorded.results[number] for number in kept]


def _machines(machine: str, names: list[str]) -> tuple[str, dict[str, list[str]]]:
    """Where most probes were recorded, and which elsewhere, when these names have been on a machine."""
    if not FILE.exists():
        return machine, {}
    recorded, new = recording(), set(names)
    elsewhere = {place: [name for name in held if name not in new] for place, held in recorded.elsewhere.items()}
    if machine != recorded.machine:
        elsewhere[machine] = [*elsewhere.get(machine, ()), *names]
    return recorded.machine, {place: held for place, held in elsewhere.items() if held}


def unique(results: Sequence[NDArray[np.uint32]]) -> tuple[NDArray[np.uint32], NDArray[np.int32]]:
    """The results that differ from all before, and for each result the number of the one that it equals."""
    rows: dict[bytes, int] = {}
    row_of = [rows.setdefault(one.tobytes(), len(rows)) for one in results]
    shape = (len(rows), KEPT_LANES, WORDS)
    return np.frombuffer(b"".join(rows), np.uint32).reshape(shape), np.array(row_of, np.int32)


def main(arguments: list[str]) -> None:
    """Put both together; what failed on the GPU is left out and named."""
    folder = Path(arguments[0])
    probes = json.loads((folder / "probes.json").read_text())
    found, failed = read(folder / "out")
    today = {probe.name: described(probe) for probe in all_probes(recorded_names())}
    kept = [number for number in sorted(found) if today.get(probes[number]["name"], probes[number]) == probes[number]]
    before, results = _before({probes[number]["name"] for number in kept})
    fresh = [probes[number]["name"] for number in kept]
    machine, elsewhere = _machines((folder / "out" / "machine.txt").read_text().strip(), fresh)
    meta = {
        "machine": machine,
        "elsewhere": elsewhere,
        "failed": {probes[number]["name"]: why for number, why in failed.items()},
        "probes": [*before, *(probes[number] for number in kept)],
    }
    rows, row_of = unique([*results, *(np.ascontiguousarray(found[number]) for number in kept)])
    text = np.frombuffer(json.dumps(meta).encode(), np.uint8)
    np.savez_compressed(FILE, meta=text, results=rows, row_of=row_of)
    print(f"{len(kept)} of {len(found)} recorded probes, {len(rows)} different results of {len(row_of)},")
    print(f"{FILE.stat().st_size} bytes; failed on the GPU: {meta['failed']}")


if __name__ == "__main__":
    main(sys.argv[1:])
