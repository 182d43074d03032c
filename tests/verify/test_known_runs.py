"""Kept reference runs change nothing but the time: a candidate is judged as without them."""

from __future__ import annotations

import contextlib

import pytest

from cass_shim.device import Device
from cass_shim.model.errors import Rejected
from cass_shim.pipeline import Work
from cass_shim.verify import verify_kernel
from cass_shim.verify.known_runs import KnownRuns
from tests.verify.support import from_ptx


def test_a_second_candidate_meets_the_same_inputs_and_runs(vector_add: Work, device: Device) -> None:
    right = from_ptx(vector_add)
    wrong = from_ptx(vector_add, "r1 < (i32)param_3", "param_3 == 0 || r1 < (i32)param_3")
    plain = verify_kernel(right, vector_add.sass, vector_add.module.cubin, device).report
    with contextlib.closing(KnownRuns(device)) as known:
        first = verify_kernel(right, vector_add.sass, vector_add.module.cubin, device, known=known).report
        assert known.hits == 0
        again = verify_kernel(right, vector_add.sass, vector_add.module.cubin, device, known=known).report
        inputs = again["inputs"]
        assert isinstance(inputs, list) and known.hits >= len(inputs) > 5
        kept = ("inputs", "bytes_compared", "bytes_undefined", "instructions_covered")
        assert [plain[key] for key in kept] == [first[key] for key in kept] == [again[key] for key in kept]
        with pytest.raises(Rejected, match="does not write there"):
            verify_kernel(wrong, vector_add.sass, vector_add.module.cubin, device, known=known)


def test_no_more_runs_are_kept_than_asked_for(vector_add: Work, device: Device) -> None:
    with contextlib.closing(KnownRuns(device, limit=2)) as known:
        for _ in range(2):
            verify_kernel(from_ptx(vector_add), vector_add.sass, vector_add.module.cubin, device, known=known)
        assert known.hits == 0, "the first input's run was let go before it was wanted again"
