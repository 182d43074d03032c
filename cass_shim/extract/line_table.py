"""The compiler's own link between machine code and PTX, where a cubin carries it (nvcc -lineinfo or -G).

In: a cubin. Out: the PTX text as its lines, and per section which line each machine instruction came from.
Sections: `.nv_debug_ptx_txt` holds the lines, each ended by a zero byte; `.nv_debug_line_sass` is a DWARF 2 line
program whose addresses are set by relocations against the kernels' symbols.
Source: DWARF 2.0 specification §6.2 for the program; section layout recorded from nvcc 13.0 -lineinfo output
(tests/extract/test_line_table.py).
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from cass_shim.extract.elf import Elf
from cass_shim.model.errors import Malformed

TEXT, LINES = ".nv_debug_ptx_txt", ".nv_debug_line_sass"
_SET_ADDRESS, _END_SEQUENCE = 2, 1  # extended opcodes
_COPY, _ADVANCE_PC, _ADVANCE_LINE = 1, 2, 3
_CONST_ADD_PC, _FIXED_ADVANCE_PC = 8, 9
_LIMIT = 1 << 22  # rows of one table
_FARTHEST = 1 << 26  # bytes: no kernel is that long


@dataclass(frozen=True, slots=True)
class LineTable:
    """ptx: the text's lines, the first one is line 1. places: function → {byte address: line}."""

    ptx: tuple[str, ...]
    places: Mapping[str, Mapping[int, int]]


@dataclass
class _Reader:
    """A position in the section; reading past its end is Malformed."""

    content: bytes
    at: int = 0

    def take(self, form: str) -> int:
        size = struct.calcsize(form)
        if self.at + size > len(self.content):
            raise Malformed("line program ends too early", where=LINES, offset=self.at)
        (value,) = struct.unpack_from(form, self.content, self.at)
        self.at += size
        return int(value)

    def leb(self, *, signed: bool = False) -> int:
        value = shift = 0
        while True:
            byte = self.take("<B")
            value |= (byte & 0x7F) << shift
            shift += 7
            if shift > 70:
                raise Malformed("number of more than ten bytes", where=LINES, offset=self.at)
            if not byte & 0x80:
                return value - (1 << shift) if signed and byte & 0x40 else value


@dataclass
class _Header:
    end: int
    step: int
    line_base: int
    line_range: int
    opcode_base: int
    lengths: list[int]


def read_line_table(content: bytes, source: str = "") -> LineTable | None:
    """The table of a cubin's bytes; None where it has none. Raises Malformed."""
    elf = Elf(content, source)
    text, program = elf.section(TEXT), elf.section(LINES)
    if text is None or program is None:
        return None
    symbols = {r.offset: r.symbol.name.removeprefix(".text.") for r in elf.relocations.get(program.index, [])}
    places: dict[str, dict[int, int]] = {}
    reader = _Reader(program.content)
    while reader.at < len(program.content):
        for function, address, line in _unit(reader, symbols):
            places.setdefault(function, {})[address] = line
    lines = tuple(one.decode("utf-8", "replace") for one in text.content.split(b"\0"))
    return LineTable(lines, {name: _filled(rows) for name, rows in places.items()})


def _filled(rows: dict[int, int]) -> dict[int, int]:
    """Every instruction up to the last row's: one without a row belongs to the row before it."""
    filled, line = {}, 0
    for address in range(0, max(rows) + 1, 16):
        line = rows.get(address, line)
        if line:
            filled[address] = line
    return filled


def _header(reader: _Reader) -> _Header:
    start = reader.at
    end = reader.take("<I") + start + 4
    version = reader.take("<H")
    if version not in (2, 3) or end > len(reader.content):
        raise Malformed(f"line program of version {version}", where=LINES, offset=start)
    length = reader.take("<I")
    program = reader.at + length
    step = reader.take("<B")
    reader.take("<B")  # default_is_stmt
    line_base, line_range, opcode_base = reader.take("<b"), reader.take("<B"), reader.take("<B")
    lengths = [reader.take("<B") for _ in range(max(opcode_base - 1, 0))]
    if not line_range or program > end:
        raise Malformed("header of the line program", where=LINES, offset=start)
    reader.at = program
    return _Header(end, step, line_base, line_range, opcode_base, lengths)


def _unit(reader: _Reader, symbols: Mapping[int, str]) -> Iterator[tuple[str, int, int]]:
    """(function, address, line) of each row of one program."""
    header = _header(reader)
    function, address, line, rows = "", 0, 1, 0
    while reader.at < header.end:
        opcode = reader.take("<B")
        if opcode >= header.opcode_base:
            opcode -= header.opcode_base
            address += opcode // header.line_range * header.step
            line += header.line_base + opcode % header.line_range
        elif opcode == 0:
            size = reader.leb()
            start, kind = reader.at, reader.take("<B")
            if kind == _SET_ADDRESS:
                function, address = symbols.get(reader.at, ""), reader.take("<Q")
            elif kind == _END_SEQUENCE:
                function, address, line = "", 0, 1
            reader.at = start + size  # NVIDIA's own opcodes are passed by their length
            continue
        elif opcode != _COPY:
            moved, advanced = _standard(reader, header, opcode)
            address, line = address + moved, line + advanced
            continue
        rows += 1
        if rows > _LIMIT:
            raise Malformed("more rows than a kernel has", where=LINES, offset=reader.at)
        if address > _FARTHEST:
            raise Malformed(f"a row for address {address:#x}", where=LINES, offset=reader.at)
        if function:
            yield function, address, line
    reader.at = header.end


def _standard(reader: _Reader, header: _Header, opcode: int) -> tuple[int, int]:
    """What a standard opcode adds to address and line."""
    if opcode == _ADVANCE_PC:
        return reader.leb() * header.step, 0
    if opcode == _ADVANCE_LINE:
        return 0, reader.leb(signed=True)
    if opcode == _CONST_ADD_PC:
        return (255 - header.opcode_base) // header.line_range * header.step, 0
    if opcode == _FIXED_ADVANCE_PC:
        return reader.take("<H"), 0
    for _ in range(header.lengths[opcode - 1]):
        reader.leb()
    return 0, 0
