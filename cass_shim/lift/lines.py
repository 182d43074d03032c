"""SASS addresses as debug lines of a lifted module.

In: a module whose kernel and callees carry marks ("; sass N", N a virtual code address) in front of what each
instruction became. Out: the same module with a line table: line n of the file `<section>.sass` is the n-th instruction
of that section (its address is 16 * (n - 1)), as in a listing of one instruction a line. Line tables change no machine
code.
Metadata: LLVM Language Reference, "Specialized Metadata Nodes"; Source Level Debugging with LLVM, "Debug Info Version".
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from cass_shim.model.artifacts import LlvmModule

MARK = "  ; sass "
STEP = 16  # bytes an instruction
CALLEE = "cass.callee."  # how symbols of callees that are functions of their own begin (`lift.calls`)
_FUNCTION = re.compile(rf'define (?:amdgpu_kernel void @"|internal .* @"(?={re.escape(CALLEE)}))(.*?)"\(')
_FIRST = 10  # number of the first metadata node; module_text uses those below
_SUBPROGRAM, _UNIT, _TYPE = f"!{_FIRST}", f"!{_FIRST + 1}", f"!{_FIRST + 2}"


class _Nodes:
    """The metadata of one module, made as it is needed. function: the node of the one at hand."""

    def __init__(self, symbol: str, locate: Callable[[int], tuple[str, int]]) -> None:
        self.symbol, self.locate = symbol, locate
        self.texts: list[str] = []
        self.files: dict[str, str] = {}
        self.function = _SUBPROGRAM
        self.scopes: dict[tuple[str, str], str] = {(_SUBPROGRAM, symbol): _SUBPROGRAM}
        self.places: dict[tuple[str, int], str] = {}

    def new(self, text: str) -> str:
        """A node after the three that have fixed numbers."""
        name = f"!{_FIRST + 3 + len(self.texts)}"
        self.texts.append(f"{name} = {text}")
        return name

    def file(self, section: str) -> str:
        if section not in self.files:
            self.files[section] = self.new(f'!DIFile(filename: "{section}.sass", directory: "")')
        return self.files[section]

    def enter(self, symbol: str) -> str:
        """Begin a function; its node."""
        if symbol == self.symbol:
            self.function = _SUBPROGRAM
        else:
            self.function = self.new(f"distinct {self._subprogram(symbol)}")
            self.scopes[self.function, self.symbol] = self.function
        return self.function

    def _subprogram(self, name: str) -> str:
        file = self.file(self.symbol)
        return (
            f'!DISubprogram(name: "{name}", scope: {file}, file: {file}, line: 1, type: {_TYPE}, '
            f"spFlags: DISPFlagDefinition, unit: {_UNIT})"
        )

    def scope(self, section: str) -> str:
        """The function at hand, or the part of it that came from another section than the kernel's."""
        if (self.function, section) not in self.scopes:
            text = f"!DILexicalBlockFile(scope: {self.function}, file: {self.file(section)}, discriminator: 0)"
            self.scopes[self.function, section] = self.new(text)
        return self.scopes[self.function, section]

    def place(self, address: int) -> str:
        """The location of a virtual address in the function at hand."""
        if (self.function, address) not in self.places:
            section, offset = self.locate(address)
            text = f"!DILocation(line: {offset // STEP + 1}, scope: {self.scope(section)})"
            self.places[self.function, address] = self.new(text)
        return self.places[self.function, address]

    def finished(self) -> list[str]:
        """Every node and the named ones that make LLVM read them."""
        file = self.file(self.symbol)
        versions = [self.new('!{i32 2, !"Debug Info Version", i32 3}'), self.new('!{i32 7, !"Dwarf Version", i32 5}')]
        return [
            f"{_SUBPROGRAM} = distinct {self._subprogram(self.symbol)}",
            f"{_UNIT} = distinct !DICompileUnit(language: DW_LANG_C99, file: {file}, emissionKind: LineTablesOnly)",
            f"{_TYPE} = !DISubroutineType(types: !{{}})",
            *self.texts,
            f"!llvm.dbg.cu = !{{{_UNIT}}}",
            f"!llvm.module.flags = !{{!1, {', '.join(versions)}}}",
        ]


def with_lines(module: LlvmModule, locate: Callable[[int], tuple[str, int]]) -> LlvmModule:
    """The module with a line table. locate: virtual address → (section, byte address in it)."""
    nodes = _Nodes(module.symbol, locate)
    lines, inside, place = [], False, ""
    for line in module.text.splitlines():
        if found := _FUNCTION.match(line):
            inside, place, line = True, "", line.removesuffix("{") + f"!dbg {nodes.enter(found[1])} {{"
        elif line == "}":
            inside = False
        elif inside and line.startswith(MARK):
            address = int(line.removeprefix(MARK))
            place, (section, offset) = nodes.place(address), locate(address)
            line = f"  ; {offset:04x}" if section == module.symbol else f"  ; {section}+{offset:04x}"
        elif inside and place and line.startswith("  ") and not line.startswith("  ;"):
            line += f", !dbg {place}"
        elif line.startswith("!llvm.module.flags"):
            continue
        lines.append(line)
    return replace(module, text="\n".join([*lines, *nodes.finished()]) + "\n")
