"""Runs the workloads of `tools/bench emulator` on the emulated device: `emulator_worker.py KERNELS ROUNDS WORKLOADS`.

WORKLOADS: JSON rows of name, groups x, groups y, last argument. Prints `name seconds checksum wave-instructions`;
seconds of processor time where CASS_EMU_THREADS is 1, so that other work on the machine counts less.
"""

from __future__ import annotations

import ctypes
import json
import os
import struct
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from cass_shim.assemble import toolchain
from cass_shim.assemble.hip import compile_to_assembly
from cass_shim.device.device import Device, Module
from cass_shim.model.artifacts import HipSource

WORDS = 1 << 20


def values(factor: int) -> Any:
    """The inputs of emulator_cpu.cc: WORDS float32 in [0, 1)."""
    return ((np.arange(WORDS, dtype=np.uint32) * np.uint32(factor)) >> 8).astype(np.float32) / np.float32(1 << 24)


def compiled(source: str) -> bytes:
    """The kernels' code object for gfx1100."""
    return toolchain.link(toolchain.assemble_object(compile_to_assembly(HipSource(source, "vadd", ())).text))


def load(device: Device, source: str) -> Module:
    """The kernels on the device."""
    return device.load(compiled(source))


def checksum(words: Any) -> int:
    """As emulator_cpu.cc has it."""
    total = 0
    for word in words.view(np.uint32).tolist():
        total = (total * 31 + word) & 0xFFFFFFFF
    return total


def main(kernels: str, rounds: str, workloads: str) -> None:
    """Best time of each workload."""
    device = Device.open("emulated")
    clock = time.process_time if os.environ.get("CASS_EMU_THREADS") == "1" else time.perf_counter
    executed = device.library.native.cass_emu_instructions
    executed.restype = ctypes.c_uint64
    module = load(device, Path(kernels).read_text())
    a, b = device.buffer(values(2654435761)), device.buffer(values(2246822519))
    c = device.buffer(np.zeros(WORDS, np.float32))
    for name, x, y, n in json.loads(workloads):
        best, count, function = 1e9, 0, module.function(name)
        kernarg = struct.pack("<QQQi", a.address, b.address, c.address, n)
        for _ in range(int(rounds)):
            device.memset(c.address, 0, 4 * WORDS)
            device.synchronize()
            before, begin = executed(), clock()
            function.launch((x, y), (256,), kernarg)
            device.synchronize()
            best = min(best, clock() - begin)
            count = executed() - before
        print(name, best, checksum(c.read()), count, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
