"""Instructions that sm_100 and sm_120 added: 64-bit integers, uniform constant loads and uniform floats."""

from __future__ import annotations

from dataclasses import replace

from cass_shim.isa.encoding import text
from cass_shim.isa.encoding.convert import NTZ, TO_INTEGER, f2i_types, i2f_types, i2fp_types
from cass_shim.isa.encoding.floating import FCOMPARE
from cass_shim.isa.encoding.grammar import (
    BLACKWELL,
    BLACKWELL_10,
    BLACKWELL_12,
    Mod,
    Printed,
    Undescribed,
    Word,
    choice,
    flag,
    row,
    unless,
)
from cass_shim.isa.encoding.integer import COMBINE
from cass_shim.isa.encoding.memory import SIZE, data
from cass_shim.isa.encoding.slots import is_true, predicate, read, register, shown, source
from cass_shim.isa.encoding.uniform import begin, special, uniform
from cass_shim.isa.encoding.warp import vimnmx_type
from cass_shim.model.instruction import RZ, Const, Imm, Reg

MASK64 = (1 << 64) - 1


def ldcu(w: Word) -> list[Printed]:
    """c[bank][UR + offset]; the offset has 17 bits from bit 37."""
    begin(w)
    bank, offset = w.bits(54, 5), w.bits(37, 17)
    index: Reg | None = register(w, 24, True)
    assert index is not None
    if index.index == RZ and offset:
        index = None
    const = Const(bank, offset, index)
    return [*shown(w, register(w, 16, True), 16), (const, text.constant(const))]


row("LDCU", 0x7AC, ldcu, SIZE, sms=BLACKWELL)


def iadd(w: Word) -> list[Printed]:
    """Two sources, a carry out and, with .X, a carry in."""
    x = bool(w.bits(74, 1))
    mark = "~" if x else ""
    found = read(w, "d", "hex") + ([] if is_true(w, "pu") else predicate(w, "pu"))
    found += source(w, mark + "A-", "signed") + source(w, mark + "B-", "signed")
    carry = predicate(w, "pp")
    return found + (carry if x else [])


row("IADD", 0x035, iadd, flag(73, "64"), flag(74, "X"), forms="1456", sms=BLACKWELL)


def wide_immediate(w: Word, uniform_register: bool) -> list[Printed]:
    """A 64-bit immediate at bits 24-87."""
    bits = w.bits(24, 64)
    return [*shown(w, register(w, 16, uniform_register), 16), (Imm(bits), hex(bits))]


row("MOV", 0x402, lambda w: wide_immediate(w, False), lambda w: ["64"], sms=BLACKWELL)


def umov_wide(w: Word) -> list[Printed]:
    begin(w)
    return wide_immediate(w, True)


row("UMOV", 0x482, umov_wide, lambda w: ["64"], sms=BLACKWELL)


def sel_wide(w: Word) -> list[Printed]:
    """An immediate of 33 bits."""
    value = w.signed(32, 33)
    return [*read(w, "d a", "hex"), (Imm(value & MASK64), hex(value)), *predicate(w, "pp")]


row("SEL", 0x407, sel_wide, lambda w: ["64"], sms=BLACKWELL)


def sel_wide_register(w: Word) -> list[Printed]:
    return read(w, "d a", "hex") + data(w) + predicate(w, "pp")


row("SEL", 0x607, sel_wide_register, lambda w: ["64"], sms=BLACKWELL)


def sel_wide_uniform(w: Word) -> list[Printed]:
    w.bits(91, 1)
    return [*read(w, "d a", "hex"), *shown(w, register(w, 32, True), 32), *predicate(w, "pp")]


row("SEL", 0xE07, sel_wide_uniform, lambda w: ["64"], sms=BLACKWELL)


def imnmx_wide(w: Word) -> list[Printed]:
    """Two predicate destinations and a last predicate that have only been seen unused."""
    found = predicate(w, "pu") + predicate(w, "pv") + read(w, "d a", "hex") + source(w, "x", "signed")
    return found + predicate(w, "pp") + predicate(w, "pq")


row("IMNMX", 0x017, imnmx_wide, Mod(73, 2, {2: "U64", 3: "S64"}), forms="146", sms=BLACKWELL)


def cs2ur(w: Word) -> list[Printed]:
    w.notes["guard_uniform"] = True
    return shown(w, register(w, 16, True), 16) + special(w)


row("CS2UR", 0x8CB, cs2ur, choice(80, 1, "32", ""), sms=BLACKWELL)


FTZ, SAT, ROUND = flag(80, "FTZ"), flag(77, "SAT"), choice(78, 2, "", "RM", "RP", "RZ")
row("UFFMA", 0x055, uniform("u A B C", "f32"), FTZ, ROUND, SAT, forms="124", sms=BLACKWELL)
row("UFMUL", 0x056, uniform("u A X", "f32"), FTZ, choice(84, 3, *[None] * 4, ""), ROUND, SAT, forms="14", sms=BLACKWELL)


def ufadd(w: Word) -> list[Printed]:
    """The second source is in the third slot, as FADD's."""
    w.notes["second_is_c"] = True
    return uniform("u A C" if w.form == 1 else "u A X", "f32")(w)


row("UFADD", 0x054, ufadd, FTZ, ROUND, SAT, choice(81, 1, ""), forms="12", sms=BLACKWELL)
row("UFSEL", 0x051, uniform("u A X pp", "f32"), FTZ, forms="14", sms=BLACKWELL)
NAN, XORSIGN = flag(81, "NAN"), flag(82, "XORSIGN")
row("UFMNMX", 0x050, uniform("u A X pp", "f32"), FTZ, NAN, XORSIGN, forms="14", sms=BLACKWELL)
row("UFSET", 0x052, uniform("u A X pp", "f32"), unless(71, "BF"), FCOMPARE, FTZ, COMBINE, forms="14", sms=BLACKWELL)
row("UF2I", 0x05C, uniform("u X", "f32"), FTZ, f2i_types, TO_INTEGER, NTZ, forms="14", sms=BLACKWELL)
row("UIABS", 0x04D, uniform("u x"), forms="14", sms=BLACKWELL)


def ufsetp(w: Word) -> list[Printed]:
    found = predicate(w, "Upu") + predicate(w, "Upv")
    begin(w)
    return found + source(w, "UA", "f32") + source(w, "UX", "f32") + predicate(w, "Upp")


row("UFSETP", 0x053, ufsetp, FCOMPARE, FTZ, COMBINE, forms="14", sms=BLACKWELL)


def usel_wide(w: Word) -> list[Printed]:
    begin(w)
    found = shown(w, register(w, 16, True), 16) + source(w, "Ua", "hex")
    return found + shown(w, register(w, 32, True), 32) + predicate(w, "Upp")


row("USEL", 0xC87, usel_wide, lambda w: ["64"], sms=BLACKWELL)
row("UI2F", 0x05A, uniform("u x"), i2f_types, ROUND, forms="14", sms=BLACKWELL)
row("UI2FP", 0x05E, uniform("u x"), i2fp_types, ROUND, forms="14", sms=BLACKWELL)


def uvimnmx(w: Word) -> list[Printed]:
    begin(w)
    found = shown(w, register(w, 16, True), 16)
    for slot in ("pu", "pv"):
        found += [] if is_true(w, slot) else predicate(w, "U" + slot)
    w.bits(77, 4)
    return found + source(w, "Ua", "signed") + source(w, "UX-", "signed") + predicate(w, "Upp")


row("UVIMNMX", 0x04A, uvimnmx, vimnmx_type, flag(76, "RELU"), forms="14", sms=BLACKWELL_12)
row("FMNMX3", 0x076, "d A B C pp", FTZ, flag(81, "NAN"), forms="1234567", number="f32", sms=BLACKWELL_10)


def pairs(w: Word, names: str) -> list[Printed]:
    """Operands of two packed f32; nvdisasm always names the order of the halves."""
    found = read(w, "d", "hex")
    for name in names.split():
        (operand, shown_as), *_ = source(w, name, "f32")
        if not isinstance(operand, Reg):
            raise Undescribed(f"a pair in {shown_as}")
        found.append((replace(operand, suffix=("F32x2", "HI_LO")), f"{shown_as}.F32x2.HI_LO"))
    return found


def add_pairs(w: Word) -> list[Printed]:
    w.notes["second_is_c"] = True
    return pairs(w, "a x")


row("FADD2", 0x04B, add_pairs, FTZ, ROUND, forms="1", sms=BLACKWELL_10)
row("FMUL2", 0x04A, lambda w: pairs(w, "a x"), FTZ, ROUND, forms="1", sms=BLACKWELL_10)
row("FFMA2", 0x049, lambda w: pairs(w, "a b c"), FTZ, ROUND, forms="1", sms=BLACKWELL_10)
