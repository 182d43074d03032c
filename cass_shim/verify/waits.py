"""The wait checker: on every path, the result of a memory instruction is waited for before it is touched.

In: the instructions of a kernel. Out: nothing, or `Rejected` naming instruction, register and the load it depends on.
Hardware returns loads late and does not interlock; an emulator that returns them at once cannot see a missing
s_waitcnt (the dynamic half, on the paths that inputs take, is the emulated device's: native/emulator/pending.h).
Stores must be done before a barrier tells other waves of them. Source: AMD RDNA3 ISA, "Data dependency resolution"
(vmcnt and LDS return in order; scalar loads in any order, so that only a count of 0 waits for them) and "Microcode
formats" for the operand fields; LLVM's SIInsertWaitcnts and SIMemoryLegalizer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from cass_shim.isa.rdna3.row import Row
from cass_shim.model.errors import Rejected
from cass_shim.verify import image_waits
from cass_shim.verify.gfx11 import DPP8, DPP8_FI, DPP16, Decoded, branch_target, row_of

VECTOR = ("VOP1", "VOP2", "VOPC", "VOP3", "VOP3P", "VOPD")
VGPR = 256  # register numbers: SGPRs (VCC is 106 and 107) as in source fields, VGPRs from here on
SGPRS = 108
NULL = 124
DUAL_MOV = 8  # v_dual_mov_b32 has one source
VCC = 106
STORED = 1024  # a register number of its own: memory that other waves may read
VM, LGKM, VS = "vmcnt", "lgkmcnt", "vscnt"
BARRIER, BRANCHES_ON_VCC = 61, (35, 36)
OLDEST = 64  # no counter is longer
NO_LIMIT = 0x3F
_SINGLE_WAITS = {24: VS, 25: VM, 27: LGKM}
_DWORDS = {"b64": 2, "f64": 2, "u64": 2, "i64": 2, "b96": 3, "b128": 4, "b256": 8, "b512": 16}
_HALVES = frozenset({"b16", "f16", "bf16"})
_DWORDS |= {"wdc_f32": 8, "wdc_i32": 8, "wdc_f16": 8, "wdc_bf16": 8}
_DWORDS |= {"wab_f16": 8, "wab_bf16": 8, "wab_iu8": 4, "wab_iu4": 2}


@dataclass(frozen=True, slots=True)
class Load:
    """What one memory instruction will write: registers (or STORED), and the counters that tell. ordered: with others
    that come in order, younger ones being back mean that this one is."""

    registers: tuple[int, ...]
    counters: tuple[str, ...]
    ordered: bool


Pending = dict[tuple[int, str, bool, int], int]  # (register, counter, ordered, offset of its load) → younger loads


def check_waits(kernel: str, instructions: list[Decoded]) -> int:
    """Follow every path. Raises Rejected; returns how many loads were followed."""
    at = {d.offset: n for n, d in enumerate(instructions)}
    entering: list[Pending | None] = [None] * len(instructions)
    entering[0] = {}
    work = [0]
    loads: set[int] = set()
    while work:
        index = work.pop()
        state = dict(entering[index] or {})
        instruction = instructions[index]
        _step(kernel, instruction, state, loads)
        if _name(instruction) == "s_swappc_b64":  # functions wait for all but vscnt before they begin (LLVM's rule)
            state = {key: age for key, age in state.items() if key[1] == VS}
        for follower in followers(instruction, index, at):
            if follower < len(instructions) and _merge(entering, follower, state):
                work.append(follower)
    return len(loads)


def _merge(entering: list[Pending | None], index: int, state: Pending) -> bool:
    """Join a path into an instruction: everything that may be pending is, with the fewest younger loads."""
    known = entering[index]
    if known is None:
        entering[index] = dict(state)
        return True
    changed = False
    for key, age in state.items():
        if age < known.get(key, OLDEST + 1):
            known[key] = age
            changed = True
    return changed


def followers(instruction: Decoded, index: int, at: dict[int, int]) -> Iterator[int]:
    """Indices of what may come next. at: index by offset."""
    row = _name(instruction)
    target = branch_target(instruction)
    if target is not None and target in at:
        yield at[target]
    ends = row in ("s_branch", "s_endpgm", "s_endpgm_saved", "s_setpc_b64", "s_sethalt")
    if not ends:
        yield index + 1


def _name(instruction: Decoded) -> str:
    if instruction.encoding == "SOPP":
        return {32: "s_branch", 48: "s_endpgm", 49: "s_endpgm_saved", 2: "s_sethalt"}.get(instruction.opcode, "")
    row = row_of(instruction)
    return row.name if row is not None else ""


def _step(kernel: str, instruction: Decoded, state: Pending, loads: set[int]) -> None:
    if _wait(instruction, state):
        return
    if state:
        _check(kernel, instruction, state)
    load = _load(instruction)
    if load is None:
        return
    if any(register != STORED for register in load.registers):
        loads.add(instruction.offset)
    for key in list(state):
        register, counter, ordered, source = key
        together = ordered and load.ordered and counter in load.counters
        if register == STORED:
            if STORED in load.registers and together:
                del state[key]  # the younger store tells of the older one
                continue
        elif register in load.registers and not together:
            at = f"{_register(register)} is loaded again at {instruction.offset:#x}"
            raise Rejected(f"{at} before {counter} shows that the load at {source:#x} is back", kernel=kernel)
        if together:
            state[key] = min(state[key] + 1, OLDEST)
    for register in load.registers:
        for counter in load.counters:
            state[register, counter, load.ordered, instruction.offset] = 0


def _register(number: int) -> str:
    return f"v{number - VGPR}" if number >= VGPR else f"s{number}"


def _check(kernel: str, instruction: Decoded, state: Pending) -> None:
    """Nothing is touched that is under way. Raises Rejected."""
    touched = set(_touched(instruction))
    for register, counter, _, source in state:
        if register not in touched:
            continue
        at = f"{_register(register)} is touched at {instruction.offset:#x}"
        if register == STORED:
            at = f"there is a barrier at {instruction.offset:#x}"
            raise Rejected(f"{at} before {counter} shows that the store at {source:#x} is done", kernel=kernel)
        raise Rejected(f"{at} before {counter} shows that the load at {source:#x} is back", kernel=kernel)


def _wait(instruction: Decoded, state: Pending) -> bool:
    """Apply an s_waitcnt; False for any other instruction."""
    limits: dict[str, int] = {}
    word = instruction.words[0] & 0xFFFF
    if instruction.encoding == "SOPP" and instruction.opcode == 9:
        limits = {VM: word >> 10 & 0x3F, LGKM: word >> 4 & 0x3F}
    elif instruction.encoding == "SOPP" and instruction.opcode == 10:  # s_wait_idle
        limits = {VM: 0, LGKM: 0, VS: 0}
    elif instruction.encoding == "SOPK" and instruction.opcode in _SINGLE_WAITS:
        if instruction.words[0] >> 16 & 0x7F != NULL:  # as many as the register says more: nobody knows how many
            return False
        limits = {_SINGLE_WAITS[instruction.opcode]: word & 0x3F}
    else:
        return False
    for key, age in list(state.items()):
        limit = limits.get(key[1], OLDEST)
        if limit == 0 or (key[2] and age >= limit and limit < NO_LIMIT):
            del state[key]
    return True


def _load(instruction: Decoded) -> Load | None:
    """The late result of a memory instruction, if it has one, and whether it stores."""
    row = row_of(instruction)
    if row is None:
        return None
    encoding, name = row.encoding, row.name
    low, high = instruction.words[0], instruction.words[1] if len(instruction.words) > 1 else 0
    if (encoding == "SMEM" and "load" in name) or name.startswith("s_sendmsg_rtn"):
        first = low >> 6 & 0x7F if encoding == "SMEM" else low >> 16 & 0x7F
        registers = range(first, first + _DWORDS.get(row.destination, 1)) if first < SGPRS else ()
        return Load(tuple(registers), (LGKM,), False)
    if encoding == "DS":
        return _local_result(name, high)
    if encoding in ("FLAT", "GLOBAL", "SCRATCH", "MUBUF", "MIMG"):
        return _memory_result(encoding, name, low, high)
    return None


def _local_result(name: str, high: int) -> Load:
    first = VGPR + (high >> 24 & 0xFF)
    crosses = name.startswith(("ds_permute", "ds_bpermute", "ds_swizzle"))
    returns = crosses or any(part in name for part in ("load", "_rtn", "append", "consume"))
    registers = tuple(range(first, first + _width(name))) if returns else ()
    return Load(registers if crosses or "load" in name else (*registers, STORED), (LGKM,), True)


def _memory_result(encoding: str, name: str, low: int, high: int) -> Load | None:
    """Of FLAT and its like, buffers and images. What returns nothing counts on vscnt."""
    if encoding == "MUBUF" and "inv" in name:
        return None
    if not image_waits.returns(name, low):
        if encoding == "SCRATCH":
            return None  # nobody else reads it
        return Load((STORED,), (VS, LGKM) if encoding == "FLAT" else (VS,), True)
    if encoding == "MIMG":
        return Load(image_waits.data(name, low, high), (VM,), True)
    first = VGPR + (high >> 8 & 0xFF if encoding == "MUBUF" else high >> 24 & 0xFF)
    registers = tuple(range(first, first + _width(name)))
    return Load(registers, (VM, LGKM) if encoding == "FLAT" else (VM,), True)  # flat: from memory or from LDS


def _width(name: str) -> int:
    """Dwords of a memory instruction's result, from its name."""
    match = re.search(r"_([a-z]+\d+)(?:_rtn)?$", name)
    width = _DWORDS.get(match[1], 1) if match else 1
    if "_format_" in name:
        width = len(name.rsplit("_", 1)[1])
    return 2 * width if "2addr" in name else width


def _touched(instruction: Decoded) -> Iterator[int]:
    """Registers that an instruction reads or writes at once; for a barrier what others may read behind it."""
    if instruction.encoding == "SOPP":
        yield from (STORED,) if instruction.opcode == BARRIER else ()
        yield from (VCC,) if instruction.opcode in BRANCHES_ON_VCC else ()
    row = row_of(instruction)
    if row is None:
        return
    low, high = instruction.words[0], instruction.words[1] if len(instruction.words) > 1 else 0
    encoding = instruction.encoding
    if encoding in ("SOP1", "SOP2", "SOPC", "SOPK"):
        yield from _scalar(encoding, row, low)
    elif encoding in VECTOR:
        sources, written = vector_registers(instruction, row)
        yield from (*sources, *written)
    elif encoding == "DS":
        yield from _local(row.name, high)
    elif encoding == "FLAT":
        yield from _flat(row, low, high)
    elif encoding == "MIMG":
        yield from image_waits.touched(row.name, instruction.words)
    elif encoding == "MUBUF":
        yield from _buffer(row.name, low, high)
    elif encoding == "SMEM" and "load" in row.name:
        base, offset = (low & 0x3F) << 1, high >> 25
        yield from (r for r in (*range(base, base + (4 if "buffer" in row.name else 2)), offset) if r < SGPRS)


def _scalar(encoding: str, row: Any, low: int) -> Iterator[int]:
    fields: tuple[int, ...] = ()
    if encoding in ("SOP2", "SOPC"):
        fields = (low & 0xFF, low >> 8 & 0xFF)
    elif encoding == "SOP1":
        fields = (low & 0xFF,)
    yield from _operands(fields, row.sources)
    if encoding != "SOPC" and not row.name.startswith("s_setreg"):
        first = low >> 16 & 0x7F
        yield from (
            r for r in range(first, first + _DWORDS.get(row.destination, 1)) if r < SGPRS and row.destination != "-"
        )


def vector_registers(instruction: Decoded, row: Row) -> tuple[list[int], list[int]]:
    """What a vector instruction (encodings of VECTOR) reads, and what it writes."""
    low, high = instruction.words[0], instruction.words[1] if len(instruction.words) > 1 else 0
    if instruction.encoding in ("VOP1", "VOP2", "VOPC"):
        return _short_vector(instruction, row)
    if instruction.encoding == "VOPD":
        sources = [low & 0x1FF, high & 0x1FF]
        sources += [VGPR + (low >> 9 & 0xFF)] if low >> 22 & 15 != DUAL_MOV else []
        sources += [VGPR + (high >> 9 & 0xFF)] if low >> 17 & 31 != DUAL_MOV else []
        written = [VGPR + (high >> 24 & 0xFF), VGPR + ((high >> 17 & 0x7F) << 1 | (~(high >> 24) & 1))]
        return [s for s in sources if s >= VGPR or s < SGPRS], written
    fields: tuple[int, ...] = (high & 0x1FF, high >> 9 & 0x1FF, high >> 18 & 0x1FF)
    if fields[0] in (DPP16, DPP8, DPP8_FI):
        fields = (VGPR + (instruction.words[2] & 0xFF), *fields[1:])
    if "_fmac_" in row.name:  # adds to its destination; the third field says nothing
        fields = fields[:2]
    return list(_operands(fields, row.sources)), list(_destination(row, low & 0xFF))


def _short_vector(instruction: Decoded, row: Row) -> tuple[list[int], list[int]]:
    low = instruction.words[0]
    first = low & 0x1FF
    if first in (DPP16, DPP8, DPP8_FI):
        first = VGPR + (instruction.words[1] & 0xFF)
    fields = (first,) if instruction.encoding == "VOP1" else (first, VGPR + (low >> 9 & 0xFF))
    whole = [_whole(f, kind) for f, kind in zip(fields, row.sources, strict=False)]
    if instruction.encoding == "VOPC":
        return list(_operands(whole, row.sources)), []
    number = _whole(VGPR + (low >> 17 & 0xFF), row.destination) - VGPR
    return list(_operands(whole, row.sources)), list(_destination(row, number))


def _whole(field: int, kind: str) -> int:
    """The register that a field of a 32-bit encoding names: for 16-bit operands bit 7 chooses its upper half.

    Loads of halves are waited for as loads of whole registers, as LLVM does for gfx11 (its pull request 157795).
    """
    return field & ~0x80 if field >= VGPR and kind in _HALVES else field


def _destination(row: Any, number: int) -> Iterator[int]:
    if row.destination == "-":
        return
    if row.destination in ("m", "s32"):
        if number < SGPRS:
            yield number
        return
    yield from range(VGPR + number, VGPR + number + _DWORDS.get(row.destination, 1))


def _operands(fields: Iterable[int], kinds: tuple[str, ...]) -> Iterator[int]:
    for field, kind in zip(fields, kinds, strict=False):
        if field >= VGPR or field < SGPRS:
            yield from range(field, field + _DWORDS.get(kind, 1))


def _local(name: str, high: int) -> Iterator[int]:
    """Address, then DATA0 and DATA1 where the instruction has them; each has the width that the name says."""
    if name.startswith(("ds_append", "ds_consume")):
        return
    yield VGPR + (high & 0xFF)
    if "load" in name or "swizzle" in name:
        return
    pair = "2addr" in name
    width = _width(name) // 2 if pair else _width(name)
    yield from range(VGPR + (high >> 8 & 0xFF), VGPR + (high >> 8 & 0xFF) + width)
    if pair or "cmpstore" in name or "mskor" in name or "wrap" in name:
        yield from range(VGPR + (high >> 16 & 0xFF), VGPR + (high >> 16 & 0xFF) + width)


def _flat(row: Any, low: int, high: int) -> Iterator[int]:
    scalar = high >> 16 & 0x7F
    address = VGPR + (high & 0xFF)
    if row.encoding == "FLAT" or (row.encoding == "GLOBAL" and scalar == NULL):
        yield from (address, address + 1)
    elif row.encoding == "GLOBAL" or high >> 23 & 1:
        yield address
    if row.encoding != "FLAT" and scalar < SGPRS:
        yield from (scalar, scalar + 1) if row.encoding == "GLOBAL" else (scalar,)
    if "load" not in row.name:
        width = _width(row.name) * (2 if "cmpswap" in row.name else 1)
        yield from (VGPR + (high >> 8 & 0xFF) + n for n in range(width))


def _buffer(name: str, low: int, high: int) -> Iterator[int]:
    """Offset and index, resource, scalar offset, and the data of stores and atomics."""
    address, data, resource = VGPR + (high & 0xFF), VGPR + (high >> 8 & 0xFF), (high >> 16 & 0x1F) * 4
    yield from range(address, address + (high >> 22 & 1) + (high >> 23 & 1))
    yield from range(resource, resource + 4)
    if high >> 24 < SGPRS:
        yield high >> 24
    if "load" not in name and "inv" not in name:
        yield from range(data, data + _width(name) * (2 if "cmpswap" in name else 1))
