"""Loads, stores and atomics on global and shared memory: what they leave is what the real NVIDIA GPU left, bit for bit.

A NaN that an atomic addition makes may have another payload.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cass_shim.isa.spec import execute
from cass_shim.model.errors import Unsupported
from cass_shim.verify.memory import Arena
from cass_shim.verify.state import Geometry
from tests.isa.sass.test_hardware_vectors import instruction, machine_state
from tools.sassvectors.inputs import LANES, inputs
from tools.sassvectors.memory import CELL_BYTES, CELLS_OFFSET, SHARED_OFFSET, SPACES

VECTORS = Path(__file__).resolve().parents[2] / "vectors" / "sass"
BASE = 0x7F00_0000_0000
DOCUMENT = json.loads((VECTORS / "memory-sm90.json").read_text())


@cache
def words() -> np.ndarray:
    return np.asarray(np.load(VECTORS / "memory-sm90.npz")["words"])


def executed(text: str, word: int) -> np.ndarray:
    """uint32 [LANES, 20]: R32-R35 and the 16 words of each lane's cell after the one instruction.

    A cell in shared memory has 12 words; the other four are what global memory held.
    """
    given = inputs(text)
    cells = np.ascontiguousarray(given[:, :16]).view(np.uint8).reshape(-1).copy()
    arena = Arena(BASE, cells, np.ones(len(cells), bool))
    shared = SPACES[text.split(" ")[0].split(".")[0]] == "shared"
    state = machine_state(Geometry((1, 1, 1), (LANES, 1, 1)), arena, SHARED_OFFSET + len(cells))
    for base, column in ((8, 0), (12, 4), (16, 8), (32, 12)):
        for k in range(4):
            state.set_reg(base + k, False, given[:, column + k].copy())
    address = np.arange(LANES, dtype=np.uint64) * np.uint64(CELL_BYTES)
    if shared:
        state.shared.content[SHARED_OFFSET : SHARED_OFFSET + len(cells)] = cells
    else:
        address += np.uint64(BASE - CELLS_OFFSET)
    state.set_reg(28, False, (address & np.uint64(0xFFFFFFFF)).astype(np.uint32))
    state.set_reg(29, False, (address >> np.uint64(32)).astype(np.uint32))
    execute(state, instruction(text, word))
    if shared:
        inside = state.shared.content[SHARED_OFFSET : SHARED_OFFSET + len(cells)].reshape(LANES, CELL_BYTES)
        arena.content.reshape(LANES, CELL_BYTES)[:, :48] = inside[:, :48]
    registers = [np.broadcast_to(np.asarray(state.get_reg(32 + k, False)), (LANES,)) for k in range(4)]
    return np.concatenate([np.stack(registers, axis=1), arena.content.view(np.uint32).reshape(LANES, 16)], axis=1)


def looks_nan(a: np.ndarray, text: str) -> np.ndarray:
    """Words that may be a NaN of the type the atomic adds in."""
    if "x2" in text:
        exponent = np.uint32(0x7F80 if "BF16" in text else 0x7C00)
        low, high = a & exponent, a >> np.uint32(16) & exponent
        return np.asarray((low == exponent) | (high == exponent))
    return np.asarray((a & np.uint32(0x7FFFFFFF)) > np.uint32(0x7F800000)) & ("F32" in text)


def nan_sums(probe: dict[str, Any]) -> np.ndarray:
    """Lanes in which an f64 addition makes a NaN: both halves of the result may differ."""
    if "F64" not in probe["text"]:
        return np.zeros(LANES, bool)
    given = inputs(probe["text"])
    cell, addend = (np.ascontiguousarray(given[:, at : at + 2]).view(np.float64)[:, 0] for at in (0, 4))
    with np.errstate(all="ignore"):
        return np.isnan(cell + addend)


def differences(probe: dict[str, Any]) -> str:
    """Where our meaning of a probe's instruction leaves something else than the GPU; "" when nowhere.

    Raises Unsupported for an instruction without a meaning.
    """
    found = executed(probe["text"], int(probe["word"], 16))
    for number, column in enumerate(probe["columns"]):
        start = probe["offset"] + LANES * number
        expected, got = words()[start : start + LANES], found[:, column]
        free = looks_nan(got, probe["text"]) & looks_nan(expected, probe["text"]) | nan_sums(probe)
        wrong = np.flatnonzero((got != expected) & ~free)
        if len(wrong):
            shown = ", ".join(f"lane {n}: {got[n]:#010x}, GPU {expected[n]:#010x}" for n in wrong[:4])
            return f"column {column}: {len(wrong)} lanes differ: {shown}"
    return ""


@pytest.mark.parametrize("probe", DOCUMENT["probes"], ids=lambda probe: probe["text"])
def test_agrees_with_the_gpu(probe: dict[str, Any]) -> None:
    try:
        assert differences(probe) == ""
    except Unsupported as error:
        pytest.skip(str(error))
