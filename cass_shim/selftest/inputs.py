"""The inputs of a probe: reproducible from its text alone, so that only outputs need to be stored."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

LANES = 512
WORDS = 20  # R8..R11, R12..R15, R16..R19, old R32..R35, predicate bits, three unused

SPECIAL = np.array(
    [
        0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007FFFFF, 0x00800000, 0x3F800000, 0xBF800000, 0x40000000,
        0x3F000000, 0x7F7FFFFF, 0xFF7FFFFF, 0x7F800000, 0xFF800000, 0x7FC00000, 0x7F800001, 0xFFFFFFFF, 0x7FFFFFFF,
        0x4F000000, 0x4F800000, 0xCF000000, 0x5F000000, 0x3EFFFFFF, 0x3F800001, 0x4B000000, 0x4B800001, 0x7FF00000,
        0xFFF00000, 0x7FF80000, 0x3FF00000, 0x00100000, 0x000FFFFF, 0x41DFFFFF, 0x41F00000, 0x3C003C00, 0x7C00FC00,
        0x7E000001, 0x7BFFFBFF, 0x04000001, 0x80008000, 0x3F803F80, 0x7F80FF80, 0x0000FFFF, 0xFFFF0000, 0x00008000,
        0x0000007F, 0x000000FF, 0x00000020, 0x0000001F, 0x00000040,
    ],
    dtype=np.uint32,
)  # fmt: skip


def splitmix(counter: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """SplitMix64's output function of a counter."""
    with np.errstate(over="ignore"):
        z = counter * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))


def seed_of(text: str) -> int:
    """FNV-1a of the probe's text."""
    value = 0xCBF29CE484222325
    for byte in text.encode():
        value = (value ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return value


def inputs(text: str) -> npt.NDArray[np.uint32]:
    """uint32 [LANES, WORDS]: a quarter special values, a quarter floats near 1, small integers, the rest random."""
    with np.errstate(over="ignore"):
        counter = np.arange(LANES * WORDS, dtype=np.uint64) + np.uint64(seed_of(text))
    z = splitmix(counter)
    low = (z & np.uint64(0xFFFFFFFF)).astype(np.uint32)
    kind = (z >> np.uint64(32)).astype(np.uint32) & np.uint32(7)
    special = SPECIAL[((z >> np.uint64(40)) % np.uint64(len(SPECIAL))).astype(np.int64)]
    near_one = (low & np.uint32(0x83FFFFFF)) + np.uint32(0x3C000000)
    small = (low & np.uint32(63)) - (low >> np.uint32(31)) * np.uint32(64)
    words = np.select([kind < 2, kind < 4, kind == 4], [special, near_one, small], low)
    return words.astype(np.uint32).reshape(LANES, WORDS)
