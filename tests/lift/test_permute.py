"""PRMT by a known selector: what moves alike is moved at once."""

from __future__ import annotations

import random

import pytest

from cass_shim.lift.builder import constant
from cass_shim.lift.emitter import LlvmEmitter

A, B = 0x8142_03FF, 0x7E9D_8056


def _chosen(selector: int) -> int:
    """PTX ISA, prmt, default mode: each nibble names a byte of the eight, its highest bit the byte's sign instead."""
    result = 0
    for position in range(4):
        nibble = selector >> 4 * position & 15
        byte = (B << 32 | A) >> 8 * (nibble & 7) & 0xFF
        if nibble & 8:
            byte = 0xFF if byte & 0x80 else 0
        result |= byte << 8 * position
    return result


def test_every_byte_is_where_the_selector_says() -> None:
    extensions = [0x8880, 0x9910, 0xA921, 0xAA21, 0xBA32, 0xBBB3, 0xBB32, 0xB321, 0xCCC4, 0xDD54, 0xC043, 0xCC43]
    drawn = random.Random(6).sample(range(1 << 16), 4000)
    for selector in (*extensions, *drawn):
        found = LlvmEmitter().byte_permute(constant(A, 32), constant(B, 32), constant(selector, 32)).known
        assert found == _chosen(selector), hex(selector)


@pytest.mark.parametrize(
    ("selector", "operations"), [(0x3210, 0), (0x5410, 3), (0x7632, 3), (0x4432, 6), (0x9910, 2), (0x8880, 2)]
)
def test_runs_of_bytes_take_one_shift_and_one_mask(selector: int, operations: int) -> None:
    e = LlvmEmitter()
    e.byte_permute(e.get_reg(1, False), e.get_reg(2, False), constant(selector, 32))
    assert len(e.lines) - 2 == operations
