"""`python3 on_the_gpu.py [FIRST LAST]`, in the folder that `tools.ptxforms.record_folder` made: records its probes.

Needs an NVIDIA GPU of sm_90, ptxas 13.0 in the PATH and nothing else. Probes are compiled and run in chunks, several at
once; those of a chunk that fails one by one. Writes `out/results.xz` (what the launcher wrote, each result once),
`out/done.json` (which of them a probe gave), `out/failed.json` (what the driver or ptxas said of the others) and
`out/machine.txt`.
"""

from __future__ import annotations

import json
import lzma
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
STARTED = time.monotonic()
CHUNK = 64
SECONDS = 300  # after these nothing is tried one by one any more


def run(command: list[str], seconds: int) -> str:
    """What it complained about, "" when it went well."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=False)
    except subprocess.TimeoutExpired:
        return f"not done in {seconds} s"
    return "" if done.returncode == 0 else (done.stderr or done.stdout or f"exit {done.returncode}").strip()[:300]


def attempt(texts: list[str], numbers: list[int], folder: Path, seconds: int) -> tuple[bytes, str]:
    """What the launcher wrote for these probes (one after the other), or why not."""
    name = folder / f"{numbers[0]}-{len(numbers)}"
    source, cubin, result = (name.with_suffix(end) for end in (".ptx", ".cubin", ".bin"))
    kernels = [texts[1 + number] for number in numbers]
    own = "a" if any("setmaxnreg" in kernel for kernel in kernels) else ""  # an instruction of sm_90a alone
    source.write_text(texts[0].replace(".target sm_90", f".target sm_90{own}") + "\n".join(kernels))
    why = run(["ptxas", f"-arch=sm_90{own}", str(source), "-o", str(cubin)], 300) or run(
        [str(HERE / "launcher"), str(cubin), str(HERE / "seeds"), str(numbers[0]), str(numbers[-1] + 1), str(result)],
        seconds,
    )
    content = result.read_bytes() if not why else b""
    for path in (source, cubin, result):
        path.unlink(missing_ok=True)
    return content, why


def chunk(texts: list[str], numbers: list[int], folder: Path) -> tuple[dict[int, bytes], dict[int, str]]:
    """Results and complaints of some probes."""
    content, why = attempt(texts, numbers, folder, 60)
    if not why:
        size = len(content) // len(numbers)
        return {number: content[at * size : (at + 1) * size] for at, number in enumerate(numbers)}, {}
    done, failed = {}, {}
    for number in numbers:
        late = time.monotonic() - STARTED > SECONDS
        content, why = (b"", "no time left") if late else attempt(texts, [number], folder, 10)
        if why:
            failed[number] = why
        else:
            done[number] = content
    return done, failed


def main(arguments: list[str]) -> None:
    """Record, and say how many."""
    texts = json.loads(lzma.decompress((HERE / "kernels.json.xz").read_bytes()))
    first, last = (int(arguments[0]), int(arguments[1])) if arguments else (0, len(texts) - 1)
    os.chmod(HERE / "launcher", 0o755)
    out = HERE / "out"
    out.mkdir(exist_ok=True)
    query = ["nvidia-smi", "--query-gpu=name,driver_version,compute_cap", "--format=csv,noheader"]
    machine = subprocess.run(query, capture_output=True, text=True, check=True).stdout
    (out / "machine.txt").write_text(machine.splitlines()[0] + "\n")
    parts = [list(range(at, min(at + CHUNK, last))) for at in range(first, last, CHUNK)]
    done: dict[int, bytes] = {}
    failed: dict[int, str] = {}
    workers = int(os.environ.get("CORES") or os.cpu_count() or 4)
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(workers) as pool:
        for results, complaints in pool.map(lambda part: chunk(texts, part, Path(folder)), parts):
            done |= results
            failed |= complaints
    rows: dict[bytes, int] = {}
    row_of = {number: rows.setdefault(content, len(rows)) for number, content in done.items()}
    (out / "results.xz").write_bytes(lzma.compress(b"".join(rows), preset=6))
    (out / "done.json").write_text(json.dumps(row_of))
    (out / "failed.json").write_text(json.dumps(failed))
    print(f"{len(done)} recorded, {len(failed)} failed")


if __name__ == "__main__":
    main(sys.argv[1:])
