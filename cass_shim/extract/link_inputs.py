"""What a program hands to cuLink, taken apart: cubins, fatbinaries, host objects and archives of them, PTX.

In: kind and bytes of each image. Out: the linked cubin, or where PTX without machine code is among them, every
image's PTX. Raises LinkFailed, Malformed, Unsupported.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from cass_shim.extract.elf import STB_LOCAL, Elf
from cass_shim.extract.fatbin import is_ptx, read_fatbins
from cass_shim.extract.link_symbols import defined_names, is_provided, undefined_names
from cass_shim.extract.linker import link_cubins
from cass_shim.model.artifacts import EntryKind, FatbinEntry
from cass_shim.model.config import SM_ORDER
from cass_shim.model.errors import LinkFailed, Malformed, Unsupported
from cass_shim.model.wire import LinkInput, LinkKind

ARCHIVE_MAGIC, MEMBER_HEADER = b"!<arch>\n", 60


@dataclass(frozen=True, eq=False)
class Part:
    """One image: its machine code by SM, and its PTX. optional: a library's, taken when it is needed."""

    name: str
    code: dict[int, bytes]
    text: bytes
    optional: bool


def link_images(inputs: Sequence[LinkInput]) -> tuple[bytes, bool]:
    """The linked image, and whether it is the PTX of all, each text ended by a zero, instead of a cubin."""
    parts = [part for one in inputs for part in _parts(one)]
    if any(not part.code for part in parts if not part.optional):
        return _texts(parts), True
    sm = _common_sm([part for part in parts if not part.optional] or parts)
    chosen = _needed(parts, sm)
    if not chosen:
        raise LinkFailed("no machine code to link")
    return link_cubins([part.code[sm] for part in chosen], [part.name for part in chosen]), False


def read_archive(data: bytes, where: str) -> Iterator[tuple[str, bytes]]:
    """(name, content) of a Unix archive's members, its tables left out. Source: ar(5), the GNU variant."""
    at, names = len(ARCHIVE_MAGIC), b""
    while at < len(data):
        header = data[at : at + MEMBER_HEADER]
        size_text = header[48:58].strip()
        if len(header) < MEMBER_HEADER or header[58:] != b"`\n" or not size_text.isdigit():
            raise Malformed("archive member header", where=where, offset=at)
        size = int(size_text)
        if at + MEMBER_HEADER + size > len(data):
            raise Malformed(f"archive member of {size} bytes is truncated", where=where, offset=at)
        name, content = header[:16].rstrip(), data[at + MEMBER_HEADER : at + MEMBER_HEADER + size]
        at += MEMBER_HEADER + size + (size & 1)
        if name == b"//":
            names = content
        elif name not in (b"/", b"/SYM64/"):
            if name[:1] == b"/" and name[1:].isdigit():
                name = names[int(name[1:]) :].split(b"\n", 1)[0]
            yield name.rstrip(b"/").decode("utf-8", "replace"), content


def _parts(one: LinkInput) -> Iterator[Part]:
    if one.kind is LinkKind.LIBRARY or one.content.startswith(ARCHIVE_MAGIC):
        if not one.content.startswith(ARCHIVE_MAGIC):
            raise Malformed("not an archive", where=one.name, offset=0)
        for name, content in read_archive(one.content, one.name):
            yield from _read(content, f"{one.name}({name})", optional=True)
    else:
        yield from _read(one.content, one.name, optional=False)


def _read(content: bytes, name: str, *, optional: bool) -> Iterator[Part]:
    """One part a region: an object of several sources joined by `ld -r` has several."""
    if is_ptx(content):
        yield Part(name, {}, content.split(b"\0", 1)[0], optional)
        return
    regions = read_fatbins(content, name)
    for region in regions:
        code = {one.sm: one.payload for one in reversed(region.entries) if one.kind is EntryKind.ELF}
        text = _best_text([one for one in region.entries if one.kind is EntryKind.PTX])
        if not code and not text:
            raise Unsupported("an image with neither machine code nor PTX", kernel=name, why="LTO-IR is NVIDIA's own")
        yield Part(name, code, text, optional)


def _best_text(entries: Sequence[FatbinEntry]) -> bytes:
    return max(entries, key=lambda one: one.sm).payload if entries else b""


def _common_sm(parts: Sequence[Part]) -> int:
    """The SM that all parts have code for, the most readable first."""
    shared = set.intersection(*(set(part.code) for part in parts)) if parts else set(SM_ORDER)
    for sm in SM_ORDER:
        if sm in shared:
            return int(sm)
    found = ", ".join(f"{part.name}: {', '.join(f'sm_{sm}' for sm in sorted(part.code))}" for part in parts)
    raise LinkFailed(f"the images have machine code for no SM in common ({found})")


def _needed(parts: Sequence[Part], sm: int) -> list[Part]:
    """All images, and of libraries the members that define what is still missing, as an archive is linked."""
    chosen = [part for part in parts if not part.optional]
    waiting = [part for part in parts if part.optional and sm in part.code]
    if not chosen:
        return waiting
    asked, defined = set[str](), set[str]()

    def take(elf: Elf) -> None:
        asked.update(undefined_names(elf))
        defined.update(defined_names([elf]))

    for part in chosen:
        take(Elf(part.code[sm], part.name))
    members = {part: Elf(part.code[sm], part.name) for part in waiting}
    offered = {part: _defines(elf) for part, elf in members.items()}
    while True:
        missing = asked - defined
        found = next((part for part, names in offered.items() if not missing.isdisjoint(names)), None)
        if found is None:
            return chosen
        del offered[found]
        take(members[found])
        chosen.append(found)


def _defines(elf: Elf) -> set[str]:
    return {one.plain for one in elf.symbols if one.section and one.binding != STB_LOCAL and one.plain}


def _texts(parts: Sequence[Part]) -> bytes:
    """Every part's PTX; a library's without those of the device runtime, which is built in."""
    texts = []
    for part in parts:
        if part.optional and part.code and all(is_provided(name) for elf in _elves(part) for name in _defines(elf)):
            continue
        if not part.text and not part.optional:
            why = "there is no PTX compiler here; add PTX to it (-gencode code=compute_NN), or pass machine code only"
            raise Unsupported("PTX beside machine code without PTX", kernel=part.name, why=why)
        texts.append(part.text)
    return b"".join(text + b"\0" for text in texts if text)


def _elves(part: Part) -> Iterator[Elf]:
    for content in part.code.values():
        yield Elf(content, part.name)
