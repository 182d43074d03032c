"""A cubin taken apart: kernels with their parameter layout, code, constants and relocations, and module data.

In: the ELF bytes. Out: `Cubin`. Nothing is decoded here.

Function addresses: in whole-program cubins a function pointer is an offset into the kernel's bank 2 table, the same
in every kernel of the module, and needs nothing. In linked -rdc cubins it is a relocation; the value we give
function f is its *token*, the file offset of its code in the cubin (non-zero, 128-aligned, below 2^32), the same in
memory, vtables, bank 4 and instructions (docs/abi.md).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property

from cass_shim.extract.elf import (
    EM_CUDA,
    ET_REL,
    STT_CUDA_SURFACE,
    STT_CUDA_TEXTURE,
    STT_FUNC,
    STT_OBJECT,
    STT_SECTION,
    Elf,
    ElfRelocation,
    Section,
    Symbol,
)
from cass_shim.extract.fatbin import DATA_SECTIONS, cubin_sm
from cass_shim.extract.nvinfo import (
    FunctionFacts,
    read_function_facts,
    read_indirect_targets,
    read_kernel_abi,
)
from cass_shim.model.artifacts import REFERENCE_BYTES, Cubin, CubinKernel, DataImage, Variable
from cass_shim.model.errors import Malformed, Unsupported
from cass_shim.model.instruction import Relocation
from cass_shim.model.kernel_abi import KernelAbi

STO_CUDA_ENTRY, STO_CUDA_MANAGED = 0x10, 0x04
R_CUDA_64, R_CUDA_G64, R_CUDA_FUNC_DESC_64 = 2, 4, 35  # G64: a generic address, the same number
R_CUDA_ABS32_LO, R_CUDA_ABS32_HI = 56, 57
R_CUDA_UNUSED_CLEAR64 = 73
# ptxas 11.8 to 13.0 give every texture and surface reference that a kernel uses a word of bank 0 behind its parameters.
R_CUDA_TEX_HEADER_INDEX, R_CUDA_SURF_HEADER_INDEX = 6, 52
INSTRUCTION_BYTES = 16
SUPPORTED_SM = (75, 80, 86, 87, 88, 89, 90, 100, 101, 103, 110, 120, 121)
REFERENCES = {STT_CUDA_TEXTURE: "texture", STT_CUDA_SURFACE: "surface"}
IMAGES = dict(zip(DATA_SECTIONS, ("global", "zero", "constant3"), strict=True))
HIDDEN = re.compile(r"\$|_ZT[VISTC]|__cudart_|__unnamed_|\.")  # strings, vtables, tables of libdevice
BANK_SECTION = re.compile(r"\.nv\.constant(\d+)(?:\.(.*))?$", re.S)


def read_cubin(data: bytes, source: str = "") -> Cubin:
    """Parse one executable cubin. Raises Malformed (offset in `data`), Unsupported for relocatable ones and old SMs."""
    elf = Elf(data, source)
    if elf.machine != EM_CUDA:
        raise Malformed(f"machine {elf.machine} is not CUDA", where=source, offset=18)
    sm = cubin_sm(elf)
    if sm not in SUPPORTED_SM:
        raise Unsupported(f"sm_{sm}", kernel=source, why="SASS of sm_75 and newer is understood")
    if elf.kind == ET_REL:
        raise Unsupported("relocatable cubin", kernel=source, why="this is the object of an -rdc build; link it first")
    return _Reader(elf, sm).read()


@dataclass
class _Reader:
    elf: Elf
    sm: int
    images: list[DataImage] = field(default_factory=list)
    image_of: dict[int, int] = field(default_factory=dict)  # section index → index in images
    variables: list[Variable] = field(default_factory=list)
    told: set[int] = field(default_factory=set)  # addresses of code in words of data and pairs of instructions

    def read(self) -> Cubin:
        general = self.elf.section(".nv.info")
        facts = read_function_facts(general.content, self._where(general)) if general else {}
        primary = self._primary_symbols()
        self._read_images()
        self._read_references()
        kernels: dict[str, CubinKernel] = {}
        functions: dict[str, CubinKernel] = {}
        for index, symbol in primary.items():
            section = self.elf.sections[index]
            kernel = self._read_code(section, symbol, facts.get(symbol.index, FunctionFacts()))
            (kernels if symbol.other & STO_CUDA_ENTRY else functions)[symbol.name] = kernel
        return Cubin(
            sm=self.sm,
            content=self.elf.content,
            kernels=kernels,
            images=tuple(self.images),
            variables=tuple(self.variables),
            functions=functions,
            source=self.elf.source,
            pointed=frozenset(at for one in functions.values() for at in one.starts() if at in self.told),
        )

    def _where(self, section: Section) -> str:
        return f"{self.elf.source}:{section.name}" if self.elf.source else section.name

    def _primary_symbols(self) -> dict[int, Symbol]:
        """Code section index → the function it is named after."""
        found: dict[int, Symbol] = {}
        for symbol in self.elf.symbols:
            if symbol.kind != STT_FUNC or not symbol.section:
                continue
            section = self.elf.at(symbol.section, 0)
            if section.name == f".text.{symbol.plain}":
                if symbol.value or section.size % INSTRUCTION_BYTES:
                    raise Malformed("code does not start or end on an instruction", where=self._where(section))
                found[section.index] = symbol
        for section in self.elf.sections:
            if section.name.startswith(".text.") and section.index not in found and section.content:
                raise Malformed("code section without a function symbol", where=self._where(section))
        return found

    # module data

    def _read_images(self) -> None:
        for section in self.elf.sections:
            if section.name not in IMAGES or not section.size:
                continue
            self.image_of[section.index] = len(self.images)
            content, relocations = self._patch_functions(section)
            align = section.align if section.align & (section.align - 1) == 0 else 1
            self.images.append(
                DataImage(IMAGES[section.name], section.size, max(align, 1), content, tuple(relocations))
            )
        for symbol in self.elf.symbols:
            if symbol.section not in self.image_of or symbol.kind not in (STT_OBJECT, STT_SECTION):
                continue
            section = self.elf.sections[symbol.section]
            size = section.size if symbol.kind == STT_SECTION else symbol.size
            if symbol.value + size > section.size:
                raise Malformed(f"variable {symbol.name} leaves its section", where=self._where(section))
            visible = symbol.kind == STT_OBJECT and not HIDDEN.match(symbol.name)
            managed = bool(symbol.other & STO_CUDA_MANAGED)
            image = self.image_of[symbol.section]
            self.variables.append(Variable(symbol.name, image, symbol.value, size, visible, managed))

    def _read_references(self) -> None:
        """Texture and surface references: symbols without a section, each a handle of its own."""
        for symbol in self.elf.symbols:
            if symbol.kind in REFERENCES:
                image = DataImage(REFERENCES[symbol.kind], REFERENCE_BYTES, REFERENCE_BYTES)
                self.variables.append(Variable(symbol.name, len(self.images), 0, REFERENCE_BYTES, visible=False))
                self.images.append(image)

    def _patch_functions(self, section: Section) -> tuple[bytes, list[Relocation]]:
        """Content with function tokens filled in, and the relocations against variables that remain."""
        content = bytearray(section.content)
        remaining: list[Relocation] = []
        for record in self.elf.relocations.get(section.index, ()):
            if record.kind == R_CUDA_UNUSED_CLEAR64:
                continue
            relocation = self._data_relocation(section, record, bytes(content))
            if relocation.symbol:
                remaining.append(relocation)
            else:
                content[record.offset : record.offset + 8] = relocation.addend.to_bytes(8, "little")
        return bytes(content), remaining

    def _data_relocation(self, section: Section, record: ElfRelocation, content: bytes) -> Relocation:
        """A 64-bit word that holds an address; symbol "" when it is a function, whose token is then the addend."""
        if record.kind not in (R_CUDA_64, R_CUDA_G64, R_CUDA_FUNC_DESC_64):
            raise Unsupported(f"relocation {record.kind} in {section.name}", kernel=self.elf.source)
        if record.offset + 8 > len(content):
            raise Malformed("relocation of bytes that do not exist", where=self._where(section), offset=record.offset)
        addend = record.addend
        if addend is None:
            addend = int.from_bytes(content[record.offset : record.offset + 8], "little", signed=True)
        token = self._token(record.symbol)
        if token:
            self.told.add(token + addend)
            return Relocation(record.offset, record.kind, "", (token + addend) & (2**64 - 1))
        if not record.symbol.name:  # "" would say that the word is a function's token
            reason = "relocation against a symbol that is no function and has no name"
            raise Malformed(reason, where=self._where(section), offset=record.offset)
        return Relocation(record.offset, record.kind, record.symbol.name, addend)

    def _token(self, symbol: Symbol) -> int:
        """The token of a defined function, 0 for anything else."""
        if not symbol.section:
            return 0
        section = self.elf.at(symbol.section, 0)
        return section.offset + symbol.value if section.name.startswith(".text.") else 0

    # code

    def _read_code(self, section: Section, symbol: Symbol, facts: FunctionFacts) -> CubinKernel:
        info = self.elf.about(".nv.info.", section)
        shared = self.elf.about(".nv.shared.", section)
        abi, targets = KernelAbi(registers=facts.registers, local_bytes=max(facts.min_stack, facts.frame)), {}
        if info is not None:
            where = self._where(info)
            targets = read_indirect_targets(info.content, where)
            if symbol.other & STO_CUDA_ENTRY:
                abi = read_kernel_abi(info.content, facts, shared.size if shared else 0, where)
        if any(at >= section.size or at % INSTRUCTION_BYTES for all_ in targets.values() for at in all_):
            raise Malformed("indirect branch target outside the code", where=self._where(section))
        inside = {
            s.name: s.value
            for s in self.elf.symbols_of.get(section.index, ())
            if s.kind == STT_FUNC and s.value < section.size
        }
        constants, bank4 = self._read_banks(symbol.name)
        relocations = tuple(self._code_relocation(section, r) for r in self.elf.relocations.get(section.index, ()))
        return CubinKernel(
            name=symbol.name,
            sm=self.sm,
            abi=abi,
            code=section.content,
            symbols=inside,
            constants=constants,
            bank4=bank4,
            relocations=relocations,
            targets=targets,
            token=section.offset,
            references=self._bank0_references(symbol.name),
        )

    def _bank0_references(self, function: str) -> dict[int, str]:
        section = self.elf.section(f".nv.constant0.{function}")
        found: dict[int, str] = {}
        for record in self.elf.relocations.get(section.index, ()) if section else ():
            if record.kind not in (R_CUDA_TEX_HEADER_INDEX, R_CUDA_SURF_HEADER_INDEX):
                raise Unsupported(f"relocation {record.kind} in constant bank 0", kernel=function)
            found[record.offset] = record.symbol.name
        return found

    def _code_relocation(self, section: Section, record: ElfRelocation) -> Relocation:
        if record.offset + INSTRUCTION_BYTES > section.size:
            raise Malformed("relocation beyond the last instruction", where=self._where(section), offset=record.offset)
        addend = record.addend or 0
        if record.addend is None and record.kind in (R_CUDA_ABS32_LO, R_CUDA_ABS32_HI):
            at = record.offset // INSTRUCTION_BYTES * INSTRUCTION_BYTES
            addend = int.from_bytes(section.content[at + 4 : at + 8], "little", signed=True)
        token = self._token(record.symbol)
        if token and record.kind in (R_CUDA_ABS32_LO, R_CUDA_ABS32_HI):
            self.told.add(token + addend)
        return Relocation(record.offset, record.kind, record.symbol.name, addend)

    @cached_property
    def _banks(self) -> dict[str | None, list[tuple[int, Section]]]:
        """(bank number, section) of each function, and under None of all; parameters and constants are elsewhere."""
        found: dict[str | None, list[tuple[int, Section]]] = {}
        for section in self.elf.sections:
            match = BANK_SECTION.match(section.name)
            if match and int(match[1]) not in (0, 3):
                found.setdefault(match[2], []).append((int(match[1]), section))
        return found

    def _read_banks(self, function: str) -> tuple[dict[int, bytes], dict[int, Relocation]]:
        """Bank number → bytes (banks 0 and 3 excepted), and the relocations of bank 4 by offset."""
        constants: dict[int, bytes] = {}
        bank4: dict[int, Relocation] = {}
        for bank, section in (*self._banks.get(None, ()), *self._banks.get(function, ())):
            content = bytearray(section.content)
            for record in self.elf.relocations.get(section.index, ()):
                relocation = self._data_relocation(section, record, bytes(content))
                if not relocation.symbol:
                    content[record.offset : record.offset + 8] = relocation.addend.to_bytes(8, "little")
                elif bank == 4:
                    bank4[record.offset] = relocation
                else:
                    raise Unsupported(f"address of {relocation.symbol} in constant bank {bank}", kernel=function)
            constants[bank] = bytes(content)
        return constants, bank4
