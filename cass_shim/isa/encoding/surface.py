"""Surface instructions: SULD, SUST, SURED.

The handle is in a constant bank (bank and word printed as two numbers), in a uniform register from sm_90 on (the only
place from sm_100 on), or in the register printed last. Fields: found by changing single bits, see texture.py.
"""

from __future__ import annotations

from cass_shim.isa.encoding import text
from cass_shim.isa.encoding.grammar import Mod, Printed, Undescribed, Word, choice, flag, row
from cass_shim.isa.encoding.memory import EVICT, data
from cass_shim.isa.encoding.memory import order as any_order
from cass_shim.isa.encoding.slots import is_true, predicate, register
from cass_shim.isa.encoding.texture import handle as bound_handle
from cass_shim.isa.encoding.texture import plain, wide_handle
from cass_shim.model.instruction import Mem

DIMENSION = choice(61, 3, "1D", "1D_BUFFER", "1D_ARRAY", "2D", "2D_ARRAY", "3D")
OUTSIDE = choice(59, 2, "IGN", "", "TRAP")
BYTES = flag(72, "BA")
SIZE = choice(73, 3, "U8", "S8", "U16", "S16", "", "64", "128")
CHANNELS = Mod(72, 4, {1: "R", 3: "RG", 15: ""})
OPERATION = choice(87, 3, "ADD", "MIN", "MAX", "INC", "DEC", "AND", "OR", "XOR")
KIND = choice(73, 4, "", "S32", "U64", None, None, "S64", "SD32")


def order(w: Word) -> list[str]:
    """Surfaces know strong accesses only."""
    found = any_order(w)
    if not found or found[0] != "STRONG":
        raise Undescribed("memory order of a surface access")
    return found


def address(w: Word) -> list[Printed]:
    """[first register of the coordinates]."""
    found = Mem(register(w, 24))
    return [(found, text.memory(found))]


def handle(w: Word) -> list[Printed]:
    """Where the handle is; a register's is printed last."""
    if w.sm >= 100:
        return wide_handle(w)
    return bound_handle(w) or plain(w, 64)


def load(w: Word) -> list[Printed]:
    found = [] if is_true(w, "pu") else predicate(w, "pu")
    return found + plain(w, 16) + address(w) + handle(w)


def store(w: Word) -> list[Printed]:
    return address(w) + data(w) + handle(w)


for opcode in (0xB99, 0x99A, 0xF99):
    row("SULD", opcode, load, lambda w: ["D"], BYTES, DIMENSION, EVICT, SIZE, order, OUTSIDE)
for opcode in (0xB9D, 0x99E, 0xF9D):
    row("SUST", opcode, store, lambda w: ["D"], BYTES, DIMENSION, EVICT, SIZE, order, OUTSIDE)
for opcode in (0xB9B, 0x99C, 0xF9B):
    row("SUST", opcode, store, lambda w: ["P"], DIMENSION, EVICT, order, CHANNELS, OUTSIDE)
for opcode in (0x59F, 0x3A0, 0xF9F):
    row("SURED", opcode, store, lambda w: ["D"], BYTES, DIMENSION, OPERATION, EVICT, KIND, order, OUTSIDE)
