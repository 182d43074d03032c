"""The kernel's contract with its caller, on the CUDA side and on ours (docs/abi.md).

`abi: cass1` kernarg: the CUDA parameter block at offset 0 (`params_bytes` long), then at
`bindings_offset` (next multiple of 8) one pointer to the binding table, then HIP's hidden arguments.
A binding table is an array of 64-bit slots, one per entry of the kernel record's `slots`, in order.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

WARP = 32  # lanes of a warp, and of the waves that we make
SHARED_IN_LDS = (64 << 10) - 256  # bytes of a block's shared memory that surely fit beside our own (lift.barriers)


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
    spilled: shared memory is to lie in a global arena (CASS_SHARED=spill), for launches with more than LDS has.
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
    spilled: bool = False

    def needs_arena(self, dynamic_shared: int) -> bool:
        """Whether a launch has more shared memory than LDS beside what our barriers take of it."""
        return self.shared_bytes + dynamic_shared > SHARED_IN_LDS

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

# The arena (slot SHARED_ARENA) of code whose shared memory is in global memory, little-endian:
#   u32 slots; u32 slot_bytes; u32 reserved[14]; u32 taken[slots] (0 at first, 1 while a block has the slot);
#   the slots' memory from ARENA_SLOTS_OFFSET on. A block takes a free slot before its first instruction and gives it
# back behind its last one; one arena serves all launches of a device.
ARENA_TAKEN_OFFSET = 64
ARENA_SLOTS_OFFSET = 4096
ARENA_SLOT_BYTES = 100 << 10  # what one multiprocessor of compute capability 8.9 has, with the kilobyte of the system
SHARED_OPT_IN_SPILLED = 99 << 10  # the most that a block of such a device may have

# The texture descriptor table (slot TEXTURES): entry i describes the texture or surface object whose handle is i, all
# zero for a handle never given. An entry is little-endian:
#   u64 object; u32 texel_bytes; u32 flags; u32 width; u32 height; u32 depth; u32 levels
# object is the device address of 16 dwords: 0 to 7 the gfx11 image resource, 12 to 15 the sampler (8 to 11 reserved),
# where HIP's device headers expect them (HIP_SAMPLER_OBJECT_OFFSET_DWORD). Of linear memory (TextureKind.LINEAR)
# dwords 0 and 1 are the address and dword 2 the size in elements: plain loads read it, and a fetch outside gives 0.
# Sizes are in texels; depth counts planes, layers or faces of all layers. SASS uses the low 32 bits of a handle:
# bits 0 to 19 name the texture, bits 20 to 31 the sampler, so handles stay below 2^20.
TEXTURE_ENTRY_BYTES = 32
TEXTURE_ENTRIES_LIMIT = 1 << 20
TEXTURE_OBJECT_DWORDS = 16
TEXTURE_SAMPLER_DWORD = 12
TEXTURE_KIND_MASK = 0xF
TEXTURE_SURFACE = 1 << 4
TEXTURE_NORMALIZED_COORDINATES = 1 << 5
TEXTURE_CHANNELS_SHIFT = 8  # 4 bits
TEXTURE_FORMAT_SHIFT = 12  # 4 bits: TextureFormat
TEXTURE_NORMALIZED_FLOAT = 1 << 16  # integers are read as floats of 0 to 1 or -1 to 1
TEXTURE_LINEAR_FILTER = 1 << 17


class TextureKind(IntEnum):
    """What a texture or surface object is made of (bits 0 to 3 of an entry's flags)."""

    ARRAY_1D = 1
    ARRAY_2D = 2
    ARRAY_3D = 3
    CUBE = 4
    LAYERED_1D = 5
    LAYERED_2D = 6
    LAYERED_CUBE = 7
    LINEAR = 8  # linear memory: no filtering, plain loads


class TextureFormat(IntEnum):
    """What a channel is (bits 12 to 15 of an entry's flags)."""

    UNSIGNED = 0
    SIGNED = 1
    FLOAT = 2
