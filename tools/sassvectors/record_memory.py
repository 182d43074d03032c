"""Execute the memory probes on a real NVIDIA GPU of compute capability 9.0.

`python3 -m tools.sassvectors.record_memory PROBES.json OUT.npz`. Per probe and lane: R32-R35, then the 16 words of the
lane's cell (12 for shared memory). A cell starts as the lane's first 16 input words.
"""

from __future__ import annotations

import ctypes
import json
import multiprocessing
import sys
from pathlib import Path
from typing import Any

import numpy as np

from tools.record_examples import machine
from tools.sassvectors.inputs import LANES, inputs
from tools.sassvectors.memory import CELL_BYTES, CELLS_OFFSET, SHARED_OFFSET, SPACES, assemble
from tools.sassvectors.record import Driver, container

RESULT_BYTES = CELLS_OFFSET + LANES * CELL_BYTES
ATTRIBUTE_MAX_DYNAMIC_SHARED = 8


def launch(driver: Driver, cubin: bytes, words: np.ndarray, shared: int, source: Any, target: Any) -> np.ndarray:
    """One launch; uint32 [LANES, 4 + 16]."""
    module, function = ctypes.c_void_p(), ctypes.c_void_p()
    driver.check("cuModuleLoadData", ctypes.byref(module), cubin)
    driver.check("cuModuleGetFunction", ctypes.byref(function), module, b"probe")
    if shared:
        driver.check("cuFuncSetAttribute", function, ATTRIBUTE_MAX_DYNAMIC_SHARED, shared)
    given = np.ascontiguousarray(words)
    cells = np.ascontiguousarray(words[:, :16])
    driver.check("cuMemcpyHtoD_v2", source, given.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(given.nbytes))
    there = ctypes.c_uint64(target.value + CELLS_OFFSET)
    driver.check("cuMemcpyHtoD_v2", there, cells.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(cells.nbytes))
    values = (ctypes.c_void_p * 2)(*(ctypes.cast(ctypes.pointer(p), ctypes.c_void_p) for p in (source, target)))
    driver.check("cuLaunchKernel", function, 1, 1, 1, LANES, 1, 1, shared, None, values, None)
    result = np.empty(RESULT_BYTES // 4, np.uint32)
    driver.check("cuMemcpyDtoH_v2", result.ctypes.data_as(ctypes.c_void_p), target, ctypes.c_size_t(result.nbytes))
    driver.check("cuModuleUnload", module)
    registers = result[: LANES * 8].reshape(LANES, 8)[:, :4]
    return np.concatenate([registers, result[CELLS_OFFSET // 4 :].reshape(LANES, 16)], axis=1)


def one(probe: dict[str, str], box: tuple[bytes, int, int], results: Any) -> None:
    """One probe in a process of its own; two schedules must agree."""
    driver = Driver()
    source, target = driver.allocate(LANES * 80), driver.allocate(RESULT_BYTES)
    elf, offset, size = box
    shared = LANES * CELL_BYTES + SHARED_OFFSET if SPACES[probe["text"].split(" ")[0].split(".")[0]] == "shared" else 0
    outputs = []
    for padding in (4, 12):
        code = assemble(probe["text"], int(probe["word"], 16), padding)
        assert len(code) <= size
        cubin = elf[:offset] + code + elf[offset + len(code) :]
        outputs.append(launch(driver, cubin, inputs(probe["text"]), shared, source, target))
    results.put(outputs[0] if np.array_equal(*outputs) else None)


def main(arguments: list[str]) -> None:
    """Record all probes."""
    probes = json.loads(Path(arguments[0]).read_text())
    context, box = multiprocessing.get_context("fork"), container()
    found: list[np.ndarray | None] = []
    for probe in probes:
        results = context.Queue()
        child = context.Process(target=one, args=(probe, box, results))
        child.start()
        try:
            found.append(results.get(timeout=15))
        except Exception:
            found.append(None)
        child.kill()
        child.join()
    failed = [probe["text"] for probe, output in zip(probes, found, strict=True) if output is None]
    arrays = {f"v{index}": output for index, output in enumerate(found) if output is not None}
    meta = json.dumps({"machine": machine(), "failed": failed, "probes": probes})
    np.savez_compressed(arguments[1], meta=np.frombuffer(meta.encode(), np.uint8), **arrays)
    print(f"{len(arrays)} recorded, {len(failed)} failed: {failed[:20]}")


if __name__ == "__main__":
    main(sys.argv[1:])
