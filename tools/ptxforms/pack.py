"""`python3 -m tools.ptxforms.pack FOLDER`: what FOLDER/run.sh recorded into `tests/vectors/ptx/probes.npz`."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
import tarfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tools.ptxforms.probes import RESULT_BYTES
from tools.ptxforms.recorded import FILE, KEPT_LANES, WORDS

_WRITTEN_LANES = 128  # by the launcher


def unpacked(path: Path) -> dict[str, bytes]:
    """Files of the archive, by name."""
    packed = path.read_bytes()
    tool = ["xz", "-dc"] if packed[:2] == b"\xfd7" else ["gzip", "-dc"]
    text = subprocess.run(tool, input=packed, capture_output=True, check=True).stdout
    with tarfile.open(fileobj=io.BytesIO(text)) as archive:
        files = [member for member in archive.getmembers() if member.isfile()]
        return {Path(member.name).name: archive.extractfile(member).read() for member in files}  # type: ignore[union-attr]


def _overlaps(body: Sequence[str]) -> bool:
    """Whether a probe stores beyond its lane's result, over that of the next one."""
    stores = re.findall(r"st\.global\.(?:v2\.)?[bu](\d+) \[%at_out\+(\d+)\], ({?)", " ".join(body))
    ends = [int(at) + int(bits) // 8 * (2 if pair else 1) for bits, at, pair in stores]
    return max(ends, default=0) > RESULT_BYTES


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
    kept = [number for number in sorted(found) if not _overlaps(probes[number]["body"])]
    failed = [probe["name"] for number, probe in enumerate(probes) if number not in found]
    meta = {
        "machine": files["machine.txt"].decode().strip(),
        "failed": failed,
        "probes": [probes[number] for number in kept],
    }
    results = np.stack([found[number] for number in kept])
    np.savez_compressed(FILE, meta=np.frombuffer(json.dumps(meta).encode(), np.uint8), results=results)
    print(f"{len(kept)} probes, {FILE.stat().st_size} bytes; failed on the GPU: {failed}")


if __name__ == "__main__":
    main(sys.argv[1:])
