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
    TextureFormat,
    TextureKind,
)
from cass_shim.verify.textures import EXTENTS, VARIANTS, contents, normalized

TEXEL_BYTES = 16
_TABLE_BYTES = TEXTURE_ENTRIES_LIMIT * TEXTURE_ENTRY_BYTES
_FORMAT = 63  # 32_32_32_32_FLOAT
_SELECT = 0xFAC  # channels in their own order
_TYPES = {
    TextureKind.ARRAY_2D: 9, TextureKind.ARRAY_3D: 10, TextureKind.LAYERED_1D: 12, TextureKind.LAYERED_2D: 13,
    TextureKind.CUBE: 11, TextureKind.LAYERED_CUBE: 11,
}  # fmt: skip
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

    def fill(self, kinds: Mapping[int, TextureKind]) -> None:
        """Make exactly these handles valid."""
        for handle in self.filled - set(kinds):
            self.device.memset(self._entry(handle), 0, TEXTURE_ENTRY_BYTES)
        for handle, kind in kinds.items():
            self.device.copy(self._entry(handle), self._content(handle, kind))
        self.filled = set(kinds)

    def close(self) -> None:
        for address in self.memory:
            self.device.free(address)

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
    width, height, depth = EXTENTS[kind]
    if kind is TextureKind.LINEAR:
        return [image & 0xFFFF_FFFF, image >> 32, width, *[0] * 13]
    words = [0] * 16
    words[0] = image >> 8 & 0xFFFF_FFFF
    words[1] = image >> 40 | _FORMAT << 20 | (width - 1 & 3) << 30
    words[2] = width - 1 >> 2 | height - 1 << 14
    words[3] = _SELECT | _TYPES[kind] << 28
    words[4] = width - 1 if kind is TextureKind.ARRAY_2D else depth - 1  # the pitch in texels, or the last slice
    mode = _WRAP if fractions else _CLAMP
    words[12] = mode | mode << 3 | mode << 6 | int(not fractions) << 15 | 1 << 27  # coordinates are cut, not rounded
    return words
