"""`.nv.info` of a linked cubin: each kernel's attributes with those of what it calls taken in.

In: the objects' sections. Out: the sections' bytes. Source: what nvlink 13.0 writes.
"""

from __future__ import annotations

import struct
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from cass_shim.extract.cubin import STO_CUDA_ENTRY as ENTRY
from cass_shim.extract.elf import Elf, Symbol
from cass_shim.extract.link_layout import Code
from cass_shim.extract.nvinfo import (
    FORMAT_SIZED,
    FRAME_SIZE,
    MIN_STACK_SIZE,
    NUM_BARRIERS,
    PARAM_CBANK,
    REGCOUNT,
    UNKNOWN_STACK,
    FunctionFacts,
    read_function_facts,
    read_records,
)
from cass_shim.model.errors import LinkFailed

EXTERNS = 0x0F


def _function_section(elf: Elf, code: Code) -> bytes:
    section = elf.about(".nv.info.", elf.sections[code[1]])
    return section.content if section else b""


def _raw(content: bytes, where: str) -> Iterator[tuple[int, bytes, bytes]]:
    """(attribute, payload, whole record)."""
    records = list(read_records(content, where))
    ends = [one.offset for one in records[1:]] + [len(content)]
    for record, end in zip(records, ends, strict=False):
        yield record.attribute, record.payload, content[record.offset : end]


def function_info(
    objects: Sequence[Elf], functions: Mapping[Code, Symbol], code: Code, reached: Collection[Code]
) -> bytes:
    """One function's section: symbol numbers taken out, since nothing reads them; barriers of what it may call."""
    rows, barriers = [], b""
    most = -1
    for one in (code, *(other for other in reached if other != code)):
        for attribute, payload, record in _raw(_function_section(objects[one[0]], one), functions[one].name):
            if attribute == NUM_BARRIERS:
                count = payload[0] if payload else 0
                most, barriers = (count, record) if count > most else (most, barriers)
            elif one == code and attribute == PARAM_CBANK:
                rows.append(record[:4] + bytes(4) + record[8:])
            elif one == code and attribute != EXTERNS:
                rows.append(record)
    return b"".join([*rows, barriers])


def module_info(
    objects: Sequence[Elf],
    rows: Iterable[tuple[int, Code, Symbol, tuple[Code, ...]]],
    calls: Mapping[Code, Collection[Code]],
) -> bytes:
    """The module-wide section: registers and stack by symbol, a kernel's with all that it may call."""
    facts = [read_function_facts(s.content, elf.source) if (s := elf.section(".nv.info")) else {} for elf in objects]
    listed = list(rows)
    known = {code: facts[code[0]].get(symbol.index, FunctionFacts()) for _, code, symbol, _ in listed}
    content, depth = bytearray(), dict[Code, int]()
    for number, code, symbol, reached in listed:
        registers = max(known[one].registers for one in (code, *reached))
        content += _record(REGCOUNT, number, registers) + _record(FRAME_SIZE, number, known[code].frame)
        if symbol.other & ENTRY:
            stack = max(_stack(code, known, calls, depth), known[code].min_stack)
            content += _record(MIN_STACK_SIZE, number, stack)
    return bytes(content)


def _stack(
    start: Code, known: Mapping[Code, FunctionFacts], calls: Mapping[Code, Collection[Code]], depth: dict[Code, int]
) -> int:
    """Bytes of the deepest chain of calls; unknown where a function may call itself. depth: what is known already."""
    path = {start: iter(sorted(calls.get(start, ())))}
    while path:
        code, rest = next(reversed(path.items()))
        callee = next(rest, None)
        if callee is None:
            path.popitem()
            depth[code] = known[code].frame + max((depth[one] for one in calls.get(code, ())), default=0)
            if depth[code] >= UNKNOWN_STACK:
                raise LinkFailed(f"a stack of {depth[code]:#x} bytes")
        elif callee in path:
            return UNKNOWN_STACK
        elif callee not in depth:
            path[callee] = iter(sorted(calls.get(callee, ())))
    return depth[start]


def _record(attribute: int, symbol: int, value: int) -> bytes:
    return struct.pack("<BBHII", FORMAT_SIZED, attribute, 8, symbol, value)
