"""Execute the probes of `shapes.py` on a real NVIDIA GPU of compute capability 9.0.

`python3 -m tools.sassvectors.record_rows PROBES.json CONTAINER.cubin OUT.npz [JOBS [SECONDS]]` (the container:
`rows.cu` by `nvcc -arch=sm_90 -cubin`; needs numpy and libcuda only). Stored is, per probe and row, what changed: 16
words of result and the 16 words of the row's cell, each xor what was there before. No batch begins after SECONDS.
"""

from __future__ import annotations

import ctypes
import json
import multiprocessing
import queue
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np

from tools.record_examples import machine
from tools.sassvectors.record import Driver
from tools.sassvectors.rows import CELLS_OFFSET, ROWS, assemble, before, given

BATCH = 32
OUT_BYTES = CELLS_OFFSET + ROWS * 64
SHARED = 2048
PADDINGS = (12, 28)  # R2UR takes longer than four NOPs


def code_of(elf: bytes, name: bytes = b".text.probe") -> tuple[int, int]:
    """Where the container's code lies: (offset, size)."""
    sections = int.from_bytes(elf[40:48], "little")
    count, names = int.from_bytes(elf[60:62], "little"), int.from_bytes(elf[62:64], "little")
    headers = [elf[sections + 64 * i : sections + 64 * (i + 1)] for i in range(count)]
    strings = int.from_bytes(headers[names][24:32], "little")
    for header in headers:
        start = strings + int.from_bytes(header[0:4], "little")
        if elf[start : elf.index(b"\0", start)] == name:
            return int.from_bytes(header[24:32], "little"), int.from_bytes(header[32:40], "little")
    raise SystemExit("the container has no .text.probe")


def launch(driver: Driver, function: Any, mode: str, words: np.ndarray, source: int, target: int) -> None:
    """One launch, or one for each row with its constants in the parameters."""
    for row in range(ROWS if mode == "launches" else 1):
        pointers = [ctypes.c_uint64(source + 80 * row), ctypes.c_uint64(target + 64 * row)]
        constants = (ctypes.c_uint32 * 4)(*map(int, words[row, 4:8]))
        values = (ctypes.c_void_p * 3)(
            *(ctypes.cast(ctypes.pointer(p), ctypes.c_void_p) for p in (*pointers, constants))
        )
        grid, block = {"rows": (ROWS, 1), "launches": (1, 1), "lanes": (1, ROWS)}[mode]
        driver.check("cuLaunchKernel", function, grid, 1, 1, block, 1, 1, SHARED, None, values, None)


def run(driver: Driver, cubin: bytes, probe: dict[str, Any], source: Any, target: Any) -> np.ndarray:
    """uint32 [ROWS, 32]: results and cells behind the launch."""
    module, function = ctypes.c_void_p(), ctypes.c_void_p()
    driver.check("cuModuleLoadData", ctypes.byref(module), cubin)
    driver.check("cuModuleGetFunction", ctypes.byref(function), module, b"probe")
    words = np.ascontiguousarray(given(probe))
    out = np.full(OUT_BYTES, 0xA5, np.uint8)
    out[CELLS_OFFSET:] = np.ascontiguousarray(words[:, :16]).view(np.uint8).ravel()
    for there, here in ((source, words), (target, out)):
        driver.check("cuMemcpyHtoD_v2", there, here.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(here.nbytes))
    launch(driver, function, probe["mode"], words, source.value, target.value)
    driver.check("cuMemcpyDtoH_v2", out.ctypes.data_as(ctypes.c_void_p), target, ctypes.c_size_t(out.nbytes))
    driver.check("cuModuleUnload", module)
    results = out[: ROWS * 64].view(np.uint32).reshape(ROWS, 16)
    return np.concatenate([results, out[CELLS_OFFSET:].view(np.uint32).reshape(ROWS, 16)], axis=1)


def batch(probes: list[dict[str, Any]], elf: bytes, results: Any) -> None:
    """Some probes in a context of their own; puts (name, what changed or None) on the queue."""
    driver = Driver()
    source, target = driver.allocate(ROWS * 80), driver.allocate(OUT_BYTES)
    offset, size = code_of(elf)
    for probe in probes:
        seen = []
        for padding in PADDINGS:
            code = assemble(probe, padding)
            assert len(code) <= size, f"{len(code)} bytes of code for {size}"
            seen.append(run(driver, elf[:offset] + code + elf[offset + len(code) :], probe, source, target))
        changed = (seen[0] ^ before(probe)) if np.array_equal(seen[0], seen[1]) else None
        results.put((probe["name"], changed))


def next_result(results: Any, child: Any, seconds: int) -> tuple[str, np.ndarray | None] | None:
    """What the child says next; None when it ended or says nothing for so long."""
    for _ in range(2 * seconds):
        alive = child.is_alive()
        try:
            got: tuple[str, np.ndarray | None] = results.get(timeout=0.5)
            return got
        except queue.Empty:
            if not alive:
                return None
    return None


def attempt(part: list[dict[str, Any]], elf: bytes) -> dict[str, np.ndarray | None]:
    """What a child process could record of a batch; it ends at the first probe that kills its context."""
    context = multiprocessing.get_context("spawn")
    results = context.Queue()
    child = context.Process(target=batch, args=(part, elf, results))
    child.start()
    found: dict[str, np.ndarray | None] = {}
    while len(found) < len(part):
        got = next_result(results, child, 8 if found else 30)
        if got is None:
            break
        found[got[0]] = got[1]
    child.kill()
    child.join()
    return found


def record(probes: list[dict[str, Any]], elf: bytes, jobs: int, limit_s: float) -> dict[str, np.ndarray | None]:
    """Name → what changed; None where the probe failed or the two schedules disagreed."""
    end = time.monotonic() + limit_s
    found: dict[str, np.ndarray | None] = {}
    waiting = [probes[i : i + BATCH] for i in range(0, len(probes), BATCH)]

    def work() -> None:
        while waiting and time.monotonic() < end:
            try:
                part = waiting.pop()
            except IndexError:
                return
            found.update(attempt(part, elf))
            left = [probe for probe in part if probe["name"] not in found]
            if left:  # the first of them did not come back; the others go on without it
                found[left[0]["name"]] = None
                waiting.extend([left[1:]] if left[1:] else [])

    threads = [threading.Thread(target=work) for _ in range(jobs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


def main(arguments: list[str]) -> None:
    """Record and store."""
    probes = json.loads(Path(arguments[0]).read_text())
    jobs, limit_s = (int(text) for text in [*arguments[3:], *("8", "1000")[len(arguments) - 3 :]])
    found = record(probes, Path(arguments[1]).read_bytes(), jobs, limit_s)
    good = [probe for probe in probes if found.get(probe["name"]) is not None]
    failed = sorted(name for name, changed in found.items() if changed is None)
    results = np.array([found[probe["name"]] for probe in good], np.uint32).reshape(-1, ROWS, 32)
    meta = json.dumps({"machine": machine(), "failed": failed, "probes": good})
    np.savez_compressed(arguments[2], meta=np.frombuffer(meta.encode(), np.uint8), results=results)
    print(f"{len(good)} recorded, {len(probes) - len(found)} left, {len(failed)} failed: {failed[:60]}")


if __name__ == "__main__":
    main(sys.argv[1:])
