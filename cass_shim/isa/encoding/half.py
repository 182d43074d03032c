"""Packed 16-bit floats."""

from __future__ import annotations

from dataclasses import replace

from cass_shim.isa.encoding.floating import FCOMPARE
from cass_shim.isa.encoding.grammar import BEFORE_BLACKWELL, Printed, Undescribed, Word, choice, flag, row
from cass_shim.isa.encoding.slots import predicate, read, source
from cass_shim.model.instruction import Reg

FTZ, SAT, BF16 = flag(80, "FTZ"), flag(77, "SAT"), flag(85, "BF16_V2")
COMBINE = choice(69, 2, "AND", "OR", "XOR")
ALL = "1234567"


def number(w: Word, bit: int = 85) -> str:
    """How this word's immediates are printed."""
    return "bf16" if w.peek(bit, 1) else "f16"


def sources(w: Word, names: str, bit: int = 85) -> list[Printed]:
    found: list[Printed] = []
    for name in names.split():
        found += source(w, name, number(w, bit), half=True)
    return found


def hadd2(w: Word) -> list[Printed]:
    """The first source may be one f32, which is rounded (sm_75)."""
    w.notes["second_is_c"] = True
    if w.peek(74, 2) != 1:
        return read(w, "d", "hex") + sources(w, "A X")
    w.bits(74, 2)
    (operand, shown), *more = read(w, "A-", "f16")
    assert isinstance(operand, Reg) and not more
    first = replace(operand, suffix=("F32",)), f"{shown}.F32"
    return [*read(w, "d", "hex"), first, *sources(w, "X")]


row("HADD2", 0x030, hadd2, flag(78, "F32"), BF16, FTZ, SAT, forms="1237")
row("HMUL2", 0x032, lambda w: read(w, "d", "hex") + sources(w, "A X"), BF16, FTZ, SAT, forms="1456")


def relu(w: Word) -> list[str]:
    """Bit 79 with bits 87-89 all set; seen in no other combination."""
    on, extra = w.bits(79, 1), w.bits(87, 3)
    if extra != (7 if on else 0):
        raise Undescribed(f"HFMA2: bits 87-89 are {extra}")
    return ["RELU"] if on else []


def out_of_bounds(w: Word) -> list[str]:
    """.OOB is the other value of what is .FTZ without it: bits 76 and 80."""
    kind = w.bits(76, 1), w.bits(80, 1)
    if kind == (1, 0):
        raise Undescribed("HFMA2: bit 76 without bit 80")
    return ["OOB"] if kind == (1, 1) else ["FTZ"] if kind == (0, 1) else []


def hfma2(w: Word) -> list[Printed]:
    return read(w, "d", "hex") + sources(w, "A B C")


row("HFMA2", 0x031, hfma2, flag(78, "F32"), BF16, out_of_bounds, SAT, relu, forms=ALL)
row("HFMA2", 0x035, hfma2, lambda w: ["MMA"], BF16, FTZ, SAT, relu, forms=ALL, sms=BEFORE_BLACKWELL)


def hset2(w: Word) -> list[Printed]:
    w.notes["second_is_c"] = True
    return read(w, "d", "hex") + sources(w, "A X", 65) + predicate(w, "pp")


row("HSET2", 0x033, hset2, flag(65, "BF16_V2"), flag(71, "BF"), FCOMPARE, FTZ, COMBINE, forms="1237")


def hsetp2(w: Word) -> list[Printed]:
    w.notes["second_is_c"] = True
    return predicate(w, "pu") + predicate(w, "pv") + sources(w, "A X", 65) + predicate(w, "pp")


row("HSETP2", 0x034, hsetp2, flag(65, "BF16_V2"), FCOMPARE, FTZ, flag(71, "H_AND"), COMBINE, forms="1237")
row(
    "HMNMX2",
    0x040,
    lambda w: read(w, "d", "hex") + sources(w, "A X") + predicate(w, "pp"),
    BF16,
    FTZ,
    flag(81, "NAN"),
    flag(82, "XORSIGN"),
    forms="1456",
)
