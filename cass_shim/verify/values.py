"""What memory holds before a launch: elements of a kind, by a class of values.

In: kind, size, class, a typical number. Out: bytes. Classes: random, small, wide, special, sorted, equal, whole, zero,
mixed, negative, infinite, peaks, and CHAINS.
"""

from __future__ import annotations

import functools
import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

CHAINS = ("falling", "rising")  # classes of values: indices that are followed, as in trees and lists
CHAIN_ENDS = 0.25  # of the elements, where chains fall
TEXT = np.frombuffer(b"\0\0\0abx*?.#19", np.uint8)  # what bytes hold then: short strings

Octets = NDArray[np.uint8]


class _Format(NamedTuple):
    """A float format: how it is stored, bits of its fraction, bias of its exponent."""

    dtype: np.dtype[Any]
    fraction: int
    bias: int


_FLOATS = {
    "f32": _Format(np.dtype(np.uint32), 23, 127),
    "f64": _Format(np.dtype(np.uint64), 52, 1023),
    "f16": _Format(np.dtype(np.uint16), 10, 15),
    "bf16": _Format(np.dtype(np.uint16), 7, 127),
}
_NUMBERS: dict[str, Any] = {
    "f32": np.float32, "f64": np.float64, "f16": np.float16, "i8": np.int8, "i16": np.int16, "bf16": np.int16,
}  # fmt: skip
LEAST_POWER = -20  # of two: no normal number is expected to be smaller among a window's
PEAK = 28  # power of two of the largest number there, or what its kind holds
SPECIAL_SHARE = 0.04  # of the elements: more, and sums are all NaN
INFINITE_SHARE = 0.06
# Of 256 words of a mixed class: small numbers, floats from 1 to 4, small negative ones, EDGES; all others are any bits.
# As each half of a 64-bit number is one of these by itself, halves of all ones, nothing or a sign alone are frequent.
MIXTURE = (38, 26, 26, 64)
EDGES = np.array([0, 0xFFFF_FFFF, 0x8000_0000, 0x7FFF_FFFF], np.uint32)
# What a word is: its random bits masked, and something added; by a random octet. Such a sum is also how ~bits is made.
_MASKS, _ADDED = (
    np.repeat(np.array(column, np.uint32), [*MIXTURE[:3], *4 * [MIXTURE[3] // 4], 256 - sum(MIXTURE)])
    for column in (
        (15, 0xFF_FFFF, 7, 0, 0, 0, 0, 0xFFFF_FFFF),
        (0, 0x3F80_0000, 0xFFFF_FFF8, *EDGES, 0),
    )
)
_SPECIAL = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 1e-40, -3e-39, 1e-310, 6e-8, 65504.0, 3.4e38, 0.5]


def fill(kind: str, size: int, values: str, typical: int, random: np.random.Generator, origin: int = 0) -> Octets:
    """`size` bytes of elements of a kind, by the class of values. typical: what indices are below.

    origin: the byte of element 0.
    """
    if values == "peaks":
        return _peaks(kind, fill(kind, size, "small", typical, random, origin), typical, origin)
    if values == "mixed":
        return _mixed(-(-size // 4), random).view(np.uint8)[:size]
    if kind in _FLOATS:
        return _fill_floats(kind, size, values, random)
    width = {"i8": 1, "i16": 2}.get(kind, 4)
    count = -(-size // width)
    dtype = {1: np.uint8, 2: np.uint16, 4: np.uint32}[width]
    held: NDArray[Any]
    if values == "zero":
        held = np.zeros(count, dtype)
    elif values == "wide":
        held = _bits(count, dtype, random)
    elif values == "sorted":
        held = np.resize(np.repeat(np.arange(max(typical, 1)), 4), count)
    elif values == "negative":
        held = ~_below(typical, count, random).astype(dtype)
    elif values == "equal":
        held = np.full(count, 3)
    elif values == "special":
        edges = np.array([0, 1, 2, (1 << 8 * width) - 1, 1 << (8 * width - 1), (1 << (8 * width - 1)) - 1])
        held = edges.take(random.integers(0, len(edges), count, np.uint8))
    elif values in CHAINS:
        held = random.choice(TEXT, count) if width == 1 else _links(count, origin // width, values, typical, random)
    else:
        held = _below(typical, count, random)
    return held.astype(dtype, copy=False).view(np.uint8)[:size]


def _below(typical: int, count: int, random: np.random.Generator) -> NDArray[Any]:
    """Indices below a typical number: the high half of its product with random bits, quicker than drawing anew."""
    limit = max(typical, 2)
    if limit <= 256:
        return np.asarray(_bits(count, np.uint16, random) * np.uint32(limit) >> np.uint32(16))
    return np.asarray(_bits(count, np.uint32, random) * np.uint64(limit) >> np.uint64(32))


def _bits(count: int, dtype: Any, random: np.random.Generator) -> NDArray[Any]:
    """Unsigned numbers, all equally likely."""
    words = random.integers(0, 1 << 64, -(-count * np.dtype(dtype).itemsize // 8), np.uint64)
    return np.asarray(words.view(dtype)[:count])


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
    way = _bits(count, np.uint8, random)
    words = _bits(count, np.uint32, random)
    words &= _MASKS.take(way)
    words += _ADDED.take(way)
    return words


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
    dtype = _FLOATS[kind].dtype
    count = -(-size // dtype.itemsize)
    words: NDArray[Any]
    if values == "whole":  # sums of these are exact in any order
        words = _encoded(kind, np.arange(-8, 9)).take(random.integers(0, 17, count, np.uint8))
    elif values in ("zero", "equal"):
        words = np.full(count, _encoded(kind, np.array([1.5 if values == "equal" else 0.0]))[0])
    elif values == "sorted":
        words = _encoded(kind, np.arange(count) * 0.25)
    else:
        words = _normal(kind, count, random)
        if values == "special":
            edges = _encoded(kind, np.array(_SPECIAL))
            places = _some(SPECIAL_SHARE, count, random)
            words[places] = edges.take(random.integers(0, len(edges), len(places)))
        elif values == "negative":
            words |= dtype.type(1 << 8 * dtype.itemsize - 1)
        elif values == "infinite":  # all of one sign and without NaN, which would hide what else is wrong in a sum
            words &= dtype.type((1 << 8 * dtype.itemsize - 1) - 1)
            words[_some(INFINITE_SHARE, count, random)] = _encoded(kind, np.array([np.inf]))[0]
    return words.view(np.uint8)[:size]


def _some(share: float, count: int, random: np.random.Generator) -> NDArray[np.int64]:
    """About this share of the places below count."""
    return np.flatnonzero(_bits(count, np.uint16, random) < np.uint16(share * 65536))


def _encoded(kind: str, numbers: NDArray[Any]) -> NDArray[Any]:
    """Numbers as the bits of a float format."""
    with np.errstate(all="ignore"):
        if kind == "bf16":
            return (numbers.astype(np.float32).view(np.uint32) >> np.uint32(16)).astype(np.uint16)
        return numbers.astype(_NUMBERS[kind]).view(_FLOATS[kind].dtype)


def _normal(kind: str, count: int, random: np.random.Generator) -> NDArray[Any]:
    """Floats as normal numbers times a power of two from 1/16 to 16 are, made of random signs and mantissas beside
    exponents that are as frequent as theirs: a fifth of the time that such products take."""
    dtype, fraction, _ = _FLOATS[kind]
    sign_and_fraction = dtype.type(1 << 8 * dtype.itemsize - 1 | (1 << fraction) - 1)
    words: NDArray[Any] = _bits(count, dtype, random) & sign_and_fraction
    words |= _exponents(kind).take(_bits(count, np.uint16, random))
    return words


@functools.cache
def _exponents(kind: str) -> NDArray[Any]:
    """The exponent field of 65,536 such products, those that are too small for a normal number as denormal ones."""
    within = [math.erf(2.0**power / math.sqrt(2)) for power in range(LEAST_POWER, 8)]
    shares = np.convolve(np.diff(within), np.full(9, 1 / 9))  # from 2 ** (LEAST_POWER - 4) on
    places = (np.arange(1 << 16) + 0.5) / (1 << 16) * shares.sum()
    powers = np.searchsorted(np.cumsum(shares), places) + LEAST_POWER - 4
    dtype, fraction, bias = _FLOATS[kind]
    return np.asarray(np.maximum(powers + bias, 0).astype(dtype) << dtype.type(fraction))
