"""Narrowing, as nvdisasm prints what ptxas 13.0 makes of cvt.satfinite; merging and FSWZADD, patched."""

from __future__ import annotations

import pytest

from cass_shim.isa.encoding.decoder import decode

WORDS = [
    (0x004FC400000060FF00000000FF04723E, "F2FP.SATFINITE.F16.F32.MERGE_C R4, R0, RZ "),
    (0x008FC6000001B0FF000000050005723E, "F2FP.SATFINITE.BF16.F32.PACK_AB.RZ R5, R0, R5 "),
    (0x008FC600000190FF000000050005723E, "F2FP.BF16.F32.PACK_AB.RZ R5, R0, R5 "),
    (0x000FC000000041100000000CFF20723E, "F2FP.F16.F32.MERGE_C R32, R12, R16.H1"),
    (0x000FC000000041FF0000000CFF20723E, "F2FP.F16.F32.MERGE_C R32, R12, RZ.H1"),
    (0x020FCA00048071100000000C0820723E, "F2FP.SATFINITE.E4M3.F32.PACK_AB_MERGE_C R32, R8, R12, R16.H1 "),
    (0x000FC0000001E00C000000E408207822, "FSWZADD.FTZ.RZ.NDV R32, R8, R12, ZPNPPNPP"),
    (0x000FC0000000000C0000006308207822, "FSWZADD R32, R8, R12, PNNPPPZP"),
]


@pytest.mark.parametrize(("word", "text"), WORDS)
def test_text(word: int, text: str) -> None:
    assert decode(word, 0, 90).text.rstrip(" ;") == text.rstrip()
