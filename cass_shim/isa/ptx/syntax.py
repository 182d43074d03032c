"""PTX as data: what the parser produces and what instruction meanings read.

Names are PTX's own. Source: PTX ISA 9.0, chapters 4 (syntax), 5 (state spaces, types), 6 (operands).
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Register:
    """A declared register (or, `special`, a predefined one such as %tid). part: ".x" of a vector, else ""."""

    name: str
    type: str
    special: bool = False
    part: str = ""


@dataclass(frozen=True, slots=True)
class Integer:
    """An integer constant, as a Python number (signed or unsigned 64-bit range)."""

    value: int


@dataclass(frozen=True, slots=True)
class Float:
    """A floating-point constant as its f64 value's bits; `single`: written 0f..., then the f32 bits."""

    bits: int
    single: bool = False


@dataclass(frozen=True, slots=True)
class Symbol:
    """A variable, function or label; offset in bytes. generic: written generic(symbol)."""

    name: str
    offset: int = 0
    generic: bool = False


@dataclass(frozen=True, slots=True)
class Address:
    """[base + offset]. extra: what follows a comma inside the brackets (coordinates, a sampler)."""

    base: Operand
    offset: int = 0
    extra: tuple[Operand, ...] = ()


@dataclass(frozen=True, slots=True)
class Vector:
    """{a, b, ...}."""

    items: tuple[Operand, ...]


@dataclass(frozen=True, slots=True)
class Not:
    """!p."""

    operand: Register


@dataclass(frozen=True, slots=True)
class Negative:
    """-r, allowed on a few operands."""

    operand: Register


@dataclass(frozen=True, slots=True)
class Pair:
    """d|p: a result with its predicate."""

    first: Operand
    second: Operand


@dataclass(frozen=True, slots=True)
class Sink:
    """_ : no destination."""


@dataclass(frozen=True, slots=True)
class Arguments:
    """( a, b ): the lists of a call."""

    items: tuple[Operand, ...]


Operand = Register | Integer | Float | Symbol | Address | Vector | Not | Negative | Pair | Sink | Arguments


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction. modifiers: without dots, in order. guard: (register, negated). line, column: from 1; 0: made."""

    opcode: str
    modifiers: tuple[str, ...]
    operands: tuple[Operand, ...]
    guard: tuple[Register, bool] | None
    line: int
    column: int = 0

    @property
    def place(self) -> str:
        """Where it stands, for messages."""
        return f"line {self.line}, column {self.column}" if self.column else f"line {self.line}"

    @property
    def form(self) -> str:
        """The whole mnemonic, the name that coverage counts."""
        return ".".join((self.opcode, *self.modifiers))


@dataclass(frozen=True, slots=True)
class Label:
    name: str
    line: int


@dataclass(frozen=True, slots=True)
class Initializer:
    """One element of an initialiser: a number, or symbol + offset (optionally one byte of it: `mask`)."""

    value: int | Float
    symbol: str = ""
    generic: bool = False
    mask: int = 0


@dataclass(frozen=True, slots=True)
class Variable:
    """A declared variable. count: elements (0: unsized extern array); vector: 1, 2 or 4; align in bytes (0: natural).

    ptr_space: of a kernel parameter with .ptr. linkage: "", visible, extern, weak, common.
    """

    space: str
    type: str
    name: str
    count: int = 1
    array: bool = False
    vector: int = 1
    align: int = 0
    linkage: str = ""
    initializer: tuple[Initializer, ...] = ()
    pointer: bool = False
    managed: bool = False
    line: int = 0


@dataclass(frozen=True, slots=True)
class Prototype:
    """.callprototype, or the signature of a .func."""

    results: tuple[Variable, ...]
    parameters: tuple[Variable, ...]
    noreturn: bool = False


@dataclass(slots=True)
class Function:
    """A .entry or .func. body: None for a declaration. registers: name → type. locals: .local/.shared/.param.

    tuning: .maxntid, .reqntid, .minnctapersm, .maxnreg … as numbers. names in the body are unique: the parser
    renamed what inner scopes shadow; numbers: how far the numbers of renamed names have come.
    """

    name: str
    entry: bool
    signature: Prototype
    linkage: str = ""
    body: list[Instruction | Label] | None = None
    registers: dict[str, str] = field(default_factory=dict)
    variables: dict[str, Variable] = field(default_factory=dict)
    prototypes: dict[str, Prototype] = field(default_factory=dict)
    targets: dict[str, tuple[str, ...]] = field(default_factory=dict)
    tuning: dict[str, tuple[int, ...]] = field(default_factory=dict)
    pragmas: list[str] = field(default_factory=list)
    numbers: dict[str, int] = field(default_factory=dict)
    line: int = 0


@dataclass(slots=True)
class Module:
    """A parsed PTX module. aliases: .alias name → aliasee."""

    version: tuple[int, int]
    target: tuple[str, ...]
    address_bits: int
    variables: dict[str, Variable] = field(default_factory=dict)
    functions: dict[str, Function] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)
