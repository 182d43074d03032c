"""Just enough of the gfx1100 encoding to walk code: instruction lengths, branches, and what may not appear.

In: code bytes. Out: `Decoded` per instruction. Source: AMD RDNA3 ISA, chapter "Microcode Formats"; opcode numbers and
names come from `isa.rdna3`. Used by the contract check, which must not trust the assembler.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import import_module

from cass_shim.isa.rdna3.row import Row
from cass_shim.model.errors import Rejected

LITERAL, DPP16, DPP8, DPP8_FI = 255, 250, 233, 234
_VOP2_LITERAL = (44, 45, 55, 56)  # v_fmamk, v_fmaak
_FIXED_64 = {0x36: "DS", 0x37: "FLAT", 0x38: "MUBUF", 0x3A: "MTBUF", 0x3D: "SMEM", 0x3E: "EXP"}
_FILES = ("sop1", "sop2", "sopc", "sopk", "sopp", "vop1", "vop2", "vopc", "vop3", "vop3p", "ds", "smem")
_MORE_FILES = ("vop3sd", "vopd", "flat", "global_", "scratch", "mubuf", "mimg")
_SEGMENTS = {0: "FLAT", 1: "SCRATCH", 2: "GLOBAL"}


@dataclass(frozen=True, slots=True)
class Decoded:
    """One instruction: encoding family, opcode number, size in bytes, words, byte offset in the code."""

    offset: int
    size: int
    encoding: str
    opcode: int
    words: tuple[int, ...]


@cache
def names() -> dict[tuple[str, int], str]:
    """(encoding, opcode) → name, of the families whose opcode field is read here."""
    found: dict[tuple[str, int], str] = {}
    for file in _FILES:
        module = import_module(f"cass_shim.isa.rdna3.{file}")
        found.update({(row.encoding, row.opcode): row.name for row in module.ROWS})
    return found


def walk(code: bytes, kernel: str) -> list[Decoded]:
    """Every instruction of `code` in order. Raises Rejected for bits that are no known encoding or a cut end."""
    found: list[Decoded] = []
    words = [int.from_bytes(code[at : at + 4], "little") for at in range(0, len(code) - 3, 4)]
    at = 0
    while at < len(words):
        encoding, opcode, size = _decode(words, at, kernel)
        if at + size > len(words):
            raise Rejected(f"an instruction is cut off at the end of the code ({4 * at:#x})", kernel=kernel)
        found.append(Decoded(4 * at, 4 * size, encoding, opcode, tuple(words[at : at + size])))
        at += size
    return found


def _decode(words: list[int], at: int, kernel: str) -> tuple[str, int, int]:
    """(encoding, opcode, size in words)."""
    word = words[at]
    if word >> 31 == 0:
        return _vector32(word)
    if word >> 30 == 0b10:
        return _scalar(word)
    major = word >> 26
    high = words[at + 1] if at + 1 < len(words) else 0
    if major in _FIXED_64:
        return _FIXED_64[major], word >> 18 & 0xFF, 2
    if major == 0x35:
        return "VOP3", word >> 16 & 0x3FF, 2 + _sources_extra(high)
    if word >> 24 == 0xCC:
        return "VOP3P", word >> 16 & 0x7F, 2 + _sources_extra(high)
    if major == 0x32:
        literal = LITERAL in (word & 0x1FF, high & 0x1FF)
        mixed = (word >> 22 & 15) in (1, 2) or (word >> 17 & 31) in (1, 2)  # fmaak, fmamk
        return "VOPD", word >> 22 & 15, 3 if literal or mixed else 2
    if major == 0x3C:
        return "MIMG", word >> 18 & 0xFF, 3 if word & 1 else 2
    raise Rejected(f"{word:#010x} at {4 * at:#x} is not an instruction of gfx1100", kernel=kernel)


def _vector32(word: int) -> tuple[str, int, int]:
    source = word & 0x1FF
    extra = 1 if source in (LITERAL, DPP16, DPP8, DPP8_FI) else 0
    if word >> 25 == 0x3F:
        return "VOP1", word >> 9 & 0xFF, 1 + extra
    if word >> 25 == 0x3E:
        return "VOPC", word >> 17 & 0xFF, 1 + extra
    opcode = word >> 25 & 0x3F
    return "VOP2", opcode, 2 if opcode in _VOP2_LITERAL else 1 + extra


def _scalar(word: int) -> tuple[str, int, int]:
    first, second = word & 0xFF, word >> 8 & 0xFF
    if word >> 23 == 0x17D:
        return "SOP1", word >> 8 & 0xFF, 2 if first == LITERAL else 1
    if word >> 23 == 0x17E:
        return "SOPC", word >> 16 & 0x7F, 2 if LITERAL in (first, second) else 1
    if word >> 23 == 0x17F:
        return "SOPP", word >> 16 & 0x7F, 1
    if word >> 28 == 0xB:
        opcode = word >> 23 & 0x1F
        return "SOPK", opcode, 2 if opcode == 19 else 1  # s_setreg_imm32_b32
    return "SOP2", word >> 23 & 0x7F, 2 if LITERAL in (first, second) or word >> 23 & 0x7F in (69, 70) else 1


def _sources_extra(high: int) -> int:
    """Words behind a VOP3 or VOP3P: a literal, or DPP of the first source."""
    sources = (high & 0x1FF, high >> 9 & 0x1FF, high >> 18 & 0x1FF)
    return 1 if LITERAL in sources or sources[0] in (DPP16, DPP8, DPP8_FI) else 0


def branch_target(instruction: Decoded) -> int | None:
    """Byte offset a SOPP branch goes to, None for anything else."""
    if instruction.encoding != "SOPP" or not 32 <= instruction.opcode <= 42:
        return None
    distance = instruction.words[0] & 0xFFFF
    return instruction.offset + 4 + 4 * (distance - 0x10000 if distance & 0x8000 else distance)


@cache
def _rows() -> dict[tuple[str, int], Row]:
    files = (import_module(f"cass_shim.isa.rdna3.{file}") for file in (*_FILES, *_MORE_FILES))
    return {(row.encoding, row.opcode): row for file in files for row in file.ROWS}


def row_of(instruction: Decoded) -> Row | None:
    """The opcode's row; VOP3 forms of shorter encodings and v_cmpx are found there. None for no known opcode."""
    encoding, opcode = instruction.encoding, instruction.opcode
    if encoding == "FLAT":
        opcode = instruction.words[0] >> 18 & 0x7F
        encoding = _SEGMENTS.get(instruction.words[0] >> 16 & 3, "")
    return _row(encoding, opcode)


@cache
def _row(encoding: str, opcode: int) -> Row | None:
    table = _rows()
    if encoding == "VOP3":
        for family, base in (("VOP3SD", 0), ("VOP3", 0), ("VOPC", 0), ("VOP2", 0x100), ("VOP1", 0x180)):
            if (family, opcode - base) in table and (family != "VOPC" or opcode < 256):
                return table[family, opcode - base]
        if opcode < 256:
            return table.get(("VOPC", opcode & 0x7F))
        return None
    if encoding == "VOPC" and opcode >= 0x80:
        opcode -= 0x80
    return table.get((encoding, opcode))
