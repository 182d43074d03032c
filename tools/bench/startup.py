"""Start-up of a warm program: `cass-run ./vector_add` against the bare process.

The bare process is the same binary without cass-run: with no NVIDIA driver its first CUDA call fails and it exits, so
it is a process start, the loader and the runtime's own initialisation. Runs alternate; medians of 41.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import tempfile
import time

from tools import environment, samples
from tools.bench import Figure

RUNS = 41


def seconds(command: list[str], env: dict[str, str]) -> float:
    """Wall time of one run."""
    begin = time.perf_counter()
    subprocess.run(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    return time.perf_counter() - begin


def measure() -> list[Figure]:
    """Two prebuilt programs, shared and static runtime."""
    figures = []
    with tempfile.TemporaryDirectory() as cache:
        env = {**os.environ, "CASS_CACHE_DIR": cache, "CASS_DEVICE": "emulated"}
        for name in ("vector_add_static", "mandelbrot_shared"):
            program = str(samples.PREBUILT / name)
            warm = [str(environment.launcher()), program]
            for _ in range(3):
                seconds(warm, env)
            pairs = [(seconds(warm, env), seconds([program], env)) for _ in range(RUNS)]
            ours, bare = (statistics.median(column) * 1e3 for column in zip(*pairs, strict=True))
            figures.append(Figure(f"warm start, {name}", ours, bare, "ms", "bare process"))
    return figures
