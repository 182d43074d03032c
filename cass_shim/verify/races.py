"""Whether a launch races: two warps touch one byte, one of them writes another value, and no barrier lies between.

In: the plain loads and stores of a reference run, byte by byte: who write the two halves of a word do not race. Out:
the first conflict, in words. What a kernel makes of inputs on which it races is not defined, so a translation that
differs there proves nothing. Kernels with atomic operations may order their warps by them, so their plain accesses are
not held against each other: only that one warp reads what another changes by an atomic operation, which leaves open
what it reads (a relaxed edge of a graph, say). Shared memory and global memory alike.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]
NOBODY, SEVERAL = -1, -2


def each_byte(at: Numbers, size: int, warps: Numbers) -> tuple[Numbers, Numbers]:
    """The bytes of accesses of `size` bytes at byte `at` by one warp each, and the warp of each byte."""
    return (at[:, None] + np.arange(size)).ravel(), np.repeat(warps, size)


@dataclass
class _Bytes:
    """Of each byte: who wrote it last, and who has read it since; the epoch is that of the later access."""

    writer: Numbers
    writer_block: Numbers
    written_in: Numbers
    reader: Numbers
    reader_block: Numbers
    read_in: Numbers

    @classmethod
    def fresh(cls, count: int) -> _Bytes:
        zeros = np.zeros(count, np.int64)
        nobody = zeros + NOBODY
        return cls(nobody, nobody.copy(), zeros, nobody.copy(), nobody.copy(), zeros.copy())


@dataclass
class Races:
    """blocks: of each warp, its block. mixed: look for plain loads and atomic operations on one byte, and nothing else.
    found: what was seen first, "" while nothing was."""

    blocks: Numbers
    mixed: bool = False
    found: str = ""
    epochs: Numbers = field(init=False)  # barriers that each block has passed
    spaces: dict[str, _Bytes] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.epochs = np.zeros(int(self.blocks.max()) + 1, np.int64)

    def barrier(self, block: int) -> None:
        """A block passed a barrier: what its warps do from here on comes after all they have done."""
        self.epochs[block] += 1

    def load(self, space: str, size: int, at: Numbers, warps: Numbers) -> None:
        """Warps read bytes of a space of `size` bytes."""
        held = self._bytes(space, size)
        self._against_writers(space, held, at, warps)
        reader, block = held.reader[at], self.blocks[warps]
        alone = (reader == NOBODY) | (reader == warps) | self._before(held, at, block)
        held.reader[at] = np.where(alone, warps, SEVERAL)
        held.reader[at[held.reader[at] != warps]] = SEVERAL  # several in this one load, of which the last was noted
        same = (held.reader_block[at] == NOBODY) | (held.reader_block[at] == block)
        held.reader_block[at] = np.where(same, block, SEVERAL)
        held.read_in[at] = self.epochs[block]

    def _before(self, held: _Bytes, at: Numbers, block: Numbers) -> NDArray[np.bool_]:
        """Where all who have read a byte since it was written did so before the last barrier of this block."""
        return np.asarray((held.reader_block[at] == block) & (held.read_in[at] < self.epochs[block]))

    def _written_before(self, held: _Bytes, at: Numbers, block: Numbers) -> NDArray[np.bool_]:
        """The same of those who wrote it."""
        return np.asarray((held.writer_block[at] == block) & (held.written_in[at] < self.epochs[block]))

    def store(
        self, space: str, size: int, at: Numbers, warps: Numbers, changed: NDArray[np.bool_], values: NDArray[Any]
    ) -> None:
        """Warps write bytes, all at once; changed: where the value is another than before."""
        if self.mixed:
            return
        held = self._bytes(space, size)
        self._among(space, at, warps, values)
        at, warps = at[changed], warps[changed]  # who writes what is there already orders nothing
        self._against_writers(space, held, at, warps)
        self._against_readers(space, held, at, warps)
        block = self.blocks[warps]
        held.writer[at], held.writer_block[at], held.written_in[at] = warps, block, self.epochs[block]
        held.reader[at] = held.reader_block[at] = NOBODY

    def atomic(self, space: str, size: int, at: Numbers, warps: Numbers) -> None:
        """Warps change bytes by atomic operations, which do not race with each other."""
        if not self.mixed:
            return
        held, block = self._bytes(space, size), self.blocks[warps]
        self._against_readers(space, held, at, warps)
        writer, before = held.writer[at], self._written_before(held, at, block)
        held.writer[at] = np.where((writer == NOBODY) | (writer == warps) | before, warps, SEVERAL)
        held.writer[at[held.writer[at] != warps]] = SEVERAL
        same = (held.writer_block[at] == NOBODY) | (held.writer_block[at] == block)
        held.writer_block[at] = np.where(same, block, SEVERAL)
        held.written_in[at] = self.epochs[block]

    def _among(self, space: str, at: Numbers, warps: Numbers, values: NDArray[Any]) -> None:
        """Of one store: bytes that get different values, from more warps than one."""
        if len(at) < 2:
            return
        order = np.argsort(at, kind="stable")
        heads = np.flatnonzero(np.diff(at[order], prepend=at[order[0]] - 1))
        several = np.ones(len(heads), bool)
        for what in (warps[order], values[order]):
            several &= np.minimum.reduceat(what, heads) != np.maximum.reduceat(what, heads)
        self._note(space, at[order][heads], several, "written by another warp")

    def _bytes(self, space: str, size: int) -> _Bytes:
        if space not in self.spaces:
            self.spaces[space] = _Bytes.fresh(size)
        return self.spaces[space]

    def _against_writers(self, space: str, held: _Bytes, at: Numbers, warps: Numbers) -> None:
        writer, before = held.writer[at], self._written_before(held, at, self.blocks[warps])
        self._note(space, at, (writer != NOBODY) & (writer != warps) & ~before, "written by another warp")

    def _against_readers(self, space: str, held: _Bytes, at: Numbers, warps: Numbers) -> None:
        reader, before = held.reader[at], self._before(held, at, self.blocks[warps])
        self._note(space, at, (reader != NOBODY) & (reader != warps) & ~before, "read by another warp")

    def _note(self, space: str, at: Numbers, clash: NDArray[np.bool_], what: str) -> None:
        if not self.found and clash.any():
            self.found = f"warps race: {space} memory at byte {int(at[clash][0])} is also {what}"
