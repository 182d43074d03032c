"""Every instruction that LLVM's gfx1100 assembler takes, in every kind of operand: decoded here, or named as left out.

`test_rdna3_decode` goes from our rows to LLVM; this goes from LLVM to our rows.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cass_shim.isa.rdna3.generate import all_rows
from tests.isa.llvm_gfx1100 import accepted, mnemonics, taken
from tests.isa.rdna3_forms import forms
from tests.isa.rdna3_operands import operand_lines
from tests.isa.test_rdna3_decode import describe

# What gfx1100 has and the emulated device refuses, by name; docs/emulator.md gives the reasons.
LEFT_OUT = {
    "graphics": r"exp|lds_(param|direct)_load|v_interp_\w+|s_endpgm_ordered_ps_done|image_msaa_load"
    r"|image_(sample|gather4)_c(_\w+)?|image_gather4h|image_(load|store)(_mip)?_pck(_sgn)?",
    "ray tracing": r"image_bvh(64)?_intersect_ray|ds_bvh_stack_rtn_b32",
    "formats of images in buffers": r"tbuffer_\w+|buffer_store_(d16_)?(hi_)?format_\w+"
    r"|buffer_load_d16_(hi_)?format_\w+|buffer_load_format_d16_\w+",
    "global data share": r"ds_gws_\w+|ds_ordered_count|ds_(add|sub)_gs_reg_rtn",
    "halves of wave64": r"s_subvector_loop_(begin|end)",
    "no instruction": r"v_illegal",
}
SIZE = re.compile(r"_(e32|e64)$")


def left_out(name: str) -> bool:
    """Whether a mnemonic is named above."""
    return any(re.fullmatch(pattern, name) for pattern in LEFT_OUT.values())


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The mnemonics of gfx1100, without those that only name a size of the encoding."""
    names = accepted(tmp_path_factory.mktemp("names"))
    return [name for name in names if not (SIZE.search(name) and SIZE.sub("", name) in names)]


def test_every_mnemonic_has_a_row_or_is_left_out(known: list[str], tmp_path: Path) -> None:
    """Older names of an instruction are tried with the operands of every row of their kind, and must reach a row."""
    supported = {row.name for row in all_rows() if row.fidelity != "unsupported"}
    assert len(known) > 1400 and [name for name in supported if left_out(name)] == []
    unnamed = [name for name in known if name not in supported and not left_out(name)]
    operands: dict[str, set[str]] = {}
    for row in all_rows():
        for line in forms(row):
            if not line.startswith("v_dual"):
                operands.setdefault(row.name.partition("_")[0], set()).add(line.partition(" ")[2])
    lines = [f"{name} {rest}" for name in unnamed for rest in sorted(operands[name.partition("_")[0]])]
    reached: dict[str, str] = {}
    for index, code in taken(lines, tmp_path):
        length, found = describe(code + bytes(16))
        if length == len(code):
            reached.setdefault(lines[index].partition(" ")[0], found.split()[0])
    assert [name for name in unnamed if reached.get(name) not in supported] == []


def test_what_is_left_out_exists_and_is_refused(known: list[str]) -> None:
    """A row that is refused is one of those named above, or LLVM has no such instruction for gfx1100."""
    refused = {row.name for row in all_rows() if row.fidelity == "unsupported" and row.encoding != "INTERNAL"}
    assert [name for name in refused if name in known and not left_out(name)] == []
    assert {name for name in refused if name not in known} == {
        f"buffer_load_lds_{kind}" for kind in ("u8", "i8", "u16", "i16", "b32", "format_x")
    }
    for pattern in LEFT_OUT.values():
        assert any(re.fullmatch(pattern, name) for name in known), pattern


def test_the_table_of_mnemonics_is_whole() -> None:
    """Other generations are in it, so it is not ours that is compared with itself."""
    names = mnemonics()
    assert len(names) > 2000
    assert {"v_mfma_f32_32x32x1f32", "s_add_f32", "image_sample", "buffer_atomic_add", "v_xor_b32"} <= {*names}


def test_every_kind_of_operand_is_decoded(tmp_path: Path) -> None:
    """Mnemonic and length of every line that LLVM takes, out of all combinations of `rdna3_operands`."""
    pairs = [(row.name, line) for row in all_rows() for line in operand_lines(row)]
    codes = taken([line for _, line in pairs], tmp_path)
    assert len(codes) > 55_000
    wrong = []
    for index, code in codes:
        name, line = pairs[index]
        length, found = describe(code + bytes(16))
        word = found.split()[0]
        if length != len(code) or (word not in line if name.startswith("v_dual") else word != name):
            wrong.append((line, code.hex(), length, found))
    assert wrong == []
