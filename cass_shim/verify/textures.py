"""Textures in the reference interpreter: it knows no contents for them, so a kernel that reads one stays at E0."""

from __future__ import annotations

from typing import NoReturn

from cass_shim.model.errors import Unsupported
from cass_shim.verify.arithmetic import Value


class NoTextures:
    """The texture part of `isa.emitter.Emitter`: refused by name."""

    def sample(
        self,
        handle: Value,
        shape: str,
        coordinates: list[Value],
        layer: Value | None,
        level: Value | None,
        gradients: list[Value],
    ) -> list[Value]:
        _refuse("sampling a texture")

    def gather_texels(
        self, handle: Value, shape: str, coordinates: list[Value], layer: Value | None, component: int
    ) -> list[Value]:
        _refuse("gathering from a texture")

    def fetch(
        self, handle: Value, shape: str, coordinates: list[Value], layer: Value | None, level: Value | None
    ) -> list[Value]:
        _refuse("fetching from a texture")

    def texture_size(self, handle: Value, level: Value) -> list[Value]:
        _refuse("the size of a texture")

    def surface_load(self, handle: Value, shape: str, coordinates: list[Value], size: int, outside: str) -> list[Value]:
        _refuse("a surface load")

    def surface_store(
        self, handle: Value, shape: str, coordinates: list[Value], values: list[Value], size: int, outside: str
    ) -> None:
        _refuse("a surface store")

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
        _refuse("a surface reduction")


def _refuse(what: str) -> NoReturn:
    raise Unsupported(what, why="the reference interpreter knows no texture contents")
