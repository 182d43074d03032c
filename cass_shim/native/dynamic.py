"""Changes to the dynamic section of a linked library that not every linker driver can be asked for."""

from __future__ import annotations

import struct
from pathlib import Path

from cass_shim.model.errors import ToolFailed

DT_NULL, DT_FLAGS_1 = 0, 0x6FFFFFFB
DF_1_INITFIRST = 0x20  # glibc elf.h: run this object's constructors before all others
PT_DYNAMIC = 2


def initialise_first(library: Path) -> None:
    """Sets DF_1_INITFIRST, as `-z initfirst` does; zig's linker driver refuses that option.

    Raises ToolFailed when the library has no DT_FLAGS_1, which `-z now` makes every linker write.
    """
    image = bytearray(library.read_bytes())
    header_offset = struct.unpack_from("<Q", image, 32)[0]
    header_size, header_count = struct.unpack_from("<HH", image, 54)
    for index in range(header_count):
        kind, _, offset, _, _, size = struct.unpack_from("<IIQQQQ", image, header_offset + index * header_size)
        if kind != PT_DYNAMIC:
            continue
        for at in range(offset, offset + size, 16):
            tag, value = struct.unpack_from("<QQ", image, at)
            if tag == DT_FLAGS_1:
                struct.pack_into("<Q", image, at + 8, value | DF_1_INITFIRST)
                mode = library.stat().st_mode
                library.write_bytes(image)
                library.chmod(mode)
                return
            if tag == DT_NULL:
                break
    raise ToolFailed("initialise_first", stderr=f"{library}: no DT_FLAGS_1 in its dynamic section")
