"""Tensor-core instructions, in the shapes and types that ptxas emits for our own programs."""

from __future__ import annotations

from dataclasses import replace

from cass_shim.isa.encoding.grammar import Mod, Printed, Undescribed, Word, choice, row
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


SIGNED = Mod(74, 5, {0b10101: "S8.S8"})
row("IMMA", 0x237, imma, choice(86, 1, "8816", "16816"), SIGNED)
row("DMMA", 0x23F, "d a b c", lambda w: ["8x8x4" if w.sm >= 90 else "884"])
