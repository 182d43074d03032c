"""The recorded probes: what they are, what the GPU gave, and whether another result may stand for it."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cass_shim.selftest.inputs import inputs
from tools.ptxforms.known import FOLDER
from tools.ptxforms.probes import CELL_BYTES, RESULT_BYTES, Probe

FILE = FOLDER / "probes.npz"
KEPT_LANES = 64  # of those a probe runs
WORDS = (RESULT_BYTES + CELL_BYTES) // 4
_REGISTER = re.compile(r"\[%at_\w+\+?\d*\], %(\w+?)_\d")
# Float format → (word of which it is, bits that are its exponent, bits of its fraction).
_FORMATS = {"f32": (np.uint32, 0x7F800000, 0x7FFFFF), "f16": (np.uint16, 0x7C00, 0x3FF),
            "bf16": (np.uint16, 0x7F80, 0x7F), "f64": (np.uint64, 0x7FF0000000000000, 0xFFFFFFFFFFFFF)}  # fmt: skip
# Approximate forms → allowed relative error: PTX's bound for each side, added (PTX ISA 9.0 §9.7.3, §9.7.4).
_APPROXIMATE = {"ex2.approx": 2.0**-7, "tanh.approx": 2.0**-7}


@dataclass(frozen=True)
class Results:
    """What the GPU gave, by probe: uint32 [KEPT_LANES, WORDS], the cell as what changed in it.

    Probes that differ in what may not change a result share a row.
    """

    rows: NDArray[np.uint32]
    row_of: NDArray[np.int64]

    def __getitem__(self, number: int) -> NDArray[np.uint32]:
        return np.asarray(self.rows[self.row_of[number]])


@dataclass(frozen=True)
class Recording:
    """Everything in probes.npz. failed: name of a probe that gave nothing → what the driver or ptxas said.

    machine: where most were recorded; elsewhere: another machine → names of those that were recorded there.
    """

    machine: str
    probes: tuple[Probe, ...]
    results: Results
    failed: dict[str, str]
    elsewhere: dict[str, list[str]]


@functools.cache
def recording() -> Recording:
    """Read it once."""
    with np.load(FILE) as file:
        meta = json.loads(bytes(file["meta"]))
        probes = tuple(_read(one) for one in meta["probes"])
        rows = file["results"]
        row_of = file["row_of"].astype(np.int64) if "row_of" in file else np.arange(len(rows))
        return Recording(meta["machine"], probes, Results(rows, row_of), meta["failed"], meta.get("elsewhere", {}))


def described(probe: Probe) -> dict[str, Any]:
    """The probe as JSON has it."""
    text: dict[str, Any] = {"name": probe.name, "body": list(probe.body), "needs": sorted(probe.needs)}
    more = {"like": probe.like, "stands": list(probe.stands)}
    return text | {key: value for key, value in more.items() if value}


def _read(one: dict[str, Any]) -> Probe:
    return Probe(
        one["name"], tuple(one["body"]), frozenset(one["needs"]), one.get("like", ""), tuple(one.get("stands", ()))
    )


def comparable(probe: Probe) -> bool:
    """Whether another machine can give the same: not where windows and warps of the GPU lie."""
    own = ("const", "local", "param", "shared")
    return probe.name != "mov.u32 %warpid" and not (
        probe.name.startswith("cvta.") and any(s in probe.name for s in own)
    )


def chosen(words: Sequence[str], part: str) -> list[int]:
    """Numbers of recorded probes whose name has one of the words; part "N/M": every M-th of them from N on."""
    first, _, step = part.partition("/")
    probes = enumerate(recording().probes)
    numbers = [n for n, probe in probes if comparable(probe) and (not words or any(w in probe.name for w in words))]
    return numbers[int(first) :: int(step)] if part else numbers


def _formats(probe: Probe) -> set[str]:
    """Float formats that the probe's results may be in."""
    tokens = {part.removesuffix("x2") for part in re.split(r"[.\s]", probe.name)}
    return tokens & _FORMATS.keys()


def _not_a_number(words: NDArray[np.uint32], name: str) -> NDArray[np.bool_]:
    """Per 32-bit word, whether every element of a format in it is a NaN or equals; see `agrees`."""
    unit, exponent, fraction = _FORMATS[name]
    values = np.ascontiguousarray(words).view(unit)
    nan = ((values & unit(exponent)) == unit(exponent)) & ((values & unit(fraction)) != 0)
    return np.asarray(nan)


def started_from(probe: Probe) -> NDArray[np.uint32]:
    """uint32 [KEPT_LANES, WORDS] that `results` are to be XORed with: nothing for results, for the cell its start."""
    start = np.zeros((KEPT_LANES, WORDS), np.uint32)
    start[:, RESULT_BYTES // 4 :] = inputs(probe.seed)[:KEPT_LANES, : CELL_BYTES // 4]
    return start


def agrees(probe: Probe, got: NDArray[np.uint32], want: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """Per lane: equal bits, but any NaN may stand for any other (PTX leaves payloads open) and approximate results
    may differ within PTX's bound."""
    changed_from = started_from(probe)[: len(got)]
    got, want = got ^ changed_from, want ^ changed_from  # the cell's values, not what changed in it
    same = got == want
    for name in _formats(probe):
        unit = _FORMATS[name][0]
        both = _not_a_number(got, name) & _not_a_number(want, name)
        elements = (np.ascontiguousarray(got).view(unit) == np.ascontiguousarray(want).view(unit)) | both
        if unit is np.uint64:
            same |= np.repeat(elements, 2, axis=1)
        else:
            same |= elements.reshape(*got.shape, -1).all(axis=2)
    for start, bound in _APPROXIMATE.items():
        if probe.name.startswith(start):
            same |= _close(probe, got, want, bound)
    return np.asarray(same.all(axis=1))


def _close(probe: Probe, got: NDArray[np.uint32], want: NDArray[np.uint32], bound: float) -> NDArray[np.bool_]:
    """Words whose halves differ by no more than a relative bound."""

    def numbers(words: NDArray[np.uint32]) -> NDArray[np.float64]:
        halves = np.ascontiguousarray(words).view(np.uint16)
        if "bf16" in probe.name:
            return (halves.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
        return halves.view(np.float16).astype(np.float64)

    with np.errstate(all="ignore"):
        a, b = numbers(got), numbers(want)
        near = (a == b) | (np.abs(a - b) <= bound * np.abs(b) + 2.0**-24) | (np.isnan(a) & np.isnan(b))
    return np.asarray(near.reshape(*got.shape, 2).all(axis=2))
