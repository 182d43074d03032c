"""PTX of other compilers, run: its translation beside the interpreter of what ptxas makes of it."""

from __future__ import annotations

import shutil

import pytest

from cass_shim.model.artifacts import PtxModule
from cass_shim.native.build import BUILD
from cass_shim.translate.ptx_hip.translate import translate_kernel
from tools import ptxcorpus

TEXT = """.version 8.0
.target sm_80
.address_size 64
.visible .entry scaled(.param .u64 to, .param .u32 count) {
  .reg .pred %p<2>; .reg .b32 %r<6>; .reg .b64 %d<4>;
  ld.param.u64 %d1, [to]; ld.param.u32 %r1, [count]; cvta.to.global.u64 %d1, %d1;
  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x; mad.lo.u32 %r2, %r2, %r3, %r4;
  setp.ge.s32 %p1, %r2, %r1; @%p1 ret;
  mul.wide.u32 %d2, %r2, 4; add.u64 %d3, %d1, %d2; ld.global.u32 %r5, [%d3]; add.u32 %r5, %r5, 7;
  st.global.u32 [%d3], %r5; ret;
}
"""
pytestmark = [
    pytest.mark.skipif(shutil.which("ptxas") is None, reason="needs ptxas"),
    pytest.mark.skipif(not (BUILD / "emulated" / "libamdhip64.so").exists(), reason="the emulated device is not built"),
]


def test_a_right_translation_gets_evidence_and_a_wrong_one_is_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    ((name, what, why),) = ptxcorpus.judged(TEXT, 80, 0.5)
    assert (name, why) == ("scaled", "") and what in ("E1", "E1u")
    wrong = PtxModule(TEXT.replace("%r5, 7;", "%r5, 8;"), 80)
    monkeypatch.setattr(ptxcorpus, "translate_kernel", lambda ptx, *rest: translate_kernel(wrong, *rest))
    ((name, what, why),) = ptxcorpus.judged(TEXT, 80, 0.5)
    assert (name, what) == ("scaled", "rejected") and why


def test_what_ptxas_refuses_is_said() -> None:
    ((_, what, why),) = ptxcorpus.judged(TEXT.replace("ld.global.u32", "ld.gobal.u32"), 80, 0.5)
    assert what == "not assembled" and "gobal" in why
