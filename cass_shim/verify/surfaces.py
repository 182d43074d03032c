"""Surfaces in the reference: texels of the size of their first access in a run, with contents of our own choice.

Each handle is a surface of its own, which a run starts anew; after it every byte is compared. A handle that is read
as a texture is none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cass_shim.model.kernel_abi import TEXTURE_ENTRIES_LIMIT, WARP, TextureKind
from cass_shim.verify.arithmetic import Value
from cass_shim.verify.memory import Fault
from cass_shim.verify.races import Races, each_byte
from cass_shim.verify.textures import Indices, Textures, refuse

Octets = NDArray[np.uint8]
# Shape → (kind, width, height, depth or layers); rows of 256 texels are a multiple of 256 bytes.
SURFACES = {
    "1d": (TextureKind.ARRAY_1D, 8192, 1, 1), "2d": (TextureKind.ARRAY_2D, 256, 128, 1),
    "3d": (TextureKind.ARRAY_3D, 256, 32, 8), "1darray": (TextureKind.LAYERED_1D, 256, 1, 8),
    "2darray": (TextureKind.LAYERED_2D, 256, 32, 8),
}  # fmt: skip
_REDUCTIONS = {
    "add": np.add, "min": np.minimum, "max": np.maximum, "and": np.bitwise_and, "or": np.bitwise_or,
    "xor": np.bitwise_xor,
}  # fmt: skip
_KINDS = {"u32": np.uint32, "s32": np.int32, "u64": np.uint64, "s64": np.int64,
          "d32": np.uint32, "d64": np.uint64}  # fmt: skip  # the surfaces of a run are of unsigned integers


@dataclass
class Surface:
    """One surface: its shape, the bytes of a texel, and what it holds."""

    shape: str
    texel_bytes: int
    content: NDArray[np.uint8]


def fresh(handle: int, shape: str, texel_bytes: int) -> Surface:
    """A surface as every run finds it: floats between -4 and 4, whose bits serve as integers too."""
    _, width, height, depth = SURFACES[shape]
    random = np.random.default_rng((handle, texel_bytes, len(shape)))
    words = random.uniform(-4, 4, -(-width * height * depth * texel_bytes // 4)).astype(np.float32)
    return Surface(shape, texel_bytes, words.view(np.uint8))


class Surfaces(Textures):
    """Loads, stores and reductions. surfaces: those that this run has used, as they are now."""

    surfaces: dict[int, Surface]
    shuffled: bool
    random: np.random.Generator
    races: Races | None

    def surface_load(self, handle: Value, shape: str, coordinates: list[Value], size: int, outside: str) -> list[Value]:
        words = [np.zeros(len(self.mask), np.uint32) for _ in range(max(1, size // 4))]
        for surface, lanes in self._used(handle, shape, size):
            at, valid = self._offsets(surface, lanes, coordinates, True, outside)
            if self.races is not None:
                self.races.load(*self._told(surface, at[valid], lanes[valid], size))
            found = np.zeros((len(lanes), max(4, size)), np.uint8)
            found[valid, :size] = surface.content[at[valid, None] + np.arange(size)]
            for k, word in enumerate(words):
                word[lanes] = np.ascontiguousarray(found[:, 4 * k : 4 * k + 4]).view(np.uint32)[:, 0]
        return list(words)

    def surface_store(
        self, handle: Value, shape: str, coordinates: list[Value], values: list[Value], size: int, outside: str
    ) -> None:
        if not size:
            refuse("a surface store with conversion")
        given = np.stack([self.spread(v).astype(np.uint32) for v in values], axis=1).view(np.uint8)
        for surface, lanes in self._used(handle, shape, size):
            at, valid = self._offsets(surface, lanes, coordinates, True, outside)
            order = np.flatnonzero(valid)
            if self.shuffled:
                order = self.random.permutation(order)
            before = surface.content[at[order, None] + np.arange(size)]
            for n in order.tolist():  # one after the other: the last one wins
                surface.content[at[n] : at[n] + size] = given[lanes[n], :size]
            if self.races is not None:
                changed = (given[lanes[order], :size] != before).any(axis=1)
                told = self._told(surface, at[order], lanes[order], size)
                alike = np.zeros(len(told[2]))  # what clamps meets itself at the edges, and is judged elsewhere
                self.races.store(*told, np.repeat(changed, size), alike)

    def surface_reduce(
        self,
        handle: Value,
        shape: str,
        coordinates: list[Value],
        operation: str,
        kind: str,
        value: Value,
        in_bytes: bool,
        outside: str,
    ) -> None:
        reduce = _REDUCTIONS.get(operation)
        if reduce is None:
            refuse(f"a surface reduction {operation}")
        size = int(kind[1:]) // 8
        given = self.spread(value).astype(_KINDS["u" + kind[1:]]).view(_KINDS[kind])
        for surface, lanes in self._used(handle, shape, size):
            at, valid = self._offsets(surface, lanes, coordinates, in_bytes, outside)
            reduce.at(surface.content.view(given.dtype), at[valid] // size, given[lanes[valid]])

    def _told(self, surface: Surface, at: Indices, lanes: Indices, size: int) -> tuple[str, int, Indices, Indices]:
        """An access to texels in the terms of `Races`: space, its size, bytes and the warps of each."""
        handle = next(one for one, each in self.surfaces.items() if each is surface)
        return f"surface {handle}", len(surface.content), *each_byte(at, size, lanes // WARP)

    def _objects(self, handle: Value, shape: str) -> tuple[TextureKind, Indices]:
        kind, chosen = super()._objects(handle, shape)
        if self.surfaces.keys() & set(chosen[self.mask].tolist()):
            raise Fault("an object is used as a texture and as a surface")
        return kind, chosen

    def _used(self, handle: Value, shape: str, size: int) -> list[tuple[Surface, Indices]]:
        """The surfaces that the active lanes name, each with its lanes."""
        chosen = self.spread(handle).astype(np.int64) & (TEXTURE_ENTRIES_LIMIT - 1)
        found = []
        for one in np.unique(chosen[self.mask]).tolist():
            if one in self.texture_kinds:
                raise Fault(f"object {one} is used as a texture and as a surface")
            surface = self.surfaces.get(one)
            if surface is None:
                surface = self.surfaces[one] = fresh(one, shape, size)
            if (surface.shape, surface.texel_bytes) != (shape, size):
                raise Fault(f"surface object {one} is used as two kinds")
            found.append((surface, np.flatnonzero(self.mask & (chosen == one))))
        return found

    def _offsets(
        self, surface: Surface, lanes: Indices, coordinates: list[Value], in_bytes: bool, outside: str
    ) -> tuple[Indices, NDArray[np.bool_]]:
        """Byte offset of each lane's texel, and whether it is inside. Raises Fault where it must be and is not."""
        _, width, height, depth = SURFACES[surface.shape]
        at = [self.spread(c).astype(np.uint32).view(np.int32).astype(np.int64)[lanes] for c in coordinates]
        if in_bytes:
            if (at[0] % surface.texel_bytes).any():
                raise Fault("a surface access that begins inside a texel", lane=int(lanes[0]))
            at[0] = at[0] // surface.texel_bytes
        sizes = (width, depth) if surface.shape == "1darray" else (width, height, depth)
        valid = np.ones(len(lanes), bool)
        for k, size in enumerate(sizes[: len(at)]):
            if outside == "clamp":
                at[k] = np.clip(at[k], 0, size - 1)
            valid &= (at[k] >= 0) & (at[k] < size)
        if outside == "trap" and not valid.all():
            raise Fault("a surface access outside", lane=int(lanes[np.flatnonzero(~valid)[0]]))
        x, y, z = (*at, *[np.zeros(len(lanes), np.int64)] * 2)[:3]
        if surface.shape == "1darray":
            y, z = z, y
        return ((z * height + y) * width + x) * surface.texel_bytes, valid


def differing(got: Octets, runs: Sequence[Octets]) -> NDArray[np.int64]:
    """Words of a surface that differ from what all runs agree on."""
    words = [run.view(np.uint32) for run in runs]
    stable = np.ones(len(words[0]), bool)
    for other in words[1:]:
        stable &= other == words[0]
    return np.flatnonzero(stable & (got.view(np.uint32) != words[0]))


def changed_bytes(handle: int, surface: Surface) -> int:
    """How many bytes a run has changed."""
    return int(np.count_nonzero(surface.content != fresh(handle, surface.shape, surface.texel_bytes).content))
