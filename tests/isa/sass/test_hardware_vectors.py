"""Every recorded instruction: the interpreter's result is the one of the real NVIDIA GPU, bit for bit.

The vectors are in `tests/vectors/sass/` (made by `tools.sassvectors`). An instruction form that we do not support yet
is counted by name; one that we support must agree on every lane. MUFU, whose values are approximations, is left to
`tests/vectors/mufu`.
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
from cass_shim.verify.atomics import AtomicState
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


def machine_state(geometry: Geometry, arena: Arena, shared: int = 1024) -> State:
    """A machine of one block, all lanes active. shared: bytes of shared memory."""
    state = AtomicState(90, geometry, arena, shared, 64, 1, mufu_outside_this_test)
    state.set_mask(np.ones(geometry.lanes, bool))
    return state


def computed(text: str, word: int) -> State:
    """The machine after the one instruction, started from the probe's inputs."""
    nothing = Arena(0x10000, np.zeros(16, np.uint8), np.zeros(16, bool))
    state = machine_state(Geometry((1, 1, 1), (LANES, 1, 1)), nothing)
    given = inputs(text)
    for base, column in ((8, 0), (12, 4), (16, 8), (32, 12)):
        for k in range(4):
            state.set_reg(base + k, False, given[:, column + k].copy())
    for bit, number in enumerate((0, 1, 2, 4, 5)):
        state.set_pred(number, False, (given[:, 16] >> bit & 1).astype(bool))
    execute(state, instruction(text, word))
    return state


# Forms whose recorded bits the interpreter does not reproduce, with the reason; one that starts to must leave.
KNOWN = {
    "HMMA": "the order in which tensor cores add is not known; tests/lift holds it to a tolerance",
    "DMMA": "NaN in sums of four products: which payload wins differs",
}


@pytest.mark.parametrize("probe", document()["probes"], ids=lambda probe: probe["text"])
def test_agrees_with_the_gpu(probe: dict[str, Any], request: pytest.FixtureRequest) -> None:
    """Bit for bit, any NaN for any NaN."""
    from tests.verify.vector_index import agrees

    if reason := KNOWN.get(probe["text"].split(".")[0]):
        request.applymarker(pytest.mark.xfail(reason=reason, strict=True))
    try:
        computed(probe["text"], int(probe["word"], 16))
    except Unsupported as error:
        pytest.skip(str(error))
    assert agrees(probe)
