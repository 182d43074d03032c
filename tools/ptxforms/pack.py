"""`python3 -m tools.ptxforms.pack FOLDER`: what FOLDER/run.sh recorded into `tests/vectors/ptx/probes.npz`.

Probes recorded before stay. A probe that is no longer what the table makes of its form is left out.
"""

from __future__ import annotations

import io
import json
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tools.ptxforms.known import recorded_names
from tools.ptxforms.recorded import FILE, KEPT_LANES, WORDS
from tools.ptxforms.selection import all_probes

_WRITTEN_LANES = 128  # by the launcher


def unpacked(path: Path) -> dict[str, bytes]:
    """Files of the archive, by name."""
    packed = path.read_bytes()
    tool = ["xz", "-dc"] if packed[:2] == b"\xfd7" else ["gzip", "-dc"]
    text = subprocess.run(tool, input=packed, capture_output=True, check=True).stdout
    with tarfile.open(fileobj=io.BytesIO(text)) as archive:
        files = [member for member in archive.getmembers() if member.isfile()]
        return {Path(member.name).name: archive.extractfile(member).read() for member in files}  # type: ignore[union-attr]


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
    files = unpacked(folder / "out" / "results.tar.packed")
    found: dict[int, NDArray[np.uint32]] = {}
    for name, content in files.items():
        if not name.endswith((".bin", ".one")):
            continue
        rows = np.frombuffer(content, np.uint32).reshape(-1, _WRITTEN_LANES, WORDS)[:, :KEPT_LANES]
        for place, row in enumerate(rows):
            found[int(name.split(".")[0]) + place] = row
    today = {probe.name: probe.body for probe in all_probes(recorded_names())}
    kept = [number for number in sorted(found) if today.get(probes[number]["name"]) == tuple(probes[number]["body"])]
    failed = [probe["name"] for number, probe in enumerate(probes) if number not in found]
    meta = {
        "machine": files["machine.txt"].decode().strip(),
        "failed": failed,
        "probes": [probes[number] for number in kept],
    }
    results = np.stack([found[number] for number in kept])
    if FILE.exists():
        meta, results = _joined(meta, results)
    np.savez_compressed(FILE, meta=np.frombuffer(json.dumps(meta).encode(), np.uint8), results=results)
    print(f"{len(kept)} of {len(found)} recorded probes, {FILE.stat().st_size} bytes; failed on the GPU: {failed}")


if __name__ == "__main__":
    main(sys.argv[1:])
