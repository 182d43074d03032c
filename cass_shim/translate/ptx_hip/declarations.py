"""Parses declarations: registers, variables with initialisers, prototypes; and keeps a scope's names."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from cass_shim.isa.ptx.syntax import Float, Function, Initializer, Prototype, Register, Variable
from cass_shim.isa.ptx.types import TYPES
from cass_shim.translate.ptx_hip.reader import Reader

MAX_REGISTERS = 1 << 20
MAX_DIGITS = 7  # of the number of one of them
MAX_ELEMENTS = 1 << 26
_LINKAGES = ("extern", "visible", "weak", "common")
_SPACES = ("reg", "sreg", "const", "global", "local", "param", "shared", "tex")
_SPLIT = re.compile(r"^(.*?)(0|[1-9]\d*)$")


@dataclass(slots=True)
class Declarations:
    """The names of one scope. ranges: prefix of `%r<8>` → (count, type, new prefix). labels, variables: the same."""

    registers: dict[str, Register] = field(default_factory=dict)
    ranges: dict[str, tuple[int, str, str]] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)
    variables: dict[str, str] = field(default_factory=dict)

    def parse_registers(self, reader: Reader, function: Function) -> None:
        """After `.reg`: [.v2|.v4] .type name[<n>], …;"""
        vector = ""
        if reader.peek("dot", "v2") or reader.peek("dot", "v4"):
            vector = reader.next().text
        token = reader.expect_token("dot")
        if token.text not in TYPES:
            reader.fail(f"unknown register type .{token.text}", token)
        while True:
            name = reader.expect("name")
            if reader.accept("<"):
                count = reader.number()
                reader.expect(">")
                if not 0 <= count <= MAX_REGISTERS:
                    reader.fail(f"{count} registers in one range")
                self._declare_range(name, count, token.text, function)
            else:
                self._declare_register(name, token.text, vector, function)
            if not reader.accept(","):
                break
        reader.expect(";")

    def declare_formals(self, formals: Iterable[Variable], function: Function) -> None:
        """Those that are registers."""
        for each in formals:
            if each.space == "reg":
                self._declare_register(each.name, each.type, "", function)

    def _declare_register(self, name: str, type_name: str, vector: str, function: Function) -> None:
        unique = _unique(name, function)
        function.registers[unique] = f"{vector}.{type_name}" if vector else type_name
        self.registers[name] = Register(unique, type_name, part=vector)

    def _declare_range(self, prefix: str, count: int, type_name: str, function: Function) -> None:
        """Members get declared when first used; a shadowing range takes a name of its own."""
        taken, number = prefix, 2
        while f"{taken}<" in function.registers:
            taken, number = f"{prefix}_{number}_", number + 1
        function.registers[f"{taken}<"] = type_name
        self.ranges[prefix] = (count, type_name, taken)

    def find_register(self, name: str, function: Function) -> Register | None:
        found = self.registers.get(name)
        if found is not None or not self.ranges:
            return found
        prefix = name.rstrip("0123456789")  # what nearly every name is split by
        if name[len(prefix) : len(prefix) + 1] not in ("", "0") and (found := self._member(name, prefix, function)):
            return found
        split = _SPLIT.match(name)
        while split is not None:
            if found := self._member(name, split[1], function):
                return found
            split = _longer_prefix(name, split[1])
        return None

    def _member(self, name: str, prefix: str, function: Function) -> Register | None:
        """The register of a range that a name is; the number behind its prefix has no leading zeros."""
        held, index = self.ranges.get(prefix), name[len(prefix) :]
        if held is None or len(index) > MAX_DIGITS or int(index) >= held[0]:
            return None
        function.registers[held[2] + index] = held[1]
        self.registers[name] = Register(held[2] + index, held[1])
        return self.registers[name]

    def declare_variable(self, name: str, function: Function) -> str:
        unique, number = name, 2
        while unique in function.variables:
            unique, number = f"{name}_{number}", number + 1
        self.variables[name] = unique
        return unique


def _longer_prefix(name: str, prefix: str) -> re.Match[str] | None:
    """The next split of `name` into a longer prefix and a shorter number."""
    for size in range(len(prefix) + 1, len(name)):
        if name[size:].isdigit() and (name[size] != "0" or size == len(name) - 1):
            return re.compile(rf"^(.{{{size}}})(\d+)$").match(name)
    return None


def passed(variable: Variable) -> Variable:
    """The .param variable that a formal is passed in: itself, or what a register's value goes through.

    The old way to declare a function, `.func (.reg .u32 d) f(.reg .u32 a)` (PTX ISA 9.0 §10.3), names registers.
    """
    if variable.space != "reg":
        return variable
    return dataclasses.replace(variable, space="param", name=f"{variable.name}.reg")  # a name that PTX cannot write


def _unique(name: str, function: Function) -> str:
    unique, number = name, 2
    while unique in function.registers:
        unique, number = f"{name}_{number}", number + 1
    return unique


def parse_prototype(reader: Reader) -> Prototype:
    """After `.callprototype`: [(results)] _ (parameters) [.noreturn] [.abi_preserve n]."""
    results = parse_parameters(reader) if reader.peek("(") else ()
    reader.expect("name")
    parameters = parse_parameters(reader) if reader.peek("(") else ()
    noreturn = False
    while reader.peek("dot"):
        name = reader.next().text
        noreturn = noreturn or name == "noreturn"
        if reader.peek("number"):
            reader.next()
    return Prototype(results, parameters, noreturn)


def parse_parameters(reader: Reader) -> tuple[Variable, ...]:
    """( .param …, .reg … )."""
    reader.expect("(")
    found: list[Variable] = []
    if reader.accept(")"):
        return ()
    while True:
        found.append(_declarator(reader, *_qualifiers(reader)))
        if not reader.accept(","):
            break
    reader.expect(")")
    return tuple(found)


def parse_variable(reader: Reader) -> list[Variable]:
    """[linkage] .space [.align n] [.vN] .type name[dims] [= init], …; up to the semicolon."""
    start = _qualifiers(reader)
    found = []
    while True:
        found.append(_declarator(reader, *start))
        if not reader.accept(","):
            break
    reader.expect(";")
    return found


def _qualifiers(reader: Reader) -> tuple[str, str, str, int, int, bool, bool]:
    """Linkage, space, type, vector, align, is a pointer, is managed."""
    linkage, space, type_name, vector, align, pointer, managed = "", "", "", 1, 0, False, False
    while reader.peek("dot"):
        token = reader.next()
        name = token.text
        if name in _LINKAGES:
            linkage = name
        elif name in _SPACES and not space:
            space = name
        elif name in ("v2", "v4"):
            vector = int(name[1])
        elif name == "align":
            align = reader.integer()
            if align <= 0 or align & (align - 1) or align > 1 << 20:
                reader.fail(f"alignment {align}", token)
        elif name == "ptr":
            pointer = True
        elif name in TYPES:
            type_name = name
        elif name.startswith("attribute"):
            managed = _attributes(reader) or managed
        elif not pointer or name not in _SPACES:
            reader.fail(f"unknown qualifier .{name} in a declaration", token)
    if not space or not type_name:
        reader.fail("a declaration needs a state space and a type")
    return linkage, space, type_name, vector, align, pointer, managed


def _attributes(reader: Reader) -> bool:
    """`.attribute(.managed, .unified(…))`: whether the variable is managed."""
    reader.expect("(")
    managed, depth = False, 1
    while depth:
        token = reader.next()
        if token.kind == "end":
            reader.fail("expected ) before the end of the text")
        depth += {"(": 1, ")": -1}.get(token.kind, 0)
        managed = managed or (token.kind == "dot" and token.text == "managed")
    return managed


def _declarator(
    reader: Reader, linkage: str, space: str, type_name: str, vector: int, align: int, pointer: bool, managed: bool
) -> Variable:
    line = reader.line
    name = reader.expect("name")
    count, array = 1, False
    if reader.accept("<"):  # parameterised variable names are only for registers
        reader.fail("a range of names is for registers only")
    while reader.accept("["):
        extent = 0 if reader.peek("]") else reader.integer()
        reader.expect("]")
        count, array = (extent * count if array else extent), True
        if not 0 <= count <= MAX_ELEMENTS:
            reader.fail(f"{name} has {count} elements")
    initializer: list[Initializer] = []
    if reader.accept("="):
        _initializer(reader, initializer, 0)
        if array and count == 0:
            count = len(initializer)
        if len(initializer) > count * vector:
            reader.fail(f"{name} has more initialisers than elements")
    return Variable(
        space, type_name, name, count, array, vector, align, linkage, tuple(initializer), pointer, managed, line
    )


def _initializer(reader: Reader, into: list[Initializer], depth: int) -> None:
    """A number, a symbol with an offset, mask(symbol), or a braced list; rows are not padded (PTX pads none)."""
    if depth > 16 or len(into) > MAX_ELEMENTS:
        reader.fail("initialiser too deep or too long")
    if reader.accept("{"):
        while not reader.accept("}"):
            _initializer(reader, into, depth + 1)
            if not reader.accept(",") and not reader.peek("}"):
                reader.fail("expected , or } in an initialiser")
    elif reader.peek("number") and reader.peek("(", ahead=1):
        mask = reader.integer()  # 0xFF00(symbol): one byte of an address
        reader.expect("(")
        found = _symbol_initializer(reader)
        reader.expect(")")
        into.append(Initializer(found.value, found.symbol, found.generic, mask))
    elif reader.peek("name"):
        into.append(_symbol_initializer(reader))
    else:
        value = reader.constant()
        into.append(Initializer(value if isinstance(value, Float) else value.value))


def _symbol_initializer(reader: Reader) -> Initializer:
    name = reader.expect("name")
    generic = name == "generic" and reader.accept("(") is not None
    if generic:
        name = reader.expect("name")
        reader.expect(")")
    offset = 0
    if reader.peek("+") or reader.peek("-"):
        if reader.peek("+"):
            reader.next()
        offset = reader.integer()
    return Initializer(offset, name, generic)
