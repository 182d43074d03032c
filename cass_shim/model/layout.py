"""Fixed little-endian record layouts, defined once: Python packs and reads them, the C header is generated.

A layout's fields lie at their natural alignment without hidden padding, so that a plain C struct has the same
layout; `native.client.generate` emits an offset assertion for every field.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import TypeVar

from cass_shim.model.errors import Malformed

FIELD_TYPES: Mapping[str, tuple[str, int, int]] = {  # type → struct code, size, alignment, in bytes
    "u16": ("H", 2, 2),
    "u32": ("I", 4, 4),
    "u64": ("Q", 8, 8),
    "i64": ("q", 8, 8),
    "u8[8]": ("8s", 8, 1),
    "u8[32]": ("32s", 32, 1),
}

Record = dict[str, int | bytes]
E = TypeVar("E", bound=Enum)


@dataclass(frozen=True)
class Layout:
    """One record. name: of the C struct. fields: (type of FIELD_TYPES, field name), in order."""

    name: str
    fields: tuple[tuple[str, str], ...]

    def __post_init__(self) -> None:
        offset = 0
        for kind, field in self.fields:
            _, size, alignment = FIELD_TYPES[kind]
            assert offset % alignment == 0, f"{self.name}.{field} is not aligned"
            offset += size
        assert offset % max(FIELD_TYPES[kind][2] for kind, _ in self.fields) == 0, f"{self.name} has a hidden tail"

    @cached_property
    def codec(self) -> struct.Struct:
        return struct.Struct("<" + "".join(FIELD_TYPES[kind][0] for kind, _ in self.fields))

    @property
    def size(self) -> int:
        return self.codec.size

    def pack(self, **values: int | bytes) -> bytes:
        """The record's bytes; every field must be given, `reserved*` fields default to 0."""
        names = [field for _, field in self.fields]
        unknown = set(values) - set(names)
        assert not unknown, f"{self.name} has no field {unknown}"
        return self.codec.pack(*(values[name] if not name.startswith("reserved") else 0 for name in names))

    def unpack(self, content: bytes, offset: int = 0, *, where: str = "") -> Record:
        """The fields of the record at `offset`; Malformed when it does not lie inside `content`."""
        if offset < 0 or offset + self.size > len(content):
            raise Malformed(f"{self.name} does not fit", where=where, offset=offset)
        names = (field for _, field in self.fields)
        return dict(zip(names, self.codec.unpack_from(content, offset), strict=True))


# Every cache file and every inline reply begins with this header. `sha256` covers everything after it, and
# everything that carries meaning lies after it.
FILE_HEADER = Layout(
    "cass_file_header",
    (
        ("u8[8]", "magic"),
        ("u32", "version"),
        ("u32", "reserved0"),
        ("u64", "file_bytes"),
        ("u64", "reserved1"),
        ("u8[32]", "sha256"),
    ),
)


def seal(magic: bytes, version: int, body: bytes) -> bytes:
    """`body` (laid out for a start at FILE_HEADER.size) as a whole file with its header."""
    digest = hashlib.sha256(body).digest()
    size = FILE_HEADER.size + len(body)
    return FILE_HEADER.pack(magic=magic, version=version, file_bytes=size, sha256=digest) + body


def check_seal(content: bytes, magic: bytes, version: int, *, where: str = "") -> None:
    """Raises Malformed unless `content` is a whole, unchanged file of this magic and version."""
    header = FILE_HEADER.unpack(content, where=where)
    if header["magic"] != magic:
        raise Malformed(f"magic is {header['magic']!r}, expected {magic!r}", where=where, offset=0)
    if header["version"] != version:
        raise Malformed(f"format version {header['version']!r}, expected {version}", where=where, offset=8)
    if header["file_bytes"] != len(content):
        raise Malformed(f"{len(content)} bytes, header says {header['file_bytes']!r}", where=where, offset=16)
    if hashlib.sha256(memoryview(content)[FILE_HEADER.size :]).digest() != header["sha256"]:
        raise Malformed("SHA-256 does not match", where=where, offset=32)


class StringTable:
    """NUL-terminated UTF-8 strings, each stored once; offset 0 is the empty string."""

    def __init__(self) -> None:
        self.content = bytearray(b"\0")
        self._offsets: dict[str, int] = {"": 0}

    def add(self, text: str) -> int:
        """Offset of `text` in the table, in bytes."""
        if "\0" in text:
            raise Malformed(f"a name contains NUL: {text!r}")
        if text not in self._offsets:
            self._offsets[text] = len(self.content)
            self.content += text.encode(errors="surrogateescape") + b"\0"  # as read_string gives it
        return self._offsets[text]


def read_string(table: bytes, offset: int, *, where: str = "") -> str:
    """The NUL-terminated string at `offset` of a string table."""
    end = table.find(b"\0", offset)
    if offset < 0 or end < 0:
        raise Malformed("string outside its table", where=where, offset=offset)
    return table[offset:end].decode(errors="surrogateescape")


def member(kind: type[E], number: int | bytes, *, where: str = "") -> E:
    """The member of an enumeration that a file or message names; Malformed when there is none."""
    try:
        return kind(number)
    except ValueError as error:
        raise Malformed(f"{kind.__name__} {number!r} is not known", where=where) from error
