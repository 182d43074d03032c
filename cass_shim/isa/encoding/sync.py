"""Barriers in shared memory (mbarrier), fences of the asynchronous proxy, and what orders dependent launches."""

from __future__ import annotations

from cass_shim.isa.encoding import text
from cass_shim.isa.encoding.control import condition
from cass_shim.isa.encoding.grammar import Mod, Printed, Word, choice, row
from cass_shim.isa.encoding.memory import data, shared_address
from cass_shim.isa.encoding.slots import predicate, read, register, shown
from cass_shim.model.instruction import Imm, Mem


def arrive(w: Word) -> list[Printed]:
    return read(w, "d", "hex") + shared_address(w, 64) + data(w)


KIND = Mod(73, 3, {0: "", 1: "TMASK", 2: "RED", 4: "OPTOUT"})
# Arrivals and transactions that this one counts for.
COUNT = Mod(84, 3, {0: "", 1: "A1T0", 2: "A0T1", 3: "A0TR", 4: "A0TX", 5: "ART0"})
row("SYNCS", 0x9A7, arrive, lambda w: ["ARRIVE", "TRANS64"], KIND, COUNT)


def phase(w: Word) -> list[Printed]:
    """The uniform register has six bits before sm_100, and bit 70 is set; later bit 76."""
    marked = w.bits(76, 1) if w.sm >= 100 else w.bits(70, 1)
    assert marked in (0, 1)
    return predicate(w, "pu") + shared_address(w, 64) + data(w)


def phase_modifiers(w: Word) -> list[str]:
    return ["PHASECHK", "TRANS64", *(["TRYWAIT"] if w.bits(72, 1) else [])]


row("SYNCS", 0x5A7, phase, phase_modifiers, when=lambda w: bool(w.peek(76 if w.sm >= 100 else 70, 1)))


def exchange(w: Word) -> list[Printed]:
    """All three registers are uniform."""
    w.notes["guard_uniform"] = True
    w.bits(91, 1)
    mem = Mem(None, w.signed(40, 24), register(w, 24, True))
    found = shown(w, register(w, 16, True), 16)
    return [*found, (mem, text.memory(mem)), *shown(w, register(w, 32, True), 32)]


row("SYNCS", 0x5B2, exchange, lambda w: ["EXCH"], Mod(72, 1, {1: "64"}))
row("SYNCS", 0x9B1, lambda w: shared_address(w, 64), lambda w: ["CCTL", "IV"])


def arrives_count(w: Word) -> list[str]:
    """What the arrival of earlier copies counts; the field made room for the wider register with sm_100."""
    position = 76 if w.sm >= 100 else 70
    return [name for name in [COUNTS[w.bits(position, 2)]] if name]


COUNTS = ("", "ARVCNT", "TRANSCNT", "")
row("ARRIVES", 0x9B0, lambda w: shared_address(w, 64), lambda w: ["LDGSTSBAR"], Mod(73, 3, {5: "64"}), arrives_count)
row("FENCE", 0x3C6, lambda w: [], lambda w: ["VIEW", "ASYNC"], choice(72, 1, "S", "G"))
row("ACQBULK", 0x82E, lambda w: [])
row("PREEXIT", 0x82D, lambda w: [])


def pmtrig(w: Word) -> list[Printed]:
    bits = w.bits(32, 16)
    return [*condition(w), (Imm(bits), hex(bits))]


row("PMTRIG", 0x801, pmtrig)
row("UCGABAR_ARV", 0x9C7, lambda w: cluster(w))
row("UCGABAR_WAIT", 0xDC7, lambda w: cluster(w))


def cluster(w: Word) -> list[Printed]:
    w.notes["guard_uniform"] = True
    w.bits(91, 1)
    return []
