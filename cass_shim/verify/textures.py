"""Textures in the reference: it knows no contents for them, so a kernel that reads one stays at E0, unproved."""

from __future__ import annotations

from typing import Generic, NoReturn, TypeVar

from cass_shim.model.errors import Unsupported

V = TypeVar("V")


class NoTextures(Generic[V]):
    """The texture part of `isa.emitter.Emitter`: refused by name."""

    def sample(
        self,
        handle: V,
        shape: str,
        coordinates: list[V],
        layer: V | None,
        level: V | None,
        gradients: list[V],
    ) -> list[V]:
        _refuse("sampling a texture")

    def gather_texels(self, handle: V, shape: str, coordinates: list[V], layer: V | None, component: int) -> list[V]:
        _refuse("gathering from a texture")

    def fetch(self, handle: V, shape: str, coordinates: list[V], layer: V | None, level: V | None) -> list[V]:
        _refuse("fetching from a texture")

    def texture_size(self, handle: V, level: V) -> list[V]:
        _refuse("the size of a texture")

    def surface_load(self, handle: V, shape: str, coordinates: list[V], size: int, outside: str) -> list[V]:
        _refuse("a surface load")

    def surface_store(
        self, handle: V, shape: str, coordinates: list[V], values: list[V], size: int, outside: str
    ) -> None:
        _refuse("a surface store")

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
        _refuse("a surface reduction")


def _refuse(what: str) -> NoReturn:
    raise Unsupported(what, why="the reference knows no texture contents")
