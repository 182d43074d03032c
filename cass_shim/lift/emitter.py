"""The LLVM emitter: constant banks, special registers and what the kernel's surroundings provide.

In: the meanings of `isa.sass`. Out: the text of one AMDGPU function body over the cass1 kernarg
(`model.kernel_abi`).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from cass_shim.isa import shared_memory, texture_calls
from cass_shim.isa.derived import LANE_MASKS
from cass_shim.lift import images, surfaces
from cass_shim.lift.builder import Value, constant, typed
from cass_shim.lift.registers import Registers
from cass_shim.model.artifacts import CubinKernel
from cass_shim.model.errors import Unsupported
from cass_shim.model.kernel_abi import KernelAbi, Slot, SlotKind

# Words of constant bank 0 in front of the parameters (sass.md §2.5), by generation.
_HEADER_SM75 = {
    0x00: "ntid.x", 0x04: "ntid.y", 0x08: "ntid.z", 0x0C: "nctaid.x", 0x10: "nctaid.y", 0x14: "nctaid.z",
    0x18: "shared.low", 0x1C: "shared.high", 0x20: "local.low", 0x24: "local.high", 0x28: "stack",
    0x40: "bank0.low", 0x44: "bank0.high", 0x50: "constants.low", 0x54: "constants.high",
    0x8C: "grid.high", 0x90: "grid.low", 0x118: "zero", 0x11C: "zero",
}  # fmt: skip
_HEADER_SM90 = {
    **{k: v for k, v in _HEADER_SM75.items() if k < 0x40}, 0xD0: "constants.low", 0xD4: "constants.high",
    0x44: "grid.high", 0x48: "grid.low", 0x208: "zero", 0x20C: "zero",
}  # fmt: skip
_HEADER_SM100 = {
    0x360: "ntid.x", 0x364: "ntid.y", 0x368: "ntid.z", 0x370: "nctaid.x", 0x374: "nctaid.y", 0x378: "nctaid.z",
    0x2F8: "local.low", 0x2FC: "local.high", 0x37C: "stack", 0x358: "zero", 0x35C: "zero",
    0x120: "constants.low", 0x124: "constants.high",
    0x254: "grid.high", 0x258: "grid.low",  # read at SR_CgaSize * -0xa0 from here, and that register is 0 here
}  # fmt: skip
# Offsets of the hidden arguments of code object v5 (LLVM AMDGPUUsage): u32 block counts, u16 group sizes.
_HIDDEN_COUNT, _HIDDEN_SIZE, _HIDDEN_DYNAMIC = 0, 12, 120
_IN_RESERVED = {shared_memory.GROUPS: shared_memory.GROUPS_AT, shared_memory.END: shared_memory.RESERVED_BYTES}
DYNAMIC = "cass.dynamic"  # the variable whose presence makes the launch give the dynamic size
_INVARIANT = ", !invariant.load !0"

# System calls a kernel reaches through bank 4, and the stand-in for their addresses.
SYSTEM_CALLS = ("vprintf", "malloc", "free", "__assertfail", "cudaGraphSetConditional", *texture_calls.NAMES)
_TOKEN = 0x0CA5_5CA1_0000_0000


def token_of(symbol: str) -> int:
    """The number that stands for a system call's address."""
    return _TOKEN + 16 * SYSTEM_CALLS.index(symbol)


def header_of(sm: int) -> dict[int, str]:
    """Bank 0's words before the parameters, byte offset → what is there."""
    if sm >= 100:
        return _HEADER_SM100
    return _HEADER_SM90 if sm >= 90 else _HEADER_SM75


@dataclass
class LlvmEmitter(Registers):
    """All of `isa.emitter.Emitter`, for one kernel. frame_bytes: of local memory; slots: the binding table."""

    sm: int = 80
    kernel: CubinKernel = field(default_factory=lambda: CubinKernel("", 80, KernelAbi(), b""))
    frame_bytes: int = 0
    slots: dict[Slot, int] = field(default_factory=dict)
    private_banks: dict[int, bytes] = field(default_factory=dict)
    calls: bool = False  # whether callees are functions of their own (`lift.calls`)
    reserved: bool = False  # whether the code looks for the system's part of shared memory

    # binding table
    def slot(self, kind: SlotKind, symbol: str = "", addend: int = 0) -> Value:
        """The 64-bit content of a slot."""
        index = self.slots.setdefault(Slot(kind, symbol, addend), len(self.slots))
        where = self.text(f"getelementptr i8, ptr addrspace(4) %bindings, i32 {8 * index}")
        return self.op(64, f"load i64, ptr addrspace(4) {where}, align 8{_INVARIANT}")

    # constant banks
    def load_const(self, bank: int, offset: int, index: Value | None, width: int) -> Value:
        if index is not None and index.known is not None:
            offset, index = offset + index.known & 0xFFFF_FFFF, None
        if bank == 0:
            return self._load_bank0(offset, index, width)
        if bank == 3:
            base = self.slot(SlotKind.BANK, addend=3)
            pointer = self.text(f"inttoptr {typed(base)} to ptr addrspace(4)")
            return self._load_from(pointer, offset, index, width, 16)
        if bank == 4:
            return self._load_bank4(offset, index, width)
        if bank in self.kernel.constants:
            return self._load_private(bank, offset, index, width)
        raise Unsupported(f"constant bank {bank}")

    def _load_from(self, base: str, offset: int, index: Value | None, width: int, base_align: int) -> Value:
        at = str(offset)
        align = width // 8 if index is not None else min(width // 8, (offset & -offset) or 64, base_align)
        if index is not None:
            at = self.add(index, constant(offset, 32)).text
            align = min(width // 8, 4)
        where = self.text(f"getelementptr i8, ptr addrspace(4) {base}, i32 {at}")
        value = self.op(width, f"load i{width}, ptr addrspace(4) {where}, align {align}{_INVARIANT}")
        return self.zext(value, 32) if width < 32 else value

    def _load_bank0(self, offset: int, index: Value | None, width: int) -> Value:
        abi = self.kernel.abi
        first = abi.params_base
        if index is not None or first <= offset < first + abi.params_bytes:
            return self._load_from("%params", offset - first, index, width, 8)
        if width == 64:
            return self.pair(self._header(offset), self._header(offset + 4))
        if width < 32:
            word = self._header(offset & ~3)
            shifted = self.lshr(word, constant(8 * (offset & 3), 32))
            return self.and_(shifted, constant((1 << width) - 1, 32))
        return self._header(offset)

    def _header(self, offset: int) -> Value:
        if offset in self.kernel.references:
            word = self.slot(SlotKind.SYMBOL, self.kernel.references[offset])
            at = self.text(f"inttoptr {typed(word)} to ptr addrspace(1)")
            return self.op(32, f"load i32, ptr addrspace(1) {at}, align 8")
        name = header_of(self.sm).get(offset) or shared_memory.size_words(self.sm).get(offset)
        if name is None:
            raise Unsupported(f"c[0x0][{offset:#x}]", why="this word of the header is not known")
        if name == "zero":
            return constant(0, 32)
        if name == "shared.low":  # a generic address is this plus an address of shared memory: both mean the same byte
            return constant(0 if self.spilled else self.shared_shift, 32)
        if name.startswith("constants"):  # where constant memory's generic addresses start
            base = self.slot(SlotKind.BANK, addend=3)
            return self.high(base) if name == "constants.high" else self.low(base)
        if name.startswith("bank0"):
            return self._bank0(name)
        if name == "stack":
            return constant(self.frame_bytes, 32)
        if name == "shared.high":
            return self._aperture("shared")
        if name == "local.high":
            return self._aperture("private")
        if name == "local.low":
            return self.frame_low()
        if name in (shared_memory.DYNAMIC, shared_memory.GROUPS, shared_memory.END):
            return self._size_of_shared(name)
        if name.startswith("grid"):
            pointer = self.slot(SlotKind.GRID_SYNC)
            return self.high(pointer) if name == "grid.high" else self.low(pointer)
        return self._dimension(name)

    def _bank0(self, name: str) -> Value:
        """Half of where generic addresses of parameters count from. Raises Unsupported."""
        if not self.kernel.abi.params_bytes:
            raise Unsupported(name, why="the address of parameters that there are none of")
        params = self.op(64, "ptrtoint ptr addrspace(4) %params to i64")
        begin = self.sub(params, constant(self.kernel.abi.params_base, 64))
        return self.high(begin) if name == "bank0.high" else self.low(begin)

    def _size_of_shared(self, name: str) -> Value:
        """The bytes given at launch, all of a block's, or where the system's KiB is; that is then made room for."""
        if self.spilled:
            raise Unsupported(name, why="of shared memory that is not in LDS")
        if name in _IN_RESERVED and self.sm >= shared_memory.FIRST_SM:
            self.reserved = True
            return constant(_IN_RESERVED[name], 32)
        self.declarations[DYNAMIC] = f"@{DYNAMIC} = external addrspace(3) global [0 x i8], align 16"
        dynamic = self._hidden(_HIDDEN_DYNAMIC, 32)
        if name == shared_memory.DYNAMIC:
            return dynamic
        if name == shared_memory.TOTAL:
            unit = shared_memory.total_unit(self.sm)
            fixed = shared_memory.own_bytes(self.sm, self.kernel.abi.shared_bytes)
            return self.and_(self.add(dynamic, constant(fixed + unit - 1, 32)), constant(-unit, 32))
        self.reserved = True
        size = self.add(dynamic, constant(self.kernel.abi.shared_bytes + shared_memory.UNIT - 1, 32))
        begin = self.and_(size, constant(-shared_memory.UNIT, 32))
        return self.add(begin, constant(_IN_RESERVED[name], 32))

    def frame_low(self) -> Value:
        """The frame's address, as a number in a scalar register that code generation does not know to be one.

        LLVM 22 makes `COPY %stack.0` of an OR with it whose other side turns out to be zero between blocks (the low
        half of an aperture), and dies over that (MachineCSE; llvm/lib/Target/AMDGPU/SIFoldOperands.cpp,
        tryConstantFoldOp). Where another use wants it in a vector register it is made there, and a scalar use then
        cannot have it ("illegal VGPR to SGPR copy"): the first lane's is read, of a value that looks divergent.
        """
        low = self.text("ptrtoint ptr addrspace(5) %frame to i32")
        return self.read_first(self.op(32, f'call i32 asm "", "=v,0"(i32 {low})'))

    def _aperture(self, space: str) -> Value:
        """The high word of the generic addresses of a space, by casting an address in it."""
        number = 3 if space == "shared" else 5
        inside = f"ptr addrspace({number}) inttoptr (i32 64 to ptr addrspace({number}))"
        generic = self.text(f"addrspacecast {inside} to ptr")
        return self.high(self.op(64, f"ptrtoint ptr {generic} to i64"))

    def _hidden(self, offset: int, width: int) -> Value:
        base = self.call_text("ptr addrspace(4)", "llvm.amdgcn.implicitarg.ptr")
        where = self.text(f"getelementptr i8, ptr addrspace(4) {base}, i32 {offset}")
        value = self.op(width, f"load i{width}, ptr addrspace(4) {where}, align {width // 8}{_INVARIANT}")
        return self.zext(value, 32) if width < 32 else value

    def _dimension(self, name: str) -> Value:
        axis = "xyz".index(name[-1])
        if name.startswith("nctaid"):
            return self._hidden(_HIDDEN_COUNT + 4 * axis, 32)
        if self.kernel.abi.required_block is not None:
            return constant(self.kernel.abi.required_block[axis], 32)
        return self._hidden(_HIDDEN_SIZE + 2 * axis, 16)

    def block_threads(self) -> Value:
        """Threads of the block, in whole warps."""
        x, y, z = (self._dimension(f"ntid.{axis}") for axis in "xyz")
        return self.and_(self.add(self.mul(self.mul(x, y), z), constant(31, 32)), constant(-32, 32))

    def _load_bank4(self, offset: int, index: Value | None, width: int) -> Value:
        if width not in (32, 64):
            raise Unsupported(f"c[0x4] of {width} bits")
        if index is None:
            return self._bank4_word(offset, width)
        at = self.add(index, constant(offset, 32))
        result = constant(0, width)
        for entry in sorted(self.kernel.bank4):
            here = self.compare("eq", at, constant(entry, 32))
            result = self.select(here, self._bank4_word(entry, width), result)
        return result

    def _bank4_word(self, offset: int, width: int) -> Value:
        entry = self.kernel.bank4.get(offset & ~7)
        if entry is None or (width == 64 and offset & 7):
            raise Unsupported(f"c[0x4][{offset:#x}]", why="no relocation says what is there")
        if entry.symbol in SYSTEM_CALLS:
            value = constant(token_of(entry.symbol), 64)
        else:
            value = self.slot(SlotKind.SYMBOL, entry.symbol, entry.addend)
        if width == 64:
            return value
        return self.high(value) if offset & 4 else self.low(value)

    def _load_private(self, bank: int, offset: int, index: Value | None, width: int) -> Value:
        content = self.kernel.constants[bank]
        if index is None:
            if offset + width // 8 > len(content):
                raise Unsupported(f"c[{bank:#x}][{offset:#x}]", why="beyond the bank's end")
            return constant(int.from_bytes(content[offset : offset + width // 8], "little"), max(width, 32))
        self.private_banks[bank] = content
        return self._load_from(f"@bank{bank}", offset, index, width, 16)

    # special registers
    def special(self, name: str) -> Value:
        stem, _, axis = name.removeprefix("SR_").partition(".")
        if stem in ("TID", "CTAID") and axis:
            kind = "workitem" if stem == "TID" else "workgroup"
            return self.call(32, f"llvm.amdgcn.{kind}.id.{axis.lower()}")
        if stem in ("NTID", "NCTAID") and axis:
            return self._dimension(f"{stem.lower()}.{axis.lower()}")
        if stem == "LANEID":
            return self.lane()
        if name in LANE_MASKS:
            return self.lane_mask(LANE_MASKS[name], self.lane())
        if stem in ("CLOCKLO", "GLOBALTIMERLO", "GLOBALTIMER"):
            return self.call(64, "llvm.readsteadycounter")
        if stem in ("CgaCtaId", "CgaSize", "VIRTUALSMID", "VIRTID", "SMID"):
            return constant(0, 32)  # without clusters, and one processor as far as a kernel may tell
        if stem == "SWINHI":
            return self._aperture("shared")
        if stem in ("SWINLO", "SLMLO"):
            return constant(0, 32)
        if name == shared_memory.TOTAL:
            return self._size_of_shared(name)
        raise Unsupported(name)

    def system_call(self, name: str) -> None:
        from cass_shim.lift.system import emit_system_call

        emit_system_call(self, name)

    # textures and surfaces: lift.images and lift.surfaces
    def sample(
        self,
        handle: Value,
        shape: str,
        coordinates: list[Value],
        layer: Value | None,
        level: Value | None,
        gradients: list[Value],
        offsets: list[Value],
    ) -> list[Value]:
        return images.sample(self, handle, shape, coordinates, layer, level, gradients, offsets)

    def gather_texels(
        self,
        handle: Value,
        shape: str,
        coordinates: list[Value],
        layer: Value | None,
        component: int,
        offsets: list[Value],
    ) -> list[Value]:
        return images.gather_texels(self, handle, shape, coordinates, layer, component, offsets)

    def fetch(
        self, handle: Value, shape: str, coordinates: list[Value], layer: Value | None, level: Value | None
    ) -> list[Value]:
        return images.fetch(self, handle, shape, coordinates, layer, level)

    def texture_size(self, handle: Value, level: Value) -> list[Value]:
        return images.texture_size(self, handle, level)

    def surface_load(self, handle: Value, shape: str, coordinates: list[Value], size: int, outside: str) -> list[Value]:
        return surfaces.surface_load(self, handle, shape, coordinates, size, outside)

    def surface_store(
        self, handle: Value, shape: str, coordinates: list[Value], values: list[Value], size: int, outside: str
    ) -> None:
        surfaces.surface_store(self, handle, shape, coordinates, values, size, outside)

    def surface_reduce(
        self,
        handle: Value,
        shape: str,
        coordinates: list[Value],
        operation: str,
        kind: str,
        value: Value,
        in_bytes: bool,
        outside: str,
    ) -> None:
        surfaces.surface_reduce(self, handle, shape, coordinates, operation, kind, value, in_bytes, outside)
