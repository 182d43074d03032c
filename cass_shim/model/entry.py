"""The code entry: one kernel's code object with what a launch needs, in a layout that C reads.

In: a verified code object and its record key. Out: the bytes of a `.ccode` file, and back.
File: FILE_HEADER, ENTRY_HEAD, the slots, the strings, then the code object (64-aligned).
"""

from __future__ import annotations

from dataclasses import dataclass

from cass_shim.model.artifacts import CodeObject, Evidence
from cass_shim.model.errors import Malformed
from cass_shim.model.kernel_abi import AbiClass, Slot, SlotKind
from cass_shim.model.layout import FILE_HEADER, Layout, StringTable, check_seal, member, read_string, seal

ENTRY_MAGIC = b"CASSCODE"
ENTRY_VERSION = 1
ENTRY_EXTENSION = ".ccode"
LAUNCH_MAY_TELL = 1  # flag: generated inputs told nothing, or of little of the code, and no launch has been tried
DISPUTED = 2  # flag: it differed on a launch, and there was no time to tell whether that is a fault

ENTRY_HEAD = Layout(
    "cass_entry_head",
    (
        ("u8[32]", "key"),
        ("u32", "evidence"),
        ("u32", "abi"),
        ("u32", "bindings_offset"),
        ("u32", "lds_bytes"),
        ("u32", "scratch_bytes"),
        ("u32", "kernarg_bytes"),
        ("u32", "vgprs"),
        ("u32", "sgprs"),
        ("u32", "symbol"),
        ("u32", "route"),
        ("u32", "slot_count"),
        ("u32", "flags"),
        ("u64", "slots"),
        ("u64", "strings"),
        ("u64", "strings_bytes"),
        ("u64", "code"),
        ("u64", "code_bytes"),
    ),
)

ENTRY_SLOT = Layout("cass_entry_slot", (("u32", "kind"), ("u32", "symbol"), ("i64", "addend")))


@dataclass(frozen=True, slots=True)
class CodeEntry:
    """A code object as the target process gets it. key: 32 bytes. route: the translator's name.

    launch_may_tell: generated inputs told nothing of it (E0) or reached little of it, and a launch could tell (E3).
    disputed: it differed on such a launch, and there was no time to tell whether that is a fault.
    """

    key: bytes
    code: CodeObject
    evidence: Evidence
    route: str
    launch_may_tell: bool = False
    disputed: bool = False


def pack_entry(entry: CodeEntry) -> bytes:
    """The bytes of the entry's file."""
    code, strings = entry.code, StringTable()
    slots = b"".join(
        ENTRY_SLOT.pack(kind=int(slot.kind), symbol=strings.add(slot.symbol), addend=slot.addend) for slot in code.slots
    )
    symbol, route = strings.add(code.symbol), strings.add(entry.route)
    at_slots = FILE_HEADER.size + ENTRY_HEAD.size
    at_strings = at_slots + len(slots)
    at_code = (at_strings + len(strings.content) + 63) & -64
    head = ENTRY_HEAD.pack(
        key=entry.key,
        evidence=int(entry.evidence),
        abi=int(code.abi),
        bindings_offset=code.bindings_offset,
        lds_bytes=code.lds_bytes,
        scratch_bytes=code.scratch_bytes,
        kernarg_bytes=code.kernarg_bytes,
        vgprs=code.vgprs,
        sgprs=code.sgprs,
        symbol=symbol,
        route=route,
        slot_count=len(code.slots),
        flags=LAUNCH_MAY_TELL * entry.launch_may_tell | DISPUTED * entry.disputed,
        slots=at_slots,
        strings=at_strings,
        strings_bytes=len(strings.content),
        code=at_code,
        code_bytes=len(code.elf),
    )
    body = (head + slots + bytes(strings.content)).ljust(at_code - FILE_HEADER.size, b"\0") + code.elf
    return seal(ENTRY_MAGIC, ENTRY_VERSION, body)


def read_entry(content: bytes, where: str = "code entry") -> CodeEntry:
    """The entry in a file's bytes; Malformed when they are not one. Provenance lives in the record."""
    check_seal(content, ENTRY_MAGIC, ENTRY_VERSION, where=where)
    head = ENTRY_HEAD.unpack(content, FILE_HEADER.size, where=where)
    value = {name: field for name, field in head.items() if isinstance(field, int)}
    strings = content[value["strings"] : value["strings"] + value["strings_bytes"]]
    slots = []
    for index in range(value["slot_count"]):
        row = ENTRY_SLOT.unpack(content, value["slots"] + index * ENTRY_SLOT.size, where=where)
        symbol = read_string(strings, int(row["symbol"]), where=where)
        slots.append(Slot(member(SlotKind, row["kind"], where=where), symbol, int(row["addend"])))
    end = value["code"] + value["code_bytes"]
    if end != len(content):
        raise Malformed("code object does not end the file", where=where, offset=value["code"])
    code = CodeObject(
        elf=content[value["code"] : end],
        symbol=read_string(strings, value["symbol"], where=where),
        abi=member(AbiClass, value["abi"], where=where),
        slots=tuple(slots),
        bindings_offset=value["bindings_offset"],
        kernarg_bytes=value["kernarg_bytes"],
        lds_bytes=value["lds_bytes"],
        scratch_bytes=value["scratch_bytes"],
        vgprs=value["vgprs"],
        sgprs=value["sgprs"],
    )
    key = head["key"]
    assert isinstance(key, bytes)
    evidence = member(Evidence, value["evidence"], where=where)
    route = read_string(strings, value["route"], where=where)
    flags = value["flags"]
    return CodeEntry(key, code, evidence, route, bool(flags & LAUNCH_MAY_TELL), bool(flags & DISPUTED))
