"""Loads, stores and atomics of LDS, device memory, buffers and scratch against AMD's pseudocode: each instruction once,
in 32 lanes with random operands, every lane at memory of its own. Skipped by name where the tinygrad wheel is missing.
"""

from __future__ import annotations

import re
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from elftools.elf.elffile import ELFFile

from cass_shim.isa.rdna3.generate import all_rows
from cass_shim.isa.rdna3.row import REFUSED_BODY, Row
from tests.isa.amd_numbers import FLOAT, Int, NotCovered, as_float, to_bits
from tests.isa.amd_pseudocode import Evaluator
from tests.isa.test_rdna3_pseudocode import MODE, SPECIAL32, same, texts
from tests.native.emulator_core_support import assemble_object, launch_code

LANES, WORDS = 32, 32  # of a lane: 8 of memory, 4 of data, 4 of more data, 4 that its result registers hold before
MEMORY, DATA, DATA2, RESULT = slice(0, 8), slice(8, 12), slice(12, 16), slice(16, 20)
ENCODINGS = ("DS", "FLAT", "GLOBAL", "MUBUF", "SCRATCH")
# Other places than one lane's address (compared in rdna3_facts and tests/native), formats, or text for readers only.
LEFT_OUT = re.compile(r"addtid|append|consume|gws|swizzle|permute|stride64|format|_lds_|condxchg|ds_nop|inv$")

PROLOGUE = """
    v_lshlrev_b32 v1, 7, v0
    global_load_b128 v[4:7], v1, s[0:1]
    global_load_b128 v[8:11], v1, s[0:1] offset:16
    global_load_b128 v[16:19], v1, s[0:1] offset:32
    global_load_b128 v[20:23], v1, s[0:1] offset:48
    global_load_b128 v[24:27], v1, s[0:1] offset:64
    s_add_u32 s4, s0, 0x1000
    s_addc_u32 s5, s1, 0
    s_mov_b64 s[8:9], s[4:5]
    s_mov_b32 s10, 0x1000
    s_mov_b32 s11, 0x31014000
    v_add_co_u32 v2, vcc_lo, s4, v1
    v_add_co_ci_u32 v3, vcc_lo, s5, 0, vcc_lo
    s_waitcnt vmcnt(0)
"""
# Before: the memory that the instruction works on. After: what is in it goes to the lane's output.
IN_PLACE = (
    "global_store_b128 v1, v[4:7], s[4:5]\n global_store_b128 v1, v[8:11], s[4:5] offset:16\n s_waitcnt_vscnt null, 0",
    "s_waitcnt vmcnt(0) lgkmcnt(0)\n s_waitcnt_vscnt null, 0",
)
OUT = "global_store_b128 v1, v[4:7], s[4:5]\n global_store_b128 v1, v[8:11], s[4:5] offset:16"
AROUND = {
    "DS": (
        "v_lshlrev_b32 v2, 5, v0\n ds_store_b128 v2, v[4:7]\n ds_store_b128 v2, v[8:11] offset:16\n"
        " s_waitcnt lgkmcnt(0)",
        "ds_load_b128 v[4:7], v2\n ds_load_b128 v[8:11], v2 offset:16\n s_waitcnt lgkmcnt(0)\n" + OUT,
    ),
    "SCRATCH": (
        "v_mov_b32 v2, 64\n scratch_store_b128 v2, v[4:7], off\n scratch_store_b128 v2, v[8:11], off offset:16",
        "scratch_load_b128 v[4:7], v2, off\n scratch_load_b128 v[8:11], v2, off offset:16\n s_waitcnt vmcnt(0)\n" + OUT,
    ),
}
ADDRESS = {
    "DS": ("v2", ""),
    "FLAT": ("v[2:3]", ""),
    "GLOBAL": ("v1", "s[4:5]"),
    "SCRATCH": ("v2", "off"),
}


def candidates() -> list[Row]:
    """Rows that read or write memory at a lane's address."""
    rows = [row for row in all_rows() if row.encoding in ENCODINGS and row.body != REFUSED_BODY]
    return [row for row in rows if not LEFT_OUT.search(row.name)]


def words_of(row: Row) -> int:
    """Dwords of one operand."""
    width = re.search(r"(32|64|96|128)$", row.name)
    return int(width[1]) // 32 if width else 1


def registers(first: int, count: int) -> str:
    return f"v{first}" if count == 1 else f"v[{first}:{first + count - 1}]"


def is_load(row: Row) -> bool:
    return "_load_" in row.name


def returned(row: Row) -> int:
    """Dwords of result registers that the instruction, as `line` writes it, may write."""
    if row.encoding == "DS" and not (is_load(row) or "_rtn_" in row.name):
        return 0
    if "_store_" in row.name:
        return 0
    return words_of(row) * (2 if "2addr" in row.name else 1)


def line(row: Row) -> str:
    """The instruction, 16 bytes into the lane's memory; pairs at their element 1 and their last one."""
    name, count = row.name, words_of(row)
    paired, compares = "2addr" in name, "cmp" in name
    where = f"offset0:1 offset1:{7 if count == 1 else 3}" if paired else "offset:16"
    result, data = registers(24, max(returned(row), 1)), registers(16, count)
    if row.encoding == "MUBUF":
        own = registers(16, count) if "_store_" in name else registers(24, count * (2 if compares else 1))
        return f"{name} {own}, v1, s[8:11], 0 offen {where}{' glc' if 'atomic' in name else ''}"
    address, base = ADDRESS[row.encoding]
    if row.encoding == "DS":
        two = paired or re.search(r"cmpstore|mskor|wrap", name)
        sources = [] if is_load(row) else [data, registers(20, count)] if two else [data]
        return f"{name} {', '.join([*([result] if returned(row) else []), address, *sources])} {where}"
    if "atomic" in name:
        operands = [result, address, registers(16, count * (2 if compares else 1))]
    else:
        operands = [result, address] if is_load(row) else [address, data]
    return f"{name} {', '.join([*operands, *([base] if base else [])])} {where}{' glc' if 'atomic' in name else ''}"


def program(row: Row) -> str:
    before, after = AROUND.get(row.encoding, IN_PLACE)
    if row.encoding == "MUBUF" and "atomic" in row.name:
        before += "".join(f"\n v_mov_b32 v{24 + i}, v{16 + i}" for i in range(4))
    end = "s_waitcnt vmcnt(0) lgkmcnt(0)\n global_store_b128 v1, v[24:27], s[4:5] offset:64\n s_endpgm\n"
    return f"{PROLOGUE} {before}\n {line(row)}\n s_waitcnt vmcnt(0) lgkmcnt(0)\n {after}\n {end}"


@pytest.fixture(scope="module")
def code(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Machine code by row name, assembled in one go."""
    return assembled(candidates(), tmp_path_factory.mktemp("memory"))


def assembled(rows: list[Row], folder: Path) -> dict[str, bytes]:
    text = "".join(f"L{i}:\n{program(row)}" for i, row in enumerate(rows)) + f"L{len(rows)}:\n"
    elf = ELFFile(BytesIO(assemble_object(text, folder)))
    data = elf.get_section_by_name(".text").data()
    at = {s.name: s["st_value"] for s in elf.get_section_by_name(".symtab").iter_symbols()}
    return {row.name: data[at[f"L{i}"] : at[f"L{i + 1}"]] for i, row in enumerate(rows)}


class Memory(Evaluator):
    """Also MEM[address], bytes of one lane's window."""

    window: bytearray

    def primary(self) -> Any:
        if self.peek() != "MEM":
            return super().primary()
        self.take()
        self.take("[")
        address = self.ternary()
        self.take("]")
        return Int(int.from_bytes(self.window[address.value : address.value + 16], "little"), 128)

    def store(self, target: str, value: Any) -> None:
        match = re.match(r"^MEM\[(.*)\]\.([a-z]+)(\d+)$", target)
        if not match:
            super().store(target, value)
            return
        width = int(match[3])
        if match[2] == "f":
            value = as_float(value, width) if not isinstance(value, Int) else FLOAT[width](value.value)
        at = self.expression(match[1]).value
        self.window[at : at + width // 8] = to_bits(value, width).to_bytes(width // 8, "little")


def expected(row: Row, text: str, lane: np.ndarray, known: dict[str, str]) -> tuple[bytes, bytes]:
    """The lane's memory and result registers afterwards."""
    wide = {name: int.from_bytes(lane[part].tobytes(), "little") for name, part in (
        ("DATA", DATA), ("DATA2", DATA2), ("RETURN_DATA", RESULT))}  # fmt: skip
    wide |= {"VDATA": wide["RETURN_DATA" if is_load(row) else "DATA"], "ADDR": 0 if "OFFSET" in text else 16}
    wide |= {"ADDR_BASE": 0, "OFFSET": 16, "OFFSET0": 1, "OFFSET1": 7 if words_of(row) == 1 else 3}
    machine = Memory(wide, known)
    machine.window = bytearray(lane[MEMORY].tobytes())
    with np.errstate(all="ignore"):
        machine.run(text)
    name = "VDATA" if is_load(row) and "VDATA" in text else "RETURN_DATA"
    result = machine.bits[name].to_bytes(16, "little")[: 4 * returned(row)]
    kept = lane[DATA if row.encoding == "MUBUF" and "atomic" in row.name else RESULT].tobytes()
    return bytes(machine.window), result + kept[len(result) :]


def equal(row: Row, got: bytes, want: bytes) -> bool:
    """Bit for bit; NaNs of any payload."""
    kind = re.search(r"f(32|64)", row.name)
    step = int(kind[1]) // 8 if kind else len(got)
    parts = [(got[i : i + step], want[i : i + step]) for i in range(0, len(got), step)]
    return all(
        a == b or (kind and same(kind[0], int.from_bytes(a, "little"), int.from_bytes(b, "little"))) for a, b in parts
    )


def inputs(seed: int) -> np.ndarray:
    """Words of every lane: random bits, small numbers, special values; some lanes' data are what memory holds."""
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 2**32, (LANES, WORDS), dtype=np.uint64)
    pick = rng.random((LANES, WORDS))
    values = np.where(pick < 0.3, rng.choice(SPECIAL32, (LANES, WORDS)), values)
    values = np.where((pick > 0.3) & (pick < 0.5), rng.integers(0, 9, (LANES, WORDS)), values)
    values[::4, DATA] = values[::4, 4:8]
    values[1::4, DATA2] = values[1::4, 4:8]
    values[2::4, 9:11] = values[2::4, 4:6]
    values[3::8, 10:12] = values[3::8, 4:6]
    return values.astype(np.uint32)


def without_subnormals(values: np.ndarray) -> np.ndarray:
    """Zeros of their sign instead."""
    return np.where(values & 0x7F800000, values, values & 0x80000000).astype(np.uint32)


@pytest.mark.parametrize("row", candidates(), ids=lambda row: row.name)
def test_against_pseudocode(row: Row, code: dict[str, bytes]) -> None:
    """Memory and result registers of 32 lanes."""
    known = texts()
    if row.name not in known:
        pytest.skip("no pseudocode for this instruction")
    memory = np.zeros(2 * LANES * WORDS, np.uint32)
    data = inputs(sum(row.name.encode()))
    if row.name.endswith("_atomic_add_f32"):  # memory flushes them in any MODE, of which the text says nothing
        data = without_subnormals(data)
    memory[: LANES * WORDS] = data.reshape(-1)
    done = launch_code(code[row.name], memory.ctypes.data, MODE, 1, LANES)
    assert done.status == "ok", done.text
    out = memory[LANES * WORDS :].reshape(LANES, WORDS)
    wrong = []
    for index in range(LANES):
        try:
            wanted = expected(row, known[row.name], data[index], known)
        except NotCovered as reason:
            pytest.skip(f"pseudocode not evaluated: {reason}")
        for got, want in zip((out[index][MEMORY].tobytes(), out[index][RESULT].tobytes()), wanted, strict=True):
            if not equal(row, got, want):
                wrong.append((index, data[index].tobytes().hex(" ", 4), got.hex(" ", 4), want.hex(" ", 4)))
    assert not wrong, f"{len(wrong)} lanes, the first two: " + "\n".join(map(str, wrong[:2]))
