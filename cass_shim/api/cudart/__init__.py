"""Static builds of the CUDA runtime, recognised without symbols: one module per release, written by
tools/cudart_offsets.py.

A release's archive is one object with one `.text`, so distances between entry points survive linking. What is
recorded are facts about it: where two functions lie and what their bytes, relocated ones masked, hash to;
and every entry point's offset. No code.
"""

from __future__ import annotations

import importlib
import pkgutil
from dataclasses import dataclass

FNV_START = 0xCBF29CE484222325  # FNV-1a, 64 bits
FNV_PRIME = 0x100000001B3
PREFIX_BYTES = 16  # of an anchor, compared first; never relocated


def fnv1a(content: bytes) -> int:
    """FNV-1a of 64 bits; shim/stripped.c computes the same."""
    value = FNV_START
    for byte in content:
        value = (value ^ byte) * FNV_PRIME & 0xFFFFFFFFFFFFFFFF
    return value


@dataclass(frozen=True)
class Anchor:
    """A function that identifies the build. offset, length: bytes in `.text`; masks: (start, end) within it that
    linking changes; prefix, digest: FNV-1a of the first 16 bytes and of all, masked bytes as zero."""

    offset: int
    length: int
    prefix: int
    digest: int
    masks: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Release:
    """One build. version: CUDA version (13000). offsets: "name offset start ..." in hexadecimal, where start is the
    low half of FNV-1a of the entry point's first 16 bytes, or 0 where linking changes them."""

    name: str
    version: int
    anchors: tuple[Anchor, Anchor]
    offsets: str

    def entry_points(self) -> list[tuple[str, int, int]]:
        """(name, offset in `.text`, start), by offset."""
        words = self.offsets.split()
        triples = zip(words[::3], words[1::3], words[2::3], strict=True)
        return [(name, int(offset, 16), int(start, 16)) for name, offset, start in triples]


def releases() -> list[Release]:
    """Every recorded release, oldest first."""
    found = [importlib.import_module(f"{__name__}.{module.name}").release for module in pkgutil.iter_modules(__path__)]
    return sorted(found, key=lambda release: [int(part) for part in release.name.split(".")])
