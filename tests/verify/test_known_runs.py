"""Kept reference runs change nothing but the time: a candidate is judged as without them."""

from __future__ import annotations

import contextlib
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
from cass_shim.verify.known_runs import KnownRuns

PREBUILT = Path(__file__).parents[2] / "examples" / "prebuilt"


@pytest.fixture(scope="module")
def work() -> Work:
    return Work(load_module((PREBUILT / "vector_add_static").read_bytes()), "_Z10vector_addPKfS0_Pfi", Config())


def compiled(work: Work, old: str = "", new: str = "") -> CodeObject:
    source = translate_source(work, "ptx-hip")
    assert isinstance(source, HipSource) and old in source.text
    return assemble(replace(source, text=source.text.replace(old, new) if old else source.text), work.abi)


def test_a_second_candidate_meets_the_same_inputs_and_runs(work: Work, device: Device) -> None:
    right, wrong = compiled(work), compiled(work, "r1 < (i32)p.param_3", "p.param_3 == 0 || r1 < (i32)p.param_3")
    plain = verify_kernel(right, work.sass, work.module.cubin, device).report
    with contextlib.closing(KnownRuns(device)) as known:
        first = verify_kernel(right, work.sass, work.module.cubin, device, known=known).report
        assert known.hits == 0
        again = verify_kernel(right, work.sass, work.module.cubin, device, known=known).report
        inputs = again["inputs"]
        assert isinstance(inputs, list) and known.hits >= len(inputs) > 5
        kept = ("inputs", "bytes_compared", "bytes_undefined", "instructions_covered")
        assert [plain[key] for key in kept] == [first[key] for key in kept] == [again[key] for key in kept]
        with pytest.raises(Rejected, match="does not write there"):
            verify_kernel(wrong, work.sass, work.module.cubin, device, known=known)


def test_no_more_runs_are_kept_than_asked_for(work: Work, device: Device) -> None:
    with contextlib.closing(KnownRuns(device, limit=2)) as known:
        for _ in range(2):
            verify_kernel(compiled(work), work.sass, work.module.cubin, device, known=known)
        assert known.hits == 0, "the first input's run was let go before it was wanted again"
