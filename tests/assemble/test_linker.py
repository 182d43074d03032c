"""The linker in process against ld.lld, byte for byte, and what it leaves to that."""

from __future__ import annotations

import functools
import struct

import pytest

from cass_shim.assemble import toolchain
from cass_shim.assemble.linker import PAGE, link_object
from cass_shim.assemble.llvm import generate_object
from cass_shim.lift import lift_kernel
from cass_shim.model.errors import ToolFailed
from tests.lift.support import HEAD, kernel

TABLE = {2: bytes(range(64)), 5: bytes(16)}
STEPS = "".join(f"IMAD R8, R8, R8, {12345 + 977 * n:#x}\n" for n in range(108))
BODIES = {
    "plain": HEAD + "STG.E [R2.64], R0\nEXIT",
    "nothing": "EXIT",
    "ends on a page": HEAD + "LDG.E R8, [R4.64]\n" + STEPS + "STG.E [R2.64], R8\nEXIT",
    "constants of its own": HEAD + "LDC R8, c[0x2][R0+0x4]\nLDC R9, c[0x5][R0]\nSTG.E.64 [R2.64], R8\nEXIT",
    "local memory": HEAD + "IADD3 R9, R1, R0, RZ\nSTL [R9], R0\nLDL R8, [R9+0x4]\nSTG.E [R2.64], R8\nEXIT",
}


@functools.cache
def lifted(name: str) -> bytes:
    return generate_object(lift_kernel(kernel(BODIES[name], constants=TABLE, local_bytes=64)).text)


@pytest.mark.parametrize("name", BODIES)
def test_gives_what_lld_gives(name: str) -> None:
    try:
        expected = toolchain._link_by_lld(lifted(name))
    except ToolFailed as missing:
        pytest.skip(str(missing))
    start = expected.index(b"Linker:")
    comment = expected[start : expected.index(b"\0", start) + 1]
    assert link_object(lifted(name), comment) == expected


def test_code_that_ends_on_a_page_is_among_the_cases() -> None:
    linked = link_object(lifted("ends on a page"))
    assert linked is not None
    _, _, offset, _, _, size = struct.unpack_from("<IIQQQQ", linked, 64 + 2 * 56)  # the segment of the code
    assert (offset + size) % PAGE == 0


def test_names_itself() -> None:
    linked = link_object(lifted("plain"))
    assert linked is not None and b"Linker: cass-shim\0" in linked and b"LLD" not in linked


def test_other_shapes_are_for_lld() -> None:
    known = lifted("plain")
    assert link_object(known.replace(b".note.GNU-stack", b".note.GNU-stick")) is None  # a section it does not know
    assert link_object(known[:48] + b"\x46" + known[49:]) is None  # of another processor
    record = b"\x05\0\0\0\x06\0\0\0"  # the descriptor's relocation: kind and symbol
    assert known.count(record) == 1
    assert link_object(known.replace(record, b"\x09" + record[1:])) is None  # a relocation it does not know
