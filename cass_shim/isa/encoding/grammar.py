"""What a row is made of: modifier fields, operand slots, and the forms in which an ALU instruction finds its sources.

A row's operands are named by slots:
  d  u            destination register, uniform destination (bits 16-23)
  a  b  c         sources in slot 0 (24-31), 1 (32-39) and 2 (64-71); b and c move with the form
  A  B  C         the same with sign and absolute-value bits; ~A ~B ~C: the sign bit inverts
  pu pv           predicate destinations (81, 84); pp pq pr: predicate sources (87, 77, 68), negatable
The prefix U of a slot (Ua, Ub, Uc, Upu ...) takes the register from the uniform file.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from cass_shim.model.instruction import Operand

CONTROL_BITS = ((1 << 21) - 1) << 105
GUARD_BITS = 0xF << 12
BEFORE_BLACKWELL = (75, 80, 86, 87, 89, 90)
BLACKWELL_10 = (100, 103, 110)  # data centre
BLACKWELL_12 = (120, 121)  # the others
BLACKWELL = BLACKWELL_10 + BLACKWELL_12


@dataclass(frozen=True, slots=True)
class Mod:
    """A modifier field: value → text ("" prints nothing). A value that is not listed is undescribed."""

    position: int
    width: int
    names: Mapping[int, str]

    @property
    def mask(self) -> int:
        return ((1 << self.width) - 1) << self.position


def flag(position: int, name: str) -> Mod:
    """One bit that prints a modifier when set."""
    return Mod(position, 1, {0: "", 1: name})


def unless(position: int, name: str) -> Mod:
    """One bit that prints a modifier when clear."""
    return Mod(position, 1, {0: name, 1: ""})


def choice(position: int, width: int, *names: str | None) -> Mod:
    """A field whose values are names in order; None marks an undescribed value."""
    return Mod(position, width, {value: name for value, name in enumerate(names) if name is not None})


class Undescribed(Exception):
    """A bit or value that no row describes; `args[0]` says which."""


@dataclass
class Word:
    """A word being decoded: which bits have been read so far.

    at: its address; placed: whether anything read from the word depends on that. described: nvdisasm shows descriptors
    before sm_90.
    """

    value: int
    at: int
    sm: int
    form: int
    seen: int = GUARD_BITS | CONTROL_BITS | 0xFFF
    described: bool = False
    placed: bool = False
    notes: dict[str, Any] = field(default_factory=dict)

    @property
    def address(self) -> int:
        self.placed = True
        return self.at

    def bits(self, position: int, width: int) -> int:
        """Read a field and account for it."""
        mask = (1 << width) - 1
        self.seen |= mask << position
        return self.value >> position & mask

    def signed(self, position: int, width: int) -> int:
        """Read a two's complement field."""
        value = self.bits(position, width)
        return value - (1 << width) if value >> (width - 1) else value

    def peek(self, position: int, width: int) -> int:
        """Read a field without accounting for it."""
        return self.value >> position & ((1 << width) - 1)


Printed = tuple[Operand, str]  # with how it is printed: "" for one that the operand before it already shows
Reader = Callable[[Word], list[Printed]]
Modifiers = Callable[[Word], list[str]]


@dataclass(frozen=True)
class Row:
    """One instruction: 9-bit opcode with its forms (or a 12-bit opcode), modifier fields in printed order, operands.

    name: mnemonic; a callable where it depends on the word. when: further condition on the word (bit 91, SM).
    number: how immediates are printed: "hex", "f32", "f64", "f16".
    """

    name: str
    opcode: int
    forms: tuple[int, ...]
    modifiers: tuple[Mod | Modifiers, ...]
    operands: str | Reader
    number: str = "hex"
    sms: tuple[int, ...] = ()
    when: Callable[[Word], bool] | None = None


rows: list[Row] = []


def row(
    name: str,
    opcode: int,
    operands: str | Reader,
    *modifiers: Mod | Modifiers,
    forms: str = "",
    number: str = "hex",
    sms: tuple[int, ...] = (),
    when: Callable[[Word], bool] | None = None,
) -> None:
    """Declare a row. forms "1245": 9-bit opcode plus those forms; "" : `opcode` is the whole 12 bits."""
    kinds = tuple(int(form) for form in forms)
    rows.append(Row(name, opcode, kinds, modifiers, operands, number, sms, when))
