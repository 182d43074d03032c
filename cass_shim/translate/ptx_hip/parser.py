"""PTX text to `Module`: directives and functions. Raises Malformed with line and column.

Source: PTX ISA 9.0, chapters 4, 5, 7 and 11. Every version from 6.0 on is accepted; the version only decides what
`kernel_abi` and the pipeline report.
"""

from __future__ import annotations

import contextlib
import gc
import re
from collections.abc import Iterator

from cass_shim.isa.ptx.syntax import Function, Module, Prototype
from cass_shim.translate.ptx_hip.body import BodyParser
from cass_shim.translate.ptx_hip.declarations import parse_parameters, parse_variable, passed
from cass_shim.translate.ptx_hip.reader import Reader

_VERSION = re.compile(r"(\d{1,4})(?:\.(\d{0,4}))?")
_LINKAGES = ("extern", "visible", "weak")
_TUNING = (
    "maxntid", "reqntid", "minnctapersm", "maxnctapersm", "maxnreg", "maxclusterrank", "reqnctapercluster",
    "explicitcluster", "blocksareclusters", "noreturn", "language", "abi_preserve", "abi_preserve_control",
)  # fmt: skip
_VARIABLES = ("global", "const", "shared", "tex", "extern", "visible", "weak", "common", "local", "param")


def parse_module(text: str) -> Module:
    """Parse a whole module. A NUL ends the text, as it does for the driver."""
    with _without_collector():
        return _ModuleParser(Reader(text.split("\0", 1)[0])).parse()


@contextlib.contextmanager
def _without_collector() -> Iterator[None]:
    """Everything that is made stays: looking for garbage over and over takes a fifth of the time."""
    on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if on:
            gc.enable()


class _ModuleParser:
    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.module = Module(version=(0, 0), target=(), address_bits=64)

    def parse(self) -> Module:
        reader = self.reader
        if not reader.peek("dot", "version"):
            reader.fail("PTX starts with .version")
        while reader.kind != "end":
            if reader.accept(";"):
                continue
            self._directive()
        return self.module

    def _directive(self) -> None:
        reader, token = self.reader, self.reader.expect_token("dot")
        name = token.text
        if name == "version":
            version = _VERSION.fullmatch(reader.expect("number"))
            if version is None:
                reader.fail("a version that is none", token)
            self.module.version = (int(version[1]), int(version[2] or "0"))
        elif name == "target":
            self.module.target = self._target()
        elif name == "address_size":
            self.module.address_bits = reader.integer()
            if self.module.address_bits != 64:
                reader.fail(f".address_size {self.module.address_bits}: only 64-bit programs", token)
        elif name in ("file", "loc"):
            self._rest_of_line(token.line)
        elif name == "section":
            self._section()
        elif name == "pragma":
            reader.skip_past(";")
        elif name == "alias":
            alias = reader.expect("name")
            reader.expect(",")
            self.module.aliases[alias] = reader.expect("name")
            reader.expect(";")
        elif name in ("entry", "func"):
            self._function(name == "entry", "")
        elif name in _LINKAGES and (reader.peek("dot", "entry") or reader.peek("dot", "func")):
            self._function(reader.next().text == "entry", name)
        elif name in _VARIABLES:
            reader.at -= 1
            for variable in parse_variable(reader):
                self.module.variables[variable.name] = variable
        else:
            reader.fail(f"unknown directive .{name}", token)

    def _target(self) -> tuple[str, ...]:
        names = [self.reader.expect("name")]
        while self.reader.accept(","):
            names.append(self.reader.expect("name"))
        return tuple(names)

    def _rest_of_line(self, line: int) -> None:
        reader = self.reader
        while reader.kind != "end" and reader.line == line:
            reader.next()

    def _section(self) -> None:
        """A debug section: `.section .debug_info { … }`; nothing in it changes what a kernel computes."""
        reader = self.reader
        if not reader.accept("dot"):
            reader.expect("name")
        reader.expect("{")
        depth = 1
        while depth:
            token = reader.next()
            if token.kind == "end":
                reader.fail("expected } before the end of the text")
            depth += {"{": 1, "}": -1}.get(token.kind, 0)

    def _function(self, entry: bool, linkage: str) -> None:
        reader, line = self.reader, self.reader.line
        results = parse_parameters(reader) if not entry and reader.peek("(") else ()
        token = reader.expect_token("name")
        parameters = parse_parameters(reader) if reader.peek("(") else ()
        signature = Prototype(tuple(map(passed, results)), tuple(map(passed, parameters)))
        function = Function(token.text, entry, signature, linkage, line=line)
        for variable in (*signature.results, *signature.parameters):
            function.variables[variable.name] = variable
        self._tuning(function)
        known = self.module.functions.get(function.name)
        if reader.accept(";"):
            if known is None:
                self.module.functions[function.name] = function
            return
        reader.expect("{")
        if known is not None and known.body is not None:
            reader.fail(f"{function.name} defined twice", token)
        self.module.functions[function.name] = function
        function.body = BodyParser(reader, self.module, function).parse(results, parameters)

    def _tuning(self, function: Function) -> None:
        reader = self.reader
        while reader.peek("dot"):
            token = reader.next()
            if token.text == "pragma":
                function.pragmas.append(reader.expect("string"))
                while reader.accept(","):
                    function.pragmas.append(reader.expect("string"))
                reader.expect(";")
                continue
            if token.text not in _TUNING:
                reader.fail(f"unknown directive .{token.text} on a function", token)
            numbers = []
            while reader.peek("number"):
                numbers.append(reader.integer())
                reader.accept(",")
            function.tuning[token.text] = tuple(numbers)
