"""Fields of machine code that nvlink fills in: addresses in shared memory and in constant banks.

In: a relocation's kind, the 16 bytes of its instruction, a value. Out: the instruction. Other relocations of code
(addresses of variables and functions, calls) stay relocations, in nvlink's output as in ours.
Source: objects of ptxas 13.0 for sm_75 to sm_120 compared with what nvlink 13.0 made of them.
"""

from __future__ import annotations

from dataclasses import dataclass

from cass_shim.model.errors import LinkFailed

INSTRUCTION_BYTES = 16
BANK_BIT, BANK_BITS = 54, 5


@dataclass(frozen=True, slots=True)
class Field:
    """`bits` bits from bit `at` of the instruction hold a byte offset, shifted right by `shift`."""

    at: int
    bits: int
    shift: int = 0
    has_bank: bool = False  # the constant bank's number is beside it


FIELDS = {
    55: Field(32, 32),  # shared memory, in a move
    59: Field(32, 16),  # constant memory, in a move
    64: Field(40, 14, 2, has_bank=True),
    65: Field(40, 14, 2),  # a texture's or surface's word in bank 0
    66: Field(38, 16, has_bank=True),
    74: Field(40, 24),  # shared memory, in a load or store
    115: Field(37, 17, has_bank=True),
}
KEPT = {56: 56, 57: 57, 58: 58, 75: 75, 73: 73, 112: 56, 113: 57}  # kind in an object → kind in what is linked
DATA = {2: 2, 4: 4, 35: 35, 73: 73, 102: 2}
WITHOUT_EFFECT = (68, 69, 114)  # yields of called functions, offsets in a table of unified functions: left as they are


def addend_in_place(code: bytes, offset: int, kind: int) -> int:
    """The addend of a relocation that has none of its own."""
    at = offset // INSTRUCTION_BYTES * INSTRUCTION_BYTES
    word = int.from_bytes(code[at : at + INSTRUCTION_BYTES], "little")
    if kind in FIELDS:
        field = FIELDS[kind]
        return (word >> field.at & (1 << field.bits) - 1) << field.shift
    if kind in (56, 57):
        return int.from_bytes(code[at + 4 : at + 8], "little", signed=True)
    return 0


def fill(code: bytearray, offset: int, kind: int, value: int, bank: int, where: str) -> None:
    """Write a byte offset in shared memory (bank 0) or in a constant bank."""
    field = FIELDS[kind]
    at = offset // INSTRUCTION_BYTES * INSTRUCTION_BYTES
    word = int.from_bytes(code[at : at + INSTRUCTION_BYTES], "little")
    limit = 1 << field.bits
    scaled = value >> field.shift
    if value & (1 << field.shift) - 1 or not -limit // 2 <= scaled < limit:
        raise LinkFailed(f"{where}: offset {value:#x} does not fit relocation {kind}")
    word = word & ~((limit - 1) << field.at) | (scaled & limit - 1) << field.at
    if field.has_bank:
        mask = (1 << BANK_BITS) - 1
        word = word & ~(mask << BANK_BIT) | (bank & mask) << BANK_BIT
    code[at : at + INSTRUCTION_BYTES] = word.to_bytes(INSTRUCTION_BYTES, "little")
