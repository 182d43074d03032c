"""`.nv.info` sections: tag/length/value records that hold what the driver knows of a kernel.

In: the bytes of a section. Out: records, and the `KernelAbi` made from them.
Source: names and numbers as `cuobjdump -elf` of CUDA 13 prints them, recorded from ptxas 12.4–13.5 cubins.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

from cass_shim.model.errors import Malformed
from cass_shim.model.kernel_abi import KernelAbi, Param

UNKNOWN_STACK = 0xFFFF_FFFF  # of debug builds that recurse. Source: ptxas 13.0 -g
MAX_THREADS, PARAM_CBANK, REQNTID, FRAME_SIZE, MIN_STACK_SIZE = 0x05, 0x0A, 0x10, 0x11, 0x12
KPARAM_INFO, CBANK_PARAM_SIZE, EXIT_OFFSETS, MAX_STACK_SIZE = 0x17, 0x19, 0x1C, 0x23
REGCOUNT, INDIRECT_BRANCH_TARGETS, KPARAM_INFO_V2, NUM_BARRIERS = 0x2F, 0x34, 0x45, 0x4C
FORMAT_SIZED = 4  # u16 length and payload; formats 1 to 3 have a 2-byte payload


@dataclass(frozen=True, slots=True)
class Record:
    """One attribute. offset: of the record in its section, bytes."""

    attribute: int
    payload: bytes
    offset: int


@dataclass(frozen=True, slots=True)
class FunctionFacts:
    """What the module-wide `.nv.info` says of one function, by symbol index. Bytes, registers."""

    registers: int = 0
    min_stack: int = 0
    frame: int = 0


def read_records(section: bytes, where: str) -> Iterator[Record]:
    """All records of one section. Raises Malformed with the offset in the section."""
    at = 0
    while at < len(section):
        if at + 4 > len(section):
            raise Malformed("truncated attribute", where=where, offset=at)
        form, attribute, size = struct.unpack_from("<BBH", section, at)
        if form == FORMAT_SIZED:
            if at + 4 + size > len(section):
                raise Malformed(f"attribute {attribute:#x} of {size} bytes is truncated", where=where, offset=at)
            yield Record(attribute, section[at + 4 : at + 4 + size], at)
            at += 4 + size
        elif 1 <= form <= 3:
            yield Record(attribute, section[at + 2 : at + 4], at)
            at += 4
        else:
            raise Malformed(f"attribute format {form}", where=where, offset=at)


def _fields(record: Record, layout: str, where: str) -> tuple[int, ...]:
    if len(record.payload) < struct.calcsize(layout):
        raise Malformed(f"attribute {record.attribute:#x} is too short", where=where, offset=record.offset)
    return struct.unpack_from(layout, record.payload)


def _known(size: int) -> int:
    return 0 if size == UNKNOWN_STACK else size


def read_function_facts(section: bytes, where: str) -> dict[int, FunctionFacts]:
    """Registers and stack of each function from the module-wide section, by ELF symbol index."""
    values: dict[int, dict[int, int]] = {}
    for record in read_records(section, where):
        if record.attribute in (REGCOUNT, MIN_STACK_SIZE, FRAME_SIZE):
            symbol, value = _fields(record, "<II", where)
            values.setdefault(symbol, {})[record.attribute] = value
    return {
        symbol: FunctionFacts(v.get(REGCOUNT, 0), _known(v.get(MIN_STACK_SIZE, 0)), v.get(FRAME_SIZE, 0))
        for symbol, v in values.items()
    }


def read_kernel_abi(section: bytes, facts: FunctionFacts, shared_bytes: int, where: str) -> KernelAbi:
    """The parameter layout and limits of one kernel from its own section.

    shared_bytes: size of its .nv.shared section. Parameters come in ordinal order, offsets from the start of the
    block. Raises Malformed when parameters overlap or leave the block.
    """
    params: list[Param] = []
    base, size, threads, barriers = -1, -1, 0, 0
    required: tuple[int, int, int] | None = None
    for record in read_records(section, where):
        if record.attribute == KPARAM_INFO:
            _, ordinal, offset, packed = _fields(record, "<IHHI", where)
            params.append(Param(ordinal, offset, packed >> 18))
        elif record.attribute == KPARAM_INFO_V2:
            _, ordinal, offset, length = _fields(record, "<IHHH", where)
            params.append(Param(ordinal, offset, length))
        elif record.attribute == PARAM_CBANK:
            _, base, size = _fields(record, "<IHH", where)
        elif record.attribute == REQNTID:
            x, y, z = _fields(record, "<III", where)
            required = (x, y, z)
        elif record.attribute == MAX_THREADS:
            x, y, z = _fields(record, "<III", where)
            threads = x * y * z
        elif record.attribute == NUM_BARRIERS:
            barriers = record.payload[0] if record.payload else 0
    params.sort(key=lambda p: p.ordinal)
    _check_params(params, size, where)
    return KernelAbi(
        params=tuple(params),
        params_base=max(base, 0),
        params_bytes=max(size, 0),
        registers=facts.registers,
        shared_bytes=shared_bytes,
        local_bytes=max(facts.min_stack, facts.frame),
        max_threads=threads,
        required_block=required,
        barriers=barriers,
    )


def _check_params(params: list[Param], block: int, where: str) -> None:
    end = 0
    for index, param in enumerate(params):
        if param.ordinal != index:
            raise Malformed(f"parameter {index} is missing or listed twice", where=where)
        if param.offset < end or param.offset + param.size > max(block, 0):
            raise Malformed(f"parameter {index} overlaps another or leaves the block of {block} bytes", where=where)
        end = param.offset + param.size


def read_indirect_targets(section: bytes, where: str) -> dict[int, tuple[int, ...]]:
    """Address of each indirect branch (BRX) → its possible targets, bytes from the start of the section."""
    found: dict[int, tuple[int, ...]] = {}
    for record in read_records(section, where):
        if record.attribute != INDIRECT_BRANCH_TARGETS:
            continue
        payload, at = record.payload, 0
        while at < len(payload):
            if at + 12 > len(payload):
                raise Malformed("truncated indirect branch", where=where, offset=record.offset + 4 + at)
            branch, _, _, count = struct.unpack_from("<IHHI", payload, at)
            if at + 12 + 4 * count > len(payload):
                raise Malformed(f"{count} branch targets do not fit", where=where, offset=record.offset + 4 + at)
            found[branch] = struct.unpack_from(f"<{count}I", payload, at + 12)
            at += 12 + 4 * count
    return found
