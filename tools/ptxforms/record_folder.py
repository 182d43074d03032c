"""`python3 -m tools.ptxforms.record_folder OUT`: a folder that records new probes on a machine with an NVIDIA GPU only.

OUT gets the probes' PTX, the launcher, their names and seeds, and `on_the_gpu.py`, which needs ptxas 13.0 and Python's
own library there and writes OUT/out. `tools.ptxforms.pack` turns that into `tests/vectors/ptx/probes.npz`.
"""

from __future__ import annotations

import json
import lzma
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

from cass_shim.selftest.inputs import seed_of
from tools.ptxforms.known import recorded_names
from tools.ptxforms.probes import FUNCTIONS, HEADER, Probe, kernel
from tools.ptxforms.recorded import FILE, described, recording
from tools.ptxforms.selection import all_probes


def _is(recorded: Probe | None, probe: Probe) -> bool:
    """Whether it has been recorded, be it with inputs of its own."""
    return recorded is not None and replace(recorded, like="") == replace(probe, like="")


def main(arguments: list[str]) -> None:
    """Build the folder."""
    folder = Path(arguments[0])
    folder.mkdir(parents=True, exist_ok=True)
    recorded = {probe.name: probe for probe in recording().probes} if FILE.exists() else {}
    probes = [probe for probe in all_probes(recorded_names()) if not _is(recorded.get(probe.name), probe)]
    texts = [kernel(number, probe.on_the_gpu) for number, probe in enumerate(probes)]
    head = HEADER.format(sm="90") + FUNCTIONS
    (folder / "kernels.json.xz").write_bytes(lzma.compress(json.dumps([head, *texts]).encode()))
    launcher = Path(__file__).with_name("launcher.c")
    subprocess.run(["cc", "-O2", "-o", str(folder / "launcher"), str(launcher), "-ldl"], check=True)
    shutil.copy(Path(__file__).with_name("on_the_gpu.py"), folder)
    (folder / "seeds").write_text("".join(f"{seed_of(probe.seed)}\n" for probe in probes))
    (folder / "probes.json").write_text(json.dumps([described(probe) for probe in probes]))
    print(f"{len(probes)} probes in {folder}")


if __name__ == "__main__":
    main(sys.argv[1:])
