"""Random operands through single instructions, against AMD's pseudocode from the tinygrad wheel.

Skipped by name where the wheel is not installed.
"""

from __future__ import annotations

import re
from io import BytesIO

import numpy as np
import pytest
from elftools.elf.elffile import ELFFile

from cass_shim.isa.rdna3.generate import all_rows
from cass_shim.isa.rdna3.row import Row
from tests.isa.amd_numbers import NotCovered, typed
from tests.isa.amd_pseudocode import Evaluator
from tests.native.emulator_core_support import assemble_object, launch_code

pcode = pytest.importorskip("tinygrad.runtime.autogen.amd.rdna3.str_pcode", reason="needs the tinygrad wheel")

MODE = 63 | 0xF << 16 | 1 << 21  # rounding to nearest, subnormals kept, DX10_CLAMP, IEEE off
WORDS = {"b64": 2, "f64": 2}
PLAIN = ("b16", "f16", "b32", "f32", "b64", "f64", "pk16", "pkf16", "m")
LANES = 32
OTHER_RESULTS = ("v_cmpx", "v_fma_mix", "v_cndmask", "v_add_co", "v_sub_co", "v_subrev_co")
# Texts that differ from the hardware or describe something else than one lane's result.
LEFT_OUT = re.compile(
    r"perm|lane|mbcnt|movrel|swap|readfirst|div_|trig|rel|saveexec|wrexec|getpc|setpc|rfe|swappc|sendmsg|call|"
    r"dot|nop|mqsad_u32|exp_f|log_f|rcp|rsq|sqrt|sin|cos|pk_norm|cvt_norm|cvt_off|_class_"
)
# Where this interpreter differs from the text on purpose.
DELIBERATE = {
    "v_fract_f16": "never reaches 1, as LLVM's fract combine relies on",
    "v_fract_f32": "never reaches 1, as LLVM's fract combine relies on",
    "v_fract_f64": "never reaches 1, as LLVM's fract combine relies on",
    "v_rndne_f32": "keeps the sign of zero, as IEEE and LLVM's rint require",
    "v_rndne_f64": "keeps the sign of zero, as IEEE and LLVM's rint require",
    "v_rndne_f16": "keeps the sign of zero, as IEEE and LLVM's rint require",
    "v_frexp_exp_i32_f32": "subnormals and zero as C's frexp, which LLVM lowers to it",
    "v_frexp_exp_i32_f64": "subnormals and zero as C's frexp, which LLVM lowers to it",
    "v_frexp_exp_i16_f16": "subnormals and zero as C's frexp, which LLVM lowers to it",
}
SPECIAL32 = [0, 1, 2, 31, 32, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x3F800000, 0xBF800000, 0x7F800000, 0xFF800000]
SPECIAL32 += [0x7FC00000, 0x807FFFFF, 0x4B000000, 0xCF000000, 0x3C003C00, 0x7C00FC00, 0x80008000]


def texts() -> dict[str, str]:
    """Pseudocode by our mnemonic."""
    out = {}
    for key, text in pcode.PCODE.items():
        out[re.sub(r"_e(32|64)$", "", key.name.lower())] = text
    return out


def candidates() -> list[Row]:
    """Vector and scalar ALU rows whose operands are plain registers."""
    chosen = []
    for row in all_rows():
        if row.encoding not in ("VOP1", "VOP2", "VOP3", "VOP3P", "SOP1", "SOP2", "SOPC", "VOPC"):
            continue
        kinds = [*row.sources, *([] if row.destination == "-" else [row.destination])]
        plain = row.sources and all(kind in PLAIN for kind in kinds) and not LEFT_OUT.search(row.name)
        if plain and not row.name.startswith(OTHER_RESULTS):
            chosen.append(row)
    return chosen


def operand(letter: str, number: int, kind: str, halves: bool) -> str:
    words = WORDS.get(kind, 1)
    name = f"{letter}{number}" if words == 1 else f"{letter}[{number}:{number + 1}]"
    return name + (".l" if halves and kind in ("b16", "f16") else "")


def vector_line(row: Row) -> str:
    """The instruction on v[16:17], v[18:19], v[20:21], result v[22:23] or vcc."""
    halves = row.encoding != "VOP3P"
    sources = [operand("v", 16 + 2 * i, kind, halves) for i, kind in enumerate(row.sources)]
    to = "vcc_lo" if row.destination == "m" else operand("v", 22, row.destination, halves)
    name = row.name
    if "fmac" in name or "dot2acc" in name:
        sources = sources[:2]
    if "fmamk" in name:
        sources[1] = "0x3f000000" if "f32" in name else "0x3800"
    if "fmaak" in name:
        sources[2] = "0x3f000000" if "f32" in name else "0x3800"
    return f"{name} {to}, {', '.join(sources)}"


def program(row: Row) -> str:
    """Loads operands, runs the instruction once, stores destination, VCC and SCC."""
    if row.encoding.startswith("V"):
        return f"""
    v_lshlrev_b32 v1, 5, v0
    s_load_b32 vcc_lo, s[0:1], 0x400
    global_load_b128 v[16:19], v1, s[0:1]
    global_load_b128 v[20:23], v1, s[0:1] offset:16
    s_waitcnt vmcnt(0) lgkmcnt(0)
    {vector_line(row)}
    v_mov_b32 v24, vcc_lo
    v_mov_b32 v25, 0
    global_store_b128 v1, v[22:25], s[0:1] offset:2048
    s_endpgm
"""
    to = [] if row.destination == "-" else [operand("s", 22, row.destination, False)]
    sources = [operand("s", 16 + 2 * i, kind, False) for i, kind in enumerate(row.sources)]
    return f"""
    s_lshl_b32 s3, s2, 5
    s_load_b256 s[16:23], s[0:1], s3
    s_waitcnt lgkmcnt(0)
    s_cmp_eq_u32 s21, 1
    {row.name} {", ".join(to + sources)}
    s_cselect_b32 s24, 1, 0
    v_mov_b32 v22, s22
    v_mov_b32 v23, s23
    v_mov_b32 v24, s24
    v_mov_b32 v25, 0
    v_mov_b32 v1, s3
    global_store_b128 v1, v[22:25], s[0:1] offset:2048
    s_endpgm
"""


@pytest.fixture(scope="module")
def code(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Machine code by row name, assembled in one go."""
    rows = candidates()
    text = "".join(f"L{i}:\n{program(row)}" for i, row in enumerate(rows)) + f"L{len(rows)}:\n"
    elf = ELFFile(BytesIO(assemble_object(text, tmp_path_factory.mktemp("pseudocode"))))
    data = elf.get_section_by_name(".text").data()
    at = {s.name: s["st_value"] for s in elf.get_section_by_name(".symtab").iter_symbols()}
    return {row.name: data[at[f"L{i}"] : at[f"L{i + 1}"]] for i, row in enumerate(rows)}


def inputs(seed: int) -> np.ndarray:
    """32 lanes of 8 dwords: special values, small numbers and random bits."""
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 2**32, (LANES, 8), dtype=np.uint64)
    pick = rng.random((LANES, 8))
    values = np.where(pick < 0.3, rng.choice(SPECIAL32, (LANES, 8)), values)
    values = np.where((pick > 0.3) & (pick < 0.4), rng.integers(0, 70, (LANES, 8)), values)
    moderate = rng.normal(0, 100, (LANES, 8)).astype(np.float32).view(np.uint32)
    values = np.where((pick > 0.4) & (pick < 0.55), moderate, values)
    wide = rng.normal(0, 1000, (LANES, 4)).view(np.uint32).reshape(LANES, 8)
    return np.where(pick > 0.9, wide, values).astype(np.uint32)


def same(kind: str, got: int, want: int) -> bool:
    """Equal bits, or both NaN."""
    if got == want:
        return True
    if kind in ("f16", "f32", "f64"):
        return bool(np.isnan(typed(got, kind)) and np.isnan(typed(want, kind)))
    if kind == "pkf16":
        return all(same("f16", got >> s & 0xFFFF, want >> s & 0xFFFF) for s in (0, 16))
    return False


def literal_of(row: Row, registers: dict[str, int]) -> None:
    """The literal that vector_line wrote, under the name the manual gives it."""
    if "fmamk" in row.name or "fmaak" in row.name:
        registers["SIMM32"] = 0x3F000000 if "f32" in row.name else 0x3800
        if "fmamk" in row.name:
            registers["S1"] = registers["S2"]


def expected(row: Row, text: str, lane: list[int], index: int, vcc: int, known: dict[str, str]) -> dict[str, int]:
    """Registers after the pseudocode; lane: the 8 dwords of its operands."""
    wide = [lane[2 * i] | lane[2 * i + 1] << 32 for i in range(4)]
    registers = {f"S{i}": wide[i] for i in range(3)} | {"D0": wide[3], "VCC": vcc, "laneId": index}
    registers |= {"SCC": int(lane[5] == 1)}
    if "fmac" in row.name:
        registers["S2"] = registers["D0"]
    literal_of(row, registers)
    evaluator = Evaluator(registers, known)
    with np.errstate(all="ignore"):
        evaluator.run(text)
    return evaluator.bits


def result_bits(kind: str, low: int, high: int) -> int:
    if kind in ("b64", "f64"):
        return low | high << 32
    return low & 0xFFFF if kind in ("b16", "f16") else low


@pytest.mark.parametrize("row", candidates(), ids=lambda row: row.name)
def test_against_pseudocode(row: Row, code: dict[str, bytes]) -> None:
    """Bit equality on 32 lanes (NaN payloads aside)."""
    known = texts()
    if row.name in DELIBERATE:
        pytest.skip(f"deliberate: {DELIBERATE[row.name]}")
    if row.name not in known:
        pytest.skip("no pseudocode for this instruction")
    memory = np.zeros(1024, np.uint32)
    data = inputs(sum(row.name.encode()))
    memory[:256] = data.reshape(-1)
    memory[256] = 0x5A3C96F1
    groups, items = (1, LANES) if row.encoding.startswith("V") else (LANES, 1)
    done = launch_code(code[row.name], memory.ctypes.data, MODE, groups, items)
    assert done.status == "ok", done.text
    out = memory[512 : 512 + 256].reshape(LANES, 8)
    wrong = []
    for index in range(LANES):
        lane = [int(x) for x in data[index]]
        try:
            want = expected(row, known[row.name], lane, index, int(memory[256]), known)
        except NotCovered as reason:
            pytest.skip(f"pseudocode not evaluated: {reason}")
        low, high, mask = (int(x) for x in out[index][:3])
        if row.destination == "m":
            got, goal = mask >> index & 1, want["D0"] >> index & 1
        elif row.destination == "-":
            got, goal = mask, want["SCC"] & 1
        else:
            got = result_bits(row.destination, low, high)
            goal = result_bits(row.destination, want["D0"] & 0xFFFFFFFF, want["D0"] >> 32)
            if row.encoding.startswith("S") and mask != want["SCC"] & 1:
                wrong.append((index, "SCC", mask, want["SCC"]))
        if not same(row.destination, got, goal):
            wrong.append((index, [hex(x) for x in lane], hex(got), hex(goal)))
    assert wrong == []
