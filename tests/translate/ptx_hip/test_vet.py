"""What is refused when PTX is loaded, as CUDA's compiler does it."""

from __future__ import annotations

import pytest

from cass_shim.model.artifacts import PtxModule
from cass_shim.model.errors import InvalidPtx
from cass_shim.translate.ptx_hip import check

HEAD = ".version {}\n.target sm_80\n.address_size 64\n.visible .entry x() {{ {} ret; }}\n"


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (".reg .u32 %r; bogus.u32 %r, %r;", "line 4, column 37 in x: bogus is no instruction of PTX"),
        ("bra NOWHERE;", "branch to NOWHERE, which is no label of this function"),
        ("mov.u32 %r1, 1;", "%r1 is not declared"),
        ("ret }", "expected ;"),
    ],
)
def test_what_ptx_does_not_allow(body: str, why: str) -> None:
    with pytest.raises(InvalidPtx, match=why):
        check(PtxModule(HEAD.format("8.0", body), 80))


def test_instructions_of_later_versions_may_be_new() -> None:
    check(PtxModule(HEAD.format("9.4", ".reg .u32 %r; bogus.u32 %r, %r;"), 80))


def test_what_is_allowed_and_not_translated_is_no_error() -> None:
    check(PtxModule(HEAD.format("8.6", ".reg .pred %p; L: tcgen05.wait::ld.sync.aligned; @%p bra L;"), 80))
