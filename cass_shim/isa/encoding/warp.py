"""Cross-lane instructions, and the two- and three-operand integer forms of sm_90."""

from __future__ import annotations

from cass_shim.isa.encoding.grammar import BLACKWELL_10, Mod, Printed, Undescribed, Word, choice, flag, row
from cass_shim.isa.encoding.slots import is_true, predicate, read, register, shown, source
from cass_shim.model.instruction import RZ, Imm

MODE = choice(58, 2, "IDX", "UP", "DOWN", "BFLY")


def small(w: Word, position: int, width: int) -> Printed:
    value = w.bits(position, width)
    return Imm(value), hex(value)


def shfl(w: Word) -> list[Printed]:
    """Lane in R32-39 or five bits at 53, clamp in R64-71 or thirteen bits at 40, by opcode."""
    opcode = w.value & 0xFFF
    found = predicate(w, "pu") + read(w, "d a", "hex")
    lane = [small(w, 53, 5)] if opcode in (0x989, 0xF89) else shown(w, register(w, 32), 32)
    clamp = [small(w, 40, 13)] if opcode in (0x589, 0xF89) else shown(w, register(w, 64), 64)
    return found + lane + clamp


for opcode in (0x389, 0x589, 0x989, 0xF89):
    row("SHFL", opcode, shfl, MODE)


def vote(w: Word) -> list[Printed]:
    target = register(w, 16)
    found = [] if target.index == RZ else shown(w, target, 16)
    return found + predicate(w, "pu") + predicate(w, "pp")


row("VOTE", 0x806, vote, choice(72, 2, "ALL", "ANY", "EQ"))


def match(w: Word) -> list[Printed]:
    """MATCH.ALL has a predicate destination."""
    everywhere = not w.peek(79, 1)
    found = predicate(w, "pu")
    return (found if everywhere else []) + read(w, "d a", "hex")


row("MATCH", 0x3A1, match, choice(79, 1, "ALL", "ANY"), flag(73, "U64"))


def redux(w: Word) -> list[Printed]:
    return shown(w, register(w, 16, True), 16) + read(w, "a", "hex")


row("REDUX", 0x3C4, redux, choice(78, 3, "", "OR", "XOR", "SUM", "MIN", "MAX"), flag(73, "S32"))
row("CREDUX", 0x2CC, redux, choice(79, 1, "MAX", "MIN"), flag(73, "S32"), sms=BLACKWELL_10)
SUM_TYPES = Mod(73, 3, {0: "", 1: "16x2", 2: "S32", 4: "U8x4", 5: "S8x4"})
row("VIADD", 0x036, "d a X-", SUM_TYPES, flag(80, "ISAT"), forms="1456")


def vimnmx(w: Word) -> list[Printed]:
    """Two predicate destinations that have only been seen unused; printed always for sm_100 and its like."""
    found = read(w, "d", "hex")
    for slot in ("pu", "pv"):
        found += predicate(w, slot) if w.sm in BLACKWELL_10 or not is_true(w, slot) else []
    w.bits(77, 4)
    return found + read(w, "a X-", "signed") + predicate(w, "pp")


TYPES = ("U32", "S32", "U16x2", "S16x2", "U8x4", "S8x4")


def vimnmx_type(w: Word) -> list[str]:
    """S32 is printed from sm_120 on, where four bytes are another type."""
    kind = w.bits(72, 2) | (w.bits(74, 1) << 2 if w.sm >= 120 else 0)
    if kind >= len(TYPES):
        raise Undescribed(f"VIMNMX: type {kind}")
    return [] if kind == 1 and w.sm < 120 else [TYPES[kind]]


row("VIMNMX", 0x048, vimnmx, vimnmx_type, flag(76, "RELU"), forms="1456")


def viaddmnmx(w: Word) -> list[Printed]:
    return read(w, "d a", "hex") + source(w, "B-", "hex") + source(w, "c", "hex") + predicate(w, "pp")


row("VIADDMNMX", 0x046, viaddmnmx, choice(72, 2, "U32", "", "U16x2", "S16x2"), flag(76, "RELU"), forms="1234567")
row("VIMNMX3", 0x00F, "d a b c pp", choice(72, 2, "U32", "", "U16x2", "S16x2"), flag(76, "RELU"), forms="1")


def elect(w: Word) -> list[Printed]:
    return predicate(w, "pu") + shown(w, register(w, 16, True), 16) + predicate(w, "pp")


row("ELECT", 0x82F, elect)
