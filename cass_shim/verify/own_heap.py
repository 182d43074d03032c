"""The program's own device heap in a captured launch: which of its blocks are given out, before and after.

In: the arena that model/kernel_abi.py describes, as it was captured or as a candidate left it. Out: its blocks. What
the allocator keeps for itself, and what lies in blocks that are free, is nobody's to compare: free writes there.
"""

from __future__ import annotations

import struct
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cass_shim.model.errors import Unsupported
from cass_shim.model.kernel_abi import HEAP_BLOCK_BYTES, HEAP_CLASSES, HEAP_HEADER_BYTES, HEAP_HEADS_OFFSET
from cass_shim.verify.values import Octets

LEAST_CLASS = 5  # the smallest block: 16 bytes in front and 16 for the program


@dataclass(frozen=True)
class OwnHeap:
    """Where the heap lies in an input's content, in bytes. blocks: what malloc gave and nobody freed, offset in the
    content → bytes."""

    offset: int
    size: int
    blocks: Mapping[int, int]

    @property
    def span(self) -> slice:
        return slice(self.offset, self.offset + self.size)

    def loose(self, size: int, freed: Collection[int]) -> NDArray[np.bool_]:
        """Bytes of a content of `size` that are in the heap, but in no block that is given out before and after.

        freed: offsets of blocks.
        """
        found = np.zeros(size, bool)
        found[self.span] = True
        for at, room in self.blocks.items():
            found[at : at + room] = at in freed
        return found

    def freed_otherwise(self, after: Octets, runs: Sequence[Collection[int]]) -> str:
        """What is wrong with a content that a candidate left; "" where it freed what one of the reference's runs did.

        runs: offsets of blocks.
        """
        try:
            left = given_out(after[self.span], self.offset)
        except Unsupported as damage:
            return f"left no device heap: {damage}"
        freed = self.blocks.keys() - left
        if any(freed == set(run) for run in runs):
            return ""
        return f"freed {len(freed)} blocks of the device heap, the reference {len(runs[0])}, not the same ones"


def own_heap(content: Octets, offset: int, size: int) -> OwnHeap:
    """The heap at an offset of a content. Raises Unsupported where there is none."""
    return OwnHeap(offset, size, given_out(content[offset : offset + size], offset))


def given_out(heap: Octets, offset: int) -> dict[int, int]:
    """Offset of each block that is not on a free list → its bytes; `offset` is that of the heap. Raises Unsupported."""
    octets = heap.tobytes()
    classes = dict(_blocks(octets))
    for at in _free(octets, classes):
        del classes[at]
    return {offset + at + HEAP_BLOCK_BYTES: (1 << kind) - HEAP_BLOCK_BYTES for at, kind in classes.items()}


def _blocks(octets: bytes) -> Iterator[tuple[int, int]]:
    """(offset, class) of every block that was ever made, in order."""
    if len(octets) < HEAP_HEADER_BYTES:
        raise Unsupported("the device heap", why=f"it has {len(octets)} bytes")
    at, end = HEAP_HEADER_BYTES, HEAP_HEADER_BYTES + struct.unpack_from("<Q", octets, 8)[0]
    if end > len(octets):
        raise Unsupported("the device heap", why="more of it is used than there is")
    while at < end:
        kind = struct.unpack_from("<Q", octets, at + 8)[0] if at + HEAP_BLOCK_BYTES <= end else 0
        if not LEAST_CLASS <= kind < HEAP_CLASSES or at + (1 << kind) > end:
            raise Unsupported("the device heap", why=f"no block begins at byte {at:#x}")
        yield at, kind
        at += 1 << kind


def _free(octets: bytes, classes: Mapping[int, int]) -> set[int]:
    """Offsets of the blocks on the free lists."""
    found: set[int] = set()
    for kind in range(HEAP_CLASSES):
        (head,) = struct.unpack_from("<I", octets, HEAP_HEADS_OFFSET + 8 * kind)  # the tag is in the high word
        while head:
            at = 16 * head
            if classes.get(at) != kind or at in found:
                raise Unsupported("the device heap", why=f"the list of class {kind} leads to byte {at:#x}")
            found.add(at)
            (head,) = struct.unpack_from("<I", octets, at)
    return found
