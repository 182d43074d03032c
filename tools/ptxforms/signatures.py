"""What operands each form of the PTX table takes, found by running its meaning against a writer that takes notes.

So the table stays the only description: `signature` puts plain operands of the right shape before a meaning and
records the type that it asks of each.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product

from cass_shim.isa.ptx import load_all
from cass_shim.isa.ptx.spec import ROWS, Row, Use
from cass_shim.isa.ptx.syntax import Address, Instruction, Integer, Operand, Pair, Register, Sink, Symbol, Vector
from cass_shim.isa.ptx.types import bits_of
from cass_shim.model.errors import CassError

# Shapes of the operands of the opcodes whose operands are not all registers: R register, V vector as .vN says,
# A address, P two destinations, I constant, H cache policy. Several: the first that fits.
LAYOUTS: dict[str, tuple[str, ...]] = {
    "ld": ("VA", "VAH"), "ldu": ("VA",), "st": ("AV", "AVH"), "atom": ("RAR", "RARR", "RARH", "VAV", "VAVH"),
    "red": ("AV", "AVH"), "lop3": ("RRRRI", "PRRRIR"), "prefetch": ("A",), "prefetchu": ("A",), "discard": ("AI",),
    "applypriority": ("AI",), "mbarrier.init": ("AR",), "mbarrier.inval": ("A",), "mbarrier.arrive": ("RA", "RAR"),
    "mbarrier.arrive_drop": ("RA", "RAR"), "mbarrier.test_wait": ("RAR",), "mbarrier.try_wait": ("RAR",),
    "mbarrier.expect_tx": ("AR",), "mbarrier.complete_tx": ("AR",), "bar": ("I", "II", "RIR"),
    "barrier": ("I", "II", "RIR"), "match": ("RRR", "PRR"), "elect": ("PR",), "pmevent": ("I",), "setmaxnreg": ("I",),
}  # fmt: skip
# Opcodes with operands of shapes of their own (fragments, coordinates, labels): probed elsewhere.
APART = frozenset(
    [
        "wmma",
        "mma",
        "ldmatrix",
        "stmatrix",
        "movmatrix",
        "tex",
        "tld4",
        "txq",
        "suld",
        "sust",
        "sured",
        "suq",
        "istypep",
        "bra",
        "brx",
        "ret",
        "exit",
        "call",
        "cp",
        "createpolicy",
        "alloca",
        "stacksave",
        "stackrestore",
    ]
)


@dataclass
class Notes:
    """A Writer that records the type asked of each operand, by the operand's number."""

    reads: dict[str, str] = field(default_factory=dict)
    writes: dict[str, str] = field(default_factory=dict)
    spaces: set[str] = field(default_factory=set)
    count: int = 0

    def get(self, operand: Operand, type_name: str) -> str:
        """Note a read; constants have no type of their own."""
        if isinstance(operand, Register):
            self.reads.setdefault(operand.name, type_name)
        return f"x{getattr(operand, 'name', 0)}"

    def whole(self, operand: Operand, type_name: str) -> str:
        """As a read."""
        return self.get(operand, type_name)

    def agree(self, operand: Operand, type_name: str) -> None:
        """Note the type that PTX asks: of the destination, which comes first, or of a source."""
        if isinstance(operand, Register):
            into = self.writes if operand.name.split(".")[0] in ("0", "0p") else self.reads
            into.setdefault(operand.name, type_name)

    def set(self, operand: Operand, type_name: str, expression: str) -> None:
        """Note a write."""
        if isinstance(operand, Register):
            self.writes.setdefault(operand.name, type_name)

    def line(self, text: str) -> None:
        """Text is of no interest."""

    def fresh(self, hint: str) -> str:
        """Any name."""
        self.count += 1
        return f"{hint}{self.count}"

    def address(self, operand: Operand, space: str) -> str:
        """Note the space."""
        self.spaces.add(space)
        return "address"

    def place(self, operand: Operand, space: str) -> tuple[str, int]:
        """Note the space."""
        return self.address(operand, space), 0

    def space_of(self, operand: Operand) -> str:
        """No variable is named."""
        return ""

    def constants(self) -> list[tuple[str, int]]:
        """None is declared."""
        return []

    def shared_bytes(self, name: str, size: int) -> str:
        """Any address."""
        return "block"

    def slot(self, kind: str) -> str:
        """Any slot."""
        return "slot"

    def call(self, use: Use) -> None:
        """Calls are probed elsewhere."""

    def parameter_load(self, use: Use, types: Sequence[str]) -> None:
        """As a load."""
        self._parts(use.operands[0], types, self.writes)

    def parameter_store(self, use: Use, types: Sequence[str]) -> None:
        """As a store."""
        self._parts(use.operands[1], types, self.reads)

    def _parts(self, operand: Operand, types: Sequence[str], into: dict[str, str]) -> None:
        items = operand.items if isinstance(operand, Vector) else (operand,)
        for item, type_name in zip(items, types, strict=True):
            if isinstance(item, Register):
                into[item.name] = type_name


@dataclass(frozen=True, slots=True)
class Form:
    """One form of the table: its mnemonic, and per operand (shape, type, count, written).

    shape: as in LAYOUTS. type: PTX type ("" of an address or constant). count: elements of a vector.
    """

    name: str
    row: str
    fields: tuple[tuple[str, str], ...]
    operands: tuple[tuple[str, str, int, bool], ...]
    space: str = ""


def expansions(row: Row) -> Iterator[tuple[str, ...]]:
    """Every choice of modifiers, in the row's order."""
    choices = [[*(("",) if slot.optional else ()), *sorted(slot.choices)] for slot in row.slots]
    for chosen in product(*choices):
        yield tuple(modifier for modifier in chosen if modifier)


def size_of_row(row: Row) -> int:
    """How many expansions a row has."""
    total = 1
    for slot in row.slots:
        total *= len(slot.choices) + slot.optional
    return total


def _operand(shape: str, number: int, count: int) -> Operand:
    name = str(number)
    if shape == "V":
        items = tuple(Register(f"{name}.{k}", "b32") for k in range(count))
        return Vector(items) if count > 1 else items[0]
    if shape == "A":
        return Address(Register(f"at{name}", "b64"))
    if shape == "P":
        return Pair(Register(name, "b32"), Register(f"{name}p", "pred"))
    if shape == "H":
        return Register(name, "b64")
    return Integer(1) if shape == "I" else Register(name, "b32")


def _tries(row: Row, modifiers: tuple[str, ...]) -> Iterator[str]:
    named = f"{row.opcode}.{modifiers[0] if modifiers else ''}"
    layouts = LAYOUTS.get(named) or LAYOUTS.get(row.opcode)
    if layouts and named != "bar.warp":
        yield from layouts
        return
    for count in range(7):
        yield "R" * count


def signature(row: Row, modifiers: tuple[str, ...]) -> Form | None:
    """The form, or None when the table refuses it whatever the operands."""
    fields = row.match(modifiers)
    if fields is None:
        return None
    vector = int(fields.get("vec", "v1")[1:] or 1)
    for layout in _tries(row, modifiers):
        if ("H" in layout) != ("hint" in fields):
            continue
        operands = tuple(_operand(shape, number, vector) for number, shape in enumerate(layout))
        notes = Notes()
        try:
            row.meaning(notes, Use(Instruction(row.opcode, modifiers, operands, None, 1), fields))
        except CassError:
            continue
        described = []
        for number, shape in enumerate(layout):
            name = f"{number}.0" if shape == "V" else str(number)
            written = name in notes.writes
            asked = "b64" if shape == "H" else notes.writes.get(name) or notes.reads.get(name, "")
            described.append((shape, asked, vector, written))
        space = fields.get("space", "") or next((s for s in sorted(notes.spaces) if s), "")
        name = ".".join((row.opcode, *modifiers))
        return Form(name, row.pattern, tuple(sorted(fields.items())), tuple(described), space)
    return None


def all_rows() -> list[Row]:
    """Every row whose operands this module can write."""
    load_all()
    return [row for rows in ROWS.values() for row in rows if row.opcode not in APART]


__all__ = ["Form", "Notes", "Sink", "Symbol", "all_rows", "bits_of", "expansions", "signature", "size_of_row"]
