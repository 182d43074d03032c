"""Our own decoder: the rows of `isa.encoding`, no process and no NVIDIA tool."""

from __future__ import annotations

from cass_shim.isa.encoding.decoder import decode
from cass_shim.model.instruction import Instruction

INSTRUCTION_BYTES = 16


def decode_words(code: bytes, sm: int) -> tuple[Instruction, ...]:
    """Every instruction of a section. Raises Unsupported for the first word that no row describes."""
    return tuple(
        decode(int.from_bytes(code[at : at + INSTRUCTION_BYTES], "little"), at, sm)
        for at in range(0, len(code), INSTRUCTION_BYTES)
    )
