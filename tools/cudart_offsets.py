"""Record where the entry points of a static CUDA runtime lie: `python -m tools.cudart_offsets WHEEL|ARCHIVE...`.

In: wheels of nvidia-cuda-runtime (or -cu12) that carry libcudart_static.a, or the archive itself with
`NAME=VERSION:PATH`. Out: one module per release in cass_shim/api/cudart; releases that share their code share it.
"""

from __future__ import annotations

import argparse
import io
import re
import textwrap
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from elftools.elf.elffile import ELFFile
from elftools.elf.relocation import RelocationSection
from elftools.elf.sections import SymbolTableSection

from cass_shim.api.cudart import PREFIX_BYTES, Anchor, Release, fnv1a, releases

FOLDER = Path(__file__).resolve().parent.parent / "cass_shim" / "api" / "cudart"
ENTRY_POINT = re.compile(r"(__)?cuda[A-Z]\w*")
RELAXED = {9, 41, 42}  # R_X86_64_GOTPCREL, _GOTPCRELX, _REX_GOTPCRELX: linking may change the opcode too
PLAIN = {2, 4, 10, 11}  # R_X86_64_PC32, _PLT32, _32, _32S


def archive_members(archive: bytes) -> Iterator[bytes]:
    """The members of an `ar` archive that are ELF objects."""
    if not archive.startswith(b"!<arch>\n"):
        raise SystemExit("not an ar archive")
    at = 8
    while at + 60 <= len(archive):
        size = int(archive[at + 48 : at + 58])
        content = archive[at + 60 : at + 60 + size]
        if content.startswith(b"\x7fELF"):
            yield content
        at += 60 + size + size % 2


def relocated(elf: ELFFile, text_index: int) -> list[tuple[int, int, int]]:
    """(first byte, end, type) of every range of `.text` that linking may change, sorted."""
    ranges = []
    for section in elf.iter_sections():
        if isinstance(section, RelocationSection) and section["sh_info"] == text_index:
            for relocation in section.iter_relocations():
                kind, offset = relocation["r_info_type"], relocation["r_offset"]
                ranges.append((offset - (3 if kind in RELAXED else 0), offset + 4, kind))
    return sorted(ranges)


def masked(code: bytes, masks: tuple[tuple[int, int], ...]) -> bytes:
    content = bytearray(code)
    for start, end in masks:
        content[start:end] = bytes(end - start)
    return bytes(content)


def anchors(text: bytes, functions: list[tuple[int, int]], ranges: list[tuple[int, int, int]]) -> list[Anchor]:
    """Candidates: functions whose masked bytes are unique in `.text`, longest first."""
    found = []
    for offset, size in functions:
        inside = [item for item in ranges if item[1] > offset and item[0] < offset + size]
        if size < 96 or any(kind not in PLAIN | RELAXED for *_, kind in inside):
            continue
        masks = tuple((max(start - offset, 0), min(end - offset, size)) for start, end, _ in inside)
        if any(start < PREFIX_BYTES for start, _ in masks):
            continue
        code = text[offset : offset + size]
        found.append(Anchor(offset, size, fnv1a(code[:PREFIX_BYTES]), fnv1a(masked(code, masks)), masks))
    digests = Counter((anchor.prefix, anchor.digest) for anchor in found)
    unique = [anchor for anchor in found if digests[anchor.prefix, anchor.digest] == 1 and len(anchor.masks) <= 24]
    return sorted(unique, key=lambda anchor: -anchor.length)


def start_hash(text: bytes, offset: int, ranges: list[tuple[int, int, int]]) -> int:
    """What a program's bytes at an entry point must hash to; 0: linking changes them."""
    if any(start < offset + PREFIX_BYTES and end > offset for start, end, _ in ranges):
        return 0
    return fnv1a(text[offset : offset + PREFIX_BYTES]) & 0xFFFFFFFF


def record(name: str, version: int, archive: bytes) -> Release:
    """The facts of one archive. SystemExit when it is not built as expected."""
    for member in archive_members(archive):
        elf = ELFFile(io.BytesIO(member))
        text_index = elf.get_section_index(".text")
        symbols = elf.get_section_by_name(".symtab")
        if text_index is None or not isinstance(symbols, SymbolTableSection):
            continue
        functions = {
            symbol.name: (symbol["st_value"], symbol["st_size"])
            for symbol in symbols.iter_symbols()
            if symbol["st_info"]["type"] == "STT_FUNC" and symbol["st_shndx"] == text_index
        }
        entry_points = {key: value[0] for key, value in functions.items() if ENTRY_POINT.fullmatch(key)}
        if "cudaMalloc" not in entry_points:
            continue
        text = elf.get_section(text_index).data()
        public = [functions[key] for key in entry_points]
        ranges = relocated(elf, text_index)
        chosen = anchors(text, public, ranges)[:2]
        if len(chosen) < 2:
            raise SystemExit(f"{name}: no two functions identify it")
        ordered = sorted(entry_points.items(), key=lambda item: item[1])
        offsets = " ".join(f"{key} {at:x} {start_hash(text, at, ranges):x}" for key, at in ordered)
        return Release(name, version, (chosen[0], chosen[1]), offsets)
    raise SystemExit(f"{name}: no object with cudaMalloc in its .text")


def module_text(release: Release) -> str:
    """The release as a Python module."""
    lines = textwrap.wrap(release.offsets, 104, break_long_words=False, break_on_hyphens=False)
    offsets = "\n".join(f'    "{line} "' for line in lines)
    shown = "".join(
        f"    Anchor({anchor.offset:#x}, {anchor.length}, {anchor.prefix:#x}, {anchor.digest:#x},\n"
        + "\n".join(textwrap.wrap(f"({''.join(f'({a}, {b}), ' for a, b in anchor.masks)})),", 100,
                                  initial_indent="        ", subsequent_indent="        "))
        + "\n"
        for anchor in release.anchors
    )  # fmt: skip
    return (
        f'"""libcudart_static.a {release.name}, recorded by tools/cudart_offsets.py."""\n\n# fmt: off\n'
        "from cass_shim.api.cudart import Anchor, Release\n\n"
        f'release = Release("{release.name}", {release.version}, (\n{shown}), (\n{offsets}\n))\n'
    )


def wheel_archive(path: Path) -> tuple[str, int, bytes]:
    """(release, CUDA version, archive) of a wheel."""
    match = re.search(r"-((\d+)\.(\d+)\.\d+)-py3", path.name)
    if match is None:
        raise SystemExit(f"{path}: not a wheel of the CUDA runtime")
    with zipfile.ZipFile(path) as wheel:
        names = [name for name in wheel.namelist() if name.endswith("/libcudart_static.a")]
        if not names:
            raise SystemExit(f"{path}: has no libcudart_static.a")
        return match[1], int(match[2]) * 1000 + int(match[3]) * 10, wheel.read(names[0])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("wheels", nargs="+", type=Path)
    for path in parser.parse_args().wheels:
        release = record(*wheel_archive(path))
        facts = (release.anchors, release.offsets.split())
        same = [one.name for one in releases() if (one.anchors, one.offsets.split()) == facts]
        if same:
            print(f"{release.name}: the code of {same[0]}, recorded already")
            continue
        target = FOLDER / f"r{release.name.replace('.', '_')}.py"
        target.write_text(module_text(release))
        print(f"{release.name}: {len(release.entry_points())} entry points, {target.name}")


if __name__ == "__main__":
    main()
