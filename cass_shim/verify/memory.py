"""The memory a reference run sees: global memory with byte-exact valid ranges, shared and local memory.

In: addresses of the active lanes. Out: bytes, or `Fault` naming the lane. Nothing outside a valid range is ever
read or written; the same arena bytes are given to the device, so addresses stored in memory agree bit for bit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cass_shim.model.errors import CassError

Octets = NDArray[np.uint8]
Value = NDArray[Any]
Garbage = Callable[[int], NDArray[np.uint32]]  # so many words of something undefined


class Fault(CassError):
    """The kernel did something illegal in the reference run. address: of the instruction, lane: flat thread index."""

    def __init__(self, reason: str, *, address: int = -1, lane: int = -1, text: str = "") -> None:
        at = f" at {address:#06x}" if address >= 0 else ""
        by = f" by thread {lane}" if lane >= 0 else ""
        super().__init__(f"{reason}{at}{by}{f': {text}' if text else ''}")
        self.reason, self.address, self.lane = reason, address, lane


@dataclass
class Arena:
    """Global memory: one block of `content` at `base`; `valid` says byte by byte what may be touched."""

    base: int
    content: Octets
    valid: NDArray[np.bool_]
    touched: NDArray[np.bool_] = field(init=False)  # written by the run
    writer: NDArray[np.int32] = field(init=False)  # per 4-byte word, address of the instruction that wrote it last

    def __post_init__(self) -> None:
        assert len(self.content) == len(self.valid) and len(self.content) % 16 == 0 and self.base % 16 == 0
        self.touched = np.zeros(len(self.content), bool)
        self.writer = np.full(len(self.content) // 4, -1, np.int32)

    def copy(self) -> Arena:
        return Arena(self.base, self.content.copy(), self.valid)

    def locate(self, addresses: Value, size: int) -> NDArray[np.int64]:
        """Offsets into content. Raises Fault with `lane` the position within `addresses`."""
        offsets = (addresses - np.uint64(self.base)).view(np.int64)
        bad = (offsets < 0) | (offsets > len(self.content) - size)
        if not bad.any():
            bad = ~self.valid[offsets] | ~self.valid[offsets + (size - 1)]
        if bad.any():
            lane = int(np.flatnonzero(bad)[0])
            raise Fault(f"access of {size} bytes at {int(addresses[lane]):#x} is out of range", lane=lane)
        return offsets


@dataclass
class Scratch:
    """Shared or local memory: `rows` separate blocks of `size` bytes (one per CTA, or one per thread)."""

    name: str
    rows: int
    size: int
    content: Octets

    @classmethod
    def filled(cls, name: str, rows: int, size: int, garbage: Garbage) -> Scratch:
        """Uninitialised memory: a different pattern in every run, so that a read of it shows."""
        padded = -(-size // 16) * 16
        return cls(name, rows, padded, garbage(rows * padded // 4).view(np.uint8))

    def locate(self, row: NDArray[np.int64], addresses: Value, size: int) -> NDArray[np.int64]:
        offsets = addresses.astype(np.int64)
        bad = offsets > self.size - size
        if bad.any():
            lane = int(np.flatnonzero(bad)[0])
            where = f"{self.name} access of {size} bytes at {int(addresses[lane]):#x}"
            raise Fault(f"{where} is out of range ({self.size} bytes)", lane=lane)
        return row * self.size + offsets


def check_aligned(offsets: NDArray[np.int64], size: int) -> None:
    """Raises Fault when an access is not naturally aligned."""
    bad = (offsets & (size - 1)) != 0
    if bad.any():
        lane = int(np.flatnonzero(bad)[0])
        raise Fault(f"misaligned access of {size} bytes", lane=lane)


_VIEWS: dict[int, Any] = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}


def gather(content: Octets, offsets: NDArray[np.int64], size: int) -> Value:
    """One little-endian word of `size` bytes (1, 2, 4, 8) per aligned offset."""
    view = content.view(_VIEWS[size])
    result: Value = view[offsets >> (size.bit_length() - 1)]
    return result


def scatter(content: Octets, offsets: NDArray[np.int64], values: Value, size: int) -> None:
    """Write one word per offset; where lanes collide the last one wins."""
    content.view(_VIEWS[size])[offsets >> (size.bit_length() - 1)] = values
