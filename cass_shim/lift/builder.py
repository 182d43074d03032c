"""Writes LLVM IR text: values, constant folding of integers, blocks.

Text rather than an object model: building IR through objects costs several times the parsing of this text.
A `Value` is a decode-time handle on a run-time value and refuses to be a Python truth value, so that a mix-up
of the two times fails at once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

# What gives the same for the same operands wherever it stands.
_PURE = frozenset({
    "add", "sub", "mul", "and", "or", "xor", "shl", "lshr", "ashr", "trunc", "zext", "sext", "bitcast", "icmp",
    "fcmp", "select", "fneg", "fadd", "fsub", "fmul", "fpext", "fptrunc", "sitofp", "uitofp", "fptosi", "fptoui",
    "getelementptr", "inttoptr", "ptrtoint", "addrspacecast", "extractvalue", "insertvalue", "extractelement",
    "insertelement", "shufflevector",
})  # fmt: skip
_LAST = ("br ", "switch ", "ret ", "unreachable", "indirectbr ")  # of a block
UNKNOWN_ORIGIN: tuple[Any, ...] = ("",)


class Value:
    """A run-time integer: its text, its width in bits, and the number when it is a constant (unsigned).

    origin: how it was made and from what, where `lift.wide` wants to know. flushed: as a float of which kind it is
    known to be no denormal. is_share: as an f32 it is known to lie from 0 to 1. cast: type and name of the float whose
    bits it is.
    """

    __slots__ = ("cast", "flushed", "is_share", "known", "origin", "text", "width")

    def __init__(self, text: str, width: int, known: int | None = None) -> None:
        self.text, self.width, self.known = text, width, known
        self.origin: tuple[Any, ...] = UNKNOWN_ORIGIN
        self.flushed, self.is_share = "", False
        self.cast = ("", "")

    def __bool__(self) -> bool:
        raise TypeError("a run-time value has no truth at lift time")

    def __repr__(self) -> str:
        return f"i{self.width} {self.text}"


def constant(value: int, width: int) -> Value:
    """A constant of `width` bits; any Python integer is reduced to it."""
    value &= (1 << width) - 1
    if width == 1:
        return Value("true" if value else "false", 1, value)
    signed = value - (1 << width) if value >> (width - 1) else value
    return Value(str(signed), width, value)


def signed(value: int, width: int) -> int:
    """The two's complement reading of `width` bits."""
    return value - (1 << width) if value >> (width - 1) & 1 else value


@dataclass
class Builder:
    """The text of one function body. declarations: external functions used; helpers: whole functions by name.

    block: label of the block being written, for phis. made: names of what is at hand in it already, by its text;
    made_in: the lines that those are in. A tenth of what meanings are made of would be there twice, parsed and combined
    for nothing.
    """

    lines: list[str] = field(default_factory=list)
    declarations: dict[str, str] = field(default_factory=dict)
    helpers: dict[str, str] = field(default_factory=dict)
    block: str = "entry"
    counter: int = 0
    made: dict[str, str] = field(default_factory=dict)
    made_in: list[str] = field(default_factory=list)

    def name(self) -> str:
        self.counter += 1
        return f"%v{self.counter}"

    def raw(self, text: str) -> None:
        """A line without a result."""
        self.lines.append("  " + text)
        if text.startswith(_LAST):
            self.made = {}

    def text(self, text: str) -> str:
        """A line with a result of any type, or the one that the block has of that text; its name."""
        if self.made_in is not self.lines:  # lines apart from those
            self.has({})
        found = self.made.get(text)
        if found is not None:
            return found
        name = self.name()
        self.lines.append(f"  {name} = {text}")
        if text.partition(" ")[0] in _PURE:
            self.made[text] = name
        return name

    def had(self) -> dict[str, str]:
        """What there is by its text at this place: of this block, and of those on every way to it."""
        return dict(self.made) if self.made_in is self.lines else {}

    def has(self, made: dict[str, str]) -> None:
        """Go on with what there is by its text."""
        self.made, self.made_in = made, self.lines

    def op(self, width: int, text: str) -> Value:
        """A line with an integer result."""
        return Value(self.text(text), width)

    def new_label(self, stem: str) -> str:
        self.counter += 1
        return f"{stem}.{self.counter}"

    def start(self, label: str) -> None:
        self.lines.append(f"{label}:")
        self.block, self.made = label, {}

    def call_text(self, result: str, function: str, *arguments: str) -> str:
        """Call with typed arguments ("i32 %v1"); the result's name, "" for void."""
        if function not in self.declarations and function not in self.helpers:
            types = ", ".join(_type_of(a) for a in arguments)
            self.declarations[function] = f"declare {result} @{function}({types})"
        call = f"call {result} @{function}({', '.join(arguments)})"
        if result == "void":
            self.raw(call)
            return ""
        return self.text(call)

    def call(self, width: int, function: str, *arguments: str) -> Value:
        """Call with an integer result."""
        return Value(self.call_text(f"i{width}", function, *arguments), width)

    def body(self, write: Callable[[], None]) -> list[str]:
        """The lines that `write` produces, kept apart."""
        saved, self.lines = self.lines, []
        try:
            write()
            return self.lines
        finally:
            self.lines = saved


def _type_of(argument: str) -> str:
    """The type in front of an argument; metadata and immediate arguments keep theirs too."""
    return argument.rsplit(" ", 1)[0]


def typed(value: Value) -> str:
    return f"i{value.width} {value.text}"
