"""The index of hardware-vectored forms claims no more than what the recorded data shows."""

from __future__ import annotations

import dataclasses

import pytest

from cass_shim.isa.shape import address_kind, generalised, kind, slots
from cass_shim.model.artifacts import CubinKernel, SassKernel
from cass_shim.model.instruction import PT, RZ, Const, Imm, Instruction, Mem, Pred, Reg
from cass_shim.model.kernel_abi import KernelAbi
from cass_shim.verify import vectored
from cass_shim.verify.vectored import covered, form_keys, index, indirect, lacking
from tests.verify.vector_index import forms

R1, R2, R3 = Reg(1), Reg(2), Reg(3)


def kernel(*code: Instruction) -> SassKernel:
    return SassKernel(CubinKernel("k", 90, KernelAbi(), b""), code)


@pytest.mark.timeout(1200)
def test_index_claims_no_more_than_the_vectors_show() -> None:
    shown = forms()  # python -m tests.verify.vector_index adds what has become true
    assert {form: sorted(slots) for form, slots in index().items() if slots - set(shown.get(form, ()))} == {}
    assert {"0:R", "1:R", "1:-R", "2:c", "2:UR", "2:#"} <= index()["IADD3"]


def test_what_no_sm90_code_holds_is_known_only_indirectly() -> None:
    both = [(form, slot) for form, slots in indirect().items() for slot in slots if covered(form, slot, index())]
    assert both == []
    assert "IMNMX" not in index() and "IMNMX" in indirect()  # sm_90 has VIMNMX in its place


def test_a_form_without_vectors_is_named() -> None:
    code = (
        Instruction(0, "IADD3", (), (R1, R2, R3, Reg(RZ))),
        Instruction(16, "UIADD3", (), tuple(dataclasses.replace(r, uniform=True) for r in (R1, R2, R3, Reg(RZ)))),
        Instruction(32, "TEX", ("ONLY", "HERE"), (R1, R2)),
        Instruction(48, "EXIT"),
    )
    assert lacking(kernel(*code)).missing == ("TEX.ONLY.HERE",)


def test_the_kind_of_an_operand_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Generated kernel 2639: I2F.S64 of a register had been recorded, of an immediate not, and that was wrong."""
    monkeypatch.setattr(vectored, "index", lambda: {"I2F.S64": frozenset(("0:R", "1:R"))})
    monkeypatch.setattr(vectored, "indirect", dict)
    assert lacking(kernel(Instruction(0, "I2F", ("S64",), (R1, R2)))).missing == ()
    assert lacking(kernel(Instruction(0, "I2F", ("S64",), (R1, Reg(RZ))))).missing == ()
    for other in (Imm(1 << 30), Const(0, 0x210), Reg(4, uniform=True), dataclasses.replace(R2, negate=True)):
        expected = (f"I2F.S64 1:{kind(other)}",)
        assert lacking(kernel(Instruction(0, "I2F", ("S64",), (R1, other)))).missing == expected


def test_indirect_evidence_is_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectored, "index", lambda: {"IADD3": frozenset(("0:R", "1:R", "2:R", "3:R"))})
    monkeypatch.setattr(vectored, "indirect", lambda: {"IMNMX": frozenset(("0:R", "1:R", "2:R", "@3.0:P"))})
    found = lacking(
        kernel(Instruction(0, "IMNMX", (), (R1, R2, R3, Pred(PT))), Instruction(16, "IADD3", (), (R1,) * 4))
    )
    assert found.missing == () and found.indirect == ("IMNMX 0:R", "IMNMX 1:R", "IMNMX 2:R", "IMNMX @3.0:PT")


def test_slots_name_places_and_kinds() -> None:
    operands = (
        Pred(0),
        Pred(PT),
        R1,
        dataclasses.replace(R2, absolute=True, negate=True),
        Const(3, 4, R3),
        Pred(2, True, True),
    )
    assert list(slots(Instruction(0, "X", (), operands))) == ["@0.0:P", "@0.1:PT", "0:R", "1:-|R", "2:c[R]", "@3.0:!UP"]
    assert [generalised(slot) for slot in ("1:-RZ", "1:URZ.H0_H0", "@0.1:!PT", "2:c")] == [
        "1:-R",
        "1:UR.H0_H0",
        "@0.1:!P",
        "2:c",
    ]
    assert address_kind(Mem(R1, 16, Reg(4, uniform=True), wide=True)) == "[R.64+UR]"
    assert (
        address_kind(Mem(None, 16)) == "[#]"
        and address_kind(Mem(Reg(1, suffix=("U32",)), 0, Reg(4, True))) == "[R.U32+UR]"
    )


def test_hints_do_not_count() -> None:
    load = Instruction(0, "LDG", ("E", "EF", "64", "CONSTANT"), (R1, Mem(R2, wide=True)))
    assert form_keys(load)[0][0] == "LDG.E.64" and form_keys(load)[-1] == ("LDG address", "[R.64]")
