"""What instructions ask of their registers is found out once a shape: the text does not depend on what came before."""

from __future__ import annotations

import pytest

from cass_shim.model.artifacts import PtxModule
from cass_shim.model.errors import Malformed
from cass_shim.translate.ptx_hip import translate_kernel, votes
from cass_shim.translate.ptx_hip.writer import FunctionWriter

HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"
REGISTERS = ".reg .b32 %r<9>; .reg .f32 %f<9>; .reg .b64 %d<9>; .reg .b16 %h<9>; .reg .pred %p<9>;"
# Signed and unsigned uses, floats in untyped registers, shared memory (its name is every function's), a call.
BODY = """.shared .align 4 .b8 r1[64]; ld.param.u64 %d1, [a]; ld.global.u32 %r1, [%d1]; ld.global.u32 %r2, [%d1+4];
min.s32 %r3, %r1, %r2; min.s32 %r4, %r2, %r3; add.f32 %r5, %r1, %r1; mov.u32 %r6, r1; st.shared.u32 [r1+4], %r4;
st.shared.u32 [%r6+8], %r5; bar.sync 0; ld.shared.u32 %r7, [r1+12]; @!%p1 st.global.v2.u32 [%d1], {%r5, %r7};"""


def text_of(body: str) -> str:
    module = f"{HEAD}.visible .entry k(.param .u64 a) {{ {REGISTERS}\n{body}\nret; }}\n"
    return translate_kernel(PtxModule(module, 80), "k").text


def test_what_came_before_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(votes, "known", {})
    monkeypatch.setattr("cass_shim.translate.ptx_hip.writer.known", votes.known)
    alone = text_of(BODY)
    assert votes.known
    assert text_of(BODY) == alone
    assert "i32 r3 = " in alone and "f32 r5 = " in alone


def test_an_instruction_of_a_known_shape_is_written_once(monkeypatch: pytest.MonkeyPatch) -> None:
    written = []
    statement = FunctionWriter.statement
    monkeypatch.setattr(
        FunctionWriter, "statement", lambda self, each: (written.append(each.form), statement(self, each))[1]
    )
    text_of("add.s32 %r1, %r2, %r3; add.s32 %r4, %r5, %r6; add.s32 %r4, %r4, %r6;")
    text_of("add.s32 %r5, %r6, %r7;")
    assert written.count("add.s32") <= 3 + 2 + 1  # three and one, the two shapes once more


def test_other_types_are_another_shape() -> None:
    text_of("add.s32 %r1, %r2, %r3;")
    with pytest.raises(Malformed, match="%f3"):
        text_of("add.s32 %r1, %r2, %f3;")
    with pytest.raises(Malformed, match="%h1"):
        text_of("add.s32 %h1, %r2, %r3;")
    text_of("mov.b32 %r1, {%h1, %h2};")
    with pytest.raises(Malformed, match="%r2"):
        text_of("mov.b32 %r1, {%r2, %h2};")
