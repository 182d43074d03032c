"""The table of PTX instructions: a row says which modifiers a form takes, the function below it what it means.

A row is written as PTX's manual writes it: `mul.{mode:hi|lo|wide}.{t:u32|s32}`, `?` after an optional part. `only`
and `never` say which modifiers need, and which may not meet, one of others (judged by `tools.ptxforms.oracle`). A
meaning writes C++ through a `Writer`; it runs twice, once to learn how each register is used and once for real, so
it must not depend on what the writer returns.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from cass_shim.isa.ptx.syntax import Address, Instruction, Operand, Sink, Vector
from cass_shim.isa.ptx.types import TYPES
from cass_shim.model.errors import Unsupported


class Writer(Protocol):
    """What a meaning may do. Types are PTX type names; expressions are C++ text of that type's C++ type."""

    def get(self, operand: Operand, type_name: str) -> str:
        """An operand as an expression of `type_name`. Raises Malformed when it is not of that width."""

    def whole(self, operand: Operand, type_name: str) -> str:
        """An operand of a type as an integer of its width, signed or not: for what does not depend on the sign."""

    def agree(self, operand: Operand, type_name: str) -> None:
        """Malformed when a register may not stand where this type is asked for."""

    def set(self, operand: Operand, type_name: str, expression: str) -> None:
        """Assign; a wider register gets the value extended by the type's signedness."""

    def line(self, text: str) -> None:
        """One statement."""

    def fresh(self, hint: str) -> str:
        """A new local name."""

    def address(self, operand: Operand, space: str) -> str:
        """The address an operand denotes in a space ("" generic) as u64, or u32 for shared and local."""

    def place(self, operand: Operand, space: str) -> tuple[str, int]:
        """The same address as the value of its register or variable, and the bytes behind it."""

    def space_of(self, operand: Operand) -> str:
        """The space of the variable that an address operand names, "" when it names none."""

    def constants(self) -> list[tuple[str, int]]:
        """Address (u64) and bytes of each constant variable of the module. Raises Unsupported where one has no size."""

    def shared_bytes(self, name: str, size: int) -> str:
        """A work-group memory block of this name for the translation's own use; its u32 address."""

    def slot(self, kind: str) -> str:
        """Address (u64) held by the binding slot of this kind ("PRINTF", "HEAP", "TEXTURES", "GRID_SYNC")."""

    def call(self, use: Use) -> None:
        """A call instruction."""

    def parameter_load(self, use: Use, types: Sequence[str]) -> None:
        """ld.param."""

    def parameter_store(self, use: Use, types: Sequence[str]) -> None:
        """st.param."""


@dataclass(slots=True)
class Use:
    """An instruction matched with its row: fields by name ("" when left out)."""

    instruction: Instruction
    fields: dict[str, str]

    def __getitem__(self, name: str) -> str:
        return self.fields.get(name, "")

    @property
    def t(self) -> str:
        return self.fields["t"]

    @property
    def operands(self) -> tuple[Operand, ...]:
        return self.instruction.operands

    def take(self, *counts: int) -> tuple[Operand, ...]:
        """The operands, which must be one of these many."""
        if len(self.operands) not in counts:
            wanted = " or ".join(str(count) for count in counts)
            raise self.unsupported(f"{len(self.operands)} operands, expected {wanted}")
        return self.operands

    def unsupported(self, why: str) -> Unsupported:
        return Unsupported(self.instruction.form, why=f"{self.instruction.place}: {why}")


Meaning = Callable[[Writer, Use], None]


@dataclass(frozen=True, slots=True)
class Slot:
    """One position of a row: the name it fills ("" none), what it takes, whether it may be left out."""

    name: str
    choices: frozenset[str]
    optional: bool

    @property
    def typed(self) -> bool:
        """Whether it takes types."""
        return not self.choices.isdisjoint(TYPES)


@dataclass(frozen=True, slots=True)
class Condition:
    """A modifier that needs one of others beside it (`meets`), or may not have one."""

    modifier: str
    others: frozenset[str]
    meets: bool

    def holds(self, modifiers: Sequence[str]) -> bool:
        if self.modifier not in modifiers:
            return True
        return self.meets != self.others.isdisjoint(each for each in modifiers if each != self.modifier)

    def __str__(self) -> str:
        return f".{self.modifier} {'only' if self.meets else 'never'} with {', '.join(sorted(self.others))}"


@dataclass(frozen=True, slots=True)
class Row:
    """One row of the table."""

    pattern: str
    opcode: str
    slots: tuple[Slot, ...]
    meaning: Meaning
    conditions: tuple[Condition, ...] = ()

    def match(self, modifiers: Sequence[str]) -> dict[str, str] | None:
        """Fields when every modifier has a slot and every required slot a modifier, else None.

        Modifiers may come in any order, as ptxas takes them, but for types: those of cvt say from what to what.
        """
        fields: dict[str, str] = {}
        free = list(self.slots)
        for modifier in modifiers:
            for slot in free:
                if modifier in slot.choices:
                    break
            else:
                return None
            if slot.typed:
                passed = [each for each in free[: free.index(slot)] if each.typed]
                if any(not each.optional for each in passed):
                    return None
                free = [each for each in free if each not in passed]
            free.remove(slot)
            if slot.name:
                fields[slot.name] = modifier
        if not all(slot.optional for slot in free) or not all(rule.holds(modifiers) for rule in self.conditions):
            return None
        return fields


ROWS: dict[str, list[Row]] = {}


def _split(pattern: str) -> list[str]:
    """At the dots that are outside braces."""
    parts, depth = [""], 0
    for character in pattern:
        depth += {"{": 1, "}": -1}.get(character, 0)
        if character == "." and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return parts


def parse_row(pattern: str, meaning: Meaning, conditions: Sequence[Condition] = ()) -> Row:
    """Read one row. ValueError when it is not written as the module says."""
    opcode, *parts = _split(pattern)
    slots = []
    for part in parts:
        optional = part.endswith("?")
        body = part.removesuffix("?")
        name = ""
        if body.startswith("{"):
            if not body.endswith("}"):
                raise ValueError(f"row {pattern}: {part}")
            body = body[1:-1]
            if ":" in body.replace("::", ""):
                name, body = body.split(":", 1)
            elif "|" not in body:
                name = body
        choices = frozenset(body.split("|"))
        if "" in choices:
            raise ValueError(f"row {pattern}: an empty choice in {part}")
        slots.append(Slot(name, choices, optional))
    return Row(pattern, opcode, tuple(slots), meaning, tuple(conditions))


def ptx(
    *patterns: str, only: Mapping[str, str] | None = None, never: Mapping[str, str] | None = None
) -> Callable[[Meaning], Meaning]:
    """Declare the rows of one meaning. only, never: modifier → the others it needs one of, or may not meet."""
    conditions = [
        Condition(name, frozenset(others.split()), meets)
        for rules, meets in ((only, True), (never, False))
        for names, others in (rules or {}).items()
        for name in names.split()
    ]

    def declare(meaning: Meaning) -> Meaning:
        for pattern in patterns:
            row = parse_row(pattern, meaning, conditions)
            known = ROWS.setdefault(row.opcode, [])
            if any(other.pattern == pattern for other in known):
                raise ValueError(f"row {pattern} is declared twice")
            known.append(row)
        return meaning

    return declare


@functools.lru_cache(maxsize=4096)
def _row_of(opcode: str, modifiers: tuple[str, ...]) -> tuple[Row, dict[str, str]] | None:
    for row in ROWS.get(opcode, []):
        fields = row.match(modifiers)
        if fields is not None:
            return row, fields
    return None


def find(instruction: Instruction) -> tuple[Row, Use]:
    """The row of an instruction. Raises Unsupported that names the form."""
    found = _row_of(instruction.opcode, instruction.modifiers)
    if found is not None:
        return found[0], Use(instruction, found[1])
    known = "no such form in the table" if instruction.opcode in ROWS else "no such instruction in the table"
    raise Unsupported(instruction.form, why=f"{instruction.place}: {known}")


def items_of(operand: Operand, count: int, use: Use) -> tuple[Operand, ...]:
    """The `count` elements of a vector operand; a lone operand stands for itself when count is 1."""
    items = operand.items if isinstance(operand, Vector) else (operand,)
    if len(items) != count:
        raise use.unsupported(f"a vector of {len(items)}, expected {count}")
    if isinstance(operand, Vector) and all(isinstance(item, Sink) for item in items):
        raise use.unsupported("a vector without a register in it")  # ptxas: unable to infer type of vector elements
    return items


def memory(operand: Operand, use: Use) -> Address:
    """An operand that must be an address in brackets."""
    if not isinstance(operand, Address):
        raise use.unsupported("expected an address in brackets")
    return operand
