"""What memory holds before a launch: elements of a kind, by a class of values.

In: kind, size, class, a typical number. Out: bytes. Classes: random, small, wide, special, sorted, equal, whole, zero,
mixed, negative, infinite, peaks, and CHAINS.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

CHAINS = ("falling", "rising")  # classes of values: indices that are followed, as in trees and lists
CHAIN_ENDS = 0.25  # of the elements, where chains fall
TEXT = np.frombuffer(b"\0\0\0abx*?.#19", np.uint8)  # what bytes hold then: short strings

Octets = NDArray[np.uint8]

_FLOATS = {"f32": np.float32, "f64": np.float64, "f16": np.float16}
_NUMBERS: dict[str, Any] = {**_FLOATS, "i8": np.int8, "i16": np.int16, "bf16": np.int16}
PEAK = 28  # power of two of the largest number there, or what its kind holds
SPECIAL_SHARE = 0.04  # of the elements: more, and sums are all NaN
INFINITE_SHARE = 0.03
# Of 256 words of a mixed class: small numbers, floats from 1 to 4, small negative ones, EDGES; all others are any bits.
# As each half of a 64-bit number is one of these by itself, halves of all ones, nothing or a sign alone are frequent.
MIXTURE = (38, 26, 26, 64)
EDGES = np.array([0, 0xFFFF_FFFF, 0x8000_0000, 0x7FFF_FFFF], np.uint32)
_SPECIAL = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 1e-40, -3e-39, 1e-310, 6e-8, 65504.0, 3.4e38, 0.5]


def fill(kind: str, size: int, values: str, typical: int, random: np.random.Generator, origin: int = 0) -> Octets:
    """`size` bytes of elements of a kind, by the class of values. typical: what indices are below.

    origin: the byte of element 0.
    """
    if values == "peaks":
        return _peaks(kind, fill(kind, size, "small", typical, random, origin), typical, origin)
    if values == "mixed":
        return _mixed(-(-size // 4), random).view(np.uint8)[:size].copy()
    if kind in ("f32", "f64", "f16", "bf16"):
        return _fill_floats(kind, size, values, random)
    width = {"i8": 1, "i16": 2}.get(kind, 4)
    count = -(-size // width)
    dtype = {1: np.uint8, 2: np.uint16, 4: np.uint32}[width]
    held: NDArray[Any]
    if values == "zero":
        held = np.zeros(count, np.uint64)
    elif values == "wide":
        held = random.integers(0, 1 << (8 * width), count, dtype=np.uint64)
    elif values == "sorted":
        held = np.arange(count, dtype=np.uint64) // 4 % max(typical, 1)
    elif values == "negative":
        held = ~random.integers(0, max(typical, 2), count, dtype=np.uint64)
    elif values == "equal":
        held = np.full(count, 3, np.uint64)
    elif values == "special":
        edges = np.array([0, 1, 2, (1 << 8 * width) - 1, 1 << (8 * width - 1), (1 << (8 * width - 1)) - 1], np.uint64)
        held = random.choice(edges, count)
    elif values in CHAINS:
        held = random.choice(TEXT, count) if width == 1 else _links(count, origin // width, values, typical, random)
    else:
        held = random.integers(0, max(typical, 2), count, dtype=np.uint64)
    return held.astype(dtype).view(np.uint8)[:size].copy()


def _peaks(kind: str, held: Octets, typical: int, origin: int) -> Octets:
    """Small numbers of both signs, among them one large one at the end of the last warp that has elements for all its
    lanes, and its negative at the end of the first. What combines the lanes of a warp must bring both to lane 0,
    through each of its steps; a step that is lost does not show where the extreme lies elsewhere, or several are equal.
    """
    numbers = held.view(_NUMBERS[kind]).copy() if kind in _NUMBERS else held.view(np.int32).copy()
    first = origin // numbers.dtype.itemsize
    numbers[first + 1 :: 2] = -numbers[first + 1 :: 2]
    large = 1 << min(8 * numbers.dtype.itemsize - 2, PEAK)
    for place, value in ((31, -large), (max(typical // 32, 1) * 32 - 1, large)):
        if first + place < len(numbers):
            numbers[first + place] = value
    return numbers.view(np.uint8)


def _mixed(count: int, random: np.random.Generator) -> NDArray[np.uint32]:
    """Words that are numbers of every kind to whoever reads them, by themselves or two by two.

    Of two generated kernels with wrong code both (3414, 6236) are told by more of them than by inputs whose words are
    all of a kind.
    """
    bits = random.integers(0, 1 << 32, count, dtype=np.uint32)
    ways = [bits & 15, np.uint32(0x3F80_0000) + (bits & 0xFF_FFFF), ~(bits & 7), EDGES[bits & 3], bits]
    way = np.searchsorted(np.cumsum(MIXTURE), np.arange(256), side="right")[random.integers(0, 256, count, np.uint8)]
    return np.asarray(np.choose(way, ways), np.uint32)


def _links(count: int, first: int, values: str, typical: int, random: np.random.Generator) -> NDArray[np.int64]:
    """Indices that are followed: each leads to an earlier element (itself where a chain ends), or each to a later one
    (-1 where one ends). Elements may be structures of up to four words. first: where element 0 is."""
    size = max(typical, 2)
    index = np.arange(count) - first
    inside = (index >= 0) & (index < size)
    place = np.where(inside, index, 0)
    if values == "falling":
        earlier = np.floor(random.random(count) * (place // 4 + 1)).astype(np.int64)
        ended = random.random(count) < CHAIN_ENDS
        return np.where(inside, np.where(ended, place, earlier), random.integers(0, size, count))
    later = place + 1 + np.floor(random.random(count) * (place // 2 + 4)).astype(np.int64)
    return np.where(inside & (later < size), later, -1)


def _fill_floats(kind: str, size: int, values: str, random: np.random.Generator) -> Octets:
    width = {"f64": 8, "f32": 4}.get(kind, 2)
    count = -(-size // width)
    numbers: NDArray[Any]
    if values == "whole":  # sums of these are exact in any order
        numbers = random.integers(-8, 9, count).astype(np.float64)
    elif values == "zero":
        numbers = np.zeros(count)
    elif values == "equal":
        numbers = np.full(count, 1.5)
    elif values == "sorted":
        numbers = np.arange(count) * 0.25
    else:
        numbers = random.normal(size=count) * np.exp2(random.integers(-4, 5, count))
        if values == "special":
            edges = random.choice(np.array(_SPECIAL), count)
            numbers = np.where(random.random(count) < SPECIAL_SHARE, edges, numbers)
        elif values == "negative":
            numbers = -np.abs(numbers)
        elif values == "infinite":  # of one sign and without NaN, which would hide what else is wrong in a sum
            numbers = np.where(random.random(count) < INFINITE_SHARE, np.inf, numbers)
    with np.errstate(all="ignore"):
        if kind == "bf16":
            octets = (numbers.astype(np.float32).view(np.uint32) >> np.uint32(16)).astype(np.uint16).view(np.uint8)
        else:
            octets = numbers.astype(_FLOATS[kind]).view(np.uint8)
    return octets[:size].copy()
