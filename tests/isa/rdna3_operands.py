"""Assembler lines with every kind of operand and modifier, one varied at a time; LLVM says which gfx1100 has.

The lines of `rdna3_forms` are the plain ones. Here each source and destination is in turn a register of every file, an
inline constant or a literal; encodings with modifiers get each of them, DPP8, every DPP16 control, and every address
form of memory instructions. Many lines are not legal: callers keep those that LLVM assembles.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from cass_shim.isa.rdna3.row import Row
from tests.isa.rdna3_forms import SHORT, WORDS, forms

CONSTANTS = ("0", "64", "-16", "0.5", "-4.0", "0.15915494309189532", "0x12345678")
BASES = ("src_shared_base", "src_shared_limit", "src_private_base", "src_private_limit")
SCALARS32 = ("s16", "s105", "vcc_lo", "vcc_hi", "ttmp5", "m0", "null", "exec_lo", "exec_hi", "src_scc")
SCALARS64 = ("s[16:17]", "s[104:105]", "vcc", "ttmp[4:5]", "null", "exec", "src_scc")
DPP16 = (
    "quad_perm:[3,1,0,2]", "row_shl:1", "row_shl:15", "row_shr:1", "row_shr:15", "row_ror:1", "row_ror:15",
    "row_mirror", "row_half_mirror", "row_share:0", "row_share:15", "row_xmask:0", "row_xmask:15",
)  # fmt: skip
DPP = (
    *(f"{control} row_mask:0xf bank_mask:0xf" for control in DPP16),
    "quad_perm:[0,1,2,3] row_mask:0x5 bank_mask:0xa bound_ctrl:1",
    "row_shl:3 row_mask:0xf bank_mask:0xf fi:1",
    "dpp8:[7,6,5,4,3,2,1,0]",
    "dpp8:[1,0,3,2,5,4,7,6] fi:1",
)
PACKED = ("op_sel", "op_sel_hi", "neg_lo", "neg_hi")
HALVES = ("1,0,0", "0,1,1", "1,1,1")
OUTPUTS = ("clamp", "mul:2", "mul:4", "div:2", "clamp mul:2")
OPERAND = re.compile(r"(?:[vs](?:\d+|\[\d+:\d+\])(?:\.[lh])?|vcc_lo)")


def alternatives(kind: str, vector: str) -> tuple[str, ...]:
    """What may stand in a source of a type. vector: the VGPR operand that stands there otherwise."""
    if kind in SHORT:
        return (f"{vector.split('.')[0]}.h", "v127.l", *SCALARS32, *CONSTANTS, *BASES)
    if kind == "m":
        return SCALARS32
    words = WORDS.get(kind, 1)
    if words == 1:
        return ("v255", *SCALARS32, *CONSTANTS, *BASES)
    if words == 2:
        return ("v[254:255]", *SCALARS64, *CONSTANTS, *BASES)
    return (f"v[{256 - words}:255]", f"s[16:{15 + words}]", "0", "1.0", "-16")


def replaced(line: str, at: int, by: str) -> str:
    """The line with operand number `at`, the destination being the first, in another form."""
    name, _, rest = line.partition(" ")
    operands = rest.split(", ")
    operands[at] = by
    return f"{name} {', '.join(operands)}"


def with_sources(row: Row, line: str) -> Iterator[str]:
    """Each operand in turn in every form, also a scalar destination."""
    operands = line.partition(" ")[2].split(", ")
    kinds = [row.destination, *row.sources]
    for at, operand in enumerate(operands):
        if at and operand.startswith("s"):
            options: tuple[str, ...] = SCALARS64 if "[" in operand else SCALARS32
        elif at == 0 and operand.startswith("v"):
            options = ("v255", "v[254:255]", "v127.h", "v8.h")
        elif at == 0:
            options = SCALARS64 if "[" in operand else SCALARS32
        else:
            known = kinds[min(at, len(kinds) - 1)]
            options = alternatives(known if known != "-" else "b32", operand)
        if at and operand.startswith("s"):
            options += (*CONSTANTS, *BASES)
        yield from (replaced(line, at, option) for option in options)


def with_two_scalars(row: Row, line: str) -> Iterator[str]:
    """Two sources from SGPRs, which the constant bus of this generation allows, and a literal beside one."""
    sources = range(1, line.count(", ") + 1)
    for first in sources:
        for second in sources:
            if first < second:
                yield replaced(replaced(line, first, "s3"), second, "s7")
                yield replaced(replaced(line, first, "s3"), second, "0x12345678")
                yield replaced(replaced(line, first, "0x12345678"), second, "s3")


def with_modifiers(row: Row, line: str) -> Iterator[str]:
    """Signs, halves and what happens to the result."""
    count = line.count(", ")
    for at in range(1, count + 1):
        operand = line.partition(" ")[2].split(", ")[at]
        for form in (f"-{operand}", f"|{operand}|", f"-|{operand}|", "-|s3|", f"sext({operand})"):
            yield replaced(line, at, form)
    yield from (f"{line} {output}" for output in OUTPUTS)
    for bits in ("[1,0]", "[0,1]", "[1,1]", "[1,0,0]", "[0,1,0]", "[0,0,1]", "[1,1,1]", "[0,0,0,1]", "[1,1,1,1]"):
        yield from (f"{line} {name}:{bits}" for name in PACKED)


def with_dpp(row: Row, line: str) -> Iterator[str]:
    """Lane patterns, in both sizes of the encoding, with modifiers."""
    name, _, rest = line.partition(" ")
    short = name.removesuffix("_e32")
    if name.endswith("_e32"):
        yield from (f"{short}_dpp {rest} {dpp}" for dpp in DPP)
        operands = rest.split(", ")
        signed = ", ".join([operands[0], *(f"-|{operand}|" for operand in operands[1:])])
        yield f"{short}_dpp {signed} {DPP[0]}"
        return
    base = name.removesuffix("_e64") + "_e64_dpp"
    for dpp in DPP:
        yield f"{base} {rest} {dpp}"
        yield f"{base} {rest} clamp {dpp}"
        yield f"{base} {rest} op_sel:[1,1,1,1] {dpp}"
        if row.encoding == "VOP3P":
            yield from (f"{base} {rest} {name}:[{bits}] {dpp}" for name in PACKED for bits in HALVES)
    for at in range(1, line.count(", ") + 1):
        operand = rest.split(", ")[at]
        for form in (f"-{operand}", f"|{operand}|", "s3", "1", "vcc_lo"):
            yield replaced(f"{base} {rest}", at, form) + f" {DPP[0]}"
            yield replaced(f"{base} {rest}", at, form) + f" {DPP[-2]}"


def vector_lines(row: Row) -> Iterator[str]:
    """VOP1, VOP2, VOPC, VOP3, VOP3SD, VOP3P."""
    for line in forms(row):
        for vary in (with_sources, with_two_scalars, with_modifiers, with_dpp):
            yield from vary(row, line)


def scalar_lines(row: Row) -> Iterator[str]:
    """SOP1, SOP2, SOPC, SOPK, SOPP, SMEM."""
    for line in forms(row):
        yield line
        if " " in line and row.encoding in ("SOP1", "SOP2", "SOPC"):
            yield from with_sources(row, line)
        if row.encoding == "SOPP":
            yield from (f"{row.name} {value}" for value in ("0", "1", "0xffff"))
        if row.encoding == "SOPK":
            yield from (line.replace("s8", to) for to in ("vcc_lo", "m0", "exec_lo", "ttmp3", "null"))
            yield from (line.replace("s[8:9]", to) for to in ("vcc", "exec", "ttmp[2:3]", "null"))
    if row.name in ("s_getreg_b32", "s_setreg_b32"):
        for register in range(32):
            order = "s8, hwreg({}, 3, 7)" if "get" in row.name else "hwreg({}, 3, 7), s8"
            yield f"{row.name} {order.format(register)}"
    if row.name.startswith("s_sendmsg_rtn"):
        to = "s8" if "b32" in row.name else "s[8:9]"
        names = ("DOORBELL", "DDID", "TMA", "REALTIME", "SAVE_WAVE", "TBA")
        yield from (f"{row.name} {to}, sendmsg(MSG_RTN_GET_{name})" for name in names)
    if row.encoding == "SMEM" and "inv" not in row.name:
        to, base, _ = forms(row)[0].partition(" ")[2].split(", ")
        bases = (base, "ttmp[4:7]" if ":7]" in base else "ttmp[4:5]", "vcc")
        places = ("0x0", "0xfffff", "-0x100000", "s7", "m0", "vcc_hi", "null", "s7 offset:0x40", "m0 offset:-64")
        tails = ("", " glc", " dlc", " glc dlc")
        yield from (f"{row.name} {to}, {at}, {place}{tail}" for at in bases for place in places for tail in tails)


def ds_lines(row: Row) -> Iterator[str]:
    """DS."""
    for line in forms(row):
        bare = re.sub(r" offset\d?:\d+", "", line)
        yield from (bare, f"{bare} offset:65535", f"{bare} offset0:255 offset1:255", f"{bare} offset0:1")
        yield re.sub(r"v(\d+)(?=[, ]|$)", "v255", bare)
    if "swizzle" in row.name:
        for how in ("QUAD_PERM,0,1,2,3", 'BITMASK_PERM,"01pip"', "BROADCAST,2,1", "SWAP,8", "REVERSE,16"):
            yield f"{row.name} v8, v16 offset:swizzle({how})"


def flat_lines(row: Row) -> Iterator[str]:
    """FLAT, GLOBAL, SCRATCH."""
    addresses = {
        "FLAT": [],
        "GLOBAL": [("v[16:17], ", ", off", "v16, ", f", {base}") for base in ("s[4:5]", "vcc", "ttmp[2:3]", "null")],
        "SCRATCH": [
            ("v16, ", ", s4", address, f", {base}")
            for address in ("v16, ", "off, ")
            for base in ("off", "s4", "vcc_lo", "ttmp3", "m0", "null")
        ],
    }[row.encoding]
    for line in forms(row):
        bare = re.sub(r" offset:-?\d+", "", line)
        plain = bare.removesuffix(" glc")
        for tail in ("", " glc", " slc", " dlc", " glc slc dlc"):
            yield from (f"{plain} offset:{at}{tail}" for at in (0, 4095, -4096))
        for old_address, old_base, address, base in addresses:
            if old_address in bare and old_base in bare:
                changed = bare.replace(old_address, address).replace(old_base, base)
                yield from (changed, f"{changed} offset:-16")


def buffer_lines(row: Row) -> Iterator[str]:
    """MUBUF."""
    for line in forms(row):
        if "," not in line:
            yield line
            continue
        data = line.partition(" ")[2].split(", ")[0]
        for base in ("s[4:7]", "ttmp[4:7]"):
            for place in ("s8", "0", "64", "-1", "1.0", "m0", "null", "vcc_lo"):
                yield f"{row.name} {data}, off, {base}, {place} offset:4095"
        for address, mode in (("v16", "offen"), ("v16", "idxen"), ("v[16:17]", "idxen offen")):
            for tail in ("", " glc", " slc", " dlc", " glc slc dlc"):
                yield f"{row.name} {data}, {address}, s[4:7], s8 {mode} offset:7{tail}"


def image_lines(row: Row) -> Iterator[str]:
    """MIMG: cache bits and unnormalised coordinates."""
    for line in forms(row):
        yield from (f"{line}{tail}" for tail in ("", " unorm", " glc", " slc", " dlc"))


def dual_lines(row: Row) -> Iterator[str]:
    """VOPD: the first source of either half of every kind."""
    for line in forms(row):
        for other in ("v255", *SCALARS32, *CONSTANTS, *BASES):
            yield line.replace("v20", other)
            yield line.replace("v7, v1", f"v7, {other}")
            yield line.replace("v20", other).replace("v7, v1", f"v7, {other}")


LINES: dict[str, Callable[[Row], Iterator[str]]] = {
    **dict.fromkeys(("SOP1", "SOP2", "SOPC", "SOPK", "SOPP", "SMEM"), scalar_lines),
    **dict.fromkeys(("VOP1", "VOP2", "VOPC", "VOP3", "VOP3SD", "VOP3P"), vector_lines),
    **dict.fromkeys(("FLAT", "GLOBAL", "SCRATCH"), flat_lines),
    "VOPD": dual_lines,
    "DS": ds_lines,
    "MUBUF": buffer_lines,
    "MIMG": image_lines,
}


def operand_lines(row: Row) -> list[str]:
    """Lines for `row`, each once; none for the decoder's own records and refused rows."""
    if not forms(row):
        return []
    return list(dict.fromkeys(LINES[row.encoding](row)))
