"""The kernel's contract with its caller, on the CUDA side and on ours (docs/abi.md).

`abi: cass1` kernarg: the CUDA parameter block at offset 0 (byref, `params_bytes` long), then at
`bindings_offset` (next multiple of 8) one pointer to the binding table, then HIP's hidden arguments.
A binding table is an array of 64-bit slots, one per entry of the kernel record's `slots`, in order.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


@dataclass(frozen=True, slots=True)
class Param:
    """One kernel parameter: KPARAM_INFO. Offset and size in bytes, offset from the start of the block."""

    ordinal: int
    offset: int
    size: int


@dataclass(frozen=True, slots=True)
class KernelAbi:
    """What `.nv.info` says of a kernel. Sizes in bytes.

    params_base: where the parameter block lies in constant bank 0. local_bytes: stack per thread
    (MIN_STACK_SIZE). required_block: REQNTID or None. max_threads: MAX_THREADS product or 0 when unstated.
    """

    params: tuple[Param, ...] = ()
    params_base: int = 0x160
    params_bytes: int = 0
    registers: int = 0
    shared_bytes: int = 0
    local_bytes: int = 0
    max_threads: int = 0
    required_block: tuple[int, int, int] | None = None
    barriers: int = 0
    cooperative: bool = False

    @property
    def bindings_offset(self) -> int:
        """Offset of the binding-table pointer in the cass1 kernarg."""
        return (self.params_bytes + 7) & ~7


class SlotKind(IntEnum):
    """What a binding-table slot holds; C reads the same numbers from the code entry."""

    SYMBOL = 0  # address of a module variable or string, by ELF symbol name, plus addend
    BANK = 1  # address of the module's constant-bank image; addend is the bank number
    PRINTF = 2  # address of the printf ring
    HEAP = 3  # address of the device heap's control block
    TEXTURES = 4  # address of the texture descriptor table
    GRID_SYNC = 5  # address of the per-launch workspace of a cooperative launch
    SHARED_ARENA = 6  # address of the global arena that holds shared memory beyond the hardware's limit


@dataclass(frozen=True, slots=True)
class Slot:
    """One slot of the binding table."""

    kind: SlotKind
    symbol: str = ""
    addend: int = 0


class AbiClass(IntEnum):
    """Which kernarg layout a code object expects (architecture decision 4)."""

    CASS1 = 1
    HIP = 2


# The printf ring (slot PRINTF), all little-endian, shared by every producer of device code and by the shim:
#   u32 capacity_bytes; u32 tail_bytes (atomic, only grows); u32 dropped (atomic count); u32 reserved; u8 data[capacity]
# A record is 8-aligned: u32 kind (1 printf, 2 assert); u32 argument_bytes; u64 format pointer; u8 arguments[]
# A writer reserves with atomic add on tail_bytes; if the record does not fit in capacity it adds 1 to dropped
# and the call returns -1. Kind is written last (release), so a reader that sees kind == 0 knows it is unfinished.
# Assert: arguments are u64 message, u64 file, u32 line, u32 pad, u64 function, u64 character size; then s_trap.
# A writer may append u32 block[3] and u32 thread[3] to them (argument_bytes 64), which are then printed.
PRINTF_HEADER_BYTES = 16
PRINTF_RECORD_BYTES = 16
PRINTF_KIND_PRINTF = 1
PRINTF_KIND_ASSERT = 2

# The device heap (slot HEAP): one arena in device memory, little-endian:
#   u64 capacity_bytes (of everything, this header too); u64 used_bytes (atomic, 0 at first); u64 reserved[6];
#   u64 free_heads[HEAP_CLASSES] (0 at first; tag in the high word, block offset / 16 in the low one);
#   blocks from HEAP_HEADER_BYTES on, each 2^class bytes with 16 bytes in front of what the program gets.
# The host makes it (default 8 MB, cudaLimitMallocHeapSize), zeroes the header and sets capacity_bytes.
HEAP_HEADER_BYTES = 1024
HEAP_CLASSES = 48
HEAP_HEADS_OFFSET = 64
HEAP_BLOCK_BYTES = 16
