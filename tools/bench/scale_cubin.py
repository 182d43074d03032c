"""A cubin with any number of kernels, made from one: its code, its attributes and its symbol, once a copy.

In: the cubin that nvcc made of `scale_kernel.cu` (one kernel, no data). Out: an ELF file of the same kind whose kernels
are called k0, k1, …, each with a number of its own in its code, and a fatbinary around cubins.
"""

from __future__ import annotations

import struct

from cass_shim.extract.elf import Elf, Section
from cass_shim.extract.nvinfo import read_records

NUMBER = (0x5CA1AB1E).to_bytes(4, "little")
HEADER, ROW, SYMBOL = 64, 64, 24
SHT_PROGBITS, SHT_SYMTAB, SHT_STRTAB = 1, 2, 3
GLOBAL_FUNCTION, ENTRY = 0x12, 0x10


class _Strings:
    """A string table."""

    def __init__(self) -> None:
        self.content = bytearray(b"\0")

    def add(self, text: str) -> int:
        at = len(self.content)
        self.content += text.encode() + b"\0"
        return at


def _general(info: bytes, count: int) -> bytes:
    """The module-wide attributes: those of the one function, for each symbol 1 to `count`."""
    records = [one for one in read_records(info, ".nv.info") if len(one.payload) == 8]
    found = bytearray()
    for symbol in range(1, count + 1):
        for one in records:
            found += struct.pack("<BBHII", 4, one.attribute, 8, symbol, *struct.unpack("<I", one.payload[4:]))
    return bytes(found)


def cubin(template: bytes, count: int, distinct: int = 0) -> bytes:
    """The cubin with `count` kernels, of which `distinct` (0: all) differ in their number.

    Raises ValueError when the template is not of the expected form.
    """
    elf = Elf(template, "template")
    parts = {name: elf.section(name) for name in (".text.k", ".nv.info.k", ".nv.constant0.k", ".nv.info")}
    if any(one is None for one in parts.values()) or NUMBER not in parts[".text.k"].content:  # type: ignore[union-attr]
        raise ValueError("scale_kernel.cu did not compile to one plain kernel with its number in its code")
    code, info, constants, general = (one for one in parts.values() if one is not None)
    names, strings, symbols = _Strings(), _Strings(), bytearray(SYMBOL)
    rows: list[tuple[str, int, int, int, Section | None, bytes]] = []  # name, type, link, info, like, content
    for number in range(count):
        own = code.content.replace(NUMBER, (number % (distinct or count) + 1).to_bytes(4, "little"))
        index = 5 + 3 * number  # null, strings, names, symbols and .nv.info come first
        rows.append((f".text.k{number}", SHT_PROGBITS, 3, code.info & ~0xFFFFFF | number + 1, code, own))
        rows.append((f".nv.info.k{number}", info.kind, 3, index, info, info.content))
        rows.append((f".nv.constant0.k{number}", SHT_PROGBITS, 0, index, constants, constants.content))
        symbols += struct.pack("<IBBHQQ", strings.add(f"k{number}"), GLOBAL_FUNCTION, ENTRY, index, 0, len(own))
    first = [
        (".shstrtab", SHT_STRTAB, 0, 0, None, b""),
        (".strtab", SHT_STRTAB, 0, 0, None, bytes(strings.content)),
        (".symtab", SHT_SYMTAB, 2, 1, None, bytes(symbols)),
        (".nv.info", general.kind, 3, 0, general, _general(general.content, count)),
    ]
    return _file(template, [*first, *rows], names)


def _file(template: bytes, rows: list[tuple[str, int, int, int, Section | None, bytes]], names: _Strings) -> bytes:
    """The sections one after another, then their table."""
    table, body = bytearray(ROW), bytearray()
    offsets = [names.add(row[0]) for row in rows]
    for (name, kind, link, info, _, content), name_at in zip(rows, offsets, strict=True):
        if name == ".shstrtab":
            content = bytes(names.content)
        body += bytes(-len(body) % 128)
        size = SYMBOL if kind == SHT_SYMTAB else 0
        align = 128 if name.startswith(".text") else 8
        table += struct.pack(
            "<IIQQQQIIQQ", name_at, kind, 0, 0, HEADER + len(body), len(content), link, info, align, size
        )
        body += content
    body += bytes(-len(body) % 8)
    head = bytearray(template[:HEADER])
    struct.pack_into("<QQ", head, 32, 0, HEADER + len(body))  # no program headers: nothing of ours reads them
    struct.pack_into("<HHHHH", head, 54, 56, 0, ROW, len(rows) + 1, 1)
    return bytes(head + body + table)


def entry_head(sm: int, size: int) -> bytes:
    """The header of a fatbinary entry with a cubin. Layout: extract/fatbin.py."""
    return struct.pack("<HHIQIIHHIIIQQQ", 2, 0x101, 64, size, 0, 0, 0, 0, sm, 0, 0, 0, 0, 0)


def region_head(size: int) -> bytes:
    """The header of a fatbinary with `size` bytes of entries."""
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, size)


def region(content: bytes, sm: int = 80) -> bytes:
    """A fatbinary of one cubin."""
    padded = content + bytes(-len(content) % 8)
    return region_head(64 + len(padded)) + entry_head(sm, len(padded)) + padded
