"""Comparing the device's memory with the reference's, word by word, and deciding what a difference means.

In: the arena after the candidate ran, the reference's runs. Out: the words that differ and should not. A word on which
the reference's own legal runs disagree is not defined by the kernel; a NaN is as good as another where the kernel
computed it; a word that depends on the approximate functions may lie anywhere within what perturbing them gives.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cass_shim.verify.interpreter import Outcome
from cass_shim.verify.surfaces import changed_bytes

Octets = NDArray[np.uint8]


@dataclass
class Reference:
    """The reference's runs on one input."""

    outcomes: list[Outcome] = field(default_factory=list)

    @property
    def first(self) -> Outcome:
        return self.outcomes[0]


def _nan_words(words: NDArray[np.uint32]) -> NDArray[np.bool_]:
    return (words & np.uint32(0x7FFF_FFFF)) > np.uint32(0x7F80_0000)


@dataclass
class Comparison:
    """Bytes the reference wrote: compared; undefined, on which its runs disagree; approximate, equal within the spread
    of the approximate functions. bad: indices of the words that differ."""

    compared: int = 0
    undefined: int = 0
    approximate: int = 0
    bad: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))


@dataclass(frozen=True)
class Heaps:
    """Where malloc's blocks lie. at: offset of the reference's heap in the arena, 0: none. reference, device: addresses
    from and to which either's blocks lie. loose: bytes of the arena that belong to an allocator, not to the kernel."""

    at: int = 0
    reference: tuple[int, int] = (0, 0)
    device: tuple[int, int] = (0, 0)
    loose: NDArray[np.bool_] | None = None


def compare(
    after: Octets, outcomes: list[Outcome], halves: bool, heaps: Heaps = Heaps(), nans: bool = True
) -> Comparison:
    """Words (by index, 4 bytes each) where the device differs from every reference run that agrees with the others.

    halves: whether the kernel computes in 16-bit floats, so that NaNs are looked for in half words too. heaps: an
    address in the device's heap is as good as one in the reference's, whose content is not compared. nans: whether it
    computes in floats at all: where it does not, -1 and -2 are two numbers and no NaNs.
    """
    end = heaps.at or len(after)
    device = after[:end].view(np.uint32)
    runs = [o.arena.content[:end].view(np.uint32) for o in outcomes]
    first = runs[0]
    if len(runs) == 1 and heaps.loose is None and np.array_equal(device.view(np.uint64), first.view(np.uint64)):
        return Comparison(4 * int(np.count_nonzero(_computed(outcomes, end))))
    stable = np.ones(len(first), bool)
    nan = _nan_words(first)
    for other in runs[1:]:
        stable &= other == first
        nan &= _nan_words(other)
    differs = device != first
    bad = differs & stable
    touched = _computed(outcomes, end)
    unstable_nan = nan & ~stable  # a NaN that the kernel computed: its payload is open
    if nans and (bad.any() or unstable_nan.any()):
        bad |= unstable_nan & ~_nan_words(device)
        bad &= ~(stable & nan & _nan_words(device) & touched)
        bad &= ~(_double_nan(device, runs) & np.repeat(touched.reshape(-1, 2).all(axis=1), 2))
        if halves:
            bad &= ~(_half_nan(device, runs) & touched)
    if heaps.at:
        bad &= ~_heap_pointers(device, runs, heaps)
    if heaps.loose is not None:
        own = ~heaps.loose[:end].reshape(-1, 4).any(axis=1)
        bad, touched = bad & own, touched & own
    words = np.flatnonzero(bad).astype(np.int64)
    return Comparison(4 * int((touched & stable).sum()), 4 * int((touched & ~stable).sum()), bad=words)


def telling(reference: Reference, before: Octets) -> set[int]:
    """Addresses of the instructions whose results memory shows behind a run, in words that it has changed and that all
    runs so far agree on; -2 - handle for a surface that it has changed."""
    first = reference.first
    content = first.arena.content.view(np.uint32)
    words = np.flatnonzero(content != before.view(np.uint32))
    for other in reference.outcomes[1:]:
        words = words[other.arena.content.view(np.uint32)[words] == content[words]]
    if any(o.contended or o.undefined_reads for o in reference.outcomes[1:]):
        words = words[~order_dependent(reference, words)]
    surfaces = {-2 - handle for handle, one in first.surfaces.items() if changed_bytes(handle, one)}
    return surfaces.union(np.unique(first.arena.writer[words]).tolist())


def order_dependent(reference: Reference, words: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which of these words were written by an instruction whose other results depend on the order of lanes.

    The result of a contended atomic goes to whichever lane came first. Few runs cannot show that for each word, but
    they show it for the store that such results reach; single-thread inputs check what those stores compute.
    """
    first = reference.first.arena
    loose: set[int] = set()
    for other in reference.outcomes[1:]:
        varies = first.content.view(np.uint32) != other.arena.content.view(np.uint32)
        loose |= set(np.unique(first.writer[varies]).tolist()) | set(np.unique(other.arena.writer[varies]).tolist())
    return np.isin(first.writer[words], sorted(loose - {-1}))


def settle(result: Comparison, reference: Reference) -> Comparison:
    """Take out what depends on the order of atomics or on memory that nobody wrote, where a run met either."""
    if len(result.bad) and any(o.contended or o.undefined_reads for o in reference.outcomes):
        loose = order_dependent(reference, result.bad)
        result.undefined += 4 * int(loose.sum())
        result.bad = result.bad[~loose]
    return result


def _computed(outcomes: list[Outcome], end: int) -> NDArray[np.bool_]:
    """Words written in some run: only there may a NaN be replaced by another."""
    touched, *others = (outcome.arena.touched[:end].view(np.uint32) != 0 for outcome in outcomes)
    for other in others:
        touched |= other
    return np.asarray(touched)


def _double_nan(device: NDArray[np.uint32], runs: list[NDArray[np.uint32]]) -> NDArray[np.bool_]:
    """Words of aligned f64 NaNs in the device's result and in every run."""

    def nan(words: NDArray[np.uint32]) -> NDArray[np.bool_]:
        wide = words.view(np.uint64)
        return np.asarray((wide & np.uint64((1 << 63) - 1)) > np.uint64(0x7FF0 << 48))

    both = nan(device)
    for run in runs:
        both = both & nan(run)
    return np.repeat(both, 2)


def _heap_pointers(device: NDArray[np.uint32], runs: list[NDArray[np.uint32]], heaps: Heaps) -> NDArray[np.bool_]:
    """Words of aligned addresses that lie in the heap of each side, in every run."""

    def inside(words: NDArray[np.uint32], span: tuple[int, int]) -> NDArray[np.bool_]:
        wide = words.view(np.uint64)
        return np.asarray((wide >= np.uint64(span[0])) & (wide < np.uint64(span[1])))

    both = inside(device, heaps.device)
    for run in runs:
        both = both & inside(run, heaps.reference)
    return np.repeat(both, 2)


def _half_nan(device: NDArray[np.uint32], runs: list[NDArray[np.uint32]]) -> NDArray[np.bool_]:
    """Words whose differing halves are 16-bit NaNs on both sides (f16 or bf16).

    The reference's is the one that NVIDIA's arithmetic gives: the upper half of an f32 infinity, which read as f16 is a
    NaN too, would else be as good as that of an f32 NaN.
    """
    mine, first = (words.view(np.uint16) & np.uint16(0x7FFF) for words in (device, runs[0]))
    both = (mine > np.uint16(0x7C00)) & (first == np.uint16(0x7FFF))
    fine = (device.view(np.uint16) == runs[0].view(np.uint16)) | both
    return np.asarray(fine.reshape(-1, 2).all(axis=1))


def within_spread(after: Octets, runs: list[Octets], words: NDArray[np.int64], halves: bool) -> NDArray[np.bool_]:
    """Which of these words depend on the approximate functions and lie within what perturbing them by an ULP gives.

    runs: arenas of reference runs with different approximations, the unperturbed one first. A value may lie as far
    outside the range of the runs as that range is wide, read as f32, as the f64 it is part of, or as two halves.
    """
    device = after.view(np.uint32)
    held = [run.view(np.uint32) for run in runs]
    varies = np.zeros(len(words), bool)
    same = np.zeros(len(words), bool)
    for run in held:
        varies |= run[words] != held[0][words]
        same |= run[words] == device[words]
    fits = same | _fits(device[words].view(np.float32), [run[words].view(np.float32) for run in held])
    pairs = words >> 1
    wide = [run.view(np.float64)[pairs] for run in (device, *held)]
    moves = np.zeros(len(words), bool)
    for run in wide[2:]:
        moves |= run.view(np.uint64) != wide[1].view(np.uint64)
    wide_fits = moves & _fits(wide[0], wide[1:])
    if halves:
        parts = [run[words].view(np.float16).astype(np.float32).reshape(-1, 2) for run in (device, *held)]
        fits |= _fits(parts[0], parts[1:]).all(axis=1)
    return np.asarray((varies & fits) | wide_fits)


def _fits(value: Any, runs: list[Any]) -> Any:
    """Whether each value lies within the runs' range, extended by its own width on both sides."""
    with np.errstate(all="ignore"):
        low, high = np.minimum.reduce(runs), np.maximum.reduce(runs)
        room = high - low
        return np.isfinite(room) & (value >= low - room) & (value <= high + room)
