"""Parses declarations: registers, variables with initialisers, prototypes; and keeps a scope's names."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Container, Iterable
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
    """The names of one scope. ranges: prefix of `%r<8>` → (count, type, new prefix). labels, variables: the same.

    declared: what the scope itself has declared; a range as its prefix and "<".
    """

    registers: dict[str, Register] = field(default_factory=dict)
    ranges: dict[str, tuple[int, str, str]] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)
    variables: dict[str, str] = field(default_factory=dict)
    declared: set[str] = field(default_factory=set)

    def declare(self, name: str, reader: Reader) -> None:
        """A scope declares a name once: registers, ranges of them, variables and labels alike (so ptxas)."""
        if name in self.declared or self._in_range(name) is not None:
            reader.fail(f"{name.rstrip('<')} is declared twice in one scope")
        self.declared.add(name)

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
                self.declare(f"{name}<", reader)
                self._declare_range(name, count, token.text, function)
            else:
                self.declare(name, reader)
                self._declare_register(name, token.text, vector, function)
            if not reader.accept(","):
                break
        reader.expect(";")

    def declare_formals(self, formals: Iterable[Variable], function: Function) -> None:
        """Their names; those that are registers as such."""
        for each in formals:
            self.declared.add(each.name)
            if each.space == "reg":
                self._declare_register(each.name, each.type, "", function)

    def _declare_register(self, name: str, type_name: str, vector: str, function: Function) -> None:
        unique = unused(name, function.registers, function.numbers)
        function.registers[unique] = f"{vector}.{type_name}" if vector else type_name
        self.registers[name] = Register(unique, type_name, part=vector)

    def _declare_range(self, prefix: str, count: int, type_name: str, function: Function) -> None:
        """Members get declared when first used; a shadowing range takes a name of its own."""
        taken = unused(f"{prefix}<", function.registers, function.numbers)[:-1]
        function.registers[f"{taken}<"] = type_name
        self.ranges[prefix] = (count, type_name, taken)

    def find_register(self, name: str, function: Function) -> Register | None:
        found = self.registers.get(name)
        if found is not None or not self.ranges:
            return found
        prefix = self._in_range(name)
        if prefix is None:
            return None
        _, type_name, taken = self.ranges[prefix]
        found = Register(taken + name[len(prefix) :], type_name)
        function.registers[found.name] = type_name
        self.registers[name] = found
        return found

    def _in_range(self, name: str) -> str | None:
        """The prefix of the range that has a register of this name; the number behind it has no leading zeros."""
        prefix = name.rstrip("0123456789")  # what nearly every name is split by
        if name[len(prefix) : len(prefix) + 1] not in ("", "0") and self._has(prefix, name):
            return prefix
        split = _SPLIT.match(name)
        while split is not None:
            if self._has(split[1], name):
                return split[1]
            split = _longer_prefix(name, split[1])
        return None

    def _has(self, prefix: str, name: str) -> bool:
        held, index = self.ranges.get(prefix), name[len(prefix) :]
        return held is not None and len(index) <= MAX_DIGITS and int(index) < held[0]

    def declare_variable(self, name: str, function: Function, reader: Reader) -> str:
        self.declare(name, reader)
        self.variables[name] = unused(name, function.variables, function.numbers)
        return self.variables[name]


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


def unused(name: str, taken: Container[str], numbers: dict[str, int]) -> str:
    """The name itself or, where an outer or an earlier scope has it, `name_2`, `name_3`… (of a range `%r_2_<`).

    numbers: how far each name's have come; thousands of scopes declare the same (inline assembly does).
    """
    if name not in taken:
        return name
    stem, end = (name[:-1], "_<") if name.endswith("<") else (name, "")
    number = numbers.get(name, 2)
    while f"{stem}_{number}{end}" in taken:
        number += 1
    numbers[name] = number + 1
    return f"{stem}_{number}{end}"


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
