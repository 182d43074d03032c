"""What writes EXEC, takes an immediate of 16 bits or comes in pairs, against AMD's pseudocode: v_cmpx and v_cmp_class,
s_…_saveexec and s_…_wrexec, SOPK, and both places of VOPD. Skipped by name where the tinygrad wheel is missing.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from elftools.elf.elffile import ELFFile

from cass_shim.isa.rdna3.generate import all_rows
from cass_shim.isa.rdna3.row import Row
from tests.isa.amd_numbers import Int, is_nan, to_bits
from tests.isa.amd_pseudocode import Evaluator
from tests.isa.test_rdna3_pseudocode import LANES, MODE, inputs, operand, same, texts
from tests.native.emulator_core_support import assemble_object, launch_code

SOPK = r"s_(cmpk_\w+|addk_i32|mulk_i32|cmovk_i32|movk_i32)"
IMMEDIATES = (3, 0x7FFF, 0x8000, 0xFFFE)
# An operation of VOPD at its first place, its second, or either; of the other place's: v_dual_mov_b32.
PLACES = {
    "X": "{name} v22, v16, v18 :: v_dual_mov_b32 v25, v19",
    "Y": "v_dual_mov_b32 v25, v19 :: {name} v22, v16, v18",
}
ONLY_Y = ("v_dual_add_nc_u32", "v_dual_lshlrev_b32", "v_dual_and_b32")

# Lane i's dwords: s[0:1] + 32 i to v[16:23]; v[22:25] go back. vcc_lo: at 0x400.
VECTOR = """
    v_lshlrev_b32 v1, 5, v0
    s_load_b32 vcc_lo, s[0:1], 0x400
    global_load_b128 v[16:19], v1, s[0:1]
    global_load_b128 v[20:23], v1, s[0:1] offset:16
    v_mov_b32 v24, 0
    s_waitcnt vmcnt(0) lgkmcnt(0)
    {line}
    s_mov_b32 s6, exec_lo
    s_mov_b32 exec_lo, -1
    {get}
    global_store_b128 v1, v[22:25], s[0:1] offset:2048
    s_endpgm
"""
# Workgroup i's dwords: s[16:23]; EXEC is s[20:21], SCC whether s22 is odd.
SCALAR = """
    s_lshl_b32 s3, s2, 5
    s_load_b256 s[16:23], s[0:1], s3
    s_waitcnt lgkmcnt(0)
    s_mov_b32 exec_lo, s20
    s_bitcmp1_b32 s22, 0
    {line}
    s_cselect_b32 s24, 1, 0
    s_mov_b32 s25, exec_lo
    s_mov_b32 exec_lo, -1
    v_mov_b32 v22, s18
    v_mov_b32 v23, s19
    v_mov_b32 v24, s24
    v_mov_b32 v25, s25
    v_mov_b32 v1, s3
    global_store_b128 v1, v[22:25], s[0:1] offset:2048
    s_endpgm
"""


@dataclass(frozen=True)
class Case:
    """One instruction as it stands in the program, and whose text says what it does."""

    row: Row
    text: str
    line: str
    immediate: int = 0

    @property
    def id(self) -> str:
        if "::" in self.line:
            return f"{self.row.name} {'Y' if self.line.startswith('v_dual_mov') else 'X'}"
        return f"{self.row.name} {self.immediate:#x}" if self.immediate else self.row.name


def compare(row: Row) -> Case:
    sources = [operand("v", 16 + 2 * i, kind, True) for i, kind in enumerate(row.sources)]
    to = "vcc_lo, " if row.name.startswith("v_cmp_") else ""
    return Case(row, row.name, f"{row.name} {to}{', '.join(sources)}")


def masks(row: Row) -> Case:
    return Case(row, row.name, f"{row.name} s18, s16")


def pairs(row: Row) -> list[Case]:
    name = row.name.replace("v_dual_", "v_")
    places = [PLACES[place] for place in "XY" if place == "Y" or row.name not in ONLY_Y]
    return [Case(row, name, place.format(name=row.name)) for place in places]


def cases() -> list[Case]:
    rows = {row.name: row for row in all_rows()}
    chosen: list[Case] = []
    for name, row in rows.items():
        if re.match(r"v_cmpx_|v_cmp_class_", name):
            chosen.append(compare(row))
        elif re.match(r"s_\w+_(saveexec|wrexec)_b32", name):
            chosen.append(masks(row))
        elif re.fullmatch(SOPK, name):
            chosen += [Case(row, name, f"{name} s18, {k:#x}", k) for k in IMMEDIATES]
        elif re.match(r"v_dual_(?!fmaak|fmamk|mov|dot2acc_f32_bf16)", name):
            chosen += pairs(row)
    return chosen


def program(case: Case) -> str:
    if case.row.encoding == "VOPC":
        get = "v_mov_b32 v24, s6" if "cmpx" in case.row.name else "v_mov_b32 v24, vcc_lo"
        return VECTOR.format(line=case.line, get=get)
    if case.row.encoding == "VOPD":
        return VECTOR.format(line=case.line, get="")
    return SCALAR.format(line=case.line)


@pytest.fixture(scope="module")
def code(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Machine code by line, assembled in one go."""
    return assembled(cases(), tmp_path_factory.mktemp("exec"))


def assembled(chosen: list[Case], folder: Path) -> dict[str, bytes]:
    text = "".join(f"L{i}:\n{program(case)}" for i, case in enumerate(chosen)) + f"L{len(chosen)}:\n"
    elf = ELFFile(BytesIO(assemble_object(text, folder)))
    data = elf.get_section_by_name(".text").data()
    at = {s.name: s["st_value"] for s in elf.get_section_by_name(".symtab").iter_symbols()}
    return {case.line: data[at[f"L{i}"] : at[f"L{i + 1}"]] for i, case in enumerate(chosen)}


def signalling(x: Any) -> bool:
    """A NaN without the top bit of its fraction."""
    width = x.dtype.itemsize * 8
    return is_nan(x) and not to_bits(x, width) >> int(np.finfo(x.dtype).nmant - 1) & 1


class Classes(Evaluator):
    """Also the kinds of NaN; a widened operand is taken as it is, since widening makes it quiet."""

    KINDS: ClassVar[dict[str, Callable[[Any], bool]]] = {
        "isSignalNAN": signalling,
        "isQuietNAN": lambda x: is_nan(x) and not signalling(x),
    }

    def call(self, name: str) -> Any:
        if name not in self.KINDS:
            return super().call(name)
        self.take("(")
        value = self.ternary()
        self.take(")")
        return Int(int(self.KINDS[name](value)), 1)


def after(case: Case, registers: dict[str, int]) -> dict[str, int]:
    known = texts()
    machine = Classes(registers, known)
    with np.errstate(all="ignore"):
        machine.run(re.sub(r"NAN\(64'F\((S0\.f\d+)\)\)", r"NAN(\1)", known[case.text]))
    return machine.bits


def wrong_lane(case: Case, index: int, lane: list[int], out: list[int], vcc: int) -> str:
    """What a vector instruction got wrong in a lane."""
    wide = [lane[2 * i] | lane[2 * i + 1] << 32 for i in range(4)]
    bits = after(case, {"S0": wide[0], "S1": wide[1], "D0": lane[6], "VCC": vcc, "EXEC": 2**32 - 1, "laneId": index})
    if case.row.encoding == "VOPD":
        if not same(case.row.destination, out[0], bits["D0"] & 0xFFFFFFFF) or out[3] != lane[3]:
            return f"lane {index}: {out[0]:#x}, expected {bits['D0']:#x}; the other place {out[3]:#x}, {lane[3]:#x}"
        return ""
    want = (bits["EXEC"] if "cmpx" in case.row.name else bits["D0"]) >> index & 1
    return "" if out[2] >> index & 1 == want else f"lane {index}: not {want} of {wide[0]:#x}, {wide[1]:#x}"


def wrong_group(case: Case, lane: list[int], out: list[int]) -> str:
    """What a scalar instruction got wrong."""
    own = case.row.encoding == "SOPK"
    registers = {"S0": lane[2] if own else lane[0], "D0": lane[2], "SIMM16": case.immediate, "EXEC": lane[4]}
    bits = after(case, registers | {"SCC": lane[6] & 1})
    want = (bits["D0"] & 0xFFFFFFFF, bits["SCC"] & 1, bits["EXEC"] & 0xFFFFFFFF)
    return "" if (out[0], out[2], out[3]) == want else f"{out[0]:#x} {out[2:]}, expected {want} of {lane}"


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.id)
def test_against_pseudocode(case: Case, code: dict[str, bytes]) -> None:
    """EXEC, SCC and results of 32 lanes, or of 32 workgroups."""
    memory = np.zeros(1024, np.uint32)
    data = inputs(sum(case.line.encode()))
    if "class" in case.row.name:
        data[::2, 2] = 1 << np.arange(LANES // 2) % 10
    if case.row.encoding == "SOPK":
        data[::4, 2] = case.immediate
        data[1::4, 2] = case.immediate | 0xFFFF0000
    memory[: 8 * LANES], memory[256] = data.reshape(-1), 0x5A3C96F1
    vector = case.row.encoding.startswith("V")
    done = launch_code(code[case.line], memory.ctypes.data, MODE, *((1, LANES) if vector else (LANES, 1)))
    assert done.status == "ok", done.text
    wrong = []
    for index in range(LANES):
        lane = [int(x) for x in data[index]]
        out = [int(x) for x in memory[512 + 8 * index : 516 + 8 * index]]
        wrong.append(wrong_lane(case, index, lane, out, int(memory[256])) if vector else wrong_group(case, lane, out))
    assert not any(wrong), "\n".join(filter(None, wrong))
