"""What the interpreter makes of a probe of `tools.sassvectors.rows`: the same machine, one instruction."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cass_shim.isa.encoding.decoder import decode
from cass_shim.isa.spec import execute
from cass_shim.model.instruction import Instruction
from cass_shim.verify.arithmetic import Value
from cass_shim.verify.atomics import AtomicState
from cass_shim.verify.memory import Arena, gather
from cass_shim.verify.state import Geometry
from tests.isa.sass.test_hardware_vectors import mufu_outside_this_test
from tools.sassvectors.rows import CELL_BYTES, CELLS_OFFSET, CONSTANTS, ROWS, SHARED_OFFSET, before, given

BASE = 0x7F00_0000_0000
STACK = 0x100  # of the interpreter's local memory, what "stack" of a setup stands for
WARP = 32
SM = 90

Words = NDArray[np.uint32]


class Machine(AtomicState):
    """One warp of one lane for each row, or all rows as the lanes of one block; constants are the row's own."""

    def __init__(self, probe: dict[str, Any], arena: Arena) -> None:
        self.lanes_mode = probe["mode"] == "lanes"
        geometry = Geometry((1, 1, 1), (ROWS, 1, 1)) if self.lanes_mode else Geometry((ROWS, 1, 1), (1, 1, 1))
        space = probe["setup"].get("space")  # what nobody uses is not filled with garbage: that takes longest
        shared = SHARED_OFFSET + CELL_BYTES if space == "shared" else 0
        local = 2 * STACK if space == "local" else 0
        super().__init__(SM, geometry, arena, shared, local, 1, mufu_outside_this_test)
        self.rows = np.arange(ROWS) * (1 if self.lanes_mode else WARP)
        mask = np.zeros(geometry.lanes, bool)
        mask[self.rows] = True
        self.set_mask(mask)
        self.constants = np.zeros((geometry.lanes, 4), np.uint32)
        self.constants[self.rows] = given(probe)[:, 4:8]

    def by_lane(self, of_rows: Any, dtype: Any = np.uint32) -> Any:
        found = np.zeros(len(self.mask), dtype)
        found[self.rows] = of_rows
        return found

    def load_const(self, bank: int, offset: int, index: Value | None, width: int) -> Value:
        assert bank == 0
        at = np.full(len(self.mask), offset - CONSTANTS, np.int64)
        at = np.where(self.mask, at + (0 if index is None else self.spread(index)), 0)
        flat = np.ascontiguousarray(self.constants).view(np.uint8).reshape(-1)
        return gather(flat, at + 16 * np.arange(len(at)), width // 8).astype(np.uint64 if width == 64 else np.uint32)


def instruction(probe: dict[str, Any]) -> Instruction:
    return decode(int(probe["word"], 16), 0, SM)


def _pair(start: Any, row_bytes: int) -> NDArray[np.uint64]:
    first = {"out": BASE - CELLS_OFFSET, "stack": STACK}.get(start, start)
    return np.arange(ROWS, dtype=np.uint64) * np.uint64(row_bytes) + np.uint64(first)


def _prepare(state: Machine, probe: dict[str, Any]) -> None:
    words, setup = given(probe), probe["setup"]
    for uniform in (False, True):
        zero = np.uint32(0 if uniform and state.lanes_mode else 0xFFFFFFFF)
        for base, column in ((8, 0), (12, 4), (16, 8), (32, 12)):
            for k in range(4):
                value = words[:, column + k] & zero
                if base + k == 8 and "mask" in setup:
                    value = value & np.uint32(setup["mask"])
                state.set_reg(base + k, uniform, state.by_lane(value))
        for bit, number in enumerate((0, 1, 2, 4, 5)):
            state.set_pred(number, uniform, state.by_lane(words[:, 16] >> np.uint32(bit) & 1 & zero, bool))
    for name, uniform in (("UR28", True), ("R28", False)):
        if name in setup:
            pair = _pair(*setup[name])
            state.set_reg(28, uniform, state.by_lane((pair & np.uint64(0xFFFFFFFF)).astype(np.uint32)))
            state.set_reg(29, uniform, state.by_lane((pair >> np.uint64(32)).astype(np.uint32)))


def _cell(space: str, byte: int) -> Any:
    return np.array([byte + (SHARED_OFFSET if space == "shared" else STACK)], np.uint32)


def executed(probe: dict[str, Any]) -> Words:
    """uint32 [ROWS, 32] as `record_rows` leaves it. Raises Unsupported for an instruction without a meaning."""
    words, space = given(probe), probe["setup"].get("space", "")
    content = np.ascontiguousarray(words[:, :16]).view(np.uint8).reshape(-1).copy()
    arena = Arena(BASE, content, np.ones(len(content), bool))
    state = Machine(probe, arena)
    if space in ("shared", "local"):
        for k in range(16):
            state.store(space, _cell(space, 4 * k), [state.by_lane(words[:, k])], 32)
    _prepare(state, probe)
    execute(state, instruction(probe))
    rows = state.rows
    columns = [np.broadcast_to(state.get_reg(32 + k, False), state.mask.shape)[rows] for k in range(4)]
    columns += [state.get_pred(n, u)[rows].astype(np.uint32) for u in (False, True) for n in (4, 5)]
    columns += [np.broadcast_to(state.get_reg(32 + k, True), state.mask.shape)[rows] for k in range(4)]
    columns += [np.full(ROWS, 0xA5A5A5A5, np.uint32)] * 4
    if space in ("shared", "local"):
        cells = np.stack([state.load(space, _cell(space, 4 * k), 32, 1)[0][rows] for k in range(16)], axis=1)
    else:
        cells = arena.content.view(np.uint32).reshape(ROWS, 16)
    return np.concatenate([np.stack(columns, axis=1), cells], axis=1)


def effect(probe: dict[str, Any]) -> Words:
    """What the instruction changes."""
    return executed(probe) ^ before(probe)
