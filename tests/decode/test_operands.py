"""Operand text to types. The texts are nvdisasm 13.5's; the words are of the same instructions."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cass_shim.decode.operands import parse_operands
from cass_shim.model.errors import Unsupported
from cass_shim.model.instruction import PT, RZ, Barrier, Const, Imm, Mem, Pred, Reg, Special, Target, Word


def parse(mnemonic: str, text: str, *modifiers: str, word: int = 0, address: int = 0) -> tuple[object, ...]:
    return parse_operands(mnemonic, modifiers, text, word, address)


def test_registers_and_their_marks() -> None:
    assert parse("FFMA", "R13,-|R8|,R13.reuse,~UR5") == (
        Reg(13),
        Reg(8, negate=True, absolute=True),
        Reg(13),
        Reg(5, uniform=True, invert=True),
    )
    assert parse("HADD2", "R3,-RZ.H0_H0,|R11|.reuse.H1_H1") == (
        Reg(3),
        Reg(RZ, negate=True, suffix=("H0_H0",)),
        Reg(11, absolute=True, suffix=("H1_H1",)),
    )


def test_predicates() -> None:
    assert parse("PLOP3", "P1,PT,!UP3,!PT") == (Pred(1), Pred(PT), Pred(3, True, True), Pred(PT, negate=True))


def test_memory_forms() -> None:
    assert parse("LDG", "R2,desc[UR8][R4.64+0x4]")[1] == Mem(Reg(4), 4, wide=True, descriptor=Reg(8, True))
    assert parse("LDS", "R8,[R7.X16+UR5+-0x40]")[1] == Mem(Reg(7), -64, Reg(5, True), scale=16)
    assert parse("STS", "[0x100],RZ")[0] == Mem(None, 256)
    assert parse("LDS", "RZ,[RZ]")[1] == Mem(Reg(RZ))
    assert parse("LDGSTS", "[R21+0x800][R2.64]") == (Mem(Reg(21), 0x800), Mem(Reg(2), wide=True))
    assert parse("LDGSTS", "[R5],desc[UR10][R2.64]")[1] == Mem(Reg(2), wide=True, descriptor=Reg(10, True))


def test_constant_banks() -> None:
    assert parse("IADD3", "R7,R4,-c[0x0][0x20],RZ")[2] == Const(0, 0x20, negate=True)
    assert parse("LDC", "R6,c[0x2][R0+0x20]")[1] == Const(2, 0x20, Reg(0))
    assert parse("LDC", "R6,cx[UR4][0x8]")[1] == Const(0, 8, bank_register=Reg(4, True))


def test_immediates_take_their_bits_from_the_word() -> None:
    word = 0x3F000000 << 32
    assert parse("FADD", "R0,R1,0.5", word=word)[2] == Imm(0x3F000000)
    assert parse("FSEL", "R17,R17,-QNAN ,P4", word=0xFFFFFFFF << 32) == (Reg(17), Reg(17), Imm(0xFFFFFFFF), Pred(4))
    pair = parse("HFMA2", "R7,-RZ,RZ,0,2.384185791015625e-07", "MMA", word=4 << 32)
    assert pair == (Reg(7), Reg(RZ, negate=True), Reg(RZ), Imm(4))
    assert parse("IADD3", "R4,-R7,-0x1,RZ")[2] == Imm(0xFFFFFFFF)


def test_code_addresses() -> None:
    assert parse("BSSY", "B0,0x360") == (Barrier(0), Target(0x360))
    assert parse("BRA", "P1,0x210") == (Pred(1), Target(0x210))
    assert parse("BRX", "R6,-0x190", address=0x180) == (Reg(6), Target(0))
    assert parse("WARPSYNC", "0xffffffff") == (Imm(0xFFFFFFFF),)
    assert parse("WARPSYNC", "R8,0x450", "COLLECTIVE")[1] == Target(0x450)


def test_other_words() -> None:
    assert parse("S2R", "R2,SR_TID.X")[1] == Special("SR_TID.X")
    assert parse("TEX", "RZ,R10,R4,R16,0x0,0x58,ARRAY_2D,0x1", "SCR", "LL")[6] == Word("ARRAY_2D")


@pytest.mark.parametrize("text", ["R1,gsb0", "R1,[R2", "R1,[R2+R3]", "R1,|R2", "R1,c[0x0]", "Q7", "R1,0x1ffffffff"])
def test_unknown_text_names_the_instruction(text: str) -> None:
    with pytest.raises(Unsupported, match=r"HGMMA\.X") as caught:
        parse("HGMMA", text, "X", address=0x40)
    assert caught.value.address == 0x40


@given(st.text(alphabet="RUPZTBcxdes[]+-|~!.,0123456789xabcdefXH_ ", max_size=40))
def test_any_text_parses_or_is_unsupported(text: str) -> None:
    with contextlib.suppress(Unsupported):
        parse("FFMA", text)
