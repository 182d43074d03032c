"""Execute the probes on a real NVIDIA GPU of compute capability 9.0.

`python3 -m tools.sassvectors.record PROBES.json OUT.npz`: builds the container with nvcc, patches each probe into it,
runs it under two schedules through the driver, and stores what changed. An illegal instruction kills its context:
probes run in child processes of 32, a failed batch is split.
"""

from __future__ import annotations

import ctypes
import json
import multiprocessing
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from tools.record_examples import machine
from tools.sassvectors.inputs import LANES, inputs
from tools.sassvectors.probe import assemble

BATCH = 32


class Driver:
    """As much of libcuda as launching one kernel needs."""

    def __init__(self) -> None:
        self.cuda = ctypes.CDLL("libcuda.so.1")
        self.check("cuInit", 0)
        device, context = ctypes.c_int(), ctypes.c_void_p()
        self.check("cuDeviceGet", ctypes.byref(device), 0)
        self.check("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self.check("cuCtxSetCurrent", context)

    def check(self, name: str, *arguments: Any) -> None:
        """Call and raise on any error."""
        if code := getattr(self.cuda, name)(*arguments):
            raise RuntimeError(f"{name}: {code}")

    def allocate(self, size: int) -> ctypes.c_uint64:
        """Device memory."""
        address = ctypes.c_uint64()
        self.check("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(size))
        return address

    def run(self, cubin: bytes, words: np.ndarray, source: ctypes.c_uint64, target: ctypes.c_uint64) -> np.ndarray:
        """Load a cubin, launch `probe` with LANES threads, return uint32 [LANES, 8]."""
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        self.check("cuModuleLoadData", ctypes.byref(module), cubin)
        self.check("cuModuleGetFunction", ctypes.byref(function), module, b"probe")
        self.check("cuMemcpyHtoD_v2", source, words.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(words.nbytes))
        self.check("cuMemsetD8_v2", target, ctypes.c_ubyte(0xA5), ctypes.c_size_t(LANES * 32))
        arguments = (ctypes.c_void_p * 2)(*(ctypes.cast(ctypes.pointer(p), ctypes.c_void_p) for p in (source, target)))
        self.check("cuLaunchKernel", function, 1, 1, 1, LANES, 1, 1, 0, None, arguments, None)
        result = np.empty((LANES, 8), np.uint32)
        self.check("cuMemcpyDtoH_v2", result.ctypes.data_as(ctypes.c_void_p), target, ctypes.c_size_t(result.nbytes))
        self.check("cuModuleUnload", module)
        return result


def container() -> tuple[bytes, int, int]:
    """The container's cubin, and where its code lies: (bytes, offset, size)."""
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "container.cubin"
        source = Path(__file__).with_name("container.cu")
        subprocess.run(["nvcc", "-arch=sm_90", "-cubin", "-o", str(output), str(source)], check=True)
        elf = output.read_bytes()
    section_offset = int.from_bytes(elf[40:48], "little")
    count, names = int.from_bytes(elf[60:62], "little"), int.from_bytes(elf[62:64], "little")
    headers = [elf[section_offset + 64 * i : section_offset + 64 * (i + 1)] for i in range(count)]
    strings = int.from_bytes(headers[names][24:32], "little")
    for header in headers:
        start = strings + int.from_bytes(header[0:4], "little")
        if elf[start : elf.index(b"\0", start)] == b".text.probe":
            return elf, int.from_bytes(header[24:32], "little"), int.from_bytes(header[32:40], "little")
    raise SystemExit("the container has no .text.probe")


def batch(probes: list[dict[str, str]], box: tuple[bytes, int, int], results: Any) -> None:
    """Run some probes in a context of their own; puts (text, result) on the queue."""
    driver = Driver()
    source, target = driver.allocate(LANES * 80), driver.allocate(LANES * 32)
    elf, offset, size = box
    for probe in probes:
        outputs = []
        for padding in (4, 12):
            code = assemble(int(probe["word"], 16), padding)
            assert len(code) <= size
            cubin = elf[:offset] + code + elf[offset + len(code) :]
            outputs.append(driver.run(cubin, inputs(probe["text"]), source, target))
        results.put((probe["text"], outputs[0] if np.array_equal(*outputs) else None))


def run_all(probes: list[dict[str, str]]) -> dict[str, np.ndarray | None]:
    """Text → output words, or None where the probe failed or the two schedules disagreed."""
    context = multiprocessing.get_context("fork")
    box, found = container(), {}
    waiting = [probes[i : i + BATCH] for i in range(0, len(probes), BATCH)]
    while waiting:
        part = waiting.pop()
        results = context.Queue()
        child = context.Process(target=batch, args=(part, box, results))
        child.start()
        for _ in part:
            try:
                text, output = results.get(timeout=20)
                found[text] = output
            except Exception:
                break
        child.join(10)
        child.kill()
        left = [probe for probe in part if probe["text"] not in found]
        if left:
            found[left[0]["text"]] = None
            if left[1:]:
                waiting.append(left[1:])
    return found


def main(arguments: list[str]) -> None:
    """Record and pack."""
    probes = json.loads(Path(arguments[0]).read_text())
    found = run_all(probes)
    good = {text: output for text, output in found.items() if output is not None}
    arrays = {f"v{index}": good[probe["text"]] for index, probe in enumerate(probes) if probe["text"] in good}
    failed = sorted(text for text, output in found.items() if output is None)
    document = {"machine": machine(), "failed": failed, "probes": probes}
    np.savez_compressed(arguments[1], meta=np.frombuffer(json.dumps(document).encode(), np.uint8), **arrays)
    print(f"{len(good)} recorded, {len(failed)} failed: {failed[:40]}")


if __name__ == "__main__":
    main(sys.argv[1:])
