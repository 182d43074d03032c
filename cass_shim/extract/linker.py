"""What nvlink does, for programs that link while they run (cuLinkAddData and -File): relocatable cubins to one cubin.

In: cubins of `-rdc=true` (and whole ones). Out: the bytes of an executable cubin with what `read_cubin` reads: code,
module data, parameter layouts, relocations. Debug information is left out. Raises LinkFailed in nvlink's words,
Malformed, Unsupported.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from cass_shim.extract.cubin import R_CUDA_SURF_HEADER_INDEX, R_CUDA_TEX_HEADER_INDEX
from cass_shim.extract.cubin import STO_CUDA_ENTRY as ENTRY
from cass_shim.extract.elf import (
    EM_CUDA,
    ET_REL,
    SHT_NOBITS,
    SHT_RELA,
    STB_GLOBAL,
    STB_LOCAL,
    STT_CUDA_OBJECT,
    STT_CUDA_TEXTURE,
    STT_FUNC,
    STT_OBJECT,
    STT_SECTION,
    Elf,
    ElfRelocation,
    Section,
    Symbol,
)
from cass_shim.extract.elf_writer import ElfWriter, OutSection, OutSymbol
from cass_shim.extract.fatbin import cubin_sm
from cass_shim.extract.link_fields import DATA, FIELDS, KEPT, WITHOUT_EFFECT, addend_in_place, fill
from cass_shim.extract.link_info import function_info, module_info
from cass_shim.extract.link_layout import HANDLE_BYTES, LARGEST_ALIGN, Code, Layout, Planner, align
from cass_shim.extract.link_symbols import REFERENCES, SHARED, SPACE, Place, Symbols, is_extern_shared, resolve
from cass_shim.model.errors import LinkFailed, Malformed, Unsupported

T = TypeVar("T")
SHT_PROGBITS, LOPROC = 1, 0x70000000
WRITE, ALLOC, EXECUTE, INFO_LINK = 1, 2, 4, 0x40
MODULE_DATA = {".nv.global.init": WRITE | ALLOC, ".nv.global": WRITE | ALLOC, ".nv.constant3": ALLOC}
KEPT_OTHER = 0x1C  # entry, managed; the state space is the section's
CONSTANT3_LIMIT = 1 << 16
LARGEST = 1 << 40  # bytes: of anything in a cubin
WITH_BYTES = (".text.", ".nv.constant", ".nv.global.init", ".nv.info", ".nv.callgraph")  # beginnings of names
RESERVED_SHARED = 1024  # sm_90 and newer: the system's, before the kernel's own. Source: nvlink 13.0's results


def link_cubins(objects: Sequence[bytes], names: Sequence[str] = ()) -> bytes:
    """One executable cubin of several relocatable ones. names: of the objects, for messages."""
    elves = [Elf(one, names[i] if i < len(names) else f"image {i}") for i, one in enumerate(objects)]
    for elf in elves:
        if elf.machine != EM_CUDA:
            raise Malformed(f"machine {elf.machine} is not CUDA", where=elf.source, offset=18)
        if cubin_sm(elf) != cubin_sm(elves[0]):
            raise LinkFailed(f"{elf.source}: sm_{cubin_sm(elf)} does not match sm_{cubin_sm(elves[0])}")
        _check_sizes(elf)
    elves.sort(key=lambda one: one.kind == ET_REL)  # whole programs first: their constants cannot move
    return _Linker(resolve(elves)).link()


def _check_sizes(elf: Elf) -> None:
    """Raises Malformed for sizes that no cubin has. Sums of any others fit the fields of the result."""
    for section in elf.sections:
        if section.size != len(section.content) and section.name.startswith(WITH_BYTES):
            raise Malformed(f"{section.size:#x} bytes without content in {section.name}", where=elf.source)
        if section.size > LARGEST or section.align > LARGEST_ALIGN:
            raise Malformed(
                f"{section.size:#x} bytes aligned to {section.align:#x} in {section.name}", where=elf.source
            )
    for symbol in elf.symbols:
        if max(symbol.value, symbol.size) > LARGEST:
            raise Malformed(f"{symbol.plain} of {symbol.size:#x} bytes at {symbol.value:#x}", where=elf.source)
    for records in elf.relocations.values():
        for record in records:
            if abs(record.addend or 0) > LARGEST:
                raise Malformed(f"relocation with addend {record.addend}", where=elf.source, offset=record.offset)


@dataclass
class _Linker:
    symbols: Symbols
    functions: dict[Code, Symbol] = field(default_factory=dict)
    layout: Layout = field(default_factory=Layout)
    base: dict[tuple[int, int], tuple[str, int]] = field(default_factory=dict)  # data section → output, offset
    out: dict[str, int] = field(default_factory=dict)  # output data section → number
    code_number: dict[Code, int] = field(default_factory=dict)
    bank0: dict[Code, int] = field(default_factory=dict)  # its output section
    number: dict[tuple[int, int], int] = field(default_factory=dict)  # (object, symbol) → output symbol
    undefined: dict[str, int] = field(default_factory=dict)

    def link(self) -> bytes:
        """The cubin."""
        first = self.symbols.objects[0]
        self.writer = ElfWriter(EM_CUDA, first.flags, first.os_abi, first.abi_version)
        self.functions = dict(self._choose_functions())
        self.layout = Planner(self.symbols, self.functions).plan()
        data = self._merge_data()
        for code in self.functions:
            self._add_code(code)
        self._number_symbols()
        for name, records in data.items():
            self._add_relocations(name, self.out[name], records)
        for code in self.functions:
            self._finish_code(code)
        self.writer.add(OutSection(".nv.info", LOPROC, self._module_info(), align=4))
        return self.writer.finish()

    def _choose_functions(self) -> Iterator[tuple[Code, Symbol]]:
        for number, elf in enumerate(self.symbols.objects):
            for symbol in elf.symbols:
                if symbol.kind != STT_FUNC or not symbol.section:
                    continue
                section = elf.at(symbol.section, 0)
                is_chosen = self.symbols.find(number, symbol) == Place(number, symbol)
                if section.name == f".text.{symbol.plain}" and is_chosen:
                    yield (number, section.index), symbol

    def _elf(self, code: Code) -> tuple[Elf, Section]:
        elf = self.symbols.objects[code[0]]
        return elf, elf.sections[code[1]]

    # module data

    def _merge_data(self) -> dict[str, list[tuple[int, int, ElfRelocation]]]:
        """Adds the module's data sections; their relocations with the object and the section's new offset."""
        found: dict[str, list[tuple[int, int, ElfRelocation]]] = {}
        for name, flags in MODULE_DATA.items():
            content, size, most, is_empty = bytearray(), 0, 1, name == ".nv.global"
            for number, elf in enumerate(self.symbols.objects):
                section = elf.section(name)
                if section is None or not section.size:
                    continue
                start = align(size, section.align)
                if start and name == ".nv.constant3" and elf.kind != ET_REL:
                    raise Unsupported("two whole programs with constant memory", why="link them as -rdc objects")
                size, most = start + section.size, max(most, section.align)
                content += b"" if is_empty else bytes(start - len(content)) + section.content
                self.base[number, section.index] = (name, start)
                records = elf.relocations.get(section.index, ())
                found.setdefault(name, []).extend((number, start, one) for one in records)
            if name == ".nv.constant3" and size > CONSTANT3_LIMIT:
                raise LinkFailed(f"File uses too much global constant data ({size:#x} bytes, 0x10000 max)")
            if size:
                kind = SHT_NOBITS if is_empty else SHT_PROGBITS
                self.out[name] = self.writer.add(OutSection(name, kind, bytes(content), size, flags, align=most))
        return found

    def _add_relocations(self, name: str, target: int, records: list[tuple[int, int, ElfRelocation]]) -> None:
        rows = []
        content = self.writer.sections[target - 1].content
        for number, start, record in records:
            if record.kind not in DATA:
                raise Unsupported(f"relocation {record.kind} in {name}", kernel=self.symbols.objects[number].source)
            at, addend = record.offset + start, record.addend
            if addend is None:
                addend = int.from_bytes(content[at : at + 8], "little", signed=True)
            index, more = self._target(number, record.symbol)
            rows.append(struct.pack("<QQq", at, index << 32 | DATA[record.kind], addend + more))
        self._add_rela(name, target, rows)

    def _add_rela(self, name: str, target: int, rows: list[bytes]) -> None:
        if rows:
            self.writer.add(OutSection(f".rela{name}", SHT_RELA, b"".join(rows), 0, INFO_LINK, info=target, align=8))

    def _target(self, of: int, symbol: Symbol) -> tuple[int, int]:
        """The output symbol that a relocation is against, and what that adds to the addend."""
        place = self.symbols.find(of, symbol)
        if place.symbol.kind == STT_SECTION:
            key = (place.of, place.symbol.section)
            if key in self.base:
                name, start = self.base[key]
                return self.section_symbol[name], start
            if key in self.functions:
                return self.number[place.of, self.functions[key].index], 0
        known = self.number.get((place.of, place.symbol.index)) or self.undefined.get(place.symbol.plain)
        if known is None:
            raise Unsupported(f"relocation against {symbol.plain or 'an unnamed symbol'}", kernel="cuLink")
        return known, 0

    # symbols

    def _number_symbols(self) -> None:
        """Writes the symbol table, locals first."""
        rows: list[tuple[int, OutSymbol, tuple[int, int] | None]] = []
        for name in self.out:
            rows.append((STB_LOCAL, OutSymbol(name, STB_LOCAL, STT_SECTION, 0, self.out[name], 0, 0), None))
        for number, elf in enumerate(self.symbols.objects):
            for symbol in elf.symbols:
                made = self._out_symbol(number, symbol)
                if made is not None:
                    rows.append((made.binding, made, (number, symbol.index)))
        for name in sorted(self._wanted()):
            rows.append((STB_GLOBAL, OutSymbol(name, STB_GLOBAL, STT_FUNC, 0, 0, 0, 0), None))
        rows.sort(key=lambda row: row[0] != STB_LOCAL)
        self.section_symbol: dict[str, int] = {}
        for index, (_, made, key) in enumerate(rows, 1):
            self.writer.symbols.append(made)
            if key is not None:
                self.number[key] = index
            elif made.kind == STT_SECTION:
                self.section_symbol[made.name] = index
                made.name = ""
            else:
                self.undefined[made.name] = index

    def _out_symbol(self, of: int, symbol: Symbol) -> OutSymbol | None:
        """What is written for a symbol of an object; None where it is left out."""
        if symbol.kind in (STT_SECTION, 0) or self.symbols.find(of, symbol) != Place(of, symbol):
            return None
        other, key = symbol.other & KEPT_OTHER, (of, symbol.section)
        if symbol.kind in REFERENCES:
            return OutSymbol(symbol.plain, symbol.binding, symbol.kind, other, 0, symbol.value, symbol.size)
        if symbol.kind == STT_FUNC and key in self.code_number:
            number = self.code_number[key]
            return OutSymbol(symbol.plain, symbol.binding, STT_FUNC, other, number, symbol.value, symbol.size)
        if symbol.kind in (STT_OBJECT, STT_CUDA_OBJECT) and key in self.base:
            name, start = self.base[key]
            value = symbol.value + start
            return OutSymbol(symbol.plain, symbol.binding, STT_OBJECT, other, self.out[name], value, symbol.size)
        return None

    def _wanted(self) -> set[str]:
        """Provided functions that the code refers to."""
        found: set[str] = set()
        for code in self.functions:
            elf, section = self._elf(code)
            for record in elf.relocations.get(section.index, ()):
                if record.kind in KEPT and not record.symbol.section and record.symbol.kind == STT_FUNC:
                    place = self.symbols.find(code[0], record.symbol)
                    found.update(() if place.symbol.section else (record.symbol.plain,))
        return found

    # code

    def _add_code(self, code: Code) -> None:
        elf, section = self._elf(code)
        name = self.functions[code].plain
        number = self.code_number[code] = self.writer.add(
            OutSection(f".text.{name}", SHT_PROGBITS, b"", 0, ALLOC | EXECUTE, align=section.align)
        )
        bank0, handles = elf.about(".nv.constant0.", section), self.layout.handles.get(code)
        if bank0 is not None or handles:
            content = bank0.content if bank0 is not None else b""
            content = content.ljust(max(handles) + HANDLE_BYTES if handles else 0, b"\0")
            self.bank0[code] = self.writer.add(
                OutSection(f".nv.constant0.{name}", SHT_PROGBITS, content, 0, ALLOC, info=number, align=4)
            )
        if code in self.layout.bank2_content:
            content = self.layout.bank2_content[code]
            self.writer.add(OutSection(f".nv.constant2.{name}", SHT_PROGBITS, content, 0, ALLOC, info=number, align=16))
        size = self._shared_size(code)
        if size:
            self.writer.add(
                OutSection(f".nv.shared.{name}", SHT_NOBITS, b"", size, WRITE | ALLOC, info=number, align=16)
            )
        for bank in (1, 4, 5):
            if (held := elf.about(f".nv.constant{bank}.", section)) is not None and held.size:
                raise Unsupported(f"constant bank {bank} of a linked object", kernel=name)

    def _shared_size(self, code: Code) -> int:
        """Of a kernel's section; as the object has it where that is more (it holds what nothing refers to)."""
        if not self.functions[code].other & ENTRY:
            return 0
        elf, section = self._elf(code)
        if elf.kind != ET_REL:
            own = elf.about(".nv.shared.", section)
            return own.size if own else 0
        size = self.layout.shared_size[code]
        return size + RESERVED_SHARED if code in self.layout.uses_shared and cubin_sm(elf) >= 90 else size

    def _finish_code(self, code: Code) -> None:
        """Fills in the code's fields and adds its relocations and attributes."""
        elf, section = self._elf(code)
        name, number = self.functions[code].plain, self.code_number[code]
        content, rows = bytearray(section.content), []
        for record in elf.relocations.get(section.index, ()):
            if record.kind in WITHOUT_EFFECT:
                continue
            addend = record.addend
            if addend is None:
                # what stands there for a reference is a guess of ptxas
                is_kept = record.symbol.kind not in REFERENCES
                addend = addend_in_place(section.content, record.offset, record.kind) if is_kept else 0
            if record.kind in FIELDS:
                value, bank = self._value(code, record)
                fill(content, record.offset, record.kind, value + addend, bank, name)
            elif record.kind in KEPT:
                index, more = self._target(code[0], record.symbol)
                rows.append(struct.pack("<QQq", record.offset, index << 32 | KEPT[record.kind], addend + more))
            else:
                raise Unsupported(f"relocation {record.kind} in {section.name}", kernel=name)
        self.writer.sections[number - 1].content = bytes(content)
        self._add_rela(section.name, number, rows)
        self._add_bank0_relocations(code)
        held = function_info(self.symbols.objects, self.functions, code, self.layout.reached.get(code, ()))
        if held:
            self.writer.add(OutSection(f".nv.info.{name}", LOPROC, held, info=number, flags=INFO_LINK, align=4))

    def _value(self, code: Code, record: ElfRelocation) -> tuple[int, int]:
        """The byte offset that a field holds before its addend, and the constant bank (0: shared memory)."""
        place = self.symbols.find(code[0], record.symbol)
        symbol = place.symbol
        if is_extern_shared(symbol):
            return self.layout.dynamic[code], 0
        if symbol.kind in REFERENCES:
            return self._known(self.layout.references, (place.of, symbol.index), symbol), 0
        if symbol.other & SPACE == SHARED:
            return self._known(self.layout.shared, (place.of, symbol.index), symbol), 0
        section = self.symbols.objects[place.of].at(symbol.section, record.offset)
        if section.name == ".nv.constant3":
            return self._known(self.base, (place.of, section.index), symbol)[1] + symbol.value, 3
        if section.name.startswith(".nv.constant2."):
            return self._known(self.layout.bank2, (place.of, section.info), symbol) + symbol.value, 2
        raise Unsupported(f"relocation {record.kind} against {section.name}", kernel=self.functions[code].plain)

    def _known(self, placed: Mapping[tuple[int, int], T], key: tuple[int, int], symbol: Symbol) -> T:
        if key not in placed:
            raise Malformed(
                f"{symbol.plain} lies in no section that is linked", where=self.symbols.objects[key[0]].source
            )
        return placed[key]

    def _add_bank0_relocations(self, code: Code) -> None:
        """Texture and surface references, which kernels find in words of bank 0."""
        elf, section = self._elf(code)
        bank0 = elf.about(".nv.constant0.", section)
        rows = []
        for record in elf.relocations.get(bank0.index, ()) if bank0 is not None else ():
            index, more = self._target(code[0], record.symbol)
            rows.append(struct.pack("<QQq", record.offset, index << 32 | record.kind, (record.addend or 0) + more))
        for at, place in sorted(self.layout.handles.get(code, {}).items()):
            index, _ = self._target(place.of, place.symbol)
            kind = R_CUDA_TEX_HEADER_INDEX if place.symbol.kind == STT_CUDA_TEXTURE else R_CUDA_SURF_HEADER_INDEX
            rows.append(struct.pack("<QQq", at, index << 32 | kind, 0))
        if rows:
            self._add_rela(f".nv.constant0.{self.functions[code].plain}", self.bank0[code], rows)

    def _module_info(self) -> bytes:
        return module_info(self.symbols.objects, self._info_rows(), self.layout.calls)

    def _info_rows(self) -> Iterator[tuple[int, Code, Symbol, tuple[Code, ...]]]:
        for code, symbol in self.functions.items():
            reached = tuple(self.layout.reached.get(code, ()))
            yield self.number[code[0], symbol.index], code, symbol, reached
