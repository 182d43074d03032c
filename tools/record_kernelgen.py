"""Record the digests of generated kernels on a real NVIDIA GPU.

`python3 -m tools.record_kernelgen FOLDER --seed 1 --count 10000` on a machine with an NVIDIA GPU and nvcc: builds
units of 100 kernels at two optimisation levels, runs both, and writes FOLDER/kernelgen-SEED.bin (two little-endian
u64 digests a kernel; 0 where the two levels disagree) and FOLDER/kernelgen-SEED.json (machine, counts, disagreements).
"""

from __future__ import annotations

import argparse
import concurrent.futures
import json
import os
import struct
import subprocess
import tempfile
from pathlib import Path

from tools.kernelgen.program import GENERATION, unit
from tools.record_examples import machine

UNIT = 100
LEVELS = (("-Xptxas", "-O3"), ("-Xptxas", "-O1", "-Xcicc", "-O1"))


def build(folder: Path, seed: int, first: int, level: int) -> Path:
    """One unit at one optimisation level."""
    source = folder / f"{first}.{level}.cu"
    source.write_text(unit(seed, first, UNIT))
    program = source.with_suffix("")
    subprocess.run(["nvcc", "-arch=native", "-w", *LEVELS[level], "-o", str(program), str(source)], check=True)
    return program


def run(program: Path) -> dict[tuple[int, int], int]:
    """(kernel, input seed) → digest of one unit's run."""
    done = subprocess.run([str(program)], capture_output=True, text=True, timeout=120, check=False)
    digests = {}
    for line in done.stdout.splitlines():
        kernel, seed, *rest = line.split()
        if len(rest) == 1:
            digests[int(kernel[1:]), int(seed[1:])] = int(rest[0], 16)
    return digests


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(prog="python3 -m tools.record_kernelgen")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=10000)
    options = parser.parse_args()
    levels: list[dict[tuple[int, int], int]] = [{}, {}]
    with (
        tempfile.TemporaryDirectory() as name,
        concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 2) as pool,
    ):
        jobs = [
            (level, pool.submit(build, Path(name), options.seed, first, level))
            for first in range(0, options.count, UNIT)
            for level in (0, 1)
        ]
        for level, job in jobs:
            levels[level].update(run(job.result()))
    keys = [(kernel, seed) for kernel in range(options.count) for seed in (0, 1)]
    agreed = [levels[0][key] if levels[0].get(key) == levels[1].get(key, -1) else 0 for key in keys]
    stem = options.folder / f"kernelgen-{options.seed}"
    stem.with_suffix(".bin").write_bytes(struct.pack(f"<{len(agreed)}Q", *agreed))
    document = {
        "machine": machine(),
        "generation": GENERATION,
        "seed": options.seed,
        "count": options.count,
        "disagreements": [list(key) for key, value in zip(keys, agreed, strict=True) if value == 0],
    }
    stem.with_suffix(".json").write_text(json.dumps(document) + "\n")
    print(f"{options.count} kernels, {len(document['disagreements'])} disagreements")


if __name__ == "__main__":
    main()
