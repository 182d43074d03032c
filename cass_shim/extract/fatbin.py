"""Fatbinaries: from a program, or any form a CUDA module is handed over in, to its entries, decompressed.

In: the bytes of a host ELF, a fatbinary region, its wrapper, a cubin or PTX text. Out: `Fatbin`s.
Layout: fatbinary_section.h of the toolkit for the wrapper; the region by inspection of nvcc 11.8–13.0 output.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import replace

import lz4.block
import zstandard

from cass_shim.extract.elf import ELF_MAGIC, EM_CUDA, STT_CUDA_SURFACE, STT_CUDA_TEXTURE, Elf
from cass_shim.model.artifacts import EntryKind, Fatbin, FatbinEntry
from cass_shim.model.errors import Malformed, Unsupported

WRAPPER_MAGIC = 0x466243B1
REGION_MAGIC = 0xBA55ED50
REGION_SECTIONS = (".nv_fatbin", "__nv_relfatbin")
DATA_SECTIONS = (".nv.global.init", ".nv.global", ".nv.constant3")  # of a cubin: what host code may name
REFERENCE_KINDS = (STT_CUDA_TEXTURE, STT_CUDA_SURFACE)
WRAPPER_BYTES, REGION_HEADER, ENTRY_HEADER = 24, 16, 64
FLAG_LZ4, FLAG_ZSTD, FLAG_OBFUSCATED = 0x2000, 0x8000, 0x10000
FLAG_VARIANT_A, FLAG_VARIANT_F = 0x100000, 0x200000
MAX_PAYLOAD = 1 << 30  # bytes; a forged size must not reserve memory


def read_fatbins(data: bytes, source: str = "") -> list[Fatbin]:
    """Every region of `data`, in file order; regions without code or data (nvcc's empty device link) are left out.

    data: a host ELF (sections .nv_fatbin, __nv_relfatbin; none found gives []), a region, a wrapper followed by its
    region, a cubin, or PTX text. Raises Malformed with the offset in `data`, Unsupported for a form we cannot read.
    """
    if data[:4] == ELF_MAGIC:
        return _from_elf(data, source)
    magic = int.from_bytes(data[:4], "little")
    if magic == REGION_MAGIC:
        regions = _read_regions(data, source, 0, len(data))
    elif magic == WRAPPER_MAGIC:
        regions = _read_wrapped(data, source)
    elif is_ptx(data):
        regions = [Fatbin((_ptx_entry(data),), source)]
    else:
        raise Malformed("not an ELF file, a fatbinary, a cubin or PTX", where=source, offset=0)
    return [r for r in regions if r.entries]


def is_ptx(data: bytes) -> bool:
    """Whether this is PTX text: `.version` is its first directive, after comments and blanks."""
    head = data[:4096]
    at = head.find(b".version")
    if at < 0 or b"\0" in head[:at]:
        return False
    lines = [line.strip() for line in head[:at].splitlines()]
    return all(not line or line.startswith((b"//", b"/*", b"*")) for line in lines)


def _from_elf(data: bytes, source: str) -> list[Fatbin]:
    elf = Elf(data, source)
    if elf.machine == EM_CUDA:
        entry = FatbinEntry(EntryKind.ELF, cubin_sm(elf), "", 0, 0, data, data)
        return [Fatbin((entry,), source)] if _has_content(entry, source) else []
    found: list[Fatbin] = []
    for section in elf.sections:
        if section.name in REGION_SECTIONS and section.content:
            found += _read_regions(data, source, section.offset, section.offset + section.size)
    return [r for r in found if r.entries]


def cubin_sm(elf: Elf) -> int:
    """The SM number of a cubin's header. Source: recorded from ptxas 12.4–13.0 (ABI 7: low byte; 8: second)."""
    return int(elf.flags >> 8 if elf.abi_version >= 8 else elf.flags) & 0xFF


def _read_wrapped(data: bytes, source: str) -> list[Fatbin]:
    """A wrapper in a file of its own: its pointer is an offset from the start, or 0 for "right behind me"."""
    if len(data) < WRAPPER_BYTES:
        raise Malformed("truncated fatbinary wrapper", where=source, offset=0)
    _, version, pointer, _ = struct.unpack_from("<IIQQ", data)
    if version not in (1, 2):
        raise Malformed(f"fatbinary wrapper version {version}", where=source, offset=4)
    start = pointer or WRAPPER_BYTES
    if start + REGION_HEADER > len(data):
        raise Malformed(f"wrapper points to {start:#x}, outside the file", where=source, offset=8)
    if int.from_bytes(data[start : start + 4], "little") != REGION_MAGIC:
        raise Malformed("wrapper does not point to a fatbinary", where=source, offset=start)
    return _read_regions(data, source, start, len(data))


def _read_regions(data: bytes, source: str, start: int, end: int) -> list[Fatbin]:
    """Regions lie one after another, 8-aligned, with zero padding between."""
    found: list[Fatbin] = []
    at = start
    while at < end:
        if not any(data[at : at + 8]):
            at += 8
            continue
        if at + REGION_HEADER > end:
            raise Malformed("truncated fatbinary header", where=source, offset=at)
        magic, version, header, size = struct.unpack_from("<IHHQ", data, at)
        if magic != REGION_MAGIC:
            raise Malformed(f"fatbinary magic is {magic:#010x}", where=source, offset=at)
        if version != 1 or header < REGION_HEADER:
            raise Malformed(f"fatbinary version {version}, header {header}", where=source, offset=at + 4)
        if at + header + size > end:
            raise Malformed(f"fatbinary of {size:#x} bytes is truncated", where=source, offset=at + 8)
        found_here = _read_entries(data, source, at + header, at + header + size)
        entries = tuple(replace(e, offset=e.offset - at) for e in found_here)
        found.append(Fatbin(tuple(e for e in entries if _has_content(e, source)), source, at))
        at += -(-(header + size) // 8) * 8
    return found


def _read_entries(data: bytes, source: str, start: int, end: int) -> list[FatbinEntry]:
    """The entries between two offsets; their `offset` is still one in `data`."""
    found: list[FatbinEntry] = []
    at = start
    while at < end:
        if at + ENTRY_HEADER > end:
            raise Malformed("truncated fatbinary entry", where=source, offset=at)
        _, _, header, size = struct.unpack_from("<HHIQ", data, at)
        if header < ENTRY_HEADER or at + header + size > end:
            raise Malformed(f"fatbinary entry of {header:#x}+{size:#x} bytes does not fit", where=source, offset=at + 4)
        entry = _read_entry(data, source, at, header, size)
        if entry is not None:
            found.append(entry)
        at += header + size
    return found


def _read_entry(data: bytes, source: str, at: int, header: int, size: int) -> FatbinEntry | None:
    """The entry at `at`; None for a kind that holds no PTX or SASS for us (LTO-IR is listed, undecoded)."""
    kind = int.from_bytes(data[at : at + 2], "little")
    compressed, _, minor, major, sm, name_at, name_length, flags = struct.unpack_from("<IIHHIIIQ", data, at + 16)
    (unpacked,) = struct.unpack_from("<Q", data, at + 56)
    if compressed > size:
        raise Malformed(f"compressed size {compressed:#x} exceeds the payload", where=source, offset=at + 16)
    if name_length and not (name_at >= ENTRY_HEADER and name_at + name_length <= header):
        raise Malformed("entry name lies outside its header", where=source, offset=at + 32)
    if kind not in tuple(EntryKind):
        return None
    name = data[at + name_at : at + name_at + name_length].rstrip(b"\0").decode("utf-8", "backslashreplace")
    stored = data[at + header : at + header + (compressed or size)]
    payload = stored
    if kind != EntryKind.NVVM:
        payload = _decompress(stored, flags, unpacked, source, at + header)
    version = (major, minor) if kind == EntryKind.PTX else (0, 0)
    variant = "a" if flags & FLAG_VARIANT_A else "f" if flags & FLAG_VARIANT_F else ""
    if kind == EntryKind.PTX:
        payload = payload.rstrip(b"\0")
    return FatbinEntry(EntryKind(kind), sm, variant, flags, at, stored, payload, name, version)


def _decompress(stored: bytes, flags: int, size: int, source: str, at: int) -> bytes:
    if flags & FLAG_OBFUSCATED:
        raise Unsupported("obfuscated fatbinary entry", kernel=source, address=at)
    if not flags & (FLAG_LZ4 | FLAG_ZSTD):
        return stored
    if size > MAX_PAYLOAD:
        raise Malformed(f"uncompressed size {size:#x} is not credible", where=source, offset=at)
    unpack: Callable[[], bytes]
    if flags & FLAG_ZSTD:
        unpack = lambda: zstandard.ZstdDecompressor().decompress(stored, max_output_size=size)  # noqa: E731
    else:
        unpack = lambda: bytes(lz4.block.decompress(stored, uncompressed_size=size))  # noqa: E731
    try:
        payload = unpack()
    except (zstandard.ZstdError, lz4.block.LZ4BlockError, ValueError, MemoryError) as error:
        raise Malformed(f"compressed entry: {error}", where=source, offset=at) from None
    if len(payload) != size:
        raise Malformed(f"entry unpacks to {len(payload)} bytes, not {size}", where=source, offset=at)
    return payload


def _has_content(entry: FatbinEntry, source: str) -> bool:
    """False for a cubin without code, variables and references: nvcc's link step leaves one in every program."""
    if entry.kind != EntryKind.ELF:
        return True
    elf = Elf(entry.payload, f"{source}+{entry.offset:#x}")
    if any(s.name.startswith(".text.") or (s.name in DATA_SECTIONS and s.size) for s in elf.sections):
        return True
    return any(symbol.kind in REFERENCE_KINDS for symbol in elf.symbols)


def _ptx_entry(data: bytes) -> FatbinEntry:
    text = data.rstrip(b"\0")
    sm, version = 0, (0, 0)
    for line in text[:8192].splitlines():
        words = line.split()
        if words[:1] == [b".version"] and len(words) > 1:
            parts = words[1].split(b".")
            if len(parts) == 2 and all(p.isdigit() for p in parts):
                version = (int(parts[0]), int(parts[1]))
        if words[:1] == [b".target"] and len(words) > 1:
            digits = words[1].split(b",")[0].removeprefix(b"sm_").rstrip(b"af")
            sm = int(digits) if digits.isdigit() else 0
            break
    return FatbinEntry(EntryKind.PTX, sm, "", 0, 0, data, text, "", version)
