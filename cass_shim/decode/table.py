"""Our own decoder: the rows of `isa.encoding`, no process and no NVIDIA tool."""

from __future__ import annotations

from cass_shim.isa.encoding.decoder import decode
from cass_shim.model.errors import Unsupported
from cass_shim.model.instruction import Instruction

DESCRIBED = (75, 80, 86, 87, 89, 90, 100, 103, 110, 120, 121)
INSTRUCTION_BYTES = 16
FIRST_WITH_DESCRIPTORS = 90  # in every text; before, nvdisasm shows them from the first cache policy on


def decode_words(code: bytes, sm: int) -> tuple[Instruction, ...]:
    """Every instruction of a section. Raises Unsupported for an SM without rows or a word that no row describes."""
    if sm not in DESCRIBED:
        raise Unsupported(f"the encoding of sm_{sm}", why="its rows are not written yet")
    decoded: list[Instruction] = []
    described = False
    for at in range(0, len(code), INSTRUCTION_BYTES):
        word = int.from_bytes(code[at : at + INSTRUCTION_BYTES], "little")
        decoded.append(decode(word, at, sm, described))
        described = described or (sm < FIRST_WITH_DESCRIPTORS and "desc[" in decoded[-1].text)
    return tuple(decoded)
