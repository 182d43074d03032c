"""`python3 -m tools.ptxforms.record_folder OUT`: a folder that records the probes on a machine with an NVIDIA GPU only.

OUT gets the probes' cubin, the launcher, their names and seeds, and `run.sh`, which writes $OUT/results.tar.xz there.
`tools.ptxforms.pack` turns that into `tests/vectors/ptx/probes.npz`.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from cass_shim.selftest.inputs import seed_of
from tools.ptxforms.known import recorded_names
from tools.ptxforms.recorded import FILE, recording
from tools.ptxforms.selection import all_probes, module

CHUNK = 64
RUN = """\
#!/bin/bash
# Records every probe on the GPU; a chunk that fails is run probe by probe, failures are named in $OUT/failed.txt.
cd "$(dirname "$0")"; mkdir -p "$OUT" work; chmod +x launcher; total=$(wc -l < seeds); : > "$OUT/failed.txt"
nvidia-smi --query-gpu=name,driver_version,compute_cap --format=csv,noheader > work/machine.txt
chunk() {{
  first=$1; last=$((first + {chunk} < total ? first + {chunk} : total)); name=work/$(printf %05d $first)
  timeout 60 ./launcher probes.cubin seeds $first $last $name.bin 2>>"$OUT/log.txt" && return
  rm -f $name.bin
  for ((one = first; one < last; one++)); do
    name=work/$(printf %05d $one)
    timeout 20 ./launcher probes.cubin seeds $one $((one + 1)) $name.one 2>>"$OUT/log.txt" ||
      {{ echo $one >> "$OUT/failed.txt"; rm -f $name.one; }}
  done
}}
export -f chunk; export total OUT
seq 0 {chunk} $((total - 1)) | xargs -P 16 -I N bash -c 'chunk N'
cp "$OUT/failed.txt" work/; tar cf - work | (xz -6 -T0 2>/dev/null || gzip -9) > "$OUT/results.tar.packed"; rm -r work
ls -la "$OUT"; wc -l "$OUT/failed.txt"
"""


def main(arguments: list[str]) -> None:
    """Build the folder."""
    folder = Path(arguments[0])
    folder.mkdir(parents=True, exist_ok=True)
    recorded = {probe.name: probe for probe in recording().probes} if FILE.exists() else {}
    probes = [probe for probe in all_probes(recorded_names()) if recorded.get(probe.name) != probe]
    source = folder / "probes.ptx"
    source.write_text(module(probes))
    command = ["ptxas", "-arch=sm_90", str(source), "-o", str(folder / "probes.cubin")]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stderr[-3000:])
    source.unlink()
    launcher = Path(__file__).with_name("launcher.c")
    subprocess.run(["cc", "-O2", "-o", str(folder / "launcher"), str(launcher), "-ldl"], check=True)
    (folder / "seeds").write_text("".join(f"{seed_of(probe.name)}\n" for probe in probes))
    texts = [{"name": probe.name, "body": probe.body, "needs": sorted(probe.needs)} for probe in probes]
    (folder / "probes.json").write_text(json.dumps(texts))
    (folder / "run.sh").write_text(RUN.format(chunk=CHUNK))
    (folder / "run.sh").chmod(0o755)
    print(f"{len(probes)} probes in {folder}")


if __name__ == "__main__":
    main(sys.argv[1:])
