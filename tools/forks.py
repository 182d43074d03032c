"""Forks at bad moments: `python3 -m tools.forks [MODE…]`.

`forks.cu` forks while other threads launch (their first launches too: each mode runs with an empty cache, then warm),
in a function that a stream calls back, before the first CUDA call; its children end, use the device they no longer
have, or become another CUDA program by vfork, posix_spawn or exec. Children must end within 20 seconds with what CUDA
answers a child (cudaErrorInitializationError), and no launch of the parent may get lost. Exit status 1 otherwise.
Needs nvcc and a host gcc.
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

MODES = ("early", "launching", "vfork", "spawn", "exec", "callback", "callback-vfork")
LIMIT_S = 300.0


@dataclass(frozen=True)
class Ran:
    """One mode with an empty or a filled cache; what was wrong, "" when nothing was."""

    mode: str
    cache: str
    wrong: str
    seconds: float


def build(folder: Path) -> Path:
    """The program."""
    program = folder / "forks"
    samples.nvcc(Path(__file__).with_name("forks.cu"), program, ("-gencode", "arch=compute_80,code=sm_80"))
    return program


def run(program: Path, mode: str, cache: Path, more: dict[str, str]) -> str:
    """Run a mode once; what was wrong."""
    settings = {**os.environ, "CASS_DEVICE": "emulated", "CASS_CACHE_DIR": str(cache), **more}
    command = [str(environment.launcher()), str(program), mode]
    try:
        done = subprocess.run(command, env=settings, capture_output=True, text=True, timeout=LIMIT_S, check=False)
    except subprocess.TimeoutExpired:
        return "hangs"
    if (done.returncode, done.stdout, done.stderr) == (0, "right\n", ""):
        return ""
    return f"exit status {done.returncode}: {(done.stdout + done.stderr).strip()[-500:]}"


def both(program: Path, mode: str, folder: Path) -> list[Ran]:
    """A mode with an empty cache and a daemon that is started, then with what the first run left."""
    cache, found = folder / f"cache-{mode}", []
    more = {"CASS_RUNTIME_DIR": str(folder / f"run-{mode}"), "CASS_IDLE": "5"}
    for state in ("empty", "filled"):
        began = time.monotonic()
        wrong = run(program, mode, cache, more)
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
        program = build(Path(name))
        for number in range(options.rounds):
            folder = Path(name, str(number))
            for mode in options.modes:
                for one in both(program, mode, folder):
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
