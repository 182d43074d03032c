"""Reading operands by slot name; see grammar.py for the names.

Slot x is whatever bits 32-63 hold in this form (register, immediate, constant, uniform register), y the register at
64-71. Forms 1 4 5 6: b is x and c is y. Forms 2 3 7: b is y and c is x.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from cass_shim.isa.encoding import text
from cass_shim.isa.encoding.grammar import Printed, Undescribed, Word
from cass_shim.model.instruction import PT, RZ, Const, Imm, Pred, Reg

X_IS_C = (2, 3, 7)
X_KIND = {1: "register", 2: "immediate", 3: "constant", 4: "immediate", 5: "constant", 6: "uniform", 7: "uniform"}
PREDICATES = {"pu": (81, None), "pv": (84, None), "pp": (87, 90), "pq": (77, 80), "pr": (68, 71), "branch": (24, 27)}
_UNIFORM_PREDICATES = {f"U{name}": places for name, places in PREDICATES.items()}
REUSE = {24: 122, 32: 123, 64: 124}  # by logical operand: in forms 2 3 7 operand b stands at 64, c at 32
HALF = ("", None, "H0_H0", "H1_H1")


def register(w: Word, position: int, uniform: bool = False) -> Reg:
    """A register field; the highest number is the zero register."""
    index = w.bits(position, 8)
    if uniform and w.sm < 100 and index == 63:
        index = RZ
    return _plain(index, uniform)


@cache
def _plain(index: int, uniform: bool) -> Reg:
    return Reg(index, uniform)


def signs(w: Word, reg: Reg, negate: int | None, absolute: int | None, invert: bool) -> Reg:
    """Apply sign and bar bits."""
    minus = bool(w.bits(negate, 1)) if negate is not None else False
    bars = bool(w.bits(absolute, 1)) if absolute is not None else False
    if not (minus or bars or reg.negate or reg.absolute or reg.invert):
        return reg
    return Reg(reg.index, reg.uniform, minus and not invert, bars, minus and invert, reg.suffix)


def reused(w: Word, bit: int) -> bool:
    """Whether an operand is marked; not where bit 109 is clear, which lets another warp in (nvdisasm 13.5)."""
    return bool(w.peek(bit, 1) and w.peek(109, 1))


def shown(w: Word, reg: Reg, position: int) -> list[Printed]:
    """A register with its .reuse mark."""
    bit = REUSE.get(position, 0)
    if position == 32 and "second_is_c" in w.notes:
        bit = 124
    elif w.form in X_IS_C and position in (32, 64):
        bit = 247 - bit
    reuse = not reg.uniform and bit and reg.index != RZ and reused(w, bit)
    return [(reg, text.register(reg, bool(reuse)))]


def const(w: Word, marks: str, invert: bool, scale: int = 1) -> Const:
    """c[bank][offset] at bits 32-58, or the bindless form when bit 91 is set."""
    negate = bool(w.bits(63, 1)) if "-" in marks else False
    bars = bool(w.bits(62, 1)) if "|" in marks else False
    if w.bits(91, 1):
        bank_register = register(w, 32, True)
        return Const(0, w.bits(38, 16), None, bank_register, negate and not invert, bars, negate and invert)
    w.bits(32, 6)
    bank, offset = w.bits(54, 5), w.bits(38, 16)
    if w.peek(32, 6):
        raise Undescribed("bits 32-37 of a constant operand")
    return Const(bank, offset, None, None, negate and not invert, bars, negate and invert)


def slot_x(w: Word, marks: str, number: str, invert: bool = False, half: bool = False) -> list[Printed]:
    """The operand at bits 32-63. marks: "-" and "|" where sign and bars exist."""
    kind = X_KIND[w.form]
    if kind == "immediate":
        bits = w.bits(32, 32)
        return [(Imm(bits), text.immediate(bits, number))]
    suffix = half_suffix(w, 60) if half else ()
    if kind == "constant":
        found = const(w, marks, invert)
        found = Const(
            found.bank, found.offset, None, found.bank_register, found.negate, found.absolute, found.invert, suffix
        )
        return [(found, text.constant(found))]
    uniform = kind == "uniform"
    if uniform and w.bits(91, 1) == 0 and w.sm >= 80 and not w.notes.get("any91"):
        raise Undescribed("bit 91 of a uniform operand is clear")
    reg = register(w, 32, uniform)
    reg = Reg(reg.index, uniform, suffix=suffix)
    reg = signs(w, reg, 63 if "-" in marks else None, 62 if "|" in marks else None, invert)
    return shown(w, reg, 32)


def half_suffix(w: Word, position: int) -> tuple[str, ...]:
    """The two bits that pick halves of a packed operand."""
    name = HALF[w.bits(position, 2)]
    if name is None:
        raise Undescribed(f"half selection 1 at bit {position}")
    return (name,) if name else ()


def source(w: Word, slot: str, number: str, half: bool = False) -> list[Printed]:
    """Slots a, b, c, x, y and their marked variants: lower case plain, upper case with sign and bars.

    A trailing "-" or "|" narrows the marks: "B-" has a sign bit only.
    """
    invert, uniform, letter, marks = _parts(slot, w.form in X_IS_C)
    if letter == "x":
        if uniform and X_KIND[w.form] == "register":
            negate, absolute = (63 if "-" in marks else None), (62 if "|" in marks else None)
            return shown(w, signs(w, register(w, 32, True), negate, absolute, invert), 32)
        return slot_x(w, marks, number, invert, half)
    position, negate, absolute, swizzle = (24, 72, 73, 74) if letter == "a" else (64, 75, 74, 81)
    if half and letter == "y":
        negate, absolute = 84, 83
    reg = register(w, position, uniform)
    if half:
        reg = Reg(reg.index, uniform, suffix=half_suffix(w, swizzle))
    reg = signs(w, reg, negate if "-" in marks else None, absolute if "|" in marks else None, invert)
    return shown(w, reg, position)


@cache
def _parts(slot: str, x_is_c: bool) -> tuple[bool, bool, str, str]:
    """(whether its sign bit inverts, whether it is uniform, a x or y, its marks) of a slot's name."""
    name = slot.lstrip("~")
    uniform = name.startswith("U")
    name = name.removeprefix("U")
    letter, marks = name[0], name[1:]
    if letter.isupper() and not marks:
        marks = "-|"
    if letter in "bBcC":
        letter = "x" if (letter in "bB") != x_is_c else "y"
    return slot.startswith("~"), uniform, letter.lower(), marks


def predicate(w: Word, slot: str) -> list[Printed]:
    """pu pv pp pq pr, with a leading U for the uniform file."""
    places = PREDICATES.get(slot)
    uniform = places is None
    position, negation = places or _UNIFORM_PREDICATES[slot]
    negate = w.bits(negation, 1) != 0 if negation is not None else False
    return [_predicate(w.bits(position, 3), uniform, negate)]


@cache
def _predicate(index: int, uniform: bool, negate: bool) -> Printed:
    found = Pred(index, uniform, negate)
    return found, text.predicate(found)


def is_true(w: Word, slot: str) -> bool:
    """Whether a predicate field holds PT, not negated; accounts for its bits."""
    position, negation = PREDICATES[slot.removeprefix("U")]
    negated = w.bits(negation, 1) if negation is not None else 0
    return w.bits(position, 3) == PT and not negated


def read(w: Word, names: str, number: str) -> list[Printed]:
    """All operands of a row given as slot names separated by blanks."""
    found: list[Printed] = []
    for name in names.split():
        if name in ("d", "u"):
            found += shown(w, register(w, 16, name == "u"), 16)
        elif name.removeprefix("U")[0] == "p":
            found += predicate(w, name)
        elif name.startswith("h"):
            found += source(w, name[1:], "f16", half=True)
        else:
            found += source(w, name, number)
    return found


def plus(*readers: str | Callable[[Word], list[Printed]], number: str = "hex") -> Callable[[Word], list[Printed]]:
    """Several readers one after the other."""

    def reader(w: Word) -> list[Printed]:
        found: list[Printed] = []
        for part in readers:
            found += read(w, part, number) if isinstance(part, str) else part(w)
        return found

    return reader


def field(position: int, width: int, signed: bool = False) -> Callable[[Word], list[Printed]]:
    """A small immediate field printed in hexadecimal."""

    def reader(w: Word) -> list[Printed]:
        value = w.signed(position, width) if signed else w.bits(position, width)
        return [(Imm(value & 0xFFFFFFFF), hex(value))]

    return reader
