"""ELF files as plain sections, symbols and relocations, every length checked.

In: the bytes of a 64-bit little-endian ELF. Out: `Elf`. pyelftools reads the headers; tables are cut here, because
a damaged file must end as `Malformed` with an offset, never as an exception of a parsing library.
"""

from __future__ import annotations

import io
import struct
from dataclasses import dataclass
from functools import cached_property

from elftools.elf.elffile import ELFFile

from cass_shim.model.errors import Malformed

ELF_MAGIC = b"\x7fELF"
EM_CUDA = 190
EM_X86_64 = 62
ET_REL = 1
SHT_SYMTAB, SHT_RELA, SHT_NOBITS, SHT_REL = 2, 4, 8, 9
# Uninitialised global, local and shared memory of relocatable objects of CUDA 11 and 12 (.nv.global, .nv.shared,
# .nv_debug.shared) have types of NVIDIA's own and no bytes in the file. Seen in the wheel of bitsandbytes 0.50.
WITHOUT_BYTES = frozenset({0, SHT_NOBITS, 0x70000007, 0x70000009, 0x7000000A})
STT_OBJECT, STT_FUNC, STT_SECTION = 1, 2, 3
STB_LOCAL, STB_GLOBAL, STB_WEAK = 0, 1, 2
STT_CUDA_TEXTURE, STT_CUDA_SURFACE, STT_CUDA_OBJECT = 10, 12, 13
SHN_LORESERVE = 0xFF00
MAX_SECTIONS = 1 << 20


@dataclass(frozen=True, slots=True)
class Section:
    """One section; `content` is empty for NOBITS. Offsets and sizes in bytes, `offset` from the file's start."""

    index: int
    name: str
    kind: int
    address: int
    offset: int
    size: int
    link: int
    info: int
    align: int
    content: bytes


@dataclass(frozen=True, slots=True)
class Symbol:
    """One symbol. section: index of its section, 0 when undefined. plain: its name in the file; `name` tells local
    symbols of one name apart, since nvlink keeps one of each object it joins (`$str`, functions of libdevice)."""

    index: int
    name: str
    kind: int
    other: int
    section: int
    value: int
    size: int
    binding: int = 0
    plain: str = ""


@dataclass(frozen=True, slots=True)
class ElfRelocation:
    """One relocation record of section `target`. addend is None in a REL table: it is in the patched field."""

    target: int
    offset: int
    kind: int
    symbol: Symbol
    addend: int | None


def is_relocatable(content: bytes) -> bool:
    """Whether the header says that the file awaits a link; for a look before anything is parsed."""
    return content[:4] == ELF_MAGIC and content[16:18] == ET_REL.to_bytes(2, "little")


class Elf:
    """A checked ELF file. Raises Malformed (offset in the file) for anything that does not hold together."""

    def __init__(self, content: bytes, source: str = "") -> None:
        self.content, self.source = content, source
        if len(content) < 64 or content[:4] != ELF_MAGIC:
            raise Malformed("not an ELF file", where=source, offset=0)
        if content[4:6] != b"\x02\x01":
            raise Malformed("not a 64-bit little-endian ELF file", where=source, offset=4)
        self.os_abi, self.abi_version = content[7], content[8]
        self.kind, self.machine = struct.unpack_from("<HH", content, 16)
        (self.flags,) = struct.unpack_from("<I", content, 48)
        self.sections = self._read_sections()

    def _read_sections(self) -> tuple[Section, ...]:
        table, entry_size, count = self._section_table()
        if entry_size != 64 and count:
            raise Malformed(f"section headers of {entry_size} bytes", where=self.source, offset=0x3A)
        if count > MAX_SECTIONS or table + 64 * count > len(self.content):
            raise Malformed("section header table lies outside the file", where=self.source, offset=table)
        try:
            elf = ELFFile(io.BytesIO(self.content))
            names = elf.get_section(elf.get_shstrndx()) if count else None
            base = int(names["sh_offset"]) if names is not None else 0
            limit = base + int(names["sh_size"]) if names is not None else 0
        except Exception as error:  # pyelftools raises whatever its parsers stumble over, OverflowError too
            raise Malformed(f"ELF headers: {error}", where=self.source, offset=table) from None
        return tuple(self._section(i, table + 64 * i, base, limit) for i in range(count))

    def _section_table(self) -> tuple[int, int, int]:
        """Offset, entry size and count of the section headers; a count of 0 may mean section 0 holds it."""
        (table,) = struct.unpack_from("<Q", self.content, 40)
        entry_size, count, _ = struct.unpack_from("<HHH", self.content, 58)
        if table and not count and table + 64 <= len(self.content):
            (count,) = struct.unpack_from("<Q", self.content, table + 32)
        return table, entry_size, count

    def _section(self, index: int, at: int, names: int, limit: int) -> Section:
        name_at, kind = struct.unpack_from("<II", self.content, at)
        address, offset, size, link, info, align = struct.unpack_from("<QQQIIQ", self.content, at + 16)
        if kind not in WITHOUT_BYTES and offset + size > len(self.content):
            raise Malformed(f"section {index} lies outside the file", where=self.source, offset=at)
        content = b"" if kind in WITHOUT_BYTES else self.content[offset : offset + size]
        name = self._string(names + name_at, limit, at) if kind else ""
        return Section(index, name, kind, address, offset, size, link, info, align, content)

    def _string(self, start: int, limit: int, at: int) -> str:
        end = self.content.find(b"\0", start, min(limit, len(self.content)))
        if start > limit or end < 0:
            raise Malformed("name outside its string table", where=self.source, offset=at)
        return self.content[start:end].decode("utf-8", "backslashreplace")

    @cached_property
    def _by_name(self) -> dict[str, Section]:
        return {s.name: s for s in reversed(self.sections)}

    @cached_property
    def _by_name_and_info(self) -> dict[tuple[str, int], Section]:
        return {(s.name, s.info): s for s in reversed(self.sections)}

    def section(self, name: str) -> Section | None:
        """The first section of that name."""
        return self._by_name.get(name)

    def at(self, index: int, offset: int) -> Section:
        """Section by index; `offset` is where the index was read, for the message."""
        if not 0 <= index < len(self.sections):
            raise Malformed(f"no section {index}", where=self.source, offset=offset)
        return self.sections[index]

    @cached_property
    def symbols(self) -> tuple[Symbol, ...]:
        """All symbols, in the order of the table (relocations use the index)."""
        table = next((s for s in self.sections if s.kind == SHT_SYMTAB), None)
        if table is None:
            return ()
        if table.size % 24:
            raise Malformed("symbol table is not a multiple of 24 bytes", where=self.source, offset=table.offset)
        strings = self.at(table.link, table.offset)
        found = []
        seen: set[str] = set()
        for index in range(table.size // 24):
            at = table.offset + 24 * index
            name, info, other, section, value, size = struct.unpack_from("<IBBHQQ", self.content, at)
            text = self._string(strings.offset + name, strings.offset + strings.size, at)
            if section >= SHN_LORESERVE:
                section = 0
            if section and info & 15 == STT_SECTION:
                text = self.at(section, at).name
            is_named = info & 15 in (STT_OBJECT, STT_FUNC, STT_CUDA_OBJECT)
            apart = f"{text}.{index}" if is_named and info >> 4 == STB_LOCAL and text in seen else text
            if is_named:
                seen.add(text)
            found.append(Symbol(index, apart, info & 15, other, section, value, size, info >> 4, text))
        return tuple(found)

    def about(self, prefix: str, code: Section) -> Section | None:
        """The section of that prefix that goes with a code section: nvlink leaves several of one name."""
        name = prefix + code.name.removeprefix(".text.")
        return self._by_name_and_info.get((name, code.index)) or self.section(name)

    @cached_property
    def symbols_of(self) -> dict[int, list[Symbol]]:
        """The symbols of each section, by its index."""
        found: dict[int, list[Symbol]] = {}
        for symbol in self.symbols:
            found.setdefault(symbol.section, []).append(symbol)
        return found

    @cached_property
    def relocations(self) -> dict[int, list[ElfRelocation]]:
        """Relocations by the index of the section they patch, sorted by offset."""
        found: dict[int, list[ElfRelocation]] = {}
        for table in self.sections:
            if table.kind not in (SHT_REL, SHT_RELA):
                continue
            width = 24 if table.kind == SHT_RELA else 16
            if table.size % width:
                raise Malformed(
                    f"{table.name} is not a multiple of {width} bytes", where=self.source, offset=table.offset
                )
            target = self.at(table.info, table.offset)
            for at in range(table.offset, table.offset + table.size, width):
                found.setdefault(target.index, []).append(self._relocation(target, at, width == 24))
        for records in found.values():
            records.sort(key=lambda r: (r.offset, r.kind))
        return found

    def _relocation(self, target: Section, at: int, explicit: bool) -> ElfRelocation:
        offset, kind, symbol = struct.unpack_from("<QII", self.content, at)
        addend = struct.unpack_from("<q", self.content, at + 16)[0] if explicit else None
        if symbol >= len(self.symbols):
            raise Malformed(f"relocation against symbol {symbol} of {len(self.symbols)}", where=self.source, offset=at)
        if offset >= max(target.size, 1):
            raise Malformed(f"relocation outside {target.name}", where=self.source, offset=at)
        return ElfRelocation(target.index, offset, kind, self.symbols[symbol], addend)
