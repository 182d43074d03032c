"""The emulated device with 1, 2, 4 … threads, beside the same source compiled by clang over as many.

How much faster more threads are depends on the machine too: processors that share a core, and a clock that falls with
the number of busy ones. clang's code of the same arithmetic, over the same workgroups and in the same run, meets the
same; the ratio of the two gains is ours alone. Both sides must compute the same bits.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from tools.bench import Figure
from tools.bench.emulator import Run, on_cpu, on_emulator

ROUNDS = 2
SET = "LARGE_WORKLOADS"


def counts(processors: int) -> list[int]:
    """1, 2, 4 … and all of them."""
    return sorted({1 << power for power in range(processors.bit_length()) if 1 << power <= processors} | {processors})


def gains(ours: dict[int, dict[str, Run]], theirs: dict[int, dict[str, Run]], name: str) -> list[Figure]:
    """How many times as fast as one thread each number of threads is, ours against clang's."""
    first, rival = ours[1][name].seconds, theirs[1][name].seconds
    return [
        Figure(
            f"{name}: {threads} threads",
            first / runs[name].seconds,
            rival / theirs[threads][name].seconds,
            "x",
            "clang",
        )
        for threads, runs in ours.items()
        if threads > 1
    ]


def measure() -> list[Figure]:
    """Gains by threads of both sides; an output that differs from the CPU's is an error."""
    threads = counts(os.cpu_count() or 1)
    with tempfile.TemporaryDirectory() as folder:
        theirs = {count: on_cpu(count, Path(folder), SET, ROUNDS) for count in threads}
    ours = {count: on_emulator(SET, ROUNDS, CASS_EMU_THREADS=str(count), CASS_EMU_NATIVE="0") for count in threads}
    for name, run in ((name, run) for runs in ours.values() for name, run in runs.items()):
        if run.checksum != theirs[1][name].checksum:
            raise SystemExit(f"{name}: the emulated device computed other bits than this CPU")
    return [figure for name in ours[1] for figure in gains(ours, theirs, name)]
