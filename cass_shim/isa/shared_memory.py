"""Where a block's shared memory ends, as constant bank 0 tells it, and the KiB of it that is the system's.

From sm_80 on cooperative groups keep the barriers of tiles of several warps in that KiB, at %reserved_smem_offset_1.
From sm_90 on it is the first of the block's shared memory, before that it lies behind the program's. Source: what ptxas
13.0 makes of %dynamic_smem_size and %reserved_smem_offset_*, sm_75 to sm_120. How much of it precedes the groups' part
nothing says; here it is enough for the barriers of `lift.barriers`.
"""

from __future__ import annotations

from collections.abc import Iterable

from cass_shim.model.instruction import Const, Instruction

RESERVED_BYTES = 0x400
GROUPS_AT = 0x100  # within it
UNIT = 128  # bytes that shared memory is given out in, from sm_80 on
FIRST_SM = 90  # from here on it is in front
TOTAL = "SR_SMEMSZ"  # %total_smem_size

DYNAMIC, GROUPS, END = "shared.dynamic", "reserved.groups", "reserved.end"
_WORDS = (
    (100, {0x2AC: DYNAMIC, 0x278: END, 0x27C: GROUPS}),  # read at SR_CgaSize * -0xa0 from here; that is 0 here
    (90, {0x2C: DYNAMIC, 0x68: END, 0x6C: GROUPS}),
    (80, {0x2C: DYNAMIC, 0x120: END, 0x124: GROUPS}),
    (0, {0x2C: DYNAMIC}),
)


def size_words(sm: int) -> dict[int, str]:
    """Offsets in bank 0 of what it says of shared memory's size."""
    return next(words for first, words in _WORDS if sm >= first)


def room(sm: int, size: int) -> int:
    """Bytes of shared memory with the KiB, for a block with `size` bytes (from sm_90 on these hold it)."""
    return max(size, RESERVED_BYTES) if sm >= FIRST_SM else -(-size // UNIT) * UNIT + RESERVED_BYTES


def own_bytes(sm: int, size: int) -> int:
    """What of a kernel's static shared memory is the program's; from sm_90 on the KiB is counted where there is any."""
    return max(size - RESERVED_BYTES, 0) if sm >= FIRST_SM else size


def total_unit(sm: int) -> int:
    """Bytes in multiples of which a block is told its shared memory, the program's and what was given at launch.

    Source: PTX ISA 9.0, %total_smem_size (256 for sm_7x, 128 after); recorded on an H200: without the system's KiB.
    """
    return UNIT if sm >= 80 else 2 * UNIT


def reserved_at(sm: int, size: int) -> int:
    """Where the KiB begins in the shared memory of such a block."""
    return room(sm, size) - RESERVED_BYTES if sm < FIRST_SM else 0


def may_use_reserved(sm: int, first_parameter: int, instructions: Iterable[Instruction]) -> bool:
    """Whether code may read where the KiB is: it names the word, or takes one of the header by register."""
    words = {offset for offset, name in size_words(sm).items() if name != DYNAMIC}
    return any(
        isinstance(o, Const) and o.bank == 0 and (o.offset in words if o.index is None else o.offset < first_parameter)
        for i in instructions
        for o in i.operands
    )
