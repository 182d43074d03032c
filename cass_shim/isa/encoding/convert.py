"""Conversions between integers and floats of all widths."""

from __future__ import annotations

from dataclasses import replace

from cass_shim.isa.encoding.grammar import Mod, Printed, Undescribed, Word, choice, flag, row
from cass_shim.isa.encoding.slots import X_KIND, read, source
from cass_shim.model.instruction import RZ, Reg

FLOATS = (None, "F16", "F32", "F64", "BF16")
TO_INTEGER = choice(78, 2, "", "FLOOR", "CEIL", "TRUNC")
ROUND = choice(78, 2, "", "RM", "RP", "RZ")


def float_name(w: Word, position: int) -> str:
    """A float's type: three bits, of which sources of before sm_80 have two."""
    value = w.bits(position, 3)
    name = FLOATS[value] if value < len(FLOATS) else None
    if name is None:
        raise Undescribed(f"float type {value} at bits {position}-{position + 2}")
    return name


def integer_name(w: Word, position: int, sign: int) -> str:
    """A two-bit integer width and its sign bit."""
    return f"{'S' if w.bits(sign, 1) else 'U'}{8 << w.bits(position, 2)}"


def f2i_types(w: Word) -> list[str]:
    """Destination unless S32, source unless F32."""
    to, source_type = integer_name(w, 75, 72), float_name(w, 84)
    return [name for name, usual in ((to, "S32"), (source_type, "F32")) if name != usual]


def i2f_types(w: Word) -> list[str]:
    """Destination unless F32, source unless S32."""
    to, source_type = float_name(w, 75), integer_name(w, 84, 74)
    return [name for name, usual in ((to, "F32"), (source_type, "S32")) if name != usual]


def part(w: Word, kind: str, marks: str, number: str) -> list[Printed]:
    """The source with the byte or half that bits 60-61 pick ("B1", "H1")."""
    found = source(w, marks, number)
    if X_KIND[w.form] != "immediate" and (index := w.bits(60, 2)):
        operand, shown = found[0]
        if not isinstance(operand, Reg):
            raise Undescribed(f"a part of the operand {shown}")
        suffix = f"{kind}{index}"
        changed = Reg(operand.index, operand.uniform, operand.negate, operand.absolute, operand.invert, (suffix,))
        return [(changed, f"{shown}.{suffix}")]
    return found


def from_float(w: Word) -> list[Printed]:
    number = {1: "f16x", 2: "f32", 3: "f64", 4: "bf16x"}.get(w.peek(84, 3), "hex")
    return read(w, "d", "hex") + part(w, "H", "X", number)


def from_integer(w: Word) -> list[Printed]:
    kind = "B" if w.peek(84, 2) == 0 else "H"
    return read(w, "d", "hex") + part(w, kind, "x", "signed" if w.peek(74, 1) else "hex")


FTZ, NTZ = flag(80, "FTZ"), flag(77, "NTZ")
for opcode in (0x105, 0x111):
    row("F2I", opcode, from_float, FTZ, f2i_types, TO_INTEGER, NTZ, forms="1456")
for opcode in (0x106, 0x112):
    row("I2F", opcode, from_integer, i2f_types, ROUND, forms="1456")


def f2f_types(w: Word) -> list[str]:
    return [float_name(w, 75), float_name(w, 84)]


def frnd_type(w: Word) -> list[str]:
    name = float_name(w, 84)
    if w.bits(75, 3) != w.peek(84, 3):
        raise Undescribed("FRND: two types")
    return [] if name == "F32" else [name]


for opcode in (0x104, 0x110):
    row("F2F", opcode, from_float, FTZ, f2f_types, ROUND, forms="1456")
for opcode in (0x107, 0x113):
    row("FRND", opcode, from_float, FTZ, frnd_type, TO_INTEGER, forms="1456")


def i2fp_types(w: Word) -> list[str]:
    if w.bits(75, 2) != 2 or w.bits(84, 2) != 2:
        raise Undescribed("I2FP: widths other than 32")
    return ["F32", "S32" if w.bits(74, 1) else "U32"]


row("I2FP", 0x045, lambda w: read(w, "d x", "hex"), i2fp_types, ROUND, forms="1456")


def i2i_types(w: Word) -> list[str]:
    """A saturating narrowing of S32; ptxas emits no other."""
    return [f"{'S' if w.bits(76, 1) else 'U'}{16 if w.bits(77, 1) else 8}", "S32", "SAT"]


row("I2I", 0x038, lambda w: read(w, "d x", "hex"), i2i_types, forms="1456")


def i2ip_type(w: Word) -> list[str]:
    """What two S32 are narrowed to; bit 74 is set from sm_90 on."""
    if w.bits(74, 1) != (w.sm >= 90):
        raise Undescribed("I2IP: bit 74")
    return [f"{'S' if w.bits(76, 1) else 'U'}{16 if w.bits(77, 1) else 8}", "S32", "SAT"]


row("I2IP", 0x039, "d a b c", i2ip_type, forms="1456")
PACKED = Mod(72, 4, {4: "U8.F32"})
row("F2IP", 0x043, lambda w: read(w, "d a x c", "f32"), PACKED, TO_INTEGER, lambda w: ["NTZ"], forms="1")


def f2fp_pack(w: Word) -> list[str]:
    """F2FP of two floats: PACK_AB, or MERGE_C into the other half; the type names grew with sm_89."""
    to = "BF16" if w.bits(76, 1) else "F16"
    merge = bool(w.bits(78, 1))
    names = ["SATFINITE"] if w.bits(77, 1) else []
    names += ["RELU"] if w.bits(75, 1) else []
    if w.sm >= 89:
        names += [to, "F32"]
    elif to == "BF16":
        names.append(to)
    return [*names, "MERGE_C" if merge else "PACK_AB"]


def above(w: Word) -> list[Printed]:
    """The register whose low half, or upper one, goes above what is converted. F2FP has no signs (nvdisasm, H200)."""
    found = read(w, "c", "f32")
    if w.bits(72, 1):
        reg, shown = found[0]
        assert isinstance(reg, Reg)
        found = [(replace(reg, suffix=("H1",)), shown + ".H1")]
    return found


def f2fp(w: Word) -> list[Printed]:
    if not w.peek(78, 1):
        found = read(w, "d a x", "f32")
        third = w.bits(64, 8)
        if third != 255:
            raise Undescribed(f"F2FP: R{third} at bits 64-71")
        return found
    first = w.bits(24, 8)
    if first != 255:
        raise Undescribed(f"F2FP: R{first} at bits 24-31")
    return read(w, "d x", "f32") + above(w)


row(
    "F2FP",
    0x03E,
    f2fp,
    f2fp_pack,
    choice(79, 2, "", None, None, "RZ"),
    forms="1456",
    when=lambda w: not w.peek(89, 2) and not w.peek(73, 2),
)


def eight(w: Word, position: int) -> str:
    """The eight-bit float type."""
    return "E4M3" if w.bits(position, 1) else "E5M2"


def unpack_types(w: Word) -> list[str]:
    return [*(["RELU"] if w.bits(75, 1) else []), "F16", eight(w, 73), "UNPACK_B"]


def unpack(w: Word) -> list[Printed]:
    """The low or high half of the source register, two bytes."""
    found = read(w, "d x", "f32")
    if w.bits(24, 8) != RZ or w.bits(64, 8) != RZ:
        raise Undescribed("F2FP.UNPACK_B: a second source")
    if w.bits(88, 1):
        reg, shown = found[1]
        if not isinstance(reg, Reg):
            raise Undescribed(f"a part of the operand {shown}")
        found[1] = replace(reg, suffix=("H1",)), shown + ".H1"
    return found


row(
    "F2FP",
    0x03E,
    unpack,
    unpack_types,
    Mod(74, 1, {1: ""}),
    Mod(89, 1, {1: ""}),
    forms="1",
    when=lambda w: w.peek(73, 6) & 0x3A == 2,
)


def pack_types(w: Word) -> list[str]:
    """To eight bits: from two F32, or from packed F16."""
    half, merged = w.bits(73, 1), w.bits(78, 1)
    if half == merged:
        raise Undescribed("F2FP to eight bits: sources")
    names = ["SATFINITE", *(["RELU"] if w.bits(75, 1) else []), eight(w, 76)]
    return [*names, "F16", "UNPACK_B_MERGE_C"] if half else [*names, "F32", "PACK_AB_MERGE_C"]


def pack(w: Word) -> list[Printed]:
    if w.peek(73, 1):
        if w.bits(24, 8) != RZ:
            raise Undescribed("F2FP.UNPACK_B_MERGE_C: a second source")
        return read(w, "d x", "f32") + above(w)
    return read(w, "d a x", "f32") + above(w)


SATURATED = Mod(87, 4, {9: ""})
row("F2FP", 0x03E, pack, pack_types, Mod(77, 1, {1: ""}), SATURATED, forms="1", when=lambda w: w.peek(87, 4) == 9)


def rounded(w: Word) -> list[Printed]:
    """F2FP to TF32 has one source."""
    if w.bits(24, 8) != RZ or w.bits(64, 8) != RZ:
        raise Undescribed("F2FP to TF32: a second source")
    return read(w, "d x", "f32")


TO_TF32 = (flag(75, "RELU"), Mod(76, 3, {5: "TF32.F32.PACK_B"}), choice(79, 2, "", None, None, "RZ"))
row("F2FP", 0x03E, rounded, *TO_TF32, Mod(86, 4, {9: ""}), forms="1", when=lambda w: w.peek(86, 4) == 9)
