"""Links the one shape of object that the lifter's kernels have, in process: relocatable gfx1100 ELF to code object.

In: an object of one kernel as LLVM writes it. Out: the bytes that ld.lld gives, but for the name in `.comment`; None
for an object of any other shape, which is for ld.lld then. Starting that costs as much as compiling a kernel.
Source: the ELF and GNU hash formats; order, alignment and flags as ld.lld 22 lays them out (compared byte for byte in
tests/assemble/test_linker.py); relocations from LLVM's AMDGPUUsage, "Relocation Records".
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from dataclasses import dataclass

COMMENT = b"Linker: cass-shim\0"
PAGE = 0x1000
_MAGIC = b"\x7fELF\x02\x01\x01\x40\x03".ljust(16, b"\0")  # 64 bits, for HSA, of version 3 (code object 5)
_KIND = struct.pack("<HH", 1, 224)  # relocatable, AMDGPU
_FLAGS = struct.pack("<I", 0x41)  # gfx1100
_GLOBALS = 2  # the kernel and its descriptor
_HEADERS = 0x200  # the ELF header and eight program headers
_EMPTY = frozenset({".note.GNU-stack", ".AMDGPU.gpr_maximums"})
_DROPPED = _EMPTY | {"", ".strtab", ".symtab", ".rela.rodata", ".rela.text"}
_SHAPES = {".note": (7, 2), ".rodata": (1, 2), ".text": (1, 6)}  # what is loaded: type and flags
_REL32, _REL64, _REL32_LO, _REL32_HI = 4, 5, 10, 11
_ABSOLUTE, _LOCAL, _HIDDEN, _SECTION_SYMBOL = 0xFFF1, 0, 2, 3
_ORDER = (
    "", ".note", ".dynsym", ".gnu.hash", ".hash", ".dynstr", ".rodata", ".text", ".dynamic", ".relro_padding",
    ".AMDGPU.gpr_maximums", ".comment", ".symtab", ".shstrtab", ".strtab",
)  # fmt: skip
_NUMBER = {name: number for number, name in enumerate(_ORDER)}


@dataclass(slots=True)
class _Section:
    name: str
    kind: int
    flags: int
    content: bytes
    align: int
    link: int
    info: int


@dataclass(slots=True)
class _Symbol:
    """section: the name of its output section; empty for an absolute one."""

    name: str
    info: int
    other: int
    section: str
    value: int
    size: int


def link_object(relocatable: bytes, comment: bytes = COMMENT) -> bytes | None:
    """The linked code object, or None where the object is not of the one shape known here."""
    if relocatable[:16] != _MAGIC or relocatable[16:20] != _KIND or relocatable[48:52] != _FLAGS:
        return None
    sections = _sections(relocatable)
    names = {section.name for section in sections}
    if len(names) != len(sections) or names - _DROPPED - set(_SHAPES) or not names.issuperset(_SHAPES):
        return None
    by_name = {section.name: section for section in sections}
    if any((by_name[name].kind, by_name[name].flags) != shape for name, shape in _SHAPES.items()):
        return None
    symbols = _symbols(by_name[".symtab"].content, by_name[".strtab"].content, sections)
    if symbols is None or any(by_name[n].content for n in names & _EMPTY):
        return None
    image = _Image(by_name, symbols, comment)
    return image.write() if len(image.globals) == _GLOBALS else None


def _sections(elf: bytes) -> list[_Section]:
    start, count, strings = struct.unpack_from("<Q10xHHH", elf, 40)[0], *struct.unpack_from("<HH", elf, 60)
    rows = [struct.unpack_from("<IIQQQQIIQQ", elf, start + 64 * number) for number in range(count)]
    names = elf[rows[strings][4] : rows[strings][4] + rows[strings][5]]
    return [
        _Section(_text(names, name), kind, flags, elf[offset : offset + size], align, link, info)
        for name, kind, flags, _address, offset, size, link, info, align, _entry in rows
    ]


def _text(strings: bytes, at: int) -> str:
    return strings[at : strings.index(b"\0", at)].decode()


def _symbols(table: bytes, strings: bytes, sections: list[_Section]) -> list[_Symbol] | None:
    """Every symbol but the first; None where one is not defined here or lies in nothing that is loaded."""
    found = []
    for name, info, other, section, value, size in struct.iter_unpack("<IBBHQQ", table[24:]):
        where = "" if section == _ABSOLUTE else sections[section].name if 0 < section < len(sections) else "?"
        if where not in ("", *_SHAPES):
            return None
        found.append(_Symbol(_text(strings, name), info, other, where, value, size))
    return found


class _Strings:
    """A string table; one entry a text."""

    def __init__(self) -> None:
        self.content = bytearray(1)
        self.at = {"": 0}

    def add(self, text: str) -> int:
        if text not in self.at:
            self.at[text] = len(self.content)
            self.content += text.encode() + b"\0"
        return self.at[text]


def _aligned(value: int, align: int) -> int:
    return -(-value // align) * align


class _Image:
    """The file while it is put together: contents, offsets and addresses by section name."""

    def __init__(self, given: dict[str, _Section], symbols: list[_Symbol], comment: bytes) -> None:
        self.given, self.symbols, self.comment = given, symbols, comment
        self.globals = [s for s in symbols if s.info >> 4 != _LOCAL]
        self.content: dict[str, bytes] = {name: given[name].content for name in _SHAPES}
        self.offset: dict[str, int] = {}
        self.address: dict[str, int] = {}
        self.align = {".dynsym": 8, ".gnu.hash": 8, ".hash": 4, ".dynamic": 8, ".symtab": 8}
        self.align |= {name: given[name].align for name in _SHAPES}

    def write(self) -> bytes | None:
        names = _Strings()
        at = [names.add(symbol.name) for symbol in self.globals]
        self.content[".dynstr"] = bytes(names.content)
        self.content[".dynsym"] = bytes(24 * (1 + len(at)))
        self.content[".gnu.hash"] = _gnu_hash([s.name for s in self.globals])
        self.content[".hash"] = _hash([s.name for s in self.globals])
        self.content[".dynamic"] = bytes(0x70)
        self._lay_out()
        rows = (self._entry(symbol, number) for symbol, number in zip(self.globals, at, strict=True))
        self.content[".dynsym"] = bytes(24) + b"".join(rows)
        self.content[".dynamic"] = self._dynamic()
        if not (self._relocate(".rodata") and self._relocate(".text")):
            return None
        self.content[".symtab"], self.content[".strtab"] = self._symbol_table()
        return self._file()

    def _lay_out(self) -> None:
        """What is loaded: three segments, each on pages of its own though the file goes on without a gap."""
        place = _HEADERS
        for name in (".note", ".dynsym", ".gnu.hash", ".hash", ".dynstr", ".rodata"):
            place = self._put(name, place, 0)
        shift = PAGE if place % PAGE else 0
        place = self._put(".text", place, shift)
        self.text_end = self._put(".dynamic", place, shift + (PAGE if place % PAGE else 0))

    def _put(self, name: str, place: int, shift: int) -> int:
        self.offset[name] = _aligned(place, self.align.get(name, 1))
        self.address[name] = self.offset[name] + shift
        return self.offset[name] + len(self.content[name])

    def _entry(self, symbol: _Symbol, name: int) -> bytes:
        number = _NUMBER[symbol.section] if symbol.section else _ABSOLUTE
        value = symbol.value + self.address.get(symbol.section, 0)
        return struct.pack("<IBBHQQ", name, symbol.info, symbol.other, number, value, symbol.size)

    def _dynamic(self) -> bytes:
        tags = (
            (6, self.address[".dynsym"]), (11, 24), (5, self.address[".dynstr"]), (10, len(self.content[".dynstr"])),
            (0x6FFF_FEF5, self.address[".gnu.hash"]), (4, self.address[".hash"]), (0, 0),
        )  # fmt: skip
        return b"".join(struct.pack("<QQ", *tag) for tag in tags)

    def _relocate(self, name: str) -> bool:
        """Apply a section's relocations; False for one of another kind."""
        records = self.given.get(f".rela{name}")
        content = bytearray(self.content[name])
        for offset, info, addend in struct.iter_unpack("<QQq", records.content if records else b""):
            symbol = self.symbols[(info >> 32) - 1]
            distance = self.address.get(symbol.section, 0) + symbol.value + addend - self.address[name] - offset
            kind = info & 0xFFFF_FFFF
            if kind == _REL64:
                struct.pack_into("<q", content, offset, distance)
            elif kind in (_REL32, _REL32_LO, _REL32_HI):
                word = distance >> 32 if kind == _REL32_HI else distance
                struct.pack_into("<I", content, offset, word & 0xFFFF_FFFF)
            else:
                return False
        self.content[name] = bytes(content)
        return True

    def _symbol_table(self) -> tuple[bytes, bytes]:
        locals_ = [s for s in self.symbols if s.info >> 4 == _LOCAL and s.info & 15 != _SECTION_SYMBOL]
        here = _Symbol("_DYNAMIC", 0, _HIDDEN, ".dynamic", 0, 0)
        names = _Strings()
        numbers = {id(s): names.add(s.name) for s in (*locals_, *self.globals, here)}
        listed = [*locals_, here, *self.globals]
        self.first_global = 2 + len(locals_)
        return bytes(24) + b"".join(self._entry(s, numbers[id(s)]) for s in listed), bytes(names.content)

    def _file(self) -> bytes:
        self.content[".comment"], self.content[".AMDGPU.gpr_maximums"] = self.comment, b""
        names = _Strings()
        for name in _ORDER:
            names.add(name)
        self.content[".shstrtab"] = bytes(names.content)
        place = self.text_end
        self.offset[".relro_padding"] = place
        for name in _ORDER[10:]:
            place = self._put(name, place, 0)
            self.address[name] = 0
        table = _aligned(place, 8)
        out = bytearray(table)
        out[:64] = struct.pack(
            "<16sHHIQQQIHHHHHH", _MAGIC, 3, 224, 1, 0, 64, table, 0x41,
            64, 56, 8, 64, len(_ORDER), _NUMBER[".shstrtab"],
        )  # fmt: skip
        out[64:_HEADERS] = b"".join(self._segments())
        for name, content in self.content.items():
            out[self.offset[name] : self.offset[name] + len(content)] = content
        return bytes(out) + b"".join(self._section_row(name, names.at[name]) for name in _ORDER)

    def _segments(self) -> Iterable[bytes]:
        text, dynamic, note = self.offset[".text"], self.offset[".dynamic"], self.offset[".note"]
        read_end = self.offset[".rodata"] + len(self.content[".rodata"])
        top = self.address[".dynamic"]
        padded = _aligned(top + 0x70, PAGE) - top
        first, second = self.address[".text"], len(self.content[".text"])
        for row in (
            (6, 4, 64, 64, 0x1C0, 0x1C0, 8),
            (1, 4, 0, 0, read_end, read_end, PAGE),
            (1, 5, text, first, second, second, PAGE),
            (1, 6, dynamic, top, 0x70, padded, PAGE),
            (2, 6, dynamic, top, 0x70, 0x70, 8),
            (0x6474_E552, 4, dynamic, top, 0x70, padded, 1),
            (0x6474_E551, 6, 0, 0, 0, 0, 0),
            (4, 4, note, note, len(self.content[".note"]), len(self.content[".note"]), 4),
        ):
            kind, flags, offset, address, in_file, in_memory, align = row
            yield struct.pack("<IIQQQQQQ", kind, flags, offset, address, address, in_file, in_memory, align)

    def _section_row(self, name: str, text: int) -> bytes:
        if not name:
            return bytes(64)
        size = len(self.content.get(name, b""))
        address = self.address.get(name, 0)
        if name == ".relro_padding":
            address = self.address[".dynamic"] + 0x70
            size = _aligned(address, PAGE) - address
        kind, flags, link, info, entry = _ROWS[name]
        if name == ".symtab":
            info = self.first_global
        align = self.align.get(name, 1)
        return struct.pack("<IIQQQQIIQQ", text, kind, flags, address, self.offset[name], size, link, info, align, entry)


# Section → type, flags, link, info, entry size.
_ROWS = {
    ".note": (7, 2, 0, 0, 0), ".dynsym": (11, 2, 5, 1, 24), ".gnu.hash": (0x6FFF_FFF6, 2, 2, 0, 0),
    ".hash": (5, 2, 2, 0, 4), ".dynstr": (3, 2, 0, 0, 0), ".rodata": (1, 2, 0, 0, 0), ".text": (1, 6, 0, 0, 0),
    ".dynamic": (6, 3, 5, 0, 16), ".relro_padding": (8, 3, 0, 0, 0), ".AMDGPU.gpr_maximums": (1, 0, 0, 0, 0),
    ".comment": (1, 0x30, 0, 0, 1), ".symtab": (2, 0, 14, 0, 24),
    ".shstrtab": (3, 0, 0, 0, 0), ".strtab": (3, 0, 0, 0, 0),
}  # fmt: skip


def _gnu_hash(names: list[str]) -> bytes:
    """One bucket and one word of filter, which is what a kernel and its descriptor take."""
    hashes = []
    for name in names:
        value = 5381
        for octet in name.encode():
            value = (33 * value + octet) & 0xFFFF_FFFF
        hashes.append(value)
    bloom = 0
    for value in hashes:
        bloom |= 1 << value % 64 | 1 << (value >> 26) % 64
    chain = [value & ~1 for value in hashes[:-1]] + [hashes[-1] | 1]
    return struct.pack(f"<IIIIQI{len(chain)}I", 1, 1, 1, 26, bloom, 1, *chain)


def _hash(names: list[str]) -> bytes:
    count = len(names) + 1
    buckets, chains = [0] * count, [0] * count
    for number, name in enumerate(names, 1):
        value = 0
        for octet in name.encode():
            value = (value << 4) + octet
            value ^= (value & 0xF000_0000) >> 24
            value &= 0x0FFF_FFFF
        chains[number], buckets[value % count] = buckets[value % count], number
    return struct.pack(f"<II{2 * count}I", count, count, *buckets, *chains)
