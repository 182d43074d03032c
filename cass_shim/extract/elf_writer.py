"""An ELF file from sections and symbols: what `extract/linker.py` writes its result with.

In: sections in file order, symbols with the locals first. Out: the bytes. Their number is checked here, nothing else.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field

from cass_shim.extract.elf import SHN_LORESERVE, SHT_NOBITS, SHT_RELA, SHT_SYMTAB, STB_LOCAL
from cass_shim.model.errors import Unsupported

SHT_STRTAB, ET_EXEC = 3, 2
HEADER_BYTES, SYMBOL_BYTES, RELA_BYTES = 64, 24, 24


@dataclass
class OutSection:
    """One section. size counts where there are no bytes (NOBITS)."""

    name: str
    kind: int
    content: bytes = b""
    size: int = 0
    flags: int = 0
    link: int = 0
    info: int = 0
    align: int = 1


@dataclass
class OutSymbol:
    """One symbol; section 0: undefined."""

    name: str
    binding: int
    kind: int
    other: int
    section: int
    value: int
    size: int


@dataclass
class ElfWriter:
    """Sections are numbered from 1 in the order they are added."""

    machine: int
    flags: int
    os_abi: int
    abi_version: int
    sections: list[OutSection] = field(default_factory=list)
    symbols: list[OutSymbol] = field(default_factory=list)  # number 0, which is none, is not in the list

    def add(self, section: OutSection) -> int:
        """The section's number."""
        self.sections.append(section)
        if len(self.sections) >= SHN_LORESERVE:
            raise Unsupported("an ELF file of so many sections", why=f"at most {SHN_LORESERVE - 1} have numbers")
        return len(self.sections)

    def finish(self) -> bytes:
        """The file. Section names, symbols and their names are added at its end."""
        names, strings = _Strings(), _Strings()
        table = len(self.sections) + 1
        locals_ = 1 + sum(one.binding == STB_LOCAL for one in self.symbols)
        for one in self.sections:
            if one.kind == SHT_RELA:
                one.link = table
        rows = bytes(SYMBOL_BYTES) + b"".join(_symbol(one, strings) for one in self.symbols)
        self.add(OutSection(".symtab", SHT_SYMTAB, rows, link=table + 1, info=locals_, align=8))
        self.add(OutSection(".strtab", SHT_STRTAB, bytes(strings.content)))
        offsets = [names.add(one.name) for one in self.sections] + [names.add(".shstrtab")]
        self.add(OutSection(".shstrtab", SHT_STRTAB, bytes(names.content)))
        return self._lay_out(offsets)

    def _lay_out(self, names: list[int]) -> bytes:
        body = bytearray(HEADER_BYTES)
        headers = [bytes(64)]
        for name, one in zip(names, self.sections, strict=True):
            body += bytes(-len(body) % max(one.align, 1))
            size = one.size if one.kind == SHT_NOBITS else len(one.content)
            entry = {SHT_SYMTAB: SYMBOL_BYTES, SHT_RELA: RELA_BYTES}.get(one.kind, 0)
            fields = (name, one.kind, one.flags, 0, len(body), size, one.link, one.info, one.align, entry)
            headers.append(struct.pack("<IIQQQQIIQQ", *fields))
            body += one.content
        body += bytes(-len(body) % 8)
        table = len(body)
        identity = b"\x7fELF\x02\x01\x01" + bytes((self.os_abi, self.abi_version)) + bytes(7)
        counts = (HEADER_BYTES, 56, 0, 64, len(headers), len(headers) - 1)
        body[:HEADER_BYTES] = identity + struct.pack(
            "<HHIQQQIHHHHHH", ET_EXEC, self.machine, 1, 0, 0, table, self.flags, *counts
        )
        return bytes(body) + b"".join(headers)


class _Strings:
    def __init__(self) -> None:
        self.content, self.known = bytearray(1), {"": 0}

    def add(self, text: str) -> int:
        if text not in self.known:
            self.known[text] = len(self.content)
            self.content += text.encode("utf-8", "surrogateescape") + b"\0"
        return self.known[text]


def _symbol(one: OutSymbol, strings: _Strings) -> bytes:
    head = (strings.add(one.name), one.binding << 4 | one.kind, one.other, one.section)
    return struct.pack("<IBBHQQ", *head, one.value, one.size)
