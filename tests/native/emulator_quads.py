"""Two workgroups at words of 16 bytes: `emulator_quads.py CODE APART` prints what was torn, and what changed.

One stores ever other words, all four of a value, the other looks whether it sees two at once. APART: each lane has a
word of its own; else all look at the first. In a process of its own, so that the device's variables count.
"""

from __future__ import annotations

import struct
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from cass_shim.device.device import Device

LAUNCHES = 200  # two threads run at once in a part of them at least
TURNS = 20000


def watch(code: bytes, apart: int) -> tuple[int, int]:
    """How many lanes' looks saw two values at once, and how many another value than the one before."""
    device = Device.open("emulated")
    function = device.load(code).function("watch")
    word = device.buffer(np.zeros(32 * 4, np.uint32))
    counts = [device.buffer(np.zeros(1, np.uint32)) for _ in range(2)]
    addresses = (word.address, *(one.address for one in counts))
    for _ in range(LAUNCHES):
        function.launch((2, 1), (32,), struct.pack("<QQQii", *addresses, TURNS, apart))
        device.synchronize()
    torn, changes = (int(one.read()[0]) for one in counts)
    return torn, changes


if __name__ == "__main__":
    print(*watch(Path(sys.argv[1]).read_bytes(), int(sys.argv[2])))
