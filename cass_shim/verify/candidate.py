"""A code object on the device, launched on one input as the shim would launch it.

In: code object, kernel, device, `Input`s. Out: the arena's bytes and the printed records afterwards. A candidate may
be anything: it may not load, may trap, may never end.
"""

from __future__ import annotations

import struct
import time
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from cass_shim.device import Device, Function
from cass_shim.model.artifacts import CodeObject, Cubin, SassKernel
from cass_shim.model.errors import DeviceFailed, Rejected, Unsupported
from cass_shim.model.kernel_abi import (
    ARENA_SLOT_BYTES,
    ARENA_SLOTS_OFFSET,
    HEAP_HEADER_BYTES,
    PRINTF_HEADER_BYTES,
    PRINTF_KIND_PRINTF,
    PRINTF_RECORD_BYTES,
    AbiClass,
    SlotKind,
    TextureKind,
)
from cass_shim.verify.compare import Heaps
from cass_shim.verify.inputs import DEVICE_HEAP_BYTES, HEAP_BYTES, RING_BYTES, Input
from cass_shim.verify.surfaces import Surface
from cass_shim.verify.texture_table import TextureTable

LAUNCH_SECONDS = 5.0
HIP_BINDINGS = "cass_bindings"  # the array of slots in an object of `abi: hip` (translate.cass.contract)
HIP_NOT_READY, HIP_TIMED_OUT = 600, 702
# Instructions a wave may run on the emulated device before the launch is stopped; read when the library is loaded.
MOST_INSTRUCTIONS = 2_000_000
EMULATED_LIMIT = ("CASS_EMU_LIMIT", str(MOST_INSTRUCTIONS))
# The same for one launch of a kernel of brief instructions (`Survey.brief`): so many for each step of the reference,
# which no warp of its exceeds, and some besides. A wave has needed more than 33 instructions a step of its warp
# (`jacobi_grid` built with -G), and more than 22 in functions of doubles (`runge_kutta` with -rdc).
A_STEP, BESIDES = 100, 100_000
# Launches of a few waves never pay for a compiler.
INTERPRETED = ("CASS_EMU_NATIVE", "0")
# Results come late, as on hardware: a wait that is missing on a path that an input takes ends the launch.
LATE_RESULTS = ("CASS_EMU_WAITS", "1")

NOT_LOADED = "the code object does not load"
SHARED_SLOTS = 16  # blocks that may run at once with shared memory in an arena; others wait

_NOTHING: Mapping[int, TextureKind] = {}
_NO_SURFACES: Mapping[int, Surface] = {}
Octets = NDArray[np.uint8]


class Candidate:
    """A code object loaded on the device, with its binding table and printf ring."""

    def __init__(
        self,
        code: CodeObject,
        kernel: SassKernel,
        cubin: Cubin | None,
        device: Device,
        arena: int = 0,
        base: int = 0,
    ) -> None:
        """arena: bytes to allocate for it; base: another candidate's arena to use instead."""
        self.code, self.kernel, self.device = code, kernel, device
        self.launch_seconds = LAUNCH_SECONDS
        self.spent = 0.0  # by the last launch (Device.spent)
        self.stuck = False  # its kernel runs on; the device is of no use to this process any more
        try:
            self.module = device.load(code.elf)
            self.function: Function = self.module.function(code.symbol)
        except DeviceFailed as failure:
            raise Rejected(NOT_LOADED, kernel=kernel.name, witness=str(failure)) from None
        self.owns_arena = not base
        self.base = base or device.alloc(arena)
        self.owns_table = code.abi is AbiClass.CASS1 or not code.slots
        self.table = self._table()
        self.prints = any(s.kind is SlotKind.PRINTF for s in code.slots)
        self.ring = device.alloc(RING_BYTES) if self.prints else 0
        self.printed = RING_BYTES  # of the ring: what an earlier launch may have left there
        self.banks: dict[int, int] = {}
        self.heap = device.alloc(DEVICE_HEAP_BYTES) if any(s.kind is SlotKind.HEAP for s in code.slots) else 0
        for slot in code.slots:
            if slot.kind is SlotKind.BANK and slot.addend != 3:
                content = kernel.kernel.constants.get(slot.addend, b"").ljust(16, b"\0")
                self.banks[slot.addend] = device.alloc(len(content))
                device.copy(self.banks[slot.addend], content)
        spills = any(s.kind is SlotKind.SHARED_ARENA for s in code.slots)
        self.shared = device.alloc(ARENA_SLOTS_OFFSET + SHARED_SLOTS * ARENA_SLOT_BYTES) if spills else 0
        wanted = any(s.kind is SlotKind.TEXTURES for s in code.slots)
        self.textures = TextureTable(device) if wanted else None
        self.bank3 = -1
        if cubin is not None:
            self.bank3 = next((i for i, image in enumerate(cubin.images) if image.kind == "constant3"), -1)

    def _table(self) -> int:
        """Where the slots go: memory of our own, or the array that an object of `abi: hip` brings along."""
        if self.owns_table:
            return self.device.alloc(max(8 * len(self.code.slots), 8))
        try:
            address, size = self.module.variable(HIP_BINDINGS)
        except DeviceFailed as failure:
            raise Rejected(f"no variable {HIP_BINDINGS}", kernel=self.kernel.name, witness=str(failure)) from None
        if size < 8 * len(self.code.slots):
            raise Rejected(f"{HIP_BINDINGS} has {size} bytes for {len(self.code.slots)} slots", kernel=self.kernel.name)
        return address

    def close(self) -> None:
        """Give everything back; a device that has failed is reset instead, one that still runs is left alone."""
        if self.stuck:
            return
        try:
            table, base = self.table if self.owns_table else 0, self.base if self.owns_arena else 0
            for address in (base, table, self.ring, self.heap, self.shared, *self.banks.values()):
                if address:
                    self.device.free(address)
            if self.textures is not None:
                self.textures.close()
            self.module.close()
        except DeviceFailed:
            self.device.reset()

    def run(
        self,
        given: Input,
        bank3_offset: int,
        textures: Mapping[int, TextureKind] = _NOTHING,
        surfaces: Mapping[int, Surface] = _NO_SURFACES,
        steps: int = MOST_INSTRUCTIONS,
    ) -> tuple[Octets, list[bytes]]:
        """The arena and the printed records after one launch. textures, surfaces: the objects that the reference used.

        steps: those of the reference; a launch that takes far more is stopped. Raises DeviceFailed, Unsupported.
        """
        device = self.device
        if self.textures is not None:
            self.textures.fill(textures, surfaces)
        device.copy(self.base, given.content)
        if self.prints:
            empty = struct.pack("<IIII", RING_BYTES - PRINTF_HEADER_BYTES, 0, 0, 0)
            device.copy(self.ring, empty.ljust(self.printed, b"\0"))
            self.printed = RING_BYTES
        if self.heap:
            device.copy(self.heap, struct.pack("<Q", DEVICE_HEAP_BYTES).ljust(HEAP_HEADER_BYTES, b"\0"))
        if self.shared:
            device.copy(
                self.shared, struct.pack("<II", SHARED_SLOTS, ARENA_SLOT_BYTES).ljust(ARENA_SLOTS_OFFSET, b"\0")
            )
        device.copy(self.table, self._slots(given, bank3_offset))
        self._launch(given, A_STEP * steps + BESIDES)
        after = np.empty(len(given.content), np.uint8)
        device.copy(after, self.base)
        return after, self._printed() if self.prints else []

    def _launch(self, given: Input, most: int) -> None:
        """Once, to its end, which comes before a wave has run more than `most` instructions. Raises DeviceFailed."""
        device, shape = self.device, given.scenario.shape
        kernarg = given.params
        if self.code.abi is AbiClass.CASS1:
            kernarg = kernarg.ljust(self.code.bindings_offset, b"\0") + self.table.to_bytes(8, "little")
        began = device.spent()
        in_lds = 0 if self.kernel.abi.spilled else shape.dynamic_shared
        device.limit(most)
        try:
            self.function.launch(shape.grid, shape.block, kernarg, in_lds)
            self._wait()
        finally:
            device.limit(0)
        self.spent = device.spent() - began

    def _printed(self) -> list[bytes]:
        """The finished records of the last launch."""
        tail = struct.unpack_from("<IIII", self.device.read(self.ring, PRINTF_HEADER_BYTES))[1]
        self.printed = min(PRINTF_HEADER_BYTES + tail, RING_BYTES)
        return parse_ring(self.device.read(self.ring, self.printed))

    def heaps(self, given: Input) -> Heaps:
        """Where the blocks of either side's malloc lie."""
        start, own = self.base + given.heap, given.own_heap
        device = (self.base + own.offset, own.size) if own else (self.heap, DEVICE_HEAP_BYTES)
        return Heaps(given.heap, (start, start + HEAP_BYTES), (device[0], sum(device)))

    def surfaces(self, used: Mapping[int, Surface]) -> dict[int, Octets]:
        """What the surfaces hold after the launch."""
        table = self.textures
        return {} if table is None else {h: np.frombuffer(table.surface(h), np.uint8) for h in used}

    def _wait(self) -> None:
        """Wait for the launch, but not for ever: a candidate may loop. Raises DeviceFailed."""
        deadline = time.monotonic() + self.launch_seconds
        pause = 0.00002
        while True:
            try:
                self.device.call("hipStreamQuery", None)
                return
            except DeviceFailed as failure:
                if failure.code != HIP_NOT_READY:
                    raise
            if time.monotonic() > deadline:
                self.stuck = True
                raise DeviceFailed("hipStreamQuery", HIP_TIMED_OUT, f"not finished after {self.launch_seconds:g} s")
            time.sleep(pause)
            pause = min(2 * pause, 0.005)

    def _slots(self, given: Input, bank3_offset: int) -> bytes:
        words = []
        for slot in self.code.slots:
            if slot.kind is SlotKind.SYMBOL:
                if slot.symbol not in given.symbols:
                    raise Unsupported(f"binding to {slot.symbol}", kernel=self.kernel.name)
                words.append(given.symbols[slot.symbol] + slot.addend)
            elif slot.kind is SlotKind.BANK:
                words.append(self.banks.get(slot.addend, self.base + bank3_offset))
            elif slot.kind is SlotKind.PRINTF:
                words.append(self.ring)
            elif slot.kind is SlotKind.GRID_SYNC:
                if not given.workspace:
                    raise Unsupported("the grid barrier of a captured launch", kernel=self.kernel.name)
                words.append(self.base + given.workspace)
            elif slot.kind is SlotKind.TEXTURES and self.textures is not None:
                words.append(self.textures.address)
            elif slot.kind is SlotKind.SHARED_ARENA:
                words.append(self.shared)
            else:
                words.append(self.base + given.own_heap.offset if given.own_heap else self.heap)
        return b"".join((w & (2**64 - 1)).to_bytes(8, "little") for w in words) or bytes(8)


def parse_ring(ring: bytes) -> list[bytes]:
    """The finished printf records: 8 bytes of format address, then the argument bytes (model/kernel_abi.py)."""
    _, tail, _, _ = struct.unpack_from("<IIII", ring)
    found: list[bytes] = []
    at = PRINTF_HEADER_BYTES
    end = min(PRINTF_HEADER_BYTES + tail, len(ring))
    while at + PRINTF_RECORD_BYTES <= end:
        kind, size, address = struct.unpack_from("<IIQ", ring, at)
        if at + PRINTF_RECORD_BYTES + size > len(ring):
            break
        body = ring[at + PRINTF_RECORD_BYTES : at + PRINTF_RECORD_BYTES + size]
        if kind == PRINTF_KIND_PRINTF:
            found.append(address.to_bytes(8, "little") + body)
        at += PRINTF_RECORD_BYTES + -(-size // 8) * 8
    return found
