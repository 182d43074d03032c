"""The uniform datapath: the same operations on UR and UP registers (sm_75 onwards)."""

from __future__ import annotations

from collections.abc import Callable

from cass_shim.isa.encoding import text
from cass_shim.isa.encoding.grammar import BLACKWELL, Printed, Undescribed, Word, choice, flag, row, unless
from cass_shim.isa.encoding.integer import COMBINE, COMPARE, compared_type, wide
from cass_shim.isa.encoding.slots import field, is_true, predicate, read, register, shown, source
from cass_shim.model.instruction import Imm, Reg, Special
from cass_shim.model.instruction import Word as Bare


def begin(w: Word) -> None:
    """A uniform instruction: its guard is a uniform predicate and bit 91 is set."""
    w.notes["guard_uniform"] = True
    w.bits(91, 1)


def uniform(names: str, number: str = "hex") -> Callable[[Word], list[Printed]]:
    """Operands from the uniform file: "u" for the destination, the other slots without their prefix."""

    def reader(w: Word) -> list[Printed]:
        begin(w)
        found: list[Printed] = []
        for name in names.split():
            if name == "u":
                found += shown(w, register(w, 16, True), 16)
            elif name[0] == "p":
                found += predicate(w, "U" + name)
            else:
                mark, plain = ("~", name[1:]) if name[0] == "~" else ("", name)
                found += source(w, f"{mark}U{plain}", number)
        return found

    return reader


def carries_out(w: Word) -> list[Printed]:
    """Printed only when written, always from sm_100 on."""
    if w.sm >= 100:
        return predicate(w, "Upu") + predicate(w, "Upv")
    first, second = is_true(w, "pu"), is_true(w, "pv")
    return [] if first and second else predicate(w, "Upu") + ([] if second else predicate(w, "Upv"))


def uiadd3(w: Word) -> list[Printed]:
    begin(w)
    x = bool(w.bits(74, 1))
    mark = "~" if x else ""
    found = shown(w, register(w, 16, True), 16) + carries_out(w)
    for slot in ("UA-", "UB-", "UC-"):
        found += source(w, mark + slot, "signed")
    carries = predicate(w, "Upp") + predicate(w, "Upq")
    return found + (carries if x else [])


row("UIADD3", 0x090, uiadd3, flag(74, "X"), forms="124")
row("UIADD3", 0x097, uiadd3, lambda w: ["64"], flag(74, "X"), forms="124", sms=BLACKWELL)


def uimad(w: Word) -> list[Printed]:
    begin(w)
    x = bool(w.bits(74, 1))
    found = shown(w, register(w, 16, True), 16)
    found += [] if is_true(w, "pu") else predicate(w, "Upu")
    found += source(w, "Ua", "signed") + source(w, "Ub", "signed") + source(w, "~UC-" if x else "UC-", "signed")
    carry = predicate(w, "Upp")
    return found + (carry if x else [])


row("UIMAD", 0x0A4, uimad, unless(73, "U32"), flag(74, "X"), forms="124")
row("UIMAD", 0x0A5, uimad, lambda w: ["WIDE"], unless(73, "U32"), flag(74, "X"), forms="124")


def uisetp(w: Word) -> list[Printed]:
    begin(w)
    extended = bool(w.bits(72, 1))
    found = predicate(w, "Upu") + predicate(w, "Upv") + source(w, "Ua", "hex") + source(w, "Ux", "signed")
    found += predicate(w, "Upp")
    low = predicate(w, "Upr")
    return found + (low if extended else [])


row("UISETP", 0x08C, uisetp, COMPARE, compared_type, COMBINE, flag(72, "EX"), forms="14")


def umov(w: Word) -> list[Printed]:
    w.notes["guard_uniform"] = True
    found = shown(w, register(w, 16, True), 16)
    if w.form == 4:
        bits = w.bits(32, 32)
        return [*found, (Imm(bits), text.immediate(bits, "hex"))]
    w.bits(91, 1)
    return found + shown(w, register(w, 32, True), 32)


row("UMOV", 0x082, umov, wide, forms="46")


def ulop3(w: Word) -> list[Printed]:
    begin(w)
    found = [] if is_true(w, "pu") else predicate(w, "Upu")
    found += shown(w, register(w, 16, True), 16) + uniform("a b c")(w) + field(72, 8)(w)
    return found + predicate(w, "Upp")


row("ULOP3", 0x092, ulop3, lambda w: ["LUT"], forms="124")


def uplop3(w: Word) -> list[Printed]:
    begin(w)
    first = w.bits(64, 3) | w.bits(72, 5) << 3
    found = predicate(w, "Upu") + predicate(w, "Upv") + predicate(w, "Upp") + predicate(w, "Upq") + predicate(w, "Upr")
    return [*found, (Imm(first), hex(first)), *field(16, 8)(w)]


row("UPLOP3", 0x89C, uplop3, lambda w: ["LUT"])
SHIFT = (choice(76, 1, "L", "R"), flag(75, "W"), choice(73, 2, "S64", "U64", "S32", "U32"), flag(80, "HI"))
row("USHF", 0x099, uniform("u a b c"), *SHIFT, forms="124")


def ulea(w: Word) -> list[Printed]:
    begin(w)
    high, sign_extended, x = w.bits(80, 1), w.bits(73, 1), w.bits(74, 1)
    found = shown(w, register(w, 16, True), 16)
    found += [] if is_true(w, "pu") else predicate(w, "Upu")
    found += source(w, "~UA-" if x else "UA-", "hex") + source(w, "~UB-" if x else "UB-", "hex")
    third = source(w, "Uc", "hex")
    found += third if high and not sign_extended else []
    found += field(75, 5)(w)
    carry = predicate(w, "Upp")
    return found + (carry if x else [])


row("ULEA", 0x091, ulea, flag(80, "HI"), flag(74, "X"), flag(73, "SX32"), forms="14")
row("USEL", 0x087, uniform("u a x pp"), forms="14")
PERMUTE = choice(72, 3, "", "F4E", "B4E", "RC8", "ECL", "ECR", "RC16")
row("UPRMT", 0x096, uniform("u a b c"), PERMUTE, forms="124")
row("UBMSK", 0x09B, uniform("u a x"), flag(75, "W"), forms="14")
row("USGXT", 0x09A, uniform("u a x"), flag(75, "W"), unless(73, "U32"), forms="14")


def uflo(w: Word) -> list[Printed]:
    begin(w)
    found = shown(w, register(w, 16, True), 16)
    found += [] if is_true(w, "pu") else predicate(w, "Upu")
    return found + source(w, "~UX-", "hex")


row("UFLO", 0x0BD, uflo, unless(73, "U32"), flag(74, "SH"), forms="14")
row("UPOPC", 0x0BF, uniform("u ~X-"), forms="14")
row("UBREV", 0x0BE, uniform("u ~X-"), forms="14")


def up2ur(w: Word) -> list[Printed]:
    """The predicates under a mask, moved into one byte of a register."""
    begin(w)
    bits = w.bits(32, 32)
    found = shown(w, register(w, 16, True), 16)
    return [*found, (Bare("UPR"), "UPR"), *source(w, "Ua", "hex"), (Imm(bits), hex(bits))]


def ur2up(w: Word) -> list[Printed]:
    """The mask is not printed when it names all predicates; no other has been seen."""
    begin(w)
    if w.bits(32, 32) != 0xFF:
        raise Undescribed("UR2UP of some predicates")
    index = w.bits(76, 2)
    reg = register(w, 24, True)
    reg = Reg(reg.index, True, suffix=(f"B{index}",) if index else ())
    return [(Bare("UPR"), "UPR"), (reg, text.register(reg))]


row("UP2UR", 0x883, up2ur, choice(76, 2, "", "B1", "B2", "B3"))
row("UR2UP", 0x884, ur2up)


def r2ur(w: Word) -> list[Printed]:
    """UR from R; with a predicate destination the check that the register is uniform."""
    if w.sm < 90 and w.peek(81, 3) != 7:
        return predicate(w, "pu") + shown(w, register(w, 16, True), 16) + read(w, "a", "hex")
    found = [] if is_true(w, "pu") else predicate(w, "pu")
    return found + shown(w, register(w, 16, True), 16) + read(w, "a", "hex")


row("R2UR", 0x3C2, r2ur)
row("R2UR", 0x2CA, r2ur, flag(84, "OR"), flag(87, "BROADCAST"))
SPECIAL = {
    0x00: "SR_LANEID", 0x01: "SR_CLOCK", 0x02: "SR_VIRTCFG", 0x03: "SR_VIRTID", 0x0F: "SR_ORDERING_TICKET",
    0x20: "SR_TID", 0x21: "SR_TID.X", 0x22: "SR_TID.Y", 0x23: "SR_TID.Z", 0x24: "SR_CTA_PARAM", 0x25: "SR_CTAID.X",
    0x26: "SR_CTAID.Y", 0x27: "SR_CTAID.Z", 0x28: "SR_NTID", 0x2F: "SR_SWINHI",
    0x30: "SR_SWINLO", 0x32: "SR_SMEMSZ", 0x37: "SR_LMEMHIOFF",
    0x38: "SR_EQMASK", 0x39: "SR_LTMASK", 0x3A: "SR_LEMASK", 0x3B: "SR_GTMASK",
    0x3C: "SR_GEMASK", 0x43: "SR_VIRTUALSMID", 0x50: "SR_CLOCKLO",
    0x51: "SR_CLOCKHI", 0x52: "SR_GLOBALTIMERLO", 0x53: "SR_GLOBALTIMERHI",
    0x88: "SR_CgaCtaId", 0x8A: "SR_CgaSize", 0xFF: "SRZ",
}  # fmt: skip


def special(w: Word) -> list[Printed]:
    """The special register numbered by bits 72-79. Numbers: as ptxas emits them for our own programs."""
    number = w.bits(72, 8)
    if number not in SPECIAL:
        raise Undescribed(f"special register {number:#x}")
    return [(Special(SPECIAL[number]), SPECIAL[number])]


row("S2R", 0x919, lambda w: read(w, "d", "hex") + special(w))
row("CS2R", 0x805, lambda w: read(w, "d", "hex") + special(w), choice(80, 1, "32", ""))


def s2ur(w: Word) -> list[Printed]:
    w.notes["guard_uniform"] = w.sm >= 100
    return shown(w, register(w, 16, True), 16) + special(w)


row("S2UR", 0x9C3, s2ur)


def voteu(w: Word) -> list[Printed]:
    """The destination register is printed unless URZ; the predicate then unless it alone is written."""
    target = register(w, 16, True)
    found = [] if target.index == 255 else shown(w, target, 16)
    return found + predicate(w, "Upu") + predicate(w, "pp")


row("VOTEU", 0x886, voteu, choice(72, 1, "ALL", "ANY"))
