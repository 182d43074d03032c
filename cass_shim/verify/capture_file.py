"""The file of a captured launch, `.casscap`: what a bug report needs to show a wrong result without the program.

In: a launch, the kernel's name and the module that holds it. Out: bytes, and back. A file comes from strangers: every
size is checked before it is used, nothing in it is executed while it is read, and no pickle is.
File: 8 bytes of magic, u32 version, u32 size of the JSON head, the head (UTF-8), then one zstd frame: the memory of
the ranges in order, then the module's region as the program registers it. All integers little-endian.
"""

from __future__ import annotations

import hashlib
import json
import struct
from dataclasses import dataclass
from typing import Any

import zstandard

import cass_shim
from cass_shim.model.captured import CapturedLaunch, MemoryRange
from cass_shim.model.errors import Malformed

MAGIC = b"CASSCAPT"
VERSION = 1
EXTENSION = ".casscap"
START = struct.Struct("<8sII")
HEAD_LIMIT = 4 << 20  # bytes of JSON
BODY_LIMIT = 2 << 30  # bytes behind it, unpacked
NAME_LIMIT = 1 << 16
LEVEL = 6  # of zstd
WARNING = (
    "This file holds memory that the program gave to the kernel, and the program's GPU code. "
    "Look for secrets before you pass it on."
)


@dataclass(frozen=True, slots=True)
class CaptureFile:
    """kernel: its name in the module. region, entry_offset, module: as in a MODULE request (model/wire.py)."""

    kernel: str
    launch: CapturedLaunch
    region: bytes
    entry_offset: int
    module: bytes


def pack_file(held: CaptureFile) -> bytes:
    """The bytes of the file."""
    launch = held.launch
    body = b"".join((*(one.content for one in launch.ranges), held.region))
    head = {
        "warning": WARNING,
        "cass-shim": cass_shim.__version__,
        "kernel": held.kernel,
        "module": held.module.hex(),
        "grid": launch.grid,
        "block": launch.block,
        "dynamic_shared": launch.dynamic_shared,
        "cooperative": launch.cooperative,
        "params": launch.params.hex(),
        "ranges": [
            {"address": f"{one.address:#x}", "size": len(one.content), "image": one.image, "heap": one.is_heap}
            for one in launch.ranges
        ],
        "region_bytes": len(held.region),
        "entry_offset": held.entry_offset,
        "sha256": hashlib.sha256(body).hexdigest(),
    }
    text = json.dumps(head, indent=1).encode()
    packed = zstandard.ZstdCompressor(level=LEVEL).compress(body)
    return START.pack(MAGIC, VERSION, len(text)) + text + packed


def read_file(content: bytes, where: str) -> CaptureFile:
    """The file's content; Malformed for anything that is none."""
    head, packed = _head(content, where)
    reader = _Reader(head, where)
    sizes = [reader.whole("size", BODY_LIMIT, one) for one in reader.rows("ranges")]
    region_bytes = reader.whole("region_bytes", BODY_LIMIT)
    body = _unpack(packed, sum(sizes) + region_bytes, where)
    if hashlib.sha256(body).hexdigest() != head.get("sha256"):
        raise Malformed("the memory in it is not what its head says (SHA-256)", where=where)
    ranges, at = [], 0
    for row, size in zip(reader.rows("ranges"), sizes, strict=True):
        image = None if row.get("image") is None else reader.whole("image", 1 << 16, row)
        ranges.append(MemoryRange(reader.address(row), body[at : at + size], image, row.get("heap") is True))
        at += size
    launch = CapturedLaunch(
        reader.triple("grid"),
        reader.triple("block"),
        reader.whole("dynamic_shared", 1 << 20),
        reader.octets("params"),
        tuple(ranges),
        head.get("cooperative") is True,
    )
    module = reader.octets("module")
    if len(module) != 32:
        raise Malformed("the module's digest has not 32 bytes", where=where)
    kernel = head.get("kernel")
    if not isinstance(kernel, str) or not kernel.isprintable() or not 0 < len(kernel) <= NAME_LIMIT:
        raise Malformed("no kernel's name", where=where)
    offset = reader.whole("entry_offset", region_bytes)
    return CaptureFile(kernel, launch, body[at:], offset, module)


def _head(content: bytes, where: str) -> tuple[dict[str, Any], memoryview]:
    """The JSON head, and what lies behind it."""
    if len(content) < START.size or content[:8] != MAGIC:
        raise Malformed("no captured launch; `cass capture PROGRAM` makes one", where=where)
    _, version, size = START.unpack_from(content)
    if version != VERSION:
        raise Malformed(f"format version {version}, this is version {VERSION}", where=where, offset=8)
    if size > HEAD_LIMIT or START.size + size > len(content):
        raise Malformed(f"a head of {size} bytes", where=where, offset=12)
    try:
        head = json.loads(content[START.size : START.size + size])
    except (ValueError, RecursionError) as error:
        raise Malformed("its head is no JSON", where=where, offset=START.size) from error
    if not isinstance(head, dict):
        raise Malformed("its head is no JSON object", where=where, offset=START.size)
    return head, memoryview(content)[START.size + size :]


def _unpack(packed: memoryview, size: int, where: str) -> bytes:
    """The zstd frame, which must hold exactly `size` bytes."""
    if size > BODY_LIMIT:
        raise Malformed(f"{size} bytes of memory; the limit is {BODY_LIMIT}", where=where)
    try:
        parameters = zstandard.get_frame_parameters(packed)
        if parameters.content_size != size:
            raise Malformed(f"a frame of {parameters.content_size} bytes, {size} are named", where=where)
        return zstandard.ZstdDecompressor(max_window_size=BODY_LIMIT).decompress(packed, max_output_size=size)
    except (zstandard.ZstdError, ValueError, MemoryError) as error:
        raise Malformed(f"its memory cannot be unpacked: {error}", where=where) from error


@dataclass(frozen=True)
class _Reader:
    """Members of the head, each of the type that it must have."""

    head: dict[str, Any]
    where: str

    def whole(self, name: str, limit: int, row: dict[str, Any] | None = None) -> int:
        value = (self.head if row is None else row).get(name)
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= limit:
            raise Malformed(f"{name} is no number from 0 to {limit}", where=self.where)
        return value

    def triple(self, name: str) -> tuple[int, int, int]:
        value = self.head.get(name)
        if not isinstance(value, list) or len(value) != 3:
            raise Malformed(f"{name} has not three numbers", where=self.where)
        x, y, z = (self.whole("0", 1 << 31, {"0": one}) for one in value)
        return x, y, z

    def octets(self, name: str) -> bytes:
        value = self.head.get(name)
        try:
            return bytes.fromhex(value) if isinstance(value, str) else _no_text(name)
        except ValueError as error:
            raise Malformed(f"{name} is not hexadecimal", where=self.where) from error

    def rows(self, name: str) -> list[dict[str, Any]]:
        value = self.head.get(name)
        if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
            raise Malformed(f"{name} is no list of objects", where=self.where)
        return value

    def address(self, row: dict[str, Any]) -> int:
        value = row.get("address")
        try:
            return int(value, 16) if isinstance(value, str) and len(value) < 32 else _no_text("address")
        except ValueError as error:
            raise Malformed("an address is not hexadecimal", where=self.where) from error


def _no_text(name: str) -> Any:
    raise ValueError(name)
