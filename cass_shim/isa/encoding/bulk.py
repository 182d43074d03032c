"""Bulk copies, tensor memory accesses and what goes with them on sm_90: texts only, no meanings.

Fields: found by changing single bits of what ptxas 13.0 emits for every such form of PTX and reading what nvdisasm
13.5 prints. Addresses and sizes are in uniform registers of 6 bits: at 32 where to, at 24 where from or the map with
its coordinates, at 64 size or mask and offsets, at 40 the cache policy.
"""

from __future__ import annotations

from cass_shim.isa.encoding import text
from cass_shim.isa.encoding.grammar import Mod, Printed, Reader, Undescribed, Word, choice, flag, row
from cass_shim.isa.encoding.memory import REDUCTION, data
from cass_shim.isa.encoding.slots import predicate, register
from cass_shim.model.instruction import RZ, Imm, Mem, Reg
from cass_shim.model.instruction import Word as Bare

SMS = (90,)
FIRST, SECOND, THIRD, POLICY = 32, 24, 64, 40  # where the registers are
DIMENSION = Mod(79, 3, {n: f"{n + 1}D" for n in range(5)})
IM2COL, MULTICAST = flag(82, "IM2COL"), flag(75, "MULTICAST")
TO, FROM = choice(73, 1, "G", "S"), choice(74, 1, "G", "S")
KIND = choice(81, 4, "", "S32", "U64", "S64", "F16.RN", "F32.RN", "F32.FTZ.RN", "F64.RN", "BF16.RN")


def small(w: Word, position: int) -> Reg:
    """A uniform register of 6 bits."""
    index = w.bits(position, 6)
    return Reg(RZ if index == 63 else index, True)


def at(w: Word, position: int) -> list[Printed]:
    """[UR]"""
    reg = small(w, position)
    return [(Mem(None, 0, reg), f"[{text.register(reg)}]")]


def bulk(*registers: int, plain: bool = False) -> Reader:
    """Addresses, then a register where there is one, then the policy where bit 76 is set."""

    def reader(w: Word) -> list[Printed]:
        w.notes["guard_uniform"] = True
        if not w.bits(91, 1):
            raise Undescribed("bit 91 of a bulk operation is clear")
        found = [one for position in registers for one in at(w, position)]
        if plain:
            third = small(w, THIRD)
            found.append((third, text.register(third)))
        if w.bits(76, 1):
            policy = small(w, POLICY)
            found.append((Mem(None, 0, None, False, 1, policy), f"desc[{text.register(policy)}]"))
        return found

    return reader


def bare(name: str) -> Reader:
    """Nothing but a uniform guard."""

    def reader(w: Word) -> list[Printed]:
        w.notes["guard_uniform"] = True
        return []

    return reader


def declare() -> None:
    to_map, of_map = bulk(FIRST, SECOND), bulk(FIRST, SECOND, plain=True)
    row("UTMALDG", 0x3B4, of_map, DIMENSION, IM2COL, MULTICAST, sms=SMS)
    row("UTMALDG", 0x5B4, to_map, DIMENSION, sms=SMS)
    row("UTMASTG", 0x3B5, to_map, DIMENSION, IM2COL, sms=SMS)
    row("UTMAREDG", 0x3B6, to_map, DIMENSION, IM2COL, REDUCTION, sms=SMS)
    row("UTMAPF", 0x3B8, of_map, lambda w: ["L2"], DIMENSION, IM2COL, sms=SMS)
    row("UTMAPF", 0x5B8, to_map, lambda w: ["L2"], DIMENSION, sms=SMS)
    fetched = choice(81, 2, "", "LTC64B", "LTC128B")
    row("UBLKCP", 0x3BA, of_map, TO, FROM, MULTICAST, fetched, flag(83, "SEQUENCED"), sms=SMS)
    row("UBLKRED", 0x3BB, of_map, TO, Mod(74, 1, {1: "S"}), REDUCTION, KIND, sms=SMS)
    row("UBLKPF", 0x3BC, bulk(SECOND, plain=True), lambda w: ["L2"], sms=SMS)
    row("UTMACMDFLUSH", 0x9B7, bare("UTMACMDFLUSH"), sms=SMS)
    row("UTMACCTL", 0x9B9, bulk(SECOND), choice(82, 1, "IV", "PF"), sms=SMS)
    row("STAS", 0xDBD, cluster_store, Mod(73, 3, {4: "", 5: "64", 6: "128"}), sms=SMS)
    row("REDAS", 0xDBE, cluster_reduction, REDUCTION, Mod(73, 3, {0: "", 1: "S32", 2: "64"}), sms=SMS)
    row("WARPGROUP", 0x9C5, arrive, lambda w: ["ARRIVE"], sms=SMS, when=lambda w: not w.peek(80, 1))
    row(
        "WARPGROUP", 0x9C5, wait, Mod(80, 1, {1: "DEPBAR"}), flag(47, "LE"), sms=SMS, when=lambda w: bool(w.peek(80, 1))
    )
    row("USETMAXREG", 0x9C8, registers_wanted, maximum, sms=SMS)


def remote(w: Word, wide: int) -> list[Printed]:
    """[R.64 + UR + offset], an address and its barrier in another block of the cluster."""
    if not w.bits(wide, 1) or not w.bits(91, 1):
        raise Undescribed("an address of 32 bits")
    base, offset, extra = register(w, 24), w.signed(40, 24), small(w, THIRD)
    name = f"{text.register(base)}.64"
    parts = [name, *([text.register(extra)] if extra.index != RZ else []), *([hex(offset)] if offset else [])]
    found = Mem(base, offset, extra if extra.index != RZ else None, True)
    return [(found, f"[{'+'.join(parts)}]")]


def cluster_store(w: Word) -> list[Printed]:
    return [*remote(w, 90), *data(w)]


def cluster_reduction(w: Word) -> list[Printed]:
    return [*remote(w, 72), *data(w)]


def arrive(w: Word) -> list[Printed]:
    w.bits(80, 1)
    return []


def wait(w: Word) -> list[Printed]:
    """gsb0, how many groups may be under way."""
    if w.bits(84, 3):
        raise Undescribed("a scoreboard of warp groups other than the first")
    count = w.bits(72, 3)
    return [(Bare("gsb0"), "gsb0"), (Imm(count), hex(count))]


def maximum(w: Word) -> list[str]:
    """Ask for registers, or give some back."""
    kind = w.bits(73, 2), w.bits(72, 1)
    names = {(3, 0): ["TRY_ALLOC", "CTAPOOL"], (2, 1): ["DEALLOC", "CTAPOOL"]}
    if kind not in names:
        raise Undescribed(f"a change of registers of kind {kind}")
    return names[kind]


def registers_wanted(w: Word) -> list[Printed]:
    w.notes["guard_uniform"] = True
    if not w.bits(91, 1):
        raise Undescribed("bit 91 is clear")
    flag_ = predicate(w, "Upu")
    count = w.bits(32, 10)
    return [*([] if w.peek(72, 1) else flag_), (Imm(count), hex(count))]


declare()
