"""Bounds of 0 are among the first seed's inputs: a translation that is wrong only there is rejected."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from cass_shim.device import Device
from cass_shim.model.artifacts import CodeObject, HipSource
from cass_shim.model.config import Config
from cass_shim.model.errors import Rejected
from cass_shim.module import load_module
from cass_shim.pipeline import Work, assemble, translate_source
from cass_shim.verify import verify_kernel
from cass_shim.verify.inputs import Shape, edges, first_roles, make_input
from cass_shim.verify.survey import Survey, is_padding, survey

PREBUILT = Path(__file__).parents[2] / "examples" / "prebuilt"
SHAPE = Shape((2, 1, 1), (64, 1, 1))
COUNT_AT = 24  # vector_add's fourth parameter


@pytest.fixture(scope="module")
def work() -> Work:
    return Work(load_module((PREBUILT / "vector_add_static").read_bytes()), "_Z10vector_addPKfS0_Pfi", Config())


def compiled(work: Work, old: str = "", new: str = "") -> CodeObject:
    source = translate_source(work, "ptx-hip")
    assert isinstance(source, HipSource) and old in source.text
    return assemble(replace(source, text=source.text.replace(old, new) if old else source.text), work.abi)


def test_a_translation_that_is_wrong_for_no_elements_is_rejected(work: Work, device: Device) -> None:
    verify_kernel(compiled(work), work.sass, work.module.cubin, device)
    wrong = compiled(work, "r1 < (i32)p.param_3", "p.param_3 == 0 || r1 < (i32)p.param_3")
    with pytest.raises(Rejected, match="does not write there"):
        verify_kernel(wrong, work.sass, work.module.cubin, device)


def test_an_edge_sets_one_bound_and_leaves_the_others(work: Work) -> None:
    found = survey(work.sass)
    roles = first_roles(work.sass, found)
    (scenario,) = edges(found, roles, SHAPE, 1)
    assert scenario.edge == COUNT_AT
    given = make_input(work.sass, work.module.cubin, found, roles, scenario, 0x10000)
    assert given.params[COUNT_AT:] == bytes(4) and all(given.params[at] or given.params[at + 2] for at in (0, 8, 16))


def test_lanes_that_may_meet_get_none(work: Work) -> None:
    found = survey(work.sass)
    roles = first_roles(work.sass, found)
    for other in (replace(found, atomics=True), replace(found, grid_sync=True)):
        assert edges(other, roles, SHAPE, 1) == []
    assert edges(Survey(), roles, SHAPE, 1) == []


def test_what_stands_behind_the_code_is_no_code(work: Work) -> None:
    padding = [one.address for one in work.sass.instructions if is_padding(one)]
    assert padding[0] == 0x100 and work.sass.instructions[0xF0 // 16].mnemonic == "EXIT"
    assert padding == list(range(0x100, 16 * len(work.sass.instructions), 16))
