"""Tensor-core instructions, in the shapes and types that ptxas emits for our own programs."""

from __future__ import annotations

from dataclasses import replace

from cass_shim.isa.encoding import text
from cass_shim.isa.encoding.grammar import Mod, Printed, Undescribed, Word, choice, flag, row
from cass_shim.isa.encoding.slots import read, register
from cass_shim.model.instruction import Imm, Reg

HMMA_SHAPES = {(0, 0): "1688", (1, 0): "16816", (0, 1): "1684"}
SPARSE_SHAPES = {(0, 0): "1688", (1, 0): "16816", (1, 1): "16832"}


def hmma_shape(w: Word) -> list[str]:
    """Bits 75 and 78; bit 73 says that the first matrix is sparse."""
    sparse = bool(w.bits(73, 1))
    key = w.bits(75, 1), w.bits(78, 1)
    shapes = SPARSE_SHAPES if sparse else HMMA_SHAPES
    if key not in shapes:
        raise Undescribed(f"HMMA: shape {key}{' of a sparse matrix' if sparse else ''}")
    return ["SP", shapes[key]] if sparse else [shapes[key]]


def metadata(w: Word) -> list[Printed]:
    """Of a sparse matrix: the register at 40-47, and which lanes of four hold what counts."""
    held, lanes = register(w, 40), w.bits(48, 2)
    return [(held, text.register(held)), (Imm(lanes), hex(lanes))]


def hmma(w: Word) -> list[Printed]:
    return read(w, "d a b c", "hex") + (metadata(w) if w.peek(73, 1) else [])


row("HMMA", 0x23C, hmma, hmma_shape, choice(76, 1, "F16", "F32"), choice(82, 3, "", "BF16", "TF32"))


def imma(w: Word) -> list[Printed]:
    """The first two operands name their layout."""
    found = read(w, "d a b c", "hex")
    for index, layout in ((1, "ROW"), (2, "COL")):
        operand, shown = found[index]
        assert isinstance(operand, Reg)
        found[index] = replace(operand, suffix=(layout,)), f"{shown}.{layout}"
    return found


def imma_sparse(w: Word) -> list[Printed]:
    """With the metadata of a sparse first matrix."""
    return imma(w) + (metadata(w) if w.peek(72, 1) else [])


# By bits 74-75 and 83-86: the shape, and how wide an element is.
IMMA_SHAPES = {
    (1, 0): ("8816", 8), (1, 8): ("16816", 8), (3, 8): ("16832", 8),
    (1, 7): ("8832", 4), (3, 11): ("16832", 4), (1, 15): ("16864", 4),
}  # fmt: skip
SPARSE_IMMA_SHAPES = {(3, 8): ("16832", 8), (1, 12): ("16864", 8), (1, 15): ("16864", 4), (3, 15): ("168128", 4)}


def imma_types(w: Word) -> list[str]:
    """Shape, and the signs and the width of the elements."""
    sparse = bool(w.bits(72, 1))
    key = w.bits(74, 2), w.bits(83, 4)
    shapes = SPARSE_IMMA_SHAPES if sparse else IMMA_SHAPES
    if key not in shapes:
        raise Undescribed(f"IMMA: shape {key}")
    shape, width = shapes[key]
    w.bits(77, 1)
    if w.peek(77, 1):
        raise Undescribed("IMMA: bit 77")
    return [*(["SP"] if sparse else []), shape, *(f"{'S' if w.bits(at, 1) else 'U'}{width}" for at in (76, 78))]


row("IMMA", 0x237, imma_sparse, imma_types, flag(82, "SAT"))
BMMA_SHAPES = {(1, 0): "88128", (3, 0): "168128", (1, 1): "168256"}  # bits 74-75, 76


def bmma_shape(w: Word) -> list[str]:
    key = w.bits(74, 2), w.bits(76, 1)
    if key not in BMMA_SHAPES:
        raise Undescribed(f"BMMA: shape {key}")
    return [BMMA_SHAPES[key]]


row("BMMA", 0x23D, imma, bmma_shape, choice(78, 1, "XOR", "AND"), Mod(80, 1, {1: "POPC"}))


def qmma(w: Word) -> list[Printed]:
    """sm_89 prints the layouts, as IMMA's."""
    found = imma(w) if w.sm < 100 else read(w, "d a b c", "hex")
    return found + (metadata(w) if w.peek(80, 1) else [])


QMMA_SHAPES = {(0, 1): "16816", (0, 3): "16832", (1, 5): "16864"}  # by bit 80 (sparse) and bits 74-76


def qmma_shape(w: Word) -> list[str]:
    key = w.bits(80, 1), w.bits(74, 3)
    if key not in QMMA_SHAPES:
        raise Undescribed(f"QMMA: shape {key}")
    return [*(["SP"] if key[0] else []), QMMA_SHAPES[key]]


EIGHT = (choice(78, 1, "E4M3", "E5M2"), choice(79, 1, "E4M3", "E5M2"))
row("QMMA", 0x27A, qmma, qmma_shape, choice(77, 1, "F16", "F32"), *EIGHT)
row("MOVM", 0x23A, "d a", Mod(75, 4, {0: "16.MT88", 9: "U4TO8.M832"}))


def dmma_shape(w: Word) -> list[str]:
    """sm_90 has 16 rows too."""
    if w.sm < 90:
        return ["884"]
    return [("8x8x4", "16x8x4", "16x8x8", "16x8x16")[w.bits(76, 2)]]


row("DMMA", 0x23F, "d a b c", dmma_shape)
