"""Which object defines each name, when relocatable cubins are linked.

In: the objects. Out: for every symbol of every object the one it stands for. Raises LinkFailed in nvlink's words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cass_shim.extract.elf import (
    STB_LOCAL,
    STB_WEAK,
    STT_CUDA_OBJECT,
    STT_CUDA_SURFACE,
    STT_CUDA_TEXTURE,
    STT_FUNC,
    STT_OBJECT,
    STT_SECTION,
    Elf,
    Symbol,
)
from cass_shim.model.errors import LinkFailed

SPACE, SHARED = 0xE0, 0x40  # of STO_CUDA_*: 0x20 global, 0x40 shared, 0x80 constant
REFERENCES = (STT_CUDA_TEXTURE, STT_CUDA_SURFACE)
NAMED = (STT_OBJECT, STT_FUNC, STT_CUDA_OBJECT, *REFERENCES)
# Functions that stand behind no code: the driver's, and those of the device runtime library.
PROVIDED = ("vprintf", "malloc", "free", "__assertfail")
PROVIDED_PREFIXES = ("cuda", "__cuda", ".nv.reservedSmem")


@dataclass(frozen=True, slots=True)
class Place:
    """A symbol of one of the objects."""

    of: int
    symbol: Symbol


def is_provided(name: str) -> bool:
    """Whether no object needs to define it."""
    return name in PROVIDED or name.startswith(PROVIDED_PREFIXES)


def is_extern_shared(symbol: Symbol) -> bool:
    """`extern __shared__`: the dynamic shared memory of a launch."""
    return symbol.kind == STT_CUDA_OBJECT and not symbol.section and symbol.other & SPACE == SHARED


def is_defined(symbol: Symbol) -> bool:
    """Whether this object defines it; references to textures have no section."""
    return bool(symbol.section) or symbol.kind in REFERENCES


def defined_names(objects: Sequence[Elf]) -> dict[str, Place]:
    """Name → its definition: the first that is not weak, else the first."""
    found: dict[str, Place] = {}
    for number, elf in enumerate(objects):
        for symbol in elf.symbols:
            if symbol.binding == STB_LOCAL or symbol.kind not in NAMED or not is_defined(symbol):
                continue
            before = found.get(symbol.plain)
            if before is None or (before.symbol.binding == STB_WEAK != symbol.binding):
                found[symbol.plain] = Place(number, symbol)
            elif STB_WEAK not in (symbol.binding, before.symbol.binding) and symbol.section:
                raise LinkFailed("Multiple definition of", symbol=symbol.plain)
    return found


def undefined_names(elf: Elf) -> set[str]:
    """What an object refers to and does not define, provided names excepted."""
    used = {record.symbol.index for records in elf.relocations.values() for record in records}
    return {
        one.plain
        for one in elf.symbols
        if one.index in used
        and one.plain
        and not is_defined(one)
        and one.kind != STT_SECTION
        and not is_extern_shared(one)
        and not is_provided(one.plain)
        and one.plain != "__UFT_OFFSET"
    }


@dataclass
class Symbols:
    """All objects and what their symbols stand for."""

    objects: Sequence[Elf]
    names: dict[str, Place]

    def find(self, of: int, symbol: Symbol) -> Place:
        """The definition that a symbol of object `of` stands for; itself where it is provided or extern shared."""
        if symbol.binding == STB_LOCAL or symbol.kind == STT_SECTION:
            return Place(of, symbol)
        found = self.names.get(symbol.plain)
        if found is None:
            return Place(of, symbol)
        sizes = {symbol.size, found.symbol.size}
        if symbol.kind == STT_CUDA_OBJECT and not symbol.section and len(sizes) > 1 and 0 not in sizes:
            raise LinkFailed("Size doesn't match for", symbol=symbol.plain)
        return found


def resolve(objects: Sequence[Elf]) -> Symbols:
    """Every name's definition. Raises LinkFailed for a name that is defined nowhere or twice."""
    symbols = Symbols(objects, defined_names(objects))
    for elf in objects:
        missing = sorted(undefined_names(elf) - symbols.names.keys())
        if missing:
            raise LinkFailed("Undefined reference to", symbol=missing[0])
    return symbols
