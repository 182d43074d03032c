"""LOP3's and PLOP3's expressions compute the table they were made from, all 256 of them."""

from __future__ import annotations

from typing import Any

import pytest

from cass_shim.isa.sass.logic import table3


class Bits:
    """An emitter over eight rows of a truth table at once."""

    @staticmethod
    def const(value: int, width: int) -> int:
        return value & 0xFF if width == 8 else value

    @staticmethod
    def and_(a: int, b: int) -> int:
        return a & b

    @staticmethod
    def or_(a: int, b: int) -> int:
        return a | b

    @staticmethod
    def xor(a: int, b: int) -> int:
        return a ^ b

    @staticmethod
    def not_(a: int) -> int:
        return a ^ 0xFF


@pytest.mark.parametrize("table", range(256))
def test_every_table(table: int) -> None:
    emitter: Any = Bits()
    assert table3(emitter, (0xF0, 0xCC, 0xAA), table, 8) == table
