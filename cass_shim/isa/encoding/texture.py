"""Texture instructions: TEX, TLD, TLD4, TXD, TXQ.

A handle comes from a constant bank (opcode xB60: bank and word printed as two numbers), from a register (x361, "B":
it stands among the sources) or from a uniform register (xF60). Two destinations, first the one for the third and
fourth of the wanted channels; the mask of channels is printed unless all are wanted. From sm_100 on handles are in
uniform registers only, whose eight bits and a second one's moved the level and the offset to other fields. Fields:
found by changing single bits of what ptxas 13.0 emits for every PTX form and reading what nvdisasm 13.5 prints.
"""

from __future__ import annotations

from cass_shim.isa.encoding import text
from cass_shim.isa.encoding.grammar import (
    BEFORE_BLACKWELL,
    BLACKWELL,
    Mod,
    Modifiers,
    Printed,
    Reader,
    Undescribed,
    Word,
    choice,
    flag,
    row,
)
from cass_shim.isa.encoding.memory import EVICT, uniform
from cass_shim.isa.encoding.slots import is_true, predicate, register
from cass_shim.model.instruction import RZ, Imm
from cass_shim.model.instruction import Word as Name

DIMENSIONS = {0: "1D", 1: "2D", 2: "3D", 3: "CUBE", 4: "ARRAY_1D", 5: "ARRAY_2D", 7: "ARRAY_CUBE"}
SAMPLED, FETCHED, GATHERED, DERIVED = (0, 1, 2, 3, 4, 5, 7), (0, 1, 2, 4, 5), (1, 3, 5, 7), (0, 1, 4, 5)
QUERIES = ("TEX_HEADER_DIMENSION", "TEX_HEADER_TEXTURE_TYPE", "TEX_HEADER_SAMPLER_POS")
BOUND, UNIFORM = (0x5, 0xB), 0xF  # upper four bits of the opcode; others: in a register
ALL_CHANNELS = 0xF

SCATTERED = flag(60, "SCR")
BINDLESS: dict[int, tuple[Mod | Modifiers, ...]] = {3: (Mod(59, 1, {1: "B"}),), 0xB: (), 0xF: ()}
HALF = choice(79, 2, "", "F16.RN", "F16.RZ")
LOD = choice(87, 3, "", "LZ", "LB", "LL", "LC")
FETCH_LOD = Mod(87, 3, {1: "LZ", 3: "LL"})
OFFSET, COMPARE, CLAMPED = flag(76, "AOFFI"), flag(78, "DC"), flag(77, "CL")
DERIVATIVES, NODEP = flag(77, "NDV"), flag(90, "NODEP")
COMPONENT = choice(87, 2, "R", "G", "B", "A")
GATHER_OFFSET = choice(76, 2, "", "AOFFI", "PTP")
UNIFORM_OFFSET = choice(56, 3, "", "AOFFI", "UAOFFI", None, "UAI")  # from sm_100 on
UNIFORM_HALF = choice(79, 2, "", "F16.RN", "F16.RZ")


def number(value: int) -> Printed:
    return Imm(value), hex(value)


def handle(w: Word) -> list[Printed]:
    """Where the handle is, unless it is in a register among the sources."""
    kind = w.value >> 8 & 0xF
    if kind in BOUND:
        return [number(w.bits(54, 5)), number(w.bits(40, 14))]
    if kind == UNIFORM:
        if not w.bits(91, 1):
            raise Undescribed("bit 91 of a uniform handle is clear")
        found = uniform(w, 40)
        return [(found, text.register(found)), number(w.bits(46, 8))]
    return []


def wide_handle(w: Word) -> list[Printed]:
    """From sm_100 on: a uniform register, and another where offsets are in one."""
    if not w.bits(91, 1):
        raise Undescribed("bit 91 of a uniform handle is clear")
    found = [register(w, 40, True), register(w, 48, True)]
    return [(one, text.register(one)) for one in found if one.index != RZ or one is found[0]]


def destinations(w: Word) -> list[Printed]:
    """The predicate of a missing page when it is wanted, the two destinations, and the channels behind them."""
    found = [] if is_true(w, "pu") else predicate(w, "pu")
    return found + plain(w, 64) + plain(w, 16)


def channels(w: Word) -> list[Printed]:
    mask = w.bits(72, 4)
    return [] if mask == ALL_CHANNELS else [number(mask)]


def plain(w: Word, position: int) -> list[Printed]:
    """A register; nvdisasm marks none of texture instructions for reuse."""
    found = register(w, position)
    return [(found, text.register(found))]


def sample(dimensions: tuple[int, ...]) -> Reader:
    """R, R, coordinates, what else is needed, handle, dimension, channels."""

    def reader(w: Word) -> list[Printed]:
        more = register(w, 32)
        found = destinations(w) + plain(w, 24)
        found += [] if more.index == RZ else plain(w, 32)
        dimension = w.bits(61, 3)
        if dimension not in dimensions:
            raise Undescribed(f"texture dimension {dimension}")
        name = DIMENSIONS[dimension]
        where = wide_handle(w) if w.sm >= 100 else handle(w)
        return [*found, *where, (Name(name), name), *channels(w)]

    return reader


def query(w: Word) -> list[Printed]:
    """TXQ R, R, level, what is asked, handle, channels."""
    found = plain(w, 64) + plain(w, 16) + plain(w, 24)
    what = w.bits(62, 2)
    if what >= len(QUERIES):
        raise Undescribed(f"texture query {what}")
    return [*found, (Name(QUERIES[what]), QUERIES[what]), *handle(w), number(w.bits(72, 4))]


def older(name: str, opcode: int, operands: Reader, *modifiers: Mod | Modifiers) -> None:
    """A row of the SMs before sm_100."""
    row(name, opcode, operands, *modifiers, sms=BEFORE_BLACKWELL)


def newer(name: str, opcode: int, operands: Reader, *modifiers: Mod | Modifiers) -> None:
    """A row of sm_100 and later."""
    row(name, opcode, operands, *modifiers, sms=BLACKWELL)


for opcode in (0xB60, 0x361, 0xF60):
    mine = BINDLESS[opcode >> 8]
    older("TEX", opcode, sample(SAMPLED), SCATTERED, *mine, HALF, LOD, OFFSET, COMPARE, EVICT, DERIVATIVES, NODEP)
for opcode in (0xB66, 0x367, 0xF66):
    mine = (SCATTERED, *BINDLESS[opcode >> 8], HALF)
    older("TLD", opcode, sample(FETCHED), *mine, FETCH_LOD, OFFSET, EVICT, flag(78, "MS"), CLAMPED, NODEP)
for opcode in (0xB63, 0x364, 0xF63):
    mine = (SCATTERED, COMPONENT, *BINDLESS[opcode >> 8], HALF)
    older("TLD4", opcode, sample(GATHERED), *mine, GATHER_OFFSET, COMPARE, EVICT, NODEP)
for opcode in (0xB6C, 0x36D, 0xF6C):
    older("TXD", opcode, sample(DERIVED), *BINDLESS[opcode >> 8], HALF, flag(87, "LC"), OFFSET, EVICT, NODEP)
for opcode in (0xB6F, 0x370, 0xF6F):
    row("TXQ", opcode, query, *BINDLESS[opcode >> 8], NODEP)


def level(w: Word) -> list[str]:
    """How TEX finds its level from sm_100 on: three bits, and one that was the place of a handle's kind."""
    names = {0: "", 1: "LZ", 2: "LB", 3: "LL", 4: "LC"}
    value = w.bits(87, 3) << 1 | w.bits(59, 1)
    if value not in names:
        raise Undescribed(f"level of kind {value}")
    return [names[value]] if names[value] else []


FETCH_LEVEL = choice(87, 2, "LZ", "LL")
HEAD, TAIL = (SCATTERED, UNIFORM_HALF), (EVICT, NODEP)
newer("TEX", 0xF60, sample(SAMPLED), *HEAD, level, UNIFORM_OFFSET, COMPARE, EVICT, flag(76, "NDV"), NODEP)
newer("TLD", 0xF66, sample(FETCHED), *HEAD, FETCH_LEVEL, UNIFORM_OFFSET, EVICT, flag(76, "CL"), NODEP)
newer("TLD4", 0xF63, sample(GATHERED), SCATTERED, COMPONENT, UNIFORM_HALF, GATHER_OFFSET, COMPARE, *TAIL)
newer("TXD", 0xF6C, sample(DERIVED), UNIFORM_HALF, flag(87, "LC"), UNIFORM_OFFSET, *TAIL)
