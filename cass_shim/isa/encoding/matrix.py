"""Tensor-core instructions, in the shapes and types that ptxas emits for our own programs."""

from __future__ import annotations

from dataclasses import replace

from cass_shim.isa.encoding.grammar import Mod, Printed, Undescribed, Word, choice, flag, row
from cass_shim.isa.encoding.slots import read
from cass_shim.model.instruction import Reg

HMMA_SHAPES = {(0, 0): "1688", (1, 0): "16816", (0, 1): "1684"}


def hmma_shape(w: Word) -> list[str]:
    """Bits 75 and 78."""
    key = w.bits(75, 1), w.bits(78, 1)
    if key not in HMMA_SHAPES:
        raise Undescribed(f"HMMA: shape {key}")
    return [HMMA_SHAPES[key]]


row("HMMA", 0x23C, "d a b c", hmma_shape, choice(76, 1, "F16", "F32"), choice(82, 3, "", "BF16", "TF32"))


def imma(w: Word) -> list[Printed]:
    """The first two operands name their layout."""
    found = read(w, "d a b c", "hex")
    for index, layout in ((1, "ROW"), (2, "COL")):
        operand, shown = found[index]
        assert isinstance(operand, Reg)
        found[index] = replace(operand, suffix=(layout,)), f"{shown}.{layout}"
    return found


# By bits 74-75 and 83-86: the shape, and how wide an element is.
IMMA_SHAPES = {
    (1, 0): ("8816", 8), (1, 8): ("16816", 8), (3, 8): ("16832", 8),
    (1, 7): ("8832", 4), (3, 11): ("16832", 4), (1, 15): ("16864", 4),
}  # fmt: skip


def imma_types(w: Word) -> list[str]:
    """Shape, and the signs and the width of the elements."""
    key = w.bits(74, 2), w.bits(83, 4)
    if key not in IMMA_SHAPES:
        raise Undescribed(f"IMMA: shape {key}")
    shape, width = IMMA_SHAPES[key]
    w.bits(77, 1)
    if w.peek(77, 1):
        raise Undescribed("IMMA: bit 77")
    return [shape, *(f"{'S' if w.bits(at, 1) else 'U'}{width}" for at in (76, 78))]


row("IMMA", 0x237, imma, imma_types, flag(82, "SAT"))
BMMA_SHAPES = {(1, 0): "88128", (3, 0): "168128", (1, 1): "168256"}  # bits 74-75, 76


def bmma_shape(w: Word) -> list[str]:
    key = w.bits(74, 2), w.bits(76, 1)
    if key not in BMMA_SHAPES:
        raise Undescribed(f"BMMA: shape {key}")
    return [BMMA_SHAPES[key]]


row("BMMA", 0x23D, imma, bmma_shape, choice(78, 1, "XOR", "AND"), Mod(80, 1, {1: "POPC"}))


def qmma(w: Word) -> list[Printed]:
    """sm_89 prints the layouts, as IMMA's."""
    return imma(w) if w.sm < 100 else read(w, "d a b c", "hex")


EIGHT = (choice(78, 1, "E4M3", "E5M2"), choice(79, 1, "E4M3", "E5M2"))
row("QMMA", 0x27A, qmma, Mod(74, 2, {3: "16832"}), choice(77, 1, "F16", "F32"), choice(76, 1, ""), *EIGHT)
row("MOVM", 0x23A, "d a", Mod(75, 4, {0: "16.MT88", 9: "U4TO8.M832"}))


row("DMMA", 0x23F, "d a b c", lambda w: ["8x8x4" if w.sm >= 90 else "884"])
