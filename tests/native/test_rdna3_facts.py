"""The emulated gfx1100 against what RDNA3 hardware gave: every row of `rdna3_facts`, through `run_asm`.

The registers before and after are those of tinygrad's suite `test/amd/hw` (see `tinygrad_suite.py`): a wave32 with
f32 subnormals flushed, IEEE and DX10_CLAMP on, 64 KiB of LDS and of scratch, s[0:1] the address of the arguments.
"""

from __future__ import annotations

import importlib
import math
import os
import pkgutil
import subprocess
import sys
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from tests.native import rdna3_facts
from tests.native.emulator_core_support import assemble_object
from tests.native.rdna3_facts.row import ADDRESS, Cell, Place, Row, parse
from tests.native.tinygrad_suite import run_asm

MODULES = {
    module.name: importlib.import_module(f"tests.native.rdna3_facts.{module.name}")
    for module in pkgutil.iter_modules(rdna3_facts.__path__)
    if module.name != "row"
}
REGISTERS = 16
SCALARS = (*(f"s{i}" for i in range(REGISTERS)), "vcc", "scc", "exec")

PROLOGUE = """
    s_mov_b64 s[80:81], s[0:1]
    s_mov_b32 s88, exec_lo
    v_mov_b32 v255, v0
    s_load_b128 s[84:87], s[80:81], 0
    v_lshlrev_b32 v254, 6, v255
    s_waitcnt lgkmcnt(0)
    s_load_b512 s[0:15], s[86:87], 0
    s_load_b32 vcc_lo, s[86:87], 64
    s_load_b64 s[82:83], s[80:81], 16
""" + "".join(f"    global_load_b32 v{i}, v254, s[84:85] offset:{4 * i}\n" for i in range(REGISTERS))

EPILOGUE = (
    """
    s_cselect_b32 s91, 1, 0
    s_mov_b32 s90, vcc_lo
    s_mov_b32 s95, exec_lo
    s_mov_b32 exec_lo, s88
    s_waitcnt vmcnt(0) lgkmcnt(0)
    v_lshlrev_b32 v240, 6, v255
    v_mov_b32 v241, 0
"""
    + "".join(f"    global_store_b32 v240, v{i}, s[84:85] offset:{4 * i}\n" for i in range(REGISTERS))
    + "".join(
        f"    v_mov_b32 v242, {name}\n    global_store_b32 v241, v242, s[86:87] offset:{4 * i}\n"
        for i, name in enumerate((*SCALARS[:REGISTERS], "s90", "s91", "s95"))
    )
    + "    s_endpgm\n"
)


def source(rows: tuple[Row, ...]) -> str:
    """One assembly text of all rows: row i between the labels fact_i and fact_i+1."""
    parts = [f".macro prologue\n{PROLOGUE}    s_waitcnt vmcnt(0) lgkmcnt(0)\n    v_mov_b32 v254, 0\n.endm\n"]
    parts.append(f".macro epilogue\n{EPILOGUE}.endm\n")
    for index, row in enumerate(rows):
        body = "\n".join(f"    {instruction}" for instruction in row.instructions)
        parts.append(f".globl fact_{index}\n.p2align 8\nfact_{index}:\n    prologue\n{body}\n    epilogue\n")
    return "".join(parts)


def assembled(rows: tuple[Row, ...], folder: Path) -> list[bytes]:
    """The machine code of each row, by one call of LLVM."""
    elf = ELFFile(BytesIO(assemble_object(source(rows), folder)))
    section, table = elf.get_section_by_name(".text"), elf.get_section_by_name(".symtab")
    assert section and isinstance(table, SymbolTableSection)
    text, symbols = section.data(), {symbol.name: symbol["st_value"] for symbol in table.iter_symbols()}
    starts = [symbols[f"fact_{index}"] for index in range(len(rows))]
    return [text[start:end] for start, end in zip(starts, [*starts[1:], len(text)], strict=True)]


class State:
    """The registers of one run: vectors[lane][register], and SCALARS."""

    def __init__(self, lanes: int) -> None:
        self.vectors = np.zeros((lanes, REGISTERS), np.uint32)
        self.scalars = np.zeros(len(SCALARS), np.uint32)
        self.buffer = np.zeros(1024, np.uint32)

    def set(self, where: Place, values: tuple[int | str, ...]) -> None:
        """Write one value to every lane, or a value to each."""
        for lane in range(len(self.vectors)):
            value = values[lane % len(values)]
            bits = self.buffer.ctypes.data if value == ADDRESS else int(value)
            words = [bits & 0xFFFFFFFF, bits >> 32][: where.width // 32]
            if where.file == "v":
                self.vectors[lane, where.number : where.number + len(words)] = words
            else:
                first = REGISTERS if where.file == "vcc" else where.number
                self.scalars[first : first + len(words)] = words

    def get(self, where: Place, lane: int) -> int:
        """The bits there."""
        if where.file == "v":
            words, first = self.vectors[lane], where.number
        else:
            words, first = self.scalars, SCALARS.index(where.file) if where.file in SCALARS else where.number
        if where.width == 64:
            return int(words[first]) | int(words[first + 1]) << 32
        return int(words[first]) >> where.shift & ((1 << where.width) - 1)

    def differences(self, where: Place, cells: tuple[Cell, ...]) -> list[str]:
        """What is not as expected, one line each."""
        lanes = range(len(self.vectors)) if where.file == "v" else range(1)
        chosen = lanes if where.lane is None else [where.lane]
        lines = []
        for lane in chosen:
            want, found = cells[lane % len(cells)], self.get(where, lane)
            if not want.holds(found, where.width):
                lines.append(f"{where.name}, lane {lane}: {found:#x}, expected {want}")
        return lines


def run(row: Row, code: bytes) -> list[str]:
    """Run one row; what differs."""
    state = State(row.lanes)
    for where, values in row.before:
        state.set(where, values)
    pointers = [state.vectors.ctypes.data, state.scalars.ctypes.data, state.buffer.ctypes.data]
    arguments, text = np.array(pointers, np.uint64), np.frombuffer(code, np.uint8).copy()
    try:
        run_asm(text.ctypes.data, text.nbytes, 1, 1, 1, row.lanes, 1, 1, arguments.ctypes.data)
    except RuntimeError as fault:
        return [str(fault)]
    return [line for where, cells in row.after for line in state.differences(where, cells)]


@pytest.mark.parametrize("family", sorted(MODULES))
def test_registers_agree_with_hardware(family: str, tmp_path: Path) -> None:
    rows: tuple[Row, ...] = MODULES[family].ROWS
    wrong = []
    for row, code in zip(rows, assembled(rows, tmp_path), strict=True):
        wrong += [f"{row.text}\n    {line}" for line in run(row, code)]
    assert not wrong, f"{len(wrong)} disagreements in {len(rows)} rows\n" + "\n".join(wrong)


def test_an_undefined_lane_pattern_is_refused(tmp_path: Path) -> None:
    """v_cmp_eq_u32_dpp with control 0x142, row_bcast:15 of earlier GPUs, stops by name."""
    rows = (parse("lanes=32 | .long 0x7c9400fa, 0xff094200 | vcc=0"),)
    (code,) = assembled(rows, tmp_path)
    (line,) = run(rows[0], code)
    assert "undefined DPP control" in line


def test_a_wrong_expectation_is_reported(tmp_path: Path) -> None:
    """The comparison itself: each kind of cell, right and wrong."""
    lines = {
        "v0=1.0f | v_add_f32 v1, v0, v0 | v1=2.0f v1.h=0x4000": 0,
        "lanes=2 | v_mov_b32 v1, v255 | v1=0,1 v1[1]=2": 1,
        "v0:1=1.0d | v_add_f64 v[2:3], v[0:1], v[0:1] | v2:3=2.5d~0.4 v2:3=nan": 2,
        "s0=1 | s_cmp_eq_u32 s0, 1 | scc=1 exec=1 vcc=1": 1,
        "v0=nanf | v_mov_b32 v1, v0 | v1=nan": 0,
    }
    rows = tuple(parse(line) for line in lines)
    found = [len(run(row, code)) for row, code in zip(rows, assembled(rows, tmp_path), strict=True)]
    assert found == list(lines.values())
    assert math.isnan(rows[-1].after[0][1][0].tolerance)


@pytest.mark.parametrize(
    "families", ["scratch flat vopd", pytest.param("", marks=pytest.mark.slow)], ids=["few", "all"]
)
def test_translated_code_agrees_with_hardware(families: str, tmp_path: Path) -> None:
    """The same rows under CASS_EMU_NATIVE=wait, each kernel translated."""
    chosen = [name for name in MODULES if name.rstrip("_") in families.split() or not families]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "--timeout", "0"]
    tests = [f"{__file__}::test_registers_agree_with_hardware[{name}]" for name in chosen]
    settings = {"CASS_EMU_NATIVE": "wait", "CASS_CACHE_DIR": str(tmp_path), "CASS_EMU_CACHE": "2G"}
    done = subprocess.run(
        [*command, *tests], env={**os.environ, **settings}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-4000:]
    kernels = {row.instructions for name in chosen for row in MODULES[name].ROWS}
    assert len(list((tmp_path / "emulator").glob("*.so"))) > 0.8 * len(kernels)
