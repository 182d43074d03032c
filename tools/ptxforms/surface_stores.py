"""What stores to a surface may leave in it, where several lanes of a warp store to one texel: which stands is open.

The inputs are those that `surface_forms.cu` draws. On an H100 the first lane's value stands in most texels (931 of
1,308), the last one's or another in the rest.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

LANES, SIDE, LAYERS = 32, 16, 3
_MASK = (1 << 64) - 1
_EXTENTS = {"1d": (SIDE, 1, 1), "2d": (SIDE, SIDE, 1), "3d": (SIDE, SIDE, SIDE), "a1d": (SIDE, 1, LAYERS),
            "a2d": (SIDE, SIDE, LAYERS)}  # fmt: skip
_DRAWN_BEHIND = 11  # a level, and ten floats that no store uses


def _drawn(number: int) -> Iterator[int]:
    """The numbers that the program draws for a case: xorshift."""
    state = (88172645463325252 ^ ((number + 1) * 0x9E3779B97F4A7C15 & _MASK)) & _MASK
    while True:
        state ^= (state << 13) & _MASK
        state ^= state >> 7
        state ^= (state << 17) & _MASK
        yield state


@dataclass(frozen=True)
class Store:
    """A case's form: geometry, size of a texel, vector's elements and bytes of one, rule for what is outside."""

    geometry: str
    texel: int
    count: int
    element: int
    outside: str

    def value(self, words: Sequence[int]) -> bytes:
        """The bytes of a lane's value."""
        if self.element == 8:
            return struct.pack(f"<{2 * self.count}I", *words[: 2 * self.count])
        mask = (1 << 8 * self.element) - 1
        return b"".join((word & mask).to_bytes(self.element, "little") for word in words[: self.count])

    def place(self, at: Sequence[int], layer: int) -> int | None:
        """The offset of the texel that a lane stores to; None: nowhere."""
        extents = _EXTENTS[self.geometry]
        third = layer if self.geometry.startswith("a") else at[2]
        place = [at[0], at[1] if extents[1] > 1 else 0, third if extents[2] > 1 else 0]
        if self.outside == "clamp":
            place = [min(max(one, 0), extent - 1) for one, extent in zip(place, extents, strict=True)]
        if not all(0 <= one < extent for one, extent in zip(place, extents, strict=True)):
            return None
        return ((place[2] * extents[1] + place[1]) * extents[0] + place[0]) * self.texel


def store_of(name: str, geometry: str, texel: int) -> Store:
    """Of `sust.b.2d.wb.v2.b16.clamp`."""
    words = name.split(".")
    sizes = {"b8": 1, "b16": 2, "b32": 4, "b64": 8}
    element = next(sizes[word] for word in words[2:] if word in sizes)
    count = next((int(word[1:]) for word in words if word in ("v2", "v4")), 1)
    return Store(geometry, texel, count, element, words[-1])


def possible(store: Store, number: int, safe: bool) -> tuple[bytes, dict[int, list[bytes]]]:
    """The surface before case `number`, and by offset the values that a lane stores there."""
    drawn = _drawn(number)
    width, height, depth = _EXTENTS[store.geometry]
    before = bytes(next(drawn) & 0xFF for _ in range(store.texel * width * height * depth))
    found: dict[int, list[bytes]] = {}
    for lane in range(LANES):
        at = []
        for _ in range(3):
            wild, calm = next(drawn) % 20 - 2, next(drawn) % SIDE
            at.append(calm if safe or lane % 2 else wild)
        layer = next(drawn) % (LAYERS if safe else LAYERS + 1)
        words = [next(drawn) & 0xFFFFFFFF for _ in range(4)]
        for _ in range(_DRAWN_BEHIND):
            next(drawn)
        place = store.place(at, layer)
        if place is not None:
            found.setdefault(place, []).append(store.value(words))
    return before, found


def may_stand(store: Store, number: int, safe: bool, changed: Mapping[int, int]) -> bool:
    """Whether these bytes, by offset, are what may have changed."""
    before, found = possible(store, number, safe)
    after = bytearray(before)
    for offset, byte in changed.items():
        if offset >= len(after):
            return False
        after[offset] = byte
    for offset, values in found.items():
        if bytes(after[offset : offset + store.texel]) not in values:
            return False
        after[offset : offset + store.texel] = before[offset : offset + store.texel]
    return bytes(after) == before
