"""The texture objects of `verify.textures` on the device: a descriptor table of which a run fills what it uses.

Layout: `model.kernel_abi`. Image resource and sampler: AMD's RDNA3 ISA manual, tables "Image Resource Descriptor" and
"Sampler"; the images are linear, with rows of a multiple of 256 bytes.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping

from cass_shim.device import Device
from cass_shim.model.kernel_abi import (
    TEXTURE_CHANNELS_SHIFT,
    TEXTURE_ENTRIES_LIMIT,
    TEXTURE_ENTRY_BYTES,
    TEXTURE_FORMAT_SHIFT,
    TEXTURE_NORMALIZED_COORDINATES,
    TEXTURE_SURFACE,
    TextureFormat,
    TextureKind,
)
from cass_shim.verify.surfaces import SURFACES, Surface, fresh
from cass_shim.verify.textures import EXTENTS, VARIANTS, contents, normalized

TEXEL_BYTES = 16
_TABLE_BYTES = TEXTURE_ENTRIES_LIMIT * TEXTURE_ENTRY_BYTES
_FORMAT = 63  # 32_32_32_32_FLOAT
_SELECT = 0xFAC  # channels in their own order
_TYPES = {
    TextureKind.ARRAY_1D: 8,
    TextureKind.ARRAY_2D: 9, TextureKind.ARRAY_3D: 10, TextureKind.LAYERED_1D: 12, TextureKind.LAYERED_2D: 13,
    TextureKind.CUBE: 11, TextureKind.LAYERED_CUBE: 11,
}  # fmt: skip
_RAW_FORMATS = {1: 5, 2: 11, 4: 20, 8: 48, 16: 61}  # bytes of a texel → unsigned integers of 8, 16 and 32 bits
_CLAMP, _WRAP = 2, 0
_ALIGN = 256


class TextureTable:
    """One table with its images. Device memory is taken when it is first needed, and given back by `close`."""

    def __init__(self, device: Device) -> None:
        self.device = device
        self.address = device.alloc(_TABLE_BYTES)
        device.memset(self.address, 0, _TABLE_BYTES)
        self.objects: dict[tuple[TextureKind, int, bool], int] = {}
        self.memory = [self.address]
        self.filled: set[int] = set()
        self.surfaces: dict[int, tuple[int, int, int]] = {}  # handle → allocation, image, size

    def fill(self, kinds: Mapping[int, TextureKind], surfaces: Mapping[int, Surface]) -> None:
        """Make exactly these handles valid; the surfaces begin anew."""
        for handle in self.filled - set(kinds) - set(surfaces):
            self.device.memset(self._entry(handle), 0, TEXTURE_ENTRY_BYTES)
        for base, _, _ in self.surfaces.values():
            self.device.free(base)
        self.surfaces = {}
        for handle, surface in surfaces.items():
            self.device.copy(self._entry(handle), self._surface(handle, surface))
        for handle, kind in kinds.items():
            self.device.copy(self._entry(handle), self._content(handle, kind))
        self.filled = set(kinds) | set(surfaces)

    def close(self) -> None:
        for address in (*self.memory, *(base for base, _, _ in self.surfaces.values())):
            self.device.free(address)

    def surface(self, handle: int) -> bytes:
        """What a surface holds now."""
        _, image, size = self.surfaces[handle]
        return self.device.read(image, size)

    def _surface(self, handle: int, surface: Surface) -> bytes:
        """The entry of a new surface."""
        kind, width, height, depth = SURFACES[surface.shape]
        start = fresh(handle, surface.shape, surface.texel_bytes).content
        base = self.device.alloc(len(start) + 3 * _ALIGN)
        image = -(-base // _ALIGN) * _ALIGN + _ALIGN  # the object's words are in front
        self.surfaces[handle] = (base, image, len(start))
        self.device.copy(image, start.tobytes())
        words = _resource(kind, image, (width, height, depth), _RAW_FORMATS[surface.texel_bytes])
        self.device.copy(image - _ALIGN, struct.pack("<16I", *words, *[0] * 8))
        channels = max(1, surface.texel_bytes // 4)
        flags = int(kind) | TEXTURE_SURFACE | channels << TEXTURE_CHANNELS_SHIFT
        return struct.pack("<Q6I", image - _ALIGN, surface.texel_bytes, flags, width, height, depth, 1)

    def _entry(self, handle: int) -> int:
        return self.address + TEXTURE_ENTRY_BYTES * handle

    def _content(self, handle: int, kind: TextureKind) -> bytes:
        flags = int(kind) | 4 << TEXTURE_CHANNELS_SHIFT | int(TextureFormat.FLOAT) << TEXTURE_FORMAT_SHIFT
        fractions = normalized(handle, kind)
        if fractions:
            flags |= TEXTURE_NORMALIZED_COORDINATES
        place = self._object(kind, handle >> 1 & VARIANTS - 1, fractions)
        return struct.pack("<Q6I", place, TEXEL_BYTES, flags, *EXTENTS[kind], 1)

    def _object(self, kind: TextureKind, variant: int, fractions: bool) -> int:
        key = (kind, variant, fractions)
        if key not in self.objects:
            image = self._take(contents(kind, variant).tobytes())
            self.objects[key] = self._take(struct.pack("<16I", *_words(kind, image, fractions)))
        return self.objects[key]

    def _take(self, content: bytes) -> int:
        base = self.device.alloc(len(content) + _ALIGN)
        self.memory.append(base)
        address = -(-base // _ALIGN) * _ALIGN
        self.device.copy(address, content)
        return address


def _words(kind: TextureKind, image: int, fractions: bool) -> list[int]:
    """The 16 words of an object: resource, four reserved, sampler; of linear memory its address and size."""
    if kind is TextureKind.LINEAR:
        return [image & 0xFFFF_FFFF, image >> 32, EXTENTS[kind][0], *[0] * 13]
    cube = kind in (TextureKind.CUBE, TextureKind.LAYERED_CUBE)
    mode = _WRAP if fractions and not cube else _CLAMP  # what edges of faces give is recorded with clamp
    sampler = mode | mode << 3 | mode << 6 | int(not fractions) << 15 | 1 << 27  # coordinates are cut, not rounded
    return [*_resource(kind, image, EXTENTS[kind], _FORMAT), *[0] * 4, sampler, *[0] * 3]


def _resource(kind: TextureKind, image: int, extents: tuple[int, int, int], texel_format: int) -> list[int]:
    width, height, depth = extents
    rows_only = kind in (TextureKind.ARRAY_1D, TextureKind.ARRAY_2D)
    return [
        image >> 8 & 0xFFFF_FFFF,
        image >> 40 | texel_format << 20 | (width - 1 & 3) << 30,
        width - 1 >> 2 | height - 1 << 14,
        _SELECT | _TYPES[kind] << 28,
        width - 1 if rows_only else depth - 1,  # the pitch in texels, or the last slice
        *[0] * 3,
    ]
