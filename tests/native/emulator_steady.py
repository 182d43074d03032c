"""Launches the kernels of emulator_steady.hip again and again: `… CODE SECONDS [LESS]`, each for so many seconds and at
least twice, with LESS times fewer turns.

Prints for each kernel how many launches there were, the digests of their results with how often each came (one where
all are equal), wave-instructions, those of them in translated code, and why a launch ended otherwise than well.
"""

from __future__ import annotations

import ctypes
import functools
import hashlib
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.native.emulator_core_support import CodeObject, Outcome, library

INPUT = np.random.default_rng(5).integers(0, 1 << 32, 4096, np.uint32)
GROUPS = 12


def launch(code: CodeObject, kernel: str, items: int, turns: int, words: int, more: bool) -> tuple[Outcome, bytes]:
    """One launch from the same beginning; its outcome and all memory behind it."""
    out, flags = np.zeros(words, np.uint32), np.zeros(8192, np.uint32)
    arguments: list[object] = [INPUT, out]
    if more:
        arguments.append(flags)
    arguments.append(np.uint32(turns))
    if kernel == "grid":
        arguments.append(np.uint32(GROUPS))
    outcome = code.launch(kernel, (GROUPS,), (items,), arguments, cooperative=kernel == "grid")
    return outcome, out.tobytes() + flags.tobytes()


# Kernel, work-items of a group, turns, words of the result, whether it has flags. Some four million wave-instructions
# and more each: translated code takes over within a launch where the cache holds it.
KERNELS = (
    ("tiles", 256, 2400, GROUPS * 256, False),
    ("uneven", 256, 900, GROUPS * 256, False),
    ("ring", 256, 300, GROUPS * 256, False),
    ("chain", 64, 300, GROUPS * 64 * 301, True),
    ("lock", 96, 2500, 1032, True),
    ("grid", 64, 2500, GROUPS * 64 * 2, True),
)


def steady(kernel: str, again: Callable[[], tuple[Outcome, bytes]], seconds: float) -> str:
    """The line of one kernel."""
    digests: dict[str, int] = {}
    wrong, launches, end = "", 0, time.monotonic() + seconds
    before, counted = library().cass_emu_translated(), 0
    while launches < 2 or time.monotonic() < end:
        outcome, memory = again()
        launches += 1
        counted += outcome.instructions
        if outcome.status != "ok":
            wrong = outcome.text
        digest = hashlib.sha256(memory).hexdigest()[:16]
        digests[digest] = digests.get(digest, 0) + 1
    translated = library().cass_emu_translated() - before
    told = ",".join(f"{digest}:{count}" for digest, count in digests.items())
    return f"{kernel}\t{launches}\t{told}\t{counted}\t{translated}\t{wrong}"


def main(image: str, seconds: str, less: str = "1") -> None:
    """All kernels, `seconds` each."""
    code = CodeObject(Path(image).read_bytes())
    library().cass_emu_translated.restype = ctypes.c_uint64
    for kernel, items, turns, words, more in KERNELS:
        fewer = turns // int(less)
        again = functools.partial(launch, code, kernel, items, fewer, words, more)
        print(steady(kernel, again, float(seconds)), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
