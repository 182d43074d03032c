"""PTX's fundamental types: width, kind, and the C++ type that holds them. Source: PTX ISA 9.0 §5.2."""

from __future__ import annotations

from typing import NamedTuple


class Type(NamedTuple):
    """kind: "b" bits, "u", "s", "f" float, "p" predicate, "x" packed or alternate float format."""

    name: str
    bits: int
    kind: str
    c: str


_ROWS = [
    Type("pred", 1, "p", "bool"),
    *(Type(f"b{bits}", bits, "b", f"u{bits}") for bits in (8, 16, 32, 64, 128)),
    *(Type(f"u{bits}", bits, "u", f"u{bits}") for bits in (8, 16, 32, 64)),
    *(Type(f"s{bits}", bits, "s", f"i{bits}") for bits in (8, 16, 32, 64)),
    Type("f16", 16, "f", "f16"),
    Type("f32", 32, "f", "f32"),
    Type("f64", 64, "f", "f64"),
    Type("f16x2", 32, "x", "u32"),
    Type("f32x2", 64, "x", "u64"),
    Type("bf16", 16, "x", "u16"),
    Type("bf16x2", 32, "x", "u32"),
    Type("tf32", 32, "x", "u32"),
    Type("e4m3", 8, "x", "u8"),
    Type("e5m2", 8, "x", "u8"),
    Type("e4m3x2", 16, "x", "u16"),
    Type("e5m2x2", 16, "x", "u16"),
    Type("u16x2", 32, "x", "u32"),
    Type("s16x2", 32, "x", "u32"),
    Type("texref", 64, "b", "u64"),
    Type("samplerref", 64, "b", "u64"),
    Type("surfref", 64, "b", "u64"),
]

TYPES: dict[str, Type] = {row.name: row for row in _ROWS}

REFERENCES = {"texref": "texture", "surfref": "surface"}  # opaque types whose value is a handle → of what


def bits_of(name: str) -> int:
    """Width of a type in bits."""
    return TYPES[name].bits


def bytes_of(name: str) -> int:
    """Size of a type in memory, in bytes."""
    return max(1, TYPES[name].bits // 8)
