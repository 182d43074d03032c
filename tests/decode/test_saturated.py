"""Narrowing to the largest finite number, as nvdisasm prints what ptxas 13.0 makes of cvt.satfinite."""

from __future__ import annotations

import pytest

from cass_shim.isa.encoding.decoder import decode

WORDS = [
    (0x004FC400000060FF00000000FF04723E, "F2FP.SATFINITE.F16.F32.MERGE_C R4, R0, RZ "),
    (0x008FC6000001B0FF000000050005723E, "F2FP.SATFINITE.BF16.F32.PACK_AB.RZ R5, R0, R5 "),
    (0x008FC600000190FF000000050005723E, "F2FP.BF16.F32.PACK_AB.RZ R5, R0, R5 "),
]


@pytest.mark.parametrize(("word", "text"), WORDS)
def test_text(word: int, text: str) -> None:
    assert decode(word, 0, 90).text.rstrip(" ;") == text.rstrip()
