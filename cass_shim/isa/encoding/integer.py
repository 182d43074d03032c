"""Integer arithmetic, comparison, shifts, logic."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from cass_shim.isa.encoding.grammar import Printed, Undescribed, Word, choice, flag, row, unless
from cass_shim.isa.encoding.slots import X_IS_C, X_KIND, field, is_true, predicate, read, source
from cass_shim.model.instruction import RZ, Imm, Reg

ALL = "1234567"
POWERS = {1 << n for n in range(1, 31) if n != 16}  # printed as SHL; 0x10000 is not (seen)
COMPARE = choice(76, 3, "F", "LT", "EQ", "LE", "GT", "NE", "GE", "T")
COMBINE = choice(74, 2, "AND", "OR", "XOR")


def carries_out(w: Word) -> list[Printed]:
    """Predicate destinations, printed only when written (always from sm_100 on)."""
    first, second = is_true(w, "pu"), is_true(w, "pv")
    if w.sm >= 100:
        return predicate(w, "pu") + predicate(w, "pv")
    return [] if first and second else predicate(w, "pu") + ([] if second else predicate(w, "pv"))


def iadd3(w: Word) -> list[Printed]:
    x = bool(w.bits(74, 1))
    mark = "~" if x else ""
    found = read(w, "d", "hex") + carries_out(w)
    for slot in ("A-", "B-", "C-"):
        found += source(w, mark + slot, "signed")
    carries = predicate(w, "pp") + predicate(w, "pq")
    return found + (carries if x else [])


row("IADD3", 0x010, iadd3, flag(74, "X"), forms=ALL)


def imad_spelling(w: Word) -> list[str]:
    """IMAD prints as MOV, IADD or SHL when its operands make it one (seen in nvdisasm 13.5)."""
    a = w.peek(24, 8)
    x_is_b = w.form in (1, 4, 5, 6)
    kind = X_KIND[w.form]
    b_register = w.peek(32, 8) if x_is_b and kind == "register" else w.peek(64, 8) if not x_is_b else None
    b_zero = b_register == RZ
    b_immediate = w.peek(32, 32) if x_is_b and kind == "immediate" else None
    c_zero = x_is_b and w.peek(64, 8) == RZ and not w.peek(75, 1)
    unsigned = [] if w.peek(73, 1) else ["U32"]
    if w.peek(74, 1):
        return [*unsigned, "X"]
    if a == RZ and b_zero and not (kind == "uniform" and not x_is_b):
        return ["MOV", *unsigned]
    if b_immediate == 1:
        return ["IADD", *unsigned]
    if b_immediate in POWERS and c_zero:
        return ["SHL", *unsigned]
    return unsigned


def imad(w: Word) -> list[Printed]:
    x = bool(w.bits(74, 1))
    w.bits(73, 1)
    found = read(w, "d", "hex")
    found += [] if is_true(w, "pu") else predicate(w, "pu")
    found += source(w, "a", "signed") + source(w, "b", "signed") + source(w, "~C-" if x else "C-", "signed")
    carry = predicate(w, "pp")
    return found + (carry if x else [])


row("IMAD", 0x024, imad, imad_spelling, forms=ALL)
row("IMAD", 0x025, imad, lambda w: ["WIDE"], unless(73, "U32"), flag(74, "X"), forms=ALL)
row("IMAD", 0x027, imad, lambda w: ["HI"], unless(73, "U32"), flag(74, "X"), forms=ALL)


def lea(w: Word) -> list[Printed]:
    """LEA and LEA.HI; the third register is there for .HI without .SX32, and may be an immediate there."""
    high, sign_extended, x = w.bits(80, 1), w.bits(73, 1), w.bits(74, 1)
    if w.form in X_IS_C and (sign_extended or not high):
        raise Undescribed("an immediate third operand without .HI")
    found = read(w, "d", "hex")
    found += [] if is_true(w, "pu") else predicate(w, "pu")
    signed = "b" if w.form in X_IS_C else "~B-" if x else "B-"  # the shift stands where that register's sign is
    found += source(w, "~A-" if x else "A-", "hex") + source(w, signed, "hex")
    third = source(w, "c", "hex")
    if high and not sign_extended:
        found += third
    found += field(75, 5)(w)
    carry = predicate(w, "pp")
    return found + (carry if x else [])


row("LEA", 0x011, lea, flag(80, "HI"), flag(74, "X"), flag(73, "SX32"), forms="12456")


def compared_type(w: Word) -> list[str]:
    """Unsigned, and from sm_100 on 64 bits by bit 80."""
    signed, wide = w.bits(73, 1), w.sm >= 100 and w.bits(80, 1)
    return [("S64" if signed else "U64")] if wide else [] if signed else ["U32"]


def isetp(w: Word) -> list[Printed]:
    extended = bool(w.bits(72, 1))
    found = predicate(w, "pu") + predicate(w, "pv") + source(w, "a", "hex")
    found += source(w, "x", "signed") + predicate(w, "pp")
    low = predicate(w, "pr")
    return found + (low if extended else [])


row("ISETP", 0x00C, isetp, COMPARE, compared_type, COMBINE, flag(72, "EX"), forms="1234567")


def wide(w: Word) -> list[str]:
    """A register pair, by bit 80 from sm_100 on."""
    return ["64"] if w.sm >= 100 and w.bits(80, 1) else []


row("SEL", 0x007, "d a x pp", forms="1456")
row("MOV", 0x002, lambda w: read(w, "d x", "hex") + mov_mask(w), wide, forms="1456")


def mov_mask(w: Word) -> list[Printed]:
    """The byte mask of MOV, printed unless all four bits are set."""
    mask = w.bits(72, 4)
    return [] if mask == 15 else [(Imm(mask), hex(mask))]


row(
    "SHF",
    0x019,
    lambda w: read(w, "d a b c", "hex"),
    choice(76, 1, "L", "R"),
    flag(75, "W"),
    choice(73, 2, "S64", "U64", "S32", "U32"),
    flag(80, "HI"),
    forms=ALL,
)


def lop3(w: Word) -> list[Printed]:
    found = [] if is_true(w, "pu") else predicate(w, "pu")
    found += read(w, "d a b c", "hex") + field(72, 8)(w)
    return found + predicate(w, "pp")


row("LOP3", 0x012, lop3, lambda w: ["LUT"], flag(80, "PAND"), forms=ALL)


def plop3(w: Word) -> list[Printed]:
    first = w.bits(64, 3) | w.bits(72, 5) << 3
    found = predicate(w, "pu") + predicate(w, "pv") + predicate(w, "pp") + predicate(w, "pq")
    found += uniform_or_not(w)
    return [*found, (Imm(first), hex(first)), *field(16, 8)(w)]


def uniform_or_not(w: Word) -> list[Printed]:
    """The third predicate of PLOP3: from the uniform file when bit 67 is set."""
    return predicate(w, "Upr" if w.bits(67, 1) else "pr")


row("PLOP3", 0x81C, plop3, lambda w: ["LUT"])


def plop3_signs(w: Word) -> list[Printed]:
    """PLOP3 of the sign bits of three registers."""
    found = predicate(w, "pu") + predicate(w, "pv")
    for operand, printed in read(w, "a b c", "hex"):
        assert isinstance(operand, Reg)
        found.append((replace(operand, suffix=("SIGN",)), f"{printed}.SIGN"))
    return found + field(72, 8)(w) + field(16, 8)(w)


row("PLOP3", 0x01F, plop3_signs, lambda w: ["LUT"], forms="1")
row("PRMT", 0x016, "d a b c", choice(72, 3, "", "F4E", "B4E", "RC8", "ECL", "ECR", "RC16"), forms=ALL)
row("IMNMX", 0x017, "d a x pp", unless(73, "U32"), forms="1456", number="signed", sms=(75, 80, 86, 87, 89))
row("IABS", 0x013, "d x", forms="1456")
row("POPC", 0x109, "d ~X-", forms="1456")
row("BREV", 0x101, "d ~X-", forms="1456")


def flo(w: Word) -> list[Printed]:
    return read(w, "d", "hex") + ([] if is_true(w, "pu") else predicate(w, "pu")) + source(w, "~X-", "hex")


row("FLO", 0x100, flo, unless(73, "U32"), flag(74, "SH"), forms="1456")
row("SGXT", 0x01A, "d a x", flag(75, "W"), unless(73, "U32"), forms="1456")
row("BMSK", 0x01B, "d a x", flag(75, "W"), forms="1456")


def with_output(names: str) -> Callable[[Word], list[Printed]]:
    """Operands with a predicate destination after the first, printed only when written."""
    first, rest = names.split(" ", 1)

    def reader(w: Word) -> list[Printed]:
        found = read(w, first, "hex")
        found += [] if is_true(w, "pu") else predicate(w, "pu")
        return found + read(w, rest, "hex")

    return reader


row("VABSDIFF", 0x014, with_output("d a b c"), unless(73, "U32"), forms=ALL)
row("VABSDIFF4", 0x015, with_output("d a b c"), choice(73, 1, "U8", ""), flag(75, "ACC"), forms=ALL)
FOUR = (choice(76, 1, "4A", None), choice(73, 1, "U8", "S8"), choice(74, 1, "U8", "S8"))
TWO = (choice(76, 1, None, "2A"), choice(77, 1, "LO", "HI"), choice(73, 1, "U16", "S16"), choice(74, 1, "U8", "S8"))
row("IDP", 0x026, "d a b c", *FOUR, forms="1456")
row("IDP", 0x026, "d a b c", *TWO, forms="1456")
