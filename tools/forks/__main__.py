"""Forks at bad moments: `python3 -m tools.forks [MODE…]`.

`forks.cu` forks while other threads launch kernels or graphs (their first launches too: each mode runs with an empty
cache, then warm), in a function that a stream calls back, in the middle of a capture, before the first CUDA call; its
children end, use the device they no longer have, or become another CUDA program by vfork, posix_spawn or exec.
`driver.cu` does so through the driver API, `host.py` is a Python host with os.fork, multiprocessing and a subprocess.
Children must end within 20 seconds with what CUDA answers a child (cudaErrorInitializationError,
CUDA_ERROR_NOT_INITIALIZED), and no launch of the parent may get lost. Exit status 1 otherwise. Needs nvcc and a host
gcc.
"""

from __future__ import annotations

import argparse
import datetime
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tools import environment, samples
from tools.dated_rows import add_rows
from tools.faults.programs import link_driver

HERE = Path(__file__).parent
MODES = ("early", "launching", "vfork", "spawn", "exec", "callback", "callback-vfork", "graph", "capture", "driver",
         "host")  # fmt: skip
LIMIT_S = 300.0


@dataclass(frozen=True)
class Ran:
    """One mode with an empty or a filled cache; what was wrong, "" when nothing was."""

    mode: str
    cache: str
    wrong: str
    seconds: float


def build(folder: Path) -> dict[str, list[str]]:
    """The command of each mode."""
    runtime, driver = folder / "forks", folder / "driver"
    samples.nvcc(HERE / "forks.cu", runtime, ("-gencode", "arch=compute_80,code=sm_80"))
    samples.nvcc(HERE / "driver.cu", driver, link_driver(folder))
    own = {"driver": [str(driver)], "host": [str(environment.python()), "-W", "ignore", str(HERE / "host.py")]}
    return {mode: own.get(mode, [str(runtime), mode]) for mode in MODES}


def run(arguments: Sequence[str], cache: Path, more: dict[str, str]) -> str:
    """Run a mode's command once; what was wrong."""
    settings = {**os.environ, "CASS_DEVICE": "emulated", "CASS_CACHE_DIR": str(cache), **more}
    command = [str(environment.launcher()), *arguments]
    try:
        done = subprocess.run(command, env=settings, capture_output=True, text=True, timeout=LIMIT_S, check=False)
    except subprocess.TimeoutExpired:
        return "hangs"
    # PTX alone has nothing that its translation could be compared with, and cass-run says so
    said = [line for line in done.stderr.splitlines() if "runs with evidence E0 only" not in line]
    if (done.returncode, done.stdout, said) == (0, "right\n", []):
        return ""
    return f"exit status {done.returncode}: {(done.stdout + done.stderr).strip()[-500:]}"


def both(arguments: Sequence[str], mode: str, folder: Path) -> list[Ran]:
    """A mode with an empty cache and a daemon that is started, then with what the first run left."""
    cache, found = folder / f"cache-{mode}", []
    more = {"CASS_RUNTIME_DIR": str(folder / f"run-{mode}"), "CASS_IDLE": "5"}
    for state in ("empty", "filled"):
        began = time.monotonic()
        wrong = run(arguments, cache, more)
        found.append(Ran(mode, state, wrong, time.monotonic() - began))
    return found


def main(arguments: Sequence[str]) -> int:
    """Command line."""
    parser = argparse.ArgumentParser(prog="python3 -m tools.forks", description=__doc__)
    parser.add_argument("modes", nargs="*", default=MODES, help=f"of {', '.join(MODES)}")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--page", action="store_true", help="add a dated row to docs/hardening.md")
    options = parser.parse_args(arguments)
    if unknown := set(options.modes) - set(MODES):
        parser.error(f"no mode {min(unknown)}; there are {', '.join(MODES)}")
    if why := samples.can_build():
        print(f"tools.forks: {why}", file=sys.stderr)
        return 2
    began, results = time.monotonic(), []
    with tempfile.TemporaryDirectory(prefix="cass-forks-") as name:
        commands = build(Path(name))
        for number in range(options.rounds):
            folder = Path(name, str(number))
            for mode in options.modes:
                for one in both(commands[mode], mode, folder):
                    print(f"{one.mode:16} {one.cache:7} {one.seconds:6.1f} s  {one.wrong or 'right'}", flush=True)
                    results.append(one)
    found = sum(bool(one.wrong) for one in results)
    seconds = time.monotonic() - began
    row = f"| {datetime.date.today()} | {len(set(options.modes))} | {len(results)} | {found} | {seconds:.0f} |"
    print(row)
    if options.page:
        add_rows("forks", [row])
    return int(found > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
