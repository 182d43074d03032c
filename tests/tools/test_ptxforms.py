"""The probes of PTX forms: which there are, which share inputs, and how what a GPU gave is kept."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import pytest

from cass_shim.isa.ptx import load_all
from cass_shim.isa.ptx.spec import ROWS
from cass_shim.translate.ptx_hip.parser import parse_module
from tools.ptxforms import every, flow, waits
from tools.ptxforms.check import Kept, expected, page
from tools.ptxforms.coverage import executed
from tools.ptxforms.pack import unique
from tools.ptxforms.probes import module
from tools.ptxforms.recorded import KEPT_LANES, WORDS

load_all()


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("atom.relaxed.gpu.shared::cta.add.L2::cache_hint.u32", "atom.shared.add.u32"),
        ("ld.weak.global.ca.nc.L1::no_allocate.L2::64B.v2.f32", "ld.global.v2.f32"),
        ("add.rn.ftz.f32", "add.rn.ftz.f32"),
    ],
)
def test_forms_that_differ_in_what_computes_nothing_are_a_family(name: str, family: str) -> None:
    assert every.family(name) == family


def test_every_choice_of_what_computes_is_crossed_and_every_hint_meets_every_type() -> None:
    row = next(row for row in ROWS["st"] if "{order:relaxed|release}" in row.pattern)
    names = {form.name for form in every.forms_of(row)}
    for order, scope, space, t in product(("relaxed", "release"), ("cta", "sys"), ("global", "shared"), ("b8", "f64")):
        assert f"st.{order}.{scope}.{space}.{t}" in names
    for hint, t in product(("L1::evict_first", "L2::cache_hint"), ("u8", "s64", "f32")):
        assert any(hint in name and name.endswith(f".{t}") for name in names), (hint, t)


def test_probes_by_hand_have_names_of_their_own_and_are_ptx() -> None:
    probes = [*waits.all_waits(), *flow.all_flow()]
    assert len({probe.name for probe in probes}) == len(probes) > 600
    assert len(parse_module(module(probes)).functions) == len(probes) + 4


def test_what_recorded_probes_execute_is_counted() -> None:
    ran, _ = executed()
    assert {"add.cc.u32", "mbarrier.test_wait.shared.b64", "lop3.b32", "cvt.rn.bf16x2.f32"} <= ran
    assert "trap" in ran and "shfl.up.b32" not in ran


def test_equal_results_are_kept_once() -> None:
    one, other = (np.full((KEPT_LANES, WORDS), value, np.uint32) for value in (7, 8))
    rows, row_of = unique([one, other, one.copy()])
    assert rows.shape == (2, KEPT_LANES, WORDS)
    assert row_of.tolist() == [0, 1, 0]
    assert (rows[row_of[2]] == one).all()


def test_what_came_of_a_probe_is_kept_while_source_and_recording_are_the_same(tmp_path: Path) -> None:
    (probe, want), other = expected([3, 4])
    Kept(tmp_path / "kept").add([(probe, want), other], {probe.name: "lanes differ"})
    kept = Kept(tmp_path / "kept")
    assert kept.complaint((probe, want)) == "lanes differ"
    assert kept.complaint(other) == ""
    assert Kept(tmp_path / "kept").complaint((probe, want ^ np.uint32(1))) is None
    assert kept.complaint(expected([5])[0]) is None


def test_the_page_counts_what_is_recorded_and_what_is_like_it() -> None:
    text = page(["add.u32", "add.s32"], ["ld.weak.u8"], {"add.s32": "3 of 64 lanes differ, first 1"})
    assert "| `add` | 2 |  | 1 |" in text
    assert "| `ld` |  | 1 |  |" in text
    assert "2 of 3 agree" in text
    assert text.endswith("- `add.s32`: 3 of 64 lanes differ, first 1\n")
