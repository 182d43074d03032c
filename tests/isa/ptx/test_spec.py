"""The instruction table: how rows match, and that it is consistent with the prelude and the documentation."""

from __future__ import annotations

import itertools
import locale
import re
from pathlib import Path

import pytest

from cass_shim.assemble.hip import compile_to_assembly
from cass_shim.isa.ptx import load_all
from cass_shim.isa.ptx.documentation import INSTRUCTIONS, MISSING, ptx_page
from cass_shim.isa.ptx.logic import lop3_terms
from cass_shim.isa.ptx.prelude import HEADER, pieces, select, words_of
from cass_shim.isa.ptx.spec import ROWS, find, parse_row
from cass_shim.isa.ptx.syntax import Instruction
from cass_shim.model.artifacts import HipSource
from cass_shim.model.errors import Unsupported

ROOT = Path(__file__).resolve().parents[3]
load_all()


def instruction(text: str) -> Instruction:
    opcode, *modifiers = text.split(".")
    return Instruction(opcode, tuple(modifiers), (), None, 1)


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("mul.wide.s32", {"mode": "wide", "t": "s32"}),
        ("add.rn.ftz.sat.f32", {"rnd": "rn", "ftz": "ftz", "sat": "sat", "t": "f32"}),
        ("cvt.rzi.s32.f64", {"rnd": "rzi", "t": "s32", "s": "f64"}),
        ("atom.global.sys.add.u32", {"space": "global", "scope": "sys", "op": "add", "t": "u32"}),
        ("atom.add.release.gpu.u32", {"order": "release", "scope": "gpu", "op": "add", "t": "u32"}),
        ("ld.global.nc.L1::no_allocate.L2::128B.v4.f32", {"space": "global", "vec": "v4", "t": "f32"}),
        ("slct.s32.f32", {"t": "s32", "t2": "f32"}),
        ("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", {"d": "f32", "a": "f16", "b": "f16", "c": "f32"}),
    ],
)
def test_forms_are_matched(text: str, fields: dict[str, str]) -> None:
    _, use = find(instruction(text))
    assert {name: use[name] for name in fields} == fields


@pytest.mark.parametrize(
    "text",
    ["frobnicate.u32", "add", "add.u8", "add.rn.u32", "mul.u32", "mul.lo.f32", "add.u32.u32", "cvt.f32.s32",
     "div.f32", "wgmma.fence.sync.aligned", "tex.2dms.v4.f32.s32", "ld.global.sideways.u32", "fma.f32"],
)  # fmt: skip
def test_unknown_forms_are_unsupported_by_name(text: str) -> None:
    with pytest.raises(Unsupported) as caught:
        find(instruction(text))
    assert caught.value.feature == text


@pytest.mark.parametrize("pattern", ["add.{t:u32", "add.{t:u32|}", "add.."])
def test_a_row_that_is_not_well_written_is_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match="row"):
        parse_row(pattern, lambda w, i: None)


def test_every_instruction_of_the_manual_has_a_row_or_a_reason() -> None:
    for name in itertools.chain.from_iterable(text.split() for text in INSTRUCTIONS.values()):
        opcode, _, rest = name.partition(".")
        rows = [row for row in ROWS.get(opcode, []) if not rest or f"{row.pattern}.".startswith(f"{name}.")]
        assert bool(rows) != (name in MISSING), name


def test_no_row_names_an_instruction_the_manual_lacks() -> None:
    known = {name.split(".")[0] for text in INSTRUCTIONS.values() for name in text.split()}
    assert set(ROWS) <= known


def test_the_page_is_up_to_date() -> None:
    page = (ROOT / "docs" / "ptx.md").read_text()
    assert page == ptx_page(), "python -m cass_shim.isa.ptx.documentation > docs/ptx.md"


def test_what_meanings_call_is_defined() -> None:
    defined = set(pieces())
    for file in set((ROOT / "cass_shim" / "isa" / "ptx").glob("*.py")) - {ROOT / "cass_shim/isa/ptx/documentation.py"}:
        for name in set(re.findall(r"\bptx_\w+[a-z0-9]\(", file.read_text())):
            assert name.rstrip("(") in defined, f"{file.name}: {name}"


def test_the_whole_prelude_compiles() -> None:
    text = HEADER + select(pieces()) + '\nextern "C" __attribute__((global)) void k() {}\n'
    assert ".amdhsa_kernel k" in compile_to_assembly(HipSource(text, "k")).text


def test_a_kernel_gets_only_what_it_needs() -> None:
    chosen = select(words_of("ptx_shfl_up(x, 1, 31)"))
    assert "ptx_lane" in chosen
    assert "ptx_vprintf" not in chosen


@pytest.mark.parametrize("table", range(256))
def test_lop3_tables(table: int) -> None:
    expression = lop3_terms(table)
    for row in range(8):
        values = {"a": -(row >> 2 & 1), "b": -(row >> 1 & 1), "c": -(row & 1)}
        result = eval(expression, {"__builtins__": {}}, values)
        assert result & 1 == table >> row & 1


def test_the_prelude_is_read_whatever_the_locale() -> None:
    """A library in the process may have set it to C (NVRTC does), and then open() reads ASCII."""
    before = locale.setlocale(locale.LC_ALL)
    try:
        locale.setlocale(locale.LC_ALL, "C")
        assert pieces.__wrapped__() == pieces()
    finally:
        locale.setlocale(locale.LC_ALL, before)
