"""Sparse matrices: the stored half of A's elements put where the metadata say, as fragments of a whole matrix.

Two of every four elements of a row are stored (one of two of 32 bits), and a nibble of metadata says which. Sources:
PTX ISA 9.0, §9.7.14.6 (mma.sp); which lane of a quad holds which nibble is recorded on an H200 (tests/vectors/ptx).
"""

from __future__ import annotations

from cass_shim.isa.emitter import Emitter
from cass_shim.isa.operands import V

_ROWS = 2  # halves of 16 rows, each with registers of its own


def expand(e: Emitter[V], stored: list[V], metadata: V, selector: int, bits: int) -> tuple[list[V], list[V]]:
    """(registers of A with zeros where nothing is stored, masks of what is stored) from the stored half.

    bits: of an element, 8, 16 or 32. selector: which lanes of a quad hold the metadata.
    """
    lane = e.special("SR_LANEID")
    quad, member = e.and_(lane, e.const(28, 32)), e.and_(lane, e.const(3, 32))
    pair = e.lshr(member, e.const(1, 32))
    odd = e.and_(member, e.const(1, 32))
    blocks = 2 * len(stored) // _ROWS
    holders = max(blocks // 2 * (2 if bits == 8 else 1), 1)
    found, masks = [], []
    for block in range(blocks):
        source = e.or_(quad, e.add(e.const(2 * (block % 2), 32), pair))
        for row in range(_ROWS):
            values = _of_lane(e, stored[block // 2 * _ROWS + row], source)
            holder = selector * holders + (block // 2 * 2 + row if bits == 8 else block // 2)
            word = _of_lane(e, metadata, e.or_(quad, e.const(holder, 32)))
            place = (
                e.add(e.const(4 * (block % 2), 32), member)
                if bits == 8
                else e.add(e.const(2 * (block % 2) + (0 if bits == 8 else 4 * row), 32), pair)
            )
            nibble = e.and_(e.lshr(word, e.shl(place, e.const(2, 32))), e.const(15, 32))
            register, mask = _placed(e, values, nibble, odd, bits)
            found.append(register)
            masks.append(mask)
    return found, masks


def _placed(e: Emitter[V], values: V, nibble: V, odd: V, bits: int) -> tuple[V, V]:
    """One register and its mask. values: what the lane that stores this part of the row holds."""
    zero, ones = e.const(0, 32), e.const(0xFFFF_FFFF, 32)
    if bits == 32:
        here = e.compare("eq", e.and_(e.lshr(nibble, e.const(1, 32)), e.const(1, 32)), odd)
        return e.select(here, values, zero), e.select(here, ones, zero)
    if bits == 8:  # the lane's group is one half of that register
        values = e.lshr(values, e.shl(odd, e.const(4, 32)))
    one = e.const((1 << bits) - 1, 32)
    pieces = [e.and_(e.lshr(values, e.const(bits * k, 32)), one) for k in range(2)]
    chosen = [e.and_(e.lshr(nibble, e.const(2 * k, 32)), e.const(3, 32)) for k in range(2)]
    first = e.const(0, 32) if bits == 8 else e.shl(odd, e.const(1, 32))
    register, mask = zero, zero
    for element in range(32 // bits):
        position, shift = e.add(first, e.const(element, 32)), e.const(bits * element, 32)
        for piece, index in zip(pieces, chosen, strict=True):
            here = e.compare("eq", index, position)
            register = e.or_(register, e.select(here, e.shl(piece, shift), zero))
            mask = e.or_(mask, e.select(here, e.shl(one, shift), zero))
    return register, mask


def _of_lane(e: Emitter[V], value: V, lane: V) -> V:
    return e.shuffle("idx", value, lane, e.const(0x1F, 32))[0]
