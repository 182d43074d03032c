"""`python3 -m tools.ptxforms.pack FOLDER`: what FOLDER/on_the_gpu.py recorded into `tests/vectors/ptx/probes.npz`.

Probes recorded before stay. A probe that is no longer what the table makes of its form is left out.
"""

from __future__ import annotations

import json
import lzma
import sys
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tools.ptxforms.known import recorded_names
from tools.ptxforms.recorded import FILE, KEPT_LANES, WORDS
from tools.ptxforms.selection import all_probes

_WRITTEN_LANES = 128  # by the launcher


def read(folder: Path) -> tuple[dict[int, NDArray[np.uint32]], dict[int, str]]:
    """What was recorded, uint32 [KEPT_LANES, WORDS] by number, and why the others were not."""
    numbers = json.loads((folder / "done.json").read_text())
    content = np.frombuffer(lzma.decompress((folder / "results.xz").read_bytes()), np.uint32)
    rows = content.reshape(len(numbers), _WRITTEN_LANES, WORDS)[:, :KEPT_LANES]
    failed = json.loads((folder / "failed.json").read_text())
    return dict(zip(numbers, rows, strict=True)), {int(number): why for number, why in failed.items()}


def _joined(meta: dict[str, Any], results: NDArray[np.uint32]) -> tuple[dict[str, Any], NDArray[np.uint32]]:
    """With the probes of the file there is, as far as they are not recorded anew."""
    with np.load(FILE) as file:
        before, old = json.loads(bytes(file["meta"])), file["results"]
    names = {probe["name"] for probe in meta["probes"]}
    kept = [number for number, probe in enumerate(before["probes"]) if probe["name"] not in names]
    merged = {**meta, "probes": [*(before["probes"][number] for number in kept), *meta["probes"]]}
    return merged, np.concatenate([old[kept], results])


def main(arguments: list[str]) -> None:
    """Put chunks together; what failed on the GPU is left out and named."""
    folder = Path(arguments[0])
    probes = json.loads((folder / "probes.json").read_text())
    found, failed = read(folder / "out")
    today = {probe.name: probe.body for probe in all_probes(recorded_names())}
    kept = [number for number in sorted(found) if today.get(probes[number]["name"]) == tuple(probes[number]["body"])]
    meta = {
        "machine": (folder / "out" / "machine.txt").read_text().strip(),
        "failed": {probes[number]["name"]: why for number, why in failed.items()},
        "probes": [probes[number] for number in kept],
    }
    results = np.stack([found[number] for number in kept])
    if FILE.exists():
        meta, results = _joined(meta, results)
    np.savez_compressed(FILE, meta=np.frombuffer(json.dumps(meta).encode(), np.uint8), results=results)
    print(
        f"{len(kept)} of {len(found)} recorded probes, {FILE.stat().st_size} bytes; failed on the GPU: {meta['failed']}"
    )


if __name__ == "__main__":
    main(sys.argv[1:])
