"""What a program hands to cuLink, taken apart: cubins, fatbinaries, host objects and archives of them, PTX.

In: kind and bytes of each image. Out: the linked cubin; where PTX without machine code is among them, every image's
PTX; where machine code without PTX is beside it, both halves, between which nothing can be called (docs/hip-gaps.md).
Raises LinkFailed, Malformed, Unsupported.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from cass_shim.extract.elf import STB_LOCAL, STB_WEAK, STT_FUNC, Elf
from cass_shim.extract.fatbin import is_ptx, read_fatbins
from cass_shim.extract.link_symbols import defined_names, is_provided, undefined_names
from cass_shim.extract.linker import link_cubins
from cass_shim.model.artifacts import EntryKind, FatbinEntry
from cass_shim.model.config import SM_ORDER
from cass_shim.model.errors import LinkFailed, Malformed, Unsupported
from cass_shim.model.wire import Linked, LinkInput, LinkKind

ARCHIVE_MAGIC, MEMBER_HEADER = b"!<arch>\n", 60


@dataclass(frozen=True, eq=False)
class Part:
    """One image: its machine code by SM, and its PTX. optional: a library's, taken when it is needed."""

    name: str
    code: dict[int, bytes]
    text: bytes
    optional: bool


def link_images(inputs: Sequence[LinkInput]) -> Linked:
    """Machine code where all images have some, else PTX where all have some, else each by itself."""
    parts = [part for one in inputs for part in _parts(one)]
    asked = [part for part in parts if not part.optional]
    if all(part.code for part in asked):
        sm = _common_sm(asked or parts)
        chosen = _needed(asked, [part for part in parts if part.optional], sm)
        if not chosen:
            raise LinkFailed("no machine code to link")
        return Linked(_link(chosen, sm))
    if all(part.text for part in asked):
        return Linked(texts=_texts(parts), names=_names((), _untold(parts)))
    return _halves(parts)


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


def _link(parts: Sequence[Part], sm: int) -> bytes:
    return link_cubins([part.code[sm] for part in parts], [part.name for part in parts])


def _halves(parts: Sequence[Part]) -> Linked:
    """Machine code without PTX and what it needs, and the PTX of all others. What has both goes where it is needed."""
    alone = [part for part in parts if not part.optional and not part.text]
    sm = _common_sm(alone)
    chosen = _needed(alone, [part for part in parts if part not in alone and part.code], sm)
    rest = [part for part in parts if part not in chosen]
    try:
        cubin = _link(chosen, sm)
    except LinkFailed as error:
        if error.symbol and any(_may_define(part.text, error.symbol) for part in rest):
            raise _crossing(error.symbol) from error
        raise
    return Linked(cubin, _names(chosen, _untold(rest)), _texts(rest))


def _crossing(symbol: str) -> Unsupported:
    why = f"{symbol} is used across; there is no PTX compiler here: add PTX to it (-gencode code=compute_NN)"
    return Unsupported("PTX beside machine code without PTX", why=why)


def _may_define(text: bytes, symbol: str) -> bool:
    """Whether PTX has a function or variable of this name that it does not only declare."""
    name = re.escape(symbol.encode(errors="surrogateescape"))
    found = rb"(\.extern\s+)?\.(?:func|entry|global|const)\b[^;{}]*?(?<![\w$%.])" + name + rb"(?![\w$%])"
    return any(not one.group(1) for one in re.finditer(found, text))


def _untold(parts: Sequence[Part]) -> list[Part]:
    """Members of libraries that could not be taken, since there is no PTX of them."""
    return [part for part in parts if not part.text]


def _names(taken: Sequence[Part], untaken: Sequence[Part]) -> bytes:
    """What parts define for others, each name ended by a zero; of those that were not taken with a ? before it."""
    names = sorted(_own(taken)) + [f"?{name}" for name in sorted(_own(untaken))]
    return b"".join(name.encode(errors="surrogateescape") + b"\0" for name in names)


def _own(parts: Sequence[Part]) -> set[str]:
    """Strong definitions and variables: a weak function may be in each half that uses it."""
    return {
        one.plain
        for part in parts
        for elf in _elves(part)
        for one in elf.symbols
        if one.section and one.plain and one.binding != STB_LOCAL and (one.binding, one.kind) != (STB_WEAK, STT_FUNC)
        if not is_provided(one.plain)
    }


def _needed(chosen: Sequence[Part], others: Sequence[Part], sm: int) -> list[Part]:
    """Those chosen, and of the others what defines what is still missing, as an archive is linked."""
    chosen = list(chosen)
    waiting = [part for part in others if sm in part.code]
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
        texts.append(part.text)
    return b"".join(text + b"\0" for text in texts if text)


def _elves(part: Part) -> Iterator[Elf]:
    for content in part.code.values():
        yield Elf(content, part.name)
