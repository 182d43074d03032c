"""Whether a kernel's PTX reads other lanes, itself or in what it calls."""

from __future__ import annotations

import pytest

from cass_shim.model.artifacts import PtxModule
from cass_shim.translate.ptx_hip import reads_lanes

TEXT = """.version 8.0
.target sm_80
.address_size 64
.func (.param .b32 r) inner(.param .b32 a) {
    .reg .b32 %x<3>;
    ld.param.b32 %x1, [a];
    shfl.sync.bfly.b32 %x2, %x1, 1, 31, -1;
    st.param.b32 [r], %x2;
    ret;
}
.visible .entry alone() { .reg .pred %p<2>; vote.sync.any.pred %p1, 1, -1; ret; }
.visible .entry own() { .reg .b32 %x<3>; redux.sync.add.s32 %x2, %x1, -1; ret; }
.visible .entry through() {
    .reg .b32 %x<3>;
    { .param .b32 a; .param .b32 r; st.param.b32 [a], 1; call.uni (r), inner, (a); ld.param.b32 %x1, [r]; }
    ret;
}
"""


@pytest.mark.parametrize(
    ("name", "reads"), [("alone", {}), ("own", {"REDUX": 1}), ("through", {"SHFL": 1}), ("absent", {})]
)
def test_reads_lanes(name: str, reads: dict[str, int]) -> None:
    assert reads_lanes(PtxModule(TEXT, (8, 0), "sm_80"), name) == reads
