"""Texture and surface rows against nvdisasm: what ptxas makes of every PTX form, bound, bindless and uniform."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cass_shim.decode.operands import parse_operands
from cass_shim.isa.encoding.decoder import decode
from cass_shim.model.errors import Unsupported

VECTORS = Path(__file__).resolve().parents[1] / "vectors" / "sass" / "texture.json"
WORDS: dict[str, list[tuple[str, str]]] = json.loads(VECTORS.read_text())["words"]


@pytest.mark.parametrize("sm", WORDS)
def test_text_and_operands(sm: str) -> None:
    """The text is nvdisasm's, and our operands are those that parsing the text gives."""
    for word, text in WORDS[sm]:
        instruction = decode(int(word, 16), 0x40, int(sm))
        assert instruction.text == text
        body = text.split(" ", 1)[1] if text.startswith("@") else text
        _, printed = body.split(" ", 1)
        parsed = parse_operands(instruction.mnemonic, instruction.modifiers, printed, instruction.word, 0x40)
        assert instruction.operands == parsed, text


@pytest.mark.parametrize("bit", [91, 92])
def test_an_undescribed_bit_is_refused(bit: int) -> None:
    word = next(int(word, 16) for word, text in WORDS["80"] if text.startswith("TEX.SCR.LL "))
    with pytest.raises(Unsupported):
        decode(word ^ 1 << bit, 0, 80)
