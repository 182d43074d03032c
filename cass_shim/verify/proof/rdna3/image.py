"""What a code object says of how its kernel starts: code, descriptor, where each kernel argument lies.

In: `CodeObject`. Out: `Image`. Source: LLVM AMDGPUUsage, "Kernel Descriptor", "Initial Kernel Execution State",
"Code Object V5 Metadata".
"""

from __future__ import annotations

import io
import struct
from dataclasses import dataclass

from elftools.elf.elffile import ELFFile

from cass_shim.model.artifacts import CodeObject
from cass_shim.verify.contract import bytes_at, metadata_of, symbols_of
from cass_shim.verify.gfx11 import walk
from cass_shim.verify.proof.lanes import Unknown
from cass_shim.verify.proof.rdna3.operation import Operation, operations
from cass_shim.verify.proof.rdna3.vector import Mode

# Registers of the user data that properties enable, in order: (bit, name, SGPRs).
_USER = (
    (0, "private segment buffer", 4), (1, "dispatch", 2), (2, "queue", 2), (3, "kernarg", 2), (4, "dispatch id", 2),
    (5, "flat scratch", 2), (6, "private segment size", 1),
)  # fmt: skip
_KEEP, _FLUSH = 3, 0  # denormal modes of the descriptor


@dataclass(frozen=True)
class Image:
    """A kernel as the machine of terms starts it. user: first SGPR of each kind of user data.

    arguments: (offset, size, kind) in the kernarg. group_ids: for x, y, z the SGPR of the block's index. thread_fields:
    how many of x, y, z v0 holds.
    """

    code: dict[int, tuple[Operation, ...]]
    mode: Mode
    user: dict[str, int]
    group_ids: tuple[int | None, int | None, int | None]
    thread_fields: int
    lds_bytes: int
    arguments: tuple[tuple[int, int, str], ...]


def read_image(code: CodeObject) -> Image:
    """Raises Unknown for what has no terms."""
    elf = ELFFile(io.BytesIO(code.elf))
    metadata, symbols = metadata_of(elf, code.symbol), symbols_of(elf, code.symbol)
    text = bytes_at(elf, *symbols[code.symbol])
    descriptor = bytes_at(elf, symbols[f"{code.symbol}.kd"][0], 64)
    lds, _ = struct.unpack_from("<II", descriptor)
    rsrc1, rsrc2 = struct.unpack_from("<II", descriptor, 48)
    (properties,) = struct.unpack_from("<H", descriptor, 56)
    user, at = {}, 0
    for bit, name, count in _USER:
        if properties >> bit & 1:
            user[name], at = at, at + count
    at = rsrc2 >> 1 & 31
    groups: list[int | None] = []
    for bit in (7, 8, 9):
        present = rsrc2 >> bit & 1
        groups.append(at if present else None)
        at += present
    arguments = tuple(
        (int(one[".offset"]), int(one[".size"]), str(one.get(".value_kind", ""))) for one in metadata.get(".args", [])
    )
    found = (groups[0], groups[1], groups[2])
    operation_table = operations(walk(text, code.symbol))
    return Image(operation_table, _mode(rsrc1), user, found, (rsrc2 >> 11 & 3) + 1, lds, arguments)


def _mode(rsrc1: int) -> Mode:
    """MODE at the start: rounding, denormals, NaN rules."""
    rounding, single, wide = rsrc1 >> 12 & 15, rsrc1 >> 16 & 3, rsrc1 >> 18 & 3
    if rounding or wide != _KEEP or single not in (_KEEP, _FLUSH):
        raise Unknown(f"float mode {rsrc1 >> 12 & 0xFF:#x} has no terms")
    return Mode(single == _FLUSH, bool(rsrc1 >> 23 & 1), bool(rsrc1 >> 21 & 1))
