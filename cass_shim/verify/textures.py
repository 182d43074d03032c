"""Textures in the reference: what a texture object holds is our own choice, so that candidates can be compared.

A handle's low 20 bits pick the object. Its kind is that of its first use in a run; even handles have unnormalized
coordinates and clamp, odd ones normalized coordinates and wrap (cubes normalized ones and clamp), all read the nearest
texel of 16 bytes. Filtering, levels and gradients are the device's matter, not the translation's.
"""

from __future__ import annotations

import functools
from typing import Generic, NoReturn, TypeVar

import numpy as np
from numpy.typing import NDArray

from cass_shim.model.errors import Unsupported
from cass_shim.model.kernel_abi import TEXTURE_ENTRIES_LIMIT, TextureKind
from cass_shim.verify.arithmetic import Value
from cass_shim.verify.memory import Fault

WIDTH, HEIGHT, LAYERS = 64, 32, 8  # texels; planes or layers
SIDE, CUBES, FACES = 32, 3, 6
LINEAR_ELEMENTS = 4096
VARIANTS = 4  # different contents, by the handle's bits 1 and 2
KINDS = {
    "1d": TextureKind.LINEAR, "2d": TextureKind.ARRAY_2D, "3d": TextureKind.ARRAY_3D,
    "1darray": TextureKind.LAYERED_1D, "2darray": TextureKind.LAYERED_2D, "cube": TextureKind.CUBE,
    "cubearray": TextureKind.LAYERED_CUBE,
}  # fmt: skip
# Kind → (width, height, depth or layers).
EXTENTS = {
    TextureKind.LINEAR: (LINEAR_ELEMENTS, 1, 1),
    TextureKind.ARRAY_2D: (WIDTH, HEIGHT, 1),
    TextureKind.ARRAY_3D: (WIDTH, HEIGHT, LAYERS),
    TextureKind.LAYERED_1D: (WIDTH, 1, LAYERS),
    TextureKind.LAYERED_2D: (WIDTH, HEIGHT, LAYERS),
    TextureKind.CUBE: (SIDE, SIDE, FACES),
    TextureKind.LAYERED_CUBE: (SIDE, SIDE, FACES * CUBES),
}
V = TypeVar("V")
Indices = NDArray[np.int64]


def normalized(handle: int, kind: TextureKind) -> bool:
    """Whether the coordinates of this object are fractions of its size."""
    return handle & 1 == 1 or kind in (TextureKind.CUBE, TextureKind.LAYERED_CUBE)


@functools.cache
def contents(kind: TextureKind, variant: int) -> NDArray[np.uint32]:
    """Texels as (layers, rows, columns, 4 words): floats between -4 and 4, whose bits serve as integers too."""
    width, height, depth = EXTENTS[kind]
    random = np.random.default_rng((int(kind), variant))
    return random.uniform(-4, 4, (depth, height, width, 4)).astype(np.float32).view(np.uint32)


@functools.cache
def _all_contents(kind: TextureKind) -> NDArray[np.uint32]:
    return np.stack([contents(kind, variant) for variant in range(VARIANTS)])


class NoTextures(Generic[V]):
    """The texture part of `isa.emitter.Emitter`, refused by name."""

    def sample(
        self,
        handle: V,
        shape: str,
        coordinates: list[V],
        layer: V | None,
        level: V | None,
        gradients: list[V],
        offsets: list[V],
    ) -> list[V]:
        refuse("sampling a texture")

    def gather_texels(
        self, handle: V, shape: str, coordinates: list[V], layer: V | None, component: int, offsets: list[V]
    ) -> list[V]:
        refuse("gathering from a texture")

    def fetch(self, handle: V, shape: str, coordinates: list[V], layer: V | None, level: V | None) -> list[V]:
        refuse("fetching from a texture")

    def texture_size(self, handle: V, level: V) -> list[V]:
        refuse("the size of a texture")

    def surface_load(self, handle: V, shape: str, coordinates: list[V], size: int, outside: str) -> list[V]:
        refuse("a surface load")

    def surface_store(
        self, handle: V, shape: str, coordinates: list[V], values: list[V], size: int, outside: str
    ) -> None:
        refuse("a surface store")

    def surface_reduce(
        self,
        handle: V,
        shape: str,
        coordinates: list[V],
        operation: str,
        kind: str,
        value: V,
        in_bytes: bool,
        outside: str,
    ) -> None:
        refuse("a surface reduction")


def refuse(what: str) -> NoReturn:
    raise Unsupported(what, why="the reference knows no contents for it")


class Textures(NoTextures[Value]):
    """Reads of textures. texture_kinds: the objects that this run has used."""

    mask: NDArray[np.bool_]
    texture_kinds: dict[int, TextureKind]

    def spread(self, value: Value) -> Value:
        raise NotImplementedError

    def sample(
        self,
        handle: Value,
        shape: str,
        coordinates: list[Value],
        layer: Value | None,
        level: Value | None,
        gradients: list[Value],
        offsets: list[Value],
    ) -> list[Value]:
        if shape == "1d":
            refuse("sampling with one coordinate")
        kind, chosen = self._objects(handle, shape)
        width, height, depth = EXTENTS[kind]
        if shape.startswith("cube"):
            x, y, face = self._on_cube(coordinates)
            which = self._layer(layer, CUBES)
            return self._read(kind, chosen, [x, y], face if which is None else face + FACES * which)
        sizes = (width, depth) if shape == "1darray" else (width, height, depth)
        steps = self._steps(offsets, len(coordinates))
        at = [self._nearest(c, size, chosen, step) for c, size, step in zip(coordinates, sizes, steps, strict=False)]
        return self._read(kind, chosen, at, self._layer(layer, depth))

    def _steps(self, offsets: list[Value], count: int) -> list[Indices]:
        """By how many texels each lane's place is moved."""
        if not offsets:
            return [np.zeros(len(self.mask), np.int64)] * count
        return [np.ascontiguousarray(self.spread(o)).view(np.int32).astype(np.int64) for o in offsets]

    def gather_texels(
        self,
        handle: Value,
        shape: str,
        coordinates: list[Value],
        layer: Value | None,
        component: int,
        offsets: list[Value],
    ) -> list[Value]:
        if shape.startswith("cube"):
            refuse("gathering from a cube")
        kind, chosen = self._objects(handle, shape)
        width, height, depth = EXTENTS[kind]
        steps = self._steps(offsets, 2)
        sides = zip(coordinates, (width, height), steps, strict=True)
        x, y = (self._neighbours(c, size, chosen, step) for c, size, step in sides)
        place = self._layer(layer, depth)
        corners = ((0, 1), (1, 1), (1, 0), (0, 0))
        return [self._read(kind, chosen, [x[i], y[j]], place)[component] for i, j in corners]

    def fetch(
        self, handle: Value, shape: str, coordinates: list[Value], layer: Value | None, level: Value | None
    ) -> list[Value]:
        kind, chosen = self._objects(handle, shape)
        width, height, depth = EXTENTS[kind]
        given = [self.spread(c).astype(np.int64) for c in coordinates]
        sizes = (width,) if len(given) == 1 else (width, height, depth)
        inside = np.ones(len(self.mask), bool)
        for c, size in zip(given, sizes, strict=False):
            inside &= c < size
        place = None
        if layer is not None:
            layers = self.spread(layer).astype(np.int64)
            inside &= layers < depth
            place = np.where(inside, layers, 0)
        at = [np.where(inside, c, 0) for c in given]
        texel = self._read(kind, chosen, at, place)
        return [np.where(inside, word, np.uint32(0)) for word in texel]

    def texture_size(self, handle: Value, level: Value) -> list[Value]:
        refuse("the size of a texture")

    def _objects(self, handle: Value, shape: str) -> tuple[TextureKind, Indices]:
        """The kind that this use gives the objects, and each lane's object."""
        kind = KINDS.get(shape)
        if kind is None:
            refuse(f"a texture of shape {shape}")
        chosen = self.spread(handle).astype(np.int64) & (TEXTURE_ENTRIES_LIMIT - 1)
        for one in np.unique(chosen[self.mask]).tolist():
            if self.texture_kinds.setdefault(one, kind) is not kind:
                raise Fault(f"texture object {one} is used as two kinds")
        return kind, chosen

    def _position(self, coordinate: Value, size: int, chosen: Indices) -> NDArray[np.float64]:
        """In texels. Normalized coordinates are cut to 21 fraction bits, as recorded on an NVIDIA GPU."""
        with np.errstate(invalid="ignore"):
            given = np.ascontiguousarray(self.spread(coordinate)).view(np.float32).astype(np.float64)
            cut = np.floor(given * 2.0**21) * 2.0**-21
            turned = np.where(np.isfinite(given), (cut - np.floor(cut)) * size, given)
            found = np.where(chosen & 1 == 1, turned, given)
        plain = np.nan_to_num(found, nan=0.0, posinf=2.0**24, neginf=-(2.0**24))
        held: NDArray[np.float64] = np.clip(plain, -(2.0**24), 2.0**24)
        return held

    def _nearest(self, coordinate: Value, size: int, chosen: Indices, step: Indices) -> Indices:
        return self._moved(np.floor(self._position(coordinate, size, chosen)).astype(np.int64) + step, size, chosen)

    def _neighbours(self, coordinate: Value, size: int, chosen: Indices, step: Indices) -> tuple[Indices, Indices]:
        """The two texels that linear filtering would use; positions are rounded to 256ths of a texel first."""
        position = np.floor(self._position(coordinate, size, chosen) * 256 + 0.5) / 256 - 0.5
        first = np.floor(position).astype(np.int64) + step
        return self._moved(first, size, chosen), self._moved(first + 1, size, chosen)

    def _on_cube(self, direction: list[Value]) -> tuple[Indices, Indices, Indices]:
        """Column, row and face that a direction meets (OpenGL, "Cube Map Texture Selection")."""
        x, y, z = (np.ascontiguousarray(self.spread(c)).view(np.float32) for c in direction)
        with np.errstate(all="ignore"):
            z_major = (np.abs(z) >= np.abs(x)) & (np.abs(z) >= np.abs(y))
            y_major = ~z_major & (np.abs(y) >= np.abs(x))
            major = np.where(z_major, z, np.where(y_major, y, x))
            across = np.where(z_major, np.where(z < 0, -x, x), np.where(y_major, x, np.where(x < 0, z, -z)))
            down = np.where(y_major, np.where(y < 0, -z, z), -y)
            scale = (np.float32(1) / np.abs(major * np.float32(2))).astype(np.float64)
            at = [((c.astype(np.float64) * scale + 1.5).astype(np.float32) - np.float32(1)) for c in (across, down)]
            cut = [np.floor(np.floor(np.nan_to_num(c.astype(np.float64)) * 2.0**21) * 2.0**-21 * SIDE) for c in at]
        column, row = (np.clip(c, 0, SIDE - 1).astype(np.int64) for c in cut)
        first = np.where(z_major, 4, np.where(y_major, 2, 0))
        return column, row, first + (major < 0)

    @staticmethod
    def _moved(index: Indices, size: int, chosen: Indices) -> Indices:
        return np.where(chosen & 1 == 1, index % size, np.clip(index, 0, size - 1))

    def _layer(self, layer: Value | None, depth: int) -> Indices | None:
        return None if layer is None else np.minimum(self.spread(layer).astype(np.int64), depth - 1)

    def _read(self, kind: TextureKind, chosen: Indices, at: list[Indices], layer: Indices | None) -> list[Value]:
        zero = np.zeros(len(self.mask), np.int64)
        x, y, z = (*at, zero, zero)[:3]
        if kind is TextureKind.LAYERED_1D:
            y = zero
        texel = _all_contents(kind)[chosen >> 1 & VARIANTS - 1, z if layer is None else layer, y, x]
        return [np.ascontiguousarray(texel[:, k]) for k in range(4)]
