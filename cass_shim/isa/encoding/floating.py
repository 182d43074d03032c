"""Single and double precision arithmetic and comparison, MUFU."""

from __future__ import annotations

from dataclasses import replace

from cass_shim.isa.encoding.grammar import Printed, Undescribed, Word, choice, flag, row, unless
from cass_shim.isa.encoding.integer import COMBINE
from cass_shim.isa.encoding.slots import predicate, read, source
from cass_shim.model.instruction import Reg
from cass_shim.model.instruction import Word as Pattern

ALL = "1234567"
ROUND = choice(78, 2, "", "RM", "RP", "RZ")
FTZ, SAT = flag(80, "FTZ"), flag(77, "SAT")
FCOMPARE = choice(
    76, 4, "F", "LT", "EQ", "LE", "GT", "NE", "GE", "NUM", "NAN", "LTU", "EQU", "LEU", "GTU", "NEU", "GEU", "T"
)
DENORM_SCALE = choice(84, 3, None, "D8", "D4", "D2", "", "M2", "M4", "M8")


def two(w: Word) -> list[Printed]:
    """Two sources: the second at 32-63, or in the third slot for form 2 (imm), 3 (constant), 7 (uniform)."""
    w.notes["second_is_c"] = True
    return read(w, "d A X", "f32")


row("FADD", 0x021, two, FTZ, ROUND, SAT, forms="1237", number="f32")
row("FMUL", 0x020, "d A X", FTZ, DENORM_SCALE, ROUND, SAT, forms="1456", number="f32")
row("FFMA", 0x023, "d A B C", FTZ, ROUND, SAT, forms=ALL, number="f32")
row("FSEL", 0x008, "d A X pp", FTZ, forms="1456", number="f32")
row("FMNMX", 0x009, "d A X pp", FTZ, flag(81, "NAN"), flag(82, "XORSIGN"), forms="1456", number="f32")
_PLACES = ("PP", "PN", "NP", "ZP")  # how the operands of FSWZADD count in a lane


def fswzadd(w: Word) -> list[Printed]:
    """Two sources, and a pair of letters for each lane of four, the first one's in the upper bits."""
    pattern = w.bits(32, 8)
    letters = "".join(_PLACES[pattern >> shift & 3] for shift in (6, 4, 2, 0))
    return [*read(w, "d a c", "f32"), (Pattern(letters), letters)]


row("FSWZADD", 0x022, fswzadd, FTZ, ROUND, flag(77, "NDV"), forms="4", number="f32")


def fsetp(w: Word) -> list[Printed]:
    return predicate(w, "pu") + predicate(w, "pv") + read(w, "A X", "f32") + predicate(w, "pp")


row("FSETP", 0x00B, fsetp, FCOMPARE, FTZ, COMBINE, forms="1456")
row("FSET", 0x00A, lambda w: read(w, "d A X pp", "f32"), unless(71, "BF"), FCOMPARE, FTZ, COMBINE, forms="1456")


def fchk(w: Word) -> list[Printed]:
    return predicate(w, "pu") + read(w, "A X", "f32")


row("FCHK", 0x102, fchk, forms="1456")
MUFU = choice(74, 4, "COS", "SIN", "EX2", "LG2", "RCP", "RSQ", "RCP64H", "RSQ64H", "SQRT", "TANH")


def mufu_width(w: Word) -> list[str]:
    """16-bit forms; the field gained bfloat16 with sm_90 and half moved."""
    kind = w.bits(72, 2)
    if kind == 3 or (kind == 1 and w.sm < 90):
        raise Undescribed(f"MUFU: value {kind} at bits 72-73")
    return [] if kind == 0 else ["F16"] if kind == 1 or w.sm < 90 else ["BF16"]


def mufu(w: Word) -> list[Printed]:
    found = read(w, "d", "f32") + source(w, "X", "f64" if w.peek(74, 4) in (6, 7) else "f32")
    if w.form == 1 and w.peek(72, 2) and w.bits(60, 1):
        reg, shown = found[1]
        assert isinstance(reg, Reg)
        found[1] = replace(reg, suffix=("H1",)), shown + ".H1"
    return found


row("MUFU", 0x108, mufu, MUFU, mufu_width, forms="1456")

row("DADD", 0x029, lambda w: read(w, "d A C", "f64"), ROUND, forms="1237", number="f64")
row("DMUL", 0x028, lambda w: read(w, "d A X", "f64"), ROUND, forms="1456", number="f64")
row("DFMA", 0x02B, "d A B C", ROUND, forms=ALL, number="f64")


def dsetp(w: Word) -> list[Printed]:
    w.notes["second_is_c"] = True
    return predicate(w, "pu") + predicate(w, "pv") + read(w, "A X", "f64") + predicate(w, "pp")


DCOMPARE = choice(
    76, 4, "MIN", "LT", "EQ", "LE", "GT", "NE", "GE", "NUM", "NAN", "LTU", "EQU", "LEU", "GTU", "NEU", "GEU", "MAX"
)
row("DSETP", 0x02A, dsetp, DCOMPARE, COMBINE, forms="1237")
