"""Reads a gfx1100 code object v5 or v6: the facts that a launch and a cache record need.

In: ELF bytes (from our linker, a cache or a stranger). Out: `CodeObject`. Bad bytes are Malformed.
Source: LLVM AMDGPUUsage, "ELF Code Object", "Code Object Metadata", "Kernel Descriptor".
"""

from __future__ import annotations

import io
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field

import msgpack
from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import NoteSection, SymbolTableSection

from cass_shim.model.artifacts import CodeObject
from cass_shim.model.errors import CassError, Malformed
from cass_shim.model.kernel_abi import AbiClass, KernelAbi, Slot

MACHINE_AMDGPU = 224
OSABI_HSA = 64
MACH_GFX1100 = 0x41
ABI_VERSIONS = {3: 5, 4: 6}  # e_ident[EI_ABIVERSION] → code object version
DESCRIPTOR_BYTES = 64
MAX_BYTES = 256 << 20


@dataclass(frozen=True, slots=True)
class Argument:
    """One kernel argument of the metadata: offset and size in bytes, kind as LLVM names it."""

    offset: int
    size: int
    kind: str

    @property
    def hidden(self) -> bool:
        return self.kind.startswith("hidden_")


@dataclass(frozen=True, slots=True)
class Descriptor:
    """Facts of one kernel: its descriptor in `.rodata` together with its metadata. Sizes in bytes.

    vgprs, sgprs: as the metadata counts them. block_limit: largest work-group the code may be launched with.
    entry: file address of the first instruction. code_bytes: size of the function symbol.
    """

    symbol: str
    kernarg_bytes: int
    lds_bytes: int
    scratch_bytes: int
    vgprs: int
    sgprs: int
    block_limit: int
    wave: int
    dynamic_stack: bool
    entry: int
    code_bytes: int
    arguments: tuple[Argument, ...] = ()
    metadata: Mapping[str, object] = field(default_factory=dict)


def _integer(entry: Mapping[str, object], key: str, default: int | None = None) -> int:
    found = entry.get(key, default)
    if isinstance(found, bool) or not isinstance(found, int) or not 0 <= found < 1 << 63:
        raise Malformed(f"metadata key {key} is {found!r}, expected a size", where="amdhsa.kernels")
    return found


def _mapping(found: object, what: str) -> Mapping[str, object]:
    if not isinstance(found, dict) or not all(isinstance(key, str) for key in found):
        raise Malformed(f"{what} is not a map with string keys", where="NT_AMDGPU_METADATA")
    return found


def _sequence(found: object, what: str) -> list[object]:
    if not isinstance(found, list):
        raise Malformed(f"{what} is not a list", where="NT_AMDGPU_METADATA")
    return found


def _open(elf: bytes) -> ELFFile:
    if len(elf) > MAX_BYTES:
        raise Malformed(f"{len(elf)} bytes, more than {MAX_BYTES}", where="code object")
    file = ELFFile(io.BytesIO(elf))
    header = file.header
    if header["e_machine"] not in ("EM_AMDGPU", MACHINE_AMDGPU):
        raise Malformed(f"ELF machine {header['e_machine']}, expected AMDGPU", where="code object", offset=18)
    if elf[7] != OSABI_HSA:  # pyelftools has another system's name for this number
        raise Malformed("not an HSA object", where="code object", offset=7)
    if elf[8] not in ABI_VERSIONS:
        raise Malformed(f"ABI version {elf[8]}", where="code object", offset=8)
    if header["e_flags"] & 0xFF != MACH_GFX1100:
        raise Malformed(f"made for processor {header['e_flags'] & 0xFF:#x}, expected gfx1100", where="code object")
    if header["e_type"] != "ET_DYN":
        raise Malformed(f"{header['e_type']}, expected a linked object (ET_DYN)", where="code object", offset=16)
    return file


def code_object_version(elf: bytes) -> int:
    """5 or 6. Raises Malformed."""
    try:
        _open(elf)
        return ABI_VERSIONS[elf[8]]
    except (ELFError, ValueError, KeyError, OSError) as error:
        raise Malformed(str(error), where="code object") from error


def _metadata(file: ELFFile) -> Mapping[str, object]:
    for section in file.iter_sections():
        if not isinstance(section, NoteSection):
            continue
        for note in section.iter_notes():
            if note["n_name"] == "AMDGPU" and note["n_type"] in (32, "NT_AMDGPU_METADATA"):
                description = note["n_descdata"] if "n_descdata" in note else note["n_desc"]
                unpacked = msgpack.unpackb(bytes(description), raw=False, strict_map_key=False)
                return _mapping(unpacked, "the note")
    raise Malformed("no NT_AMDGPU_METADATA note", where="code object")


def _read(file: ELFFile, address: int, size: int) -> bytes:
    """`size` bytes at a virtual address, from the section that holds it."""
    for section in file.iter_sections():
        start = section["sh_addr"]
        if section["sh_flags"] & 2 and start <= address and address + size <= start + section["sh_size"]:
            held: bytes = section.data()[address - start : address - start + size]
            if len(held) == size:
                return held
    raise Malformed(f"no section holds {size} bytes at {address:#x}", where="code object")


def _symbols(file: ELFFile) -> dict[str, tuple[int, int]]:
    found: dict[str, tuple[int, int]] = {}
    for name in (".symtab", ".dynsym"):
        section = file.get_section_by_name(name)
        if isinstance(section, SymbolTableSection):
            for symbol in section.iter_symbols():
                if symbol["st_shndx"] != "SHN_UNDEF":
                    found[symbol.name] = (symbol["st_value"], symbol["st_size"])
    return found


def _arguments(kernel: Mapping[str, object]) -> tuple[Argument, ...]:
    listed = []
    for entry in _sequence(kernel.get(".args", []), ".args"):
        fields = _mapping(entry, "an argument")
        kind = str(fields.get(".value_kind", ""))
        listed.append(Argument(_integer(fields, ".offset"), _integer(fields, ".size"), kind))
    return tuple(listed)


def _descriptor(file: ELFFile, kernel: Mapping[str, object]) -> Descriptor:
    name, symbol = str(kernel.get(".name", "")), str(kernel.get(".symbol", ""))
    symbols = _symbols(file)
    if symbol not in symbols or name not in symbols:
        raise Malformed(f"kernel {name!r} has no symbol {symbol!r} or no code", where="code object")
    address = symbols[symbol][0]
    lds, scratch, kernarg, offset = struct.unpack_from("<III4xq", _read(file, address, DESCRIPTOR_BYTES))
    entry, size = symbols[name]
    if address + offset != entry:
        raise Malformed(f"descriptor of {name} enters at {address + offset:#x}, symbol is {entry:#x}", where=symbol)
    _read(file, entry, max(size, 4))
    if kernarg != _integer(kernel, ".kernarg_segment_size"):
        raise Malformed(f"descriptor of {name} and metadata differ in kernarg size", where=symbol, offset=8)
    return Descriptor(
        symbol=name,
        kernarg_bytes=kernarg,
        lds_bytes=max(lds, _integer(kernel, ".group_segment_fixed_size")),
        scratch_bytes=max(scratch, _integer(kernel, ".private_segment_fixed_size")),
        vgprs=_integer(kernel, ".vgpr_count"),
        sgprs=_integer(kernel, ".sgpr_count"),
        block_limit=_integer(kernel, ".max_flat_workgroup_size"),
        wave=_integer(kernel, ".wavefront_size"),
        dynamic_stack=bool(kernel.get(".uses_dynamic_stack", False)),
        entry=entry,
        code_bytes=size,
        arguments=_arguments(kernel),
        metadata=kernel,
    )


def read_descriptors(elf: bytes) -> dict[str, Descriptor]:
    """All kernels of a code object by name. Raises Malformed for anything that is not one for gfx1100."""
    try:
        file = _open(elf)
        listed = _sequence(_metadata(file).get("amdhsa.kernels", []), "amdhsa.kernels")
        found = (_descriptor(file, _mapping(entry, "a kernel")) for entry in listed)
        return {descriptor.symbol: descriptor for descriptor in found}
    except CassError:
        raise
    except Exception as error:  # pyelftools and msgpack raise whatever their parsers stumble over
        raise Malformed(f"{type(error).__name__}: {error}", where="code object") from error


def parse_code_object(
    elf: bytes,
    symbol: str,
    abi: AbiClass = AbiClass.CASS1,
    slots: tuple[Slot, ...] = (),
    bindings_offset: int = 0,
    provenance: Mapping[str, str] | None = None,
) -> CodeObject:
    """The `CodeObject` of kernel `symbol` in `elf`, its sizes read from descriptor and metadata.

    Raises Malformed when the bytes are bad, the kernel is missing or it was built for wave64.
    """
    kernels = read_descriptors(elf)
    if symbol not in kernels:
        raise Malformed(f"no kernel {symbol!r}; it has {', '.join(sorted(kernels)) or 'none'}", where="code object")
    kernel = kernels[symbol]
    if kernel.wave != 32:
        raise Malformed(f"{symbol} is built for waves of {kernel.wave}, expected 32", where="code object")
    return CodeObject(
        elf=elf,
        symbol=symbol,
        abi=abi,
        slots=slots,
        bindings_offset=bindings_offset,
        kernarg_bytes=kernel.kernarg_bytes,
        lds_bytes=kernel.lds_bytes,
        scratch_bytes=kernel.scratch_bytes,
        vgprs=kernel.vgprs,
        sgprs=kernel.sgprs,
        provenance=dict(provenance or {}),
    )


def check_cass1_layout(code: CodeObject, abi: KernelAbi) -> None:
    """The kernarg of `abi: cass1`: parameter block at 0, whole or a parameter an argument, binding pointer behind it,
    then hidden arguments.

    Raises Malformed when the compiler laid the arguments out in another way.
    """
    arguments = [argument for argument in read_descriptors(code.elf)[code.symbol].arguments if not argument.hidden]
    pointer = arguments.pop() if arguments else None
    if pointer is None or (pointer.offset, pointer.size) != (abi.bindings_offset, 8):
        raise Malformed(f"binding pointer is not 8 bytes at offset {abi.bindings_offset}", where=code.symbol)
    if any(argument.offset + argument.size > abi.bindings_offset for argument in arguments):
        raise Malformed("a parameter lies behind the parameter block", where=code.symbol)
    placed = [(parameter.offset, parameter.size) for parameter in abi.params]
    if len(arguments) > 1 and [(argument.offset, argument.size) for argument in arguments] != placed:
        raise Malformed(f"parameters are not where CUDA has them: {placed}", where=code.symbol)
    if len(arguments) == 1 and (arguments[0].offset != 0 or arguments[0].size < abi.params_bytes):
        raise Malformed(f"parameter block is not {abi.params_bytes} bytes at offset 0", where=code.symbol)
