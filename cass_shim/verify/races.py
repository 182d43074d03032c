"""Whether a launch races: two warps touch one word, one of them writes another value, and no barrier lies between.

In: the plain loads and stores of a reference run. Out: the first conflict, in words. What a kernel makes of inputs on
which it races is not defined, so a translation that differs there proves nothing; kernels that order their blocks by
atomic operations are not asked (their conflicts may be legal). Shared memory and global memory alike.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]
NOBODY, SEVERAL = -1, -2


@dataclass
class _Words:
    """Of each 4-byte word: who wrote it last, and who has read it since; the epoch is that of the later access."""

    writer: Numbers
    written_in: Numbers
    reader: Numbers
    reader_block: Numbers
    read_in: Numbers

    @classmethod
    def fresh(cls, count: int) -> _Words:
        zeros = np.zeros(count, np.int64)
        return cls(zeros + NOBODY, zeros.copy(), zeros + NOBODY, zeros + NOBODY, zeros.copy())


@dataclass
class Races:
    """blocks: of each warp, its block. found: what was seen first, "" while nothing was."""

    blocks: Numbers
    found: str = ""
    epochs: Numbers = field(init=False)  # barriers that each block has passed
    spaces: dict[str, _Words] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.epochs = np.zeros(int(self.blocks.max()) + 1, np.int64)

    def barrier(self, block: int) -> None:
        """A block passed a barrier: what its warps do from here on comes after all they have done."""
        self.epochs[block] += 1

    def load(self, space: str, size: int, words: Numbers, warps: Numbers) -> None:
        """Warps read words of a space of `size` words."""
        held = self._words(space, size)
        self._against_writers(space, held, words, warps)
        reader, block = held.reader[words], self.blocks[warps]
        alone = (reader == NOBODY) | (reader == warps)
        held.reader[words] = np.where(alone, warps, SEVERAL)
        same = (held.reader_block[words] == NOBODY) | (held.reader_block[words] == block)
        held.reader_block[words] = np.where(same, block, SEVERAL)
        held.read_in[words] = self.epochs[block]

    def store(
        self, space: str, size: int, words: Numbers, warps: Numbers, changed: NDArray[np.bool_], values: NDArray[Any]
    ) -> None:
        """Warps write words, all at once; changed: where the value is another than before."""
        held = self._words(space, size)
        self._among(space, words, warps, values)
        if changed.any():
            at, who = words[changed], warps[changed]
            self._against_writers(space, held, at, who)
            reader, block = held.reader[at], self.blocks[who]
            before = (held.reader_block[at] == block) & (held.read_in[at] < self.epochs[block])
            clash = (reader != NOBODY) & (reader != who) & ~before
            self._note(space, at, clash, "read by another warp")
        held.writer[words], held.written_in[words] = warps, self.epochs[self.blocks[warps]]
        held.reader[words] = held.reader_block[words] = NOBODY

    def _among(self, space: str, words: Numbers, warps: Numbers, values: NDArray[Any]) -> None:
        """Of one store: words that get different values, from more warps than one."""
        if len(words) < 2:
            return
        order = np.argsort(words, kind="stable")
        heads = np.flatnonzero(np.diff(words[order], prepend=words[order[0]] - 1))
        several = np.ones(len(heads), bool)
        for what in (warps[order], values[order]):
            several &= np.minimum.reduceat(what, heads) != np.maximum.reduceat(what, heads)
        self._note(space, words[order][heads], several, "written by another warp")

    def _words(self, space: str, size: int) -> _Words:
        if space not in self.spaces:
            self.spaces[space] = _Words.fresh(size)
        return self.spaces[space]

    def _against_writers(self, space: str, held: _Words, words: Numbers, warps: Numbers) -> None:
        writer, block = held.writer[words], self.blocks[warps]
        before = (self.blocks[writer] == block) & (held.written_in[words] < self.epochs[block])
        self._note(space, words, (writer != NOBODY) & (writer != warps) & ~before, "written by another warp")

    def _note(self, space: str, words: Numbers, clash: NDArray[np.bool_], what: str) -> None:
        if not self.found and clash.any():
            self.found = f"warps race: {space} memory at byte {4 * int(words[clash][0])} is also {what}"
