"""Whether the interpreter gives what an H200 gave for the probes of `tools.sassvectors.rows`, NaN payloads apart."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cass_shim.model.errors import Unsupported
from tests.isa.sass.row_model import executed
from tools.sassvectors.rows import ROWS, before, given, usual

VECTORS = Path(__file__).resolve().parents[2] / "vectors" / "sass"
REGISTERS = (0, 1, 2, 3, 8, 9, 10, 11)
CELL = 16  # column of the cell's first word
Words = NDArray[np.uint32]


@cache
def document() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((VECTORS / "rows-sm90.json").read_text())
    found["probes"] = [{**usual(probe), **probe} for probe in found["probes"]]
    return found


@cache
def words() -> Words:
    return np.asarray(np.load(VECTORS / "rows-sm90.npz")["words"])


def recorded(probe: dict[str, Any]) -> Words:
    """uint32 [ROWS, 32]: what the GPU left."""
    found = before(probe)
    for number, column in enumerate(probe["columns"]):
        start = probe["offset"] + ROWS * number
        found[:, column] ^= words()[start : start + ROWS]
    return found


def _single(a: Words) -> Any:
    return (a & np.uint32(0x7FFF_FFFF)) > np.uint32(0x7F80_0000)


def _double(low: Words, high: Words) -> Any:
    top = high & np.uint32(0x7FFF_FFFF)
    return (top > np.uint32(0x7FF0_0000)) | ((top == np.uint32(0x7FF0_0000)) & (low != 0))


def _halves(a: Words, b: Words, limit: int) -> Any:
    """Words whose halves are equal or both NaN."""
    x, y = (np.ascontiguousarray(v).view(np.uint16) for v in (a, b))
    same = (x == y) | (((x & 0x7FFF) > limit) & ((y & 0x7FFF) > limit))
    return same.reshape(-1, 2).all(axis=1)


def formats(text: str) -> set[str]:
    """In which formats a NaN that the instruction makes may be, of "f64 f32 f16 bf16"."""
    name = text.split(" ")[0].removeprefix("U")
    mods = name.split(".")
    if mods[0].startswith(("ATOM", "RED")):
        kinds = {"F64": "f64", "F32": "f32", "F16": "f16", "BF16": "bf16"}
        return {kinds[m.split("x")[0]] for m in mods if m.split("x")[0] in kinds}
    if mods[0][0] not in "FDH":
        return set()
    found = {"D": {"f64"}, "F": {"f32"}, "H": {"bf16" if "BF16_V2" in mods else "f16"}}[mods[0][0]]
    return set(found) | {m.lower() for m in mods if m in ("F64", "F16", "BF16")}


def free(text: str, got: Words, want: Words) -> NDArray[np.bool_]:
    """bool [ROWS, 32]: words that differ by nothing but a NaN's payload."""
    allowed = np.zeros(got.shape, bool)
    kinds = formats(text)
    for column in (*REGISTERS, *range(CELL, 32)):
        a, b = got[:, column], want[:, column]
        if "f32" in kinds:
            allowed[:, column] |= _single(a) & _single(b)
        for name, limit in (("f16", 0x7C00), ("bf16", 0x7F80)):
            if name in kinds:
                allowed[:, column] |= _halves(a, b, limit)
    if text.startswith("FCHK"):  # whether a quotient takes the slow path, which is right for all: yes is always sound
        allowed[:, 4] |= (got[:, 4] == 1) & (want[:, 4] == 0)
    if "f64" in kinds:
        for column in (0, 2, 8, 10, *range(CELL, 32, 2)):
            both = _double(got[:, column], got[:, column + 1]) & _double(want[:, column], want[:, column + 1])
            allowed[:, column : column + 2] |= both[:, None]
    return allowed


def difference(probe: dict[str, Any]) -> str:
    """Where our meaning leaves something else than the GPU, "" when nowhere. Raises Unsupported without a meaning."""
    got, want = executed(probe), recorded(probe)
    wrong = (got != want) & ~free(probe["text"], got, want)
    if not wrong.any():
        return ""
    row, column = (int(n) for n in np.argwhere(wrong)[0])
    values = (
        f"{got[row, column]:#x}, GPU {want[row, column]:#x}; inputs {' '.join(f'{w:x}' for w in given(probe)[row])}"
    )
    return f"{int(wrong.any(axis=1).sum())} of {ROWS} rows; row {row} column {column}: {values}"


@cache
def verdicts() -> dict[str, str | None]:
    """Name of each probe → its difference; None where the instruction has no meaning of ours."""
    found: dict[str, str | None] = {}
    for probe in document()["probes"]:
        try:
            found[probe["name"]] = difference(probe)
        except Unsupported:
            found[probe["name"]] = None
    return found
