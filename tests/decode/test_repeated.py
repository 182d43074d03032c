"""Words that have been decoded before: the same instruction elsewhere, and targets that move with their branch."""

from __future__ import annotations

import pytest

from cass_shim.isa.encoding import decoder
from cass_shim.model.instruction import Target

MOV = 0x000FE40000000F0000000A0000017A02  # MOV R1, c[0x0][0x28]
BRA = 0x000FC0000383FFFFFFFFFFF000007947  # BRA to itself


@pytest.fixture(autouse=True)
def nothing_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decoder, "_seen", {})


def test_a_word_is_the_same_instruction_at_another_address() -> None:
    first, second = decoder.decode(MOV, 0, 80), decoder.decode(MOV, 0x40, 80)
    assert (first.address, second.address) == (0, 0x40)
    assert (first.text, first.operands, first.word) == (second.text, second.operands, second.word)
    assert len(decoder._seen) == 1


def test_a_branch_is_decoded_where_it_stands() -> None:
    for address in (0x40, 0x80):
        found = decoder.decode(BRA, address, 80)
        assert found.text == f"BRA {address:#x}"
        assert found.operands[-1] == Target(address)
    assert not decoder._seen


def test_a_generation_has_its_own_reading() -> None:
    assert decoder.decode(MOV, 0, 80).operands == decoder.decode(MOV, 0, 90).operands
    assert len(decoder._seen) == 2


def test_no_more_is_kept_than_there_is_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decoder, "_MOST_SEEN", 2)
    for register in range(5):
        decoder.decode(MOV | register << 20, 0, 80)
    assert len(decoder._seen) <= 2
