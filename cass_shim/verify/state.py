"""Registers, predicates, memory accesses and block barriers of the reference interpreter.

All lanes of the launch are one axis: lane = (block * warps + warp) * 32 + lane-in-warp. `mask` is the set of lanes
that execute the current instruction; a lane's values outside it never change.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cass_shim.model.errors import Unsupported
from cass_shim.model.instruction import UNIFORM_REGISTERS
from cass_shim.model.kernel_abi import WARP, TextureKind
from cass_shim.verify.arithmetic import DTYPES, Arithmetic, Value, constant
from cass_shim.verify.memory import Arena, Fault, Scratch, check_aligned, gather, scatter
from cass_shim.verify.races import Races, each_byte
from cass_shim.verify.surfaces import Surface, Surfaces
from cass_shim.verify.warps import Warps

_WORD = (1 << 64) - 1
Mask: TypeAlias = Any  # bool per lane; numpy's stubs lose the element type in every operator
Lanes = NDArray[np.int64]
Mufu = Callable[[str, Value], Value]


class Picks:
    """SplitMix64 (Steele, Lea, Flood 2014), which native/reference repeats: choices that compiled runs make alike."""

    def __init__(self, state: int) -> None:
        self.state = state & _WORD

    def below(self, count: int) -> int:
        """A number below count."""
        self.state = self.state + 0x9E37_79B9_7F4A_7C15 & _WORD
        z = self.state
        z = (z ^ z >> 30) * 0xBF58_476D_1CE4_E5B9 & _WORD
        z = (z ^ z >> 27) * 0x94D0_49BB_1331_11EB & _WORD
        return int((z ^ z >> 31) % count)


@dataclass(frozen=True)
class Geometry:
    """A launch: grid and block (x, y, z). Lanes beyond the block's threads in its last warp never run.

    first, count: the blocks that run, for a part of a large launch; count 0: all.
    """

    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    first: int = 0
    count: int = 0

    @property
    def threads(self) -> int:
        return self.block[0] * self.block[1] * self.block[2]

    @property
    def blocks(self) -> int:
        return self.count or self.grid[0] * self.grid[1] * self.grid[2]

    @property
    def warps(self) -> int:
        return -(-self.threads // WARP)

    @property
    def lanes(self) -> int:
        return self.blocks * self.warps * WARP


@dataclass(frozen=True)
class _Places:
    """Where each lane of a launch is; never written to. specials: registers that say so, by name."""

    block_of: Lanes
    thread_of: Lanes
    lane_of: NDArray[np.uint32]
    specials: dict[str, Value]


@lru_cache(maxsize=64)
def _places(g: Geometry) -> _Places:
    u32 = np.uint32
    lane = np.arange(g.lanes)
    part, thread = np.divmod(lane, g.warps * WARP)
    block = part + g.first
    lane_of = (lane % WARP).astype(u32)
    (bx, by, _), (gx, gy, _) = g.block, g.grid
    at = np.uint64(1) << lane_of.astype(np.uint64)
    below, every = at - np.uint64(1), np.uint64(0xFFFF_FFFF)
    upto = below | at
    specials = {
        "SR_TID.X": (thread % bx).astype(u32),
        "SR_TID.Y": (thread // bx % by).astype(u32),
        "SR_TID.Z": (thread // (bx * by)).astype(u32),
        "SR_CTAID.X": (block % gx).astype(u32),
        "SR_CTAID.Y": (block // gx % gy).astype(u32),
        "SR_CTAID.Z": (block // (gx * gy)).astype(u32),
        "SR_LANEID": lane_of,
        "SR_EQMASK": at.astype(u32),
        "SR_LTMASK": below.astype(u32),
        "SR_LEMASK": upto.astype(u32),
        "SR_GTMASK": (every & ~upto).astype(u32),
        "SR_GEMASK": (every & ~below).astype(u32),
        "SR_CgaCtaId": np.zeros(g.lanes, u32),
        "SR_CgaSize": np.zeros(g.lanes, u32),  # only ever an index into the bank's words about clusters
        "SR_NTID.X": np.full(g.lanes, bx, u32),
    }
    for array in (part, thread, *specials.values()):
        array.flags.writeable = False
    return _Places(part, thread, lane_of, specials)


class State(Surfaces, Warps, Arithmetic):
    """The effectful part of `isa.emitter.Emitter`; see there for what each method means."""

    def __init__(
        self,
        sm: int,
        geometry: Geometry,
        arena: Arena,
        shared_bytes: int,
        local_bytes: int,
        seed: int,
        mufu: Mufu,
    ) -> None:
        self.sm, self.geometry, self.arena = sm, geometry, arena
        self.random = np.random.default_rng(seed)
        # A judge's seeds are multiples of 8 and the number of its order (`agreement.ORDERS`, of which there are eight).
        self.large_garbage, self.empty_garbage = bool(seed % 2), seed % 8 == 2
        self.seed = seed
        self._noise: Value | None = None
        self.picks, self.turns = Picks(seed), Picks(seed + 1)  # among groups of lanes, and among lanes of an atomic
        self.model_mufu = mufu
        count = geometry.lanes
        places = _places(geometry)
        self.block_of, self.thread_of, self.lane_of = places.block_of, places.thread_of, places.lane_of
        self.warps = count // WARP
        self.shared = Scratch.filled("shared", geometry.blocks, shared_bytes, self.garbage)
        self.local = Scratch.filled("local", count, local_bytes, self.garbage)
        # windows differ from run to run, so that a kernel whose output holds such an address is seen to
        self.shared_window = int(self.random.integers(0x7A00, 0x7AFF)) << 40
        self.local_window = int(self.random.integers(0x7B00, 0x7BFF)) << 40
        self.clock = int(self.random.integers(1 << 40))
        self.mask: Mask = np.zeros(count, bool)
        self.active: Lanes = np.zeros(0, np.int64)
        self.full = False
        self._regs: list[Value | None] = [None] * 256  # filled with garbage when first read
        self._uniform_regs: list[Value | None] = [None] * UNIFORM_REGISTERS
        unset: Mask = np.zeros(count, bool)
        self._preds: list[Mask] = [unset] * 7  # a write makes a new row
        self._uniform_preds: list[Mask] = [unset] * 7
        self._specials: dict[str, Value] = self._special_registers()
        self.barrier_value: Value = np.zeros(count, np.uint32)
        self.shared_written = np.zeros(len(self.shared.content), bool)
        self.undefined_reads = 0  # loads of shared memory that nobody wrote, shuffles from lanes that are not there
        self.current = 0  # byte address of the instruction that runs
        self.contended = False  # several lanes did one atomic operation on the same address
        self.observe: Callable[..., None] | None = None  # told the addresses of every global load, and how often
        self.texture_kinds: dict[int, TextureKind] = {}
        self.surfaces: dict[int, Surface] = {}
        self.races: Races | None = None  # told every plain load and store, where somebody asks

    def garbage(self, words: int) -> Value:
        """What undefined memory and registers hold: huge floats of any width in odd runs, anything in even ones, and in
        one of them zeros.

        A sum that takes in something undefined then differs between two runs, however small its other terms; so does
        the least of many values, which is the same for all garbage, as long as none of it is 0.
        """
        return self._like_garbage(self.random.integers(0, 2**32, words, dtype=np.uint32))

    def _like_garbage(self, bits: Value) -> Value:
        if self.empty_garbage:
            return np.zeros_like(bits)
        return bits & np.uint32(0x83FF_7BFF) | np.uint32(0x7800_7000) if self.large_garbage else bits

    def _garbage(self) -> Value:
        return self.garbage(self.geometry.lanes)

    def _undefined_registers(self, indices: Sequence[int], uniform: bool) -> Value:
        """What registers hold that nobody has written, a row each: the same whenever they are read first."""
        if self._noise is None:
            noise = np.random.default_rng((self.seed, 79))
            self._noise = noise.integers(0, 2**32, self.geometry.lanes, dtype=np.uint32)
        odd = 2 * np.array(indices, np.uint32)[:, None] + np.uint32(1)
        mixed = self._noise * odd + np.uint32(0x9E37_79B9) * (odd + np.uint32(uniform))
        return self._like_garbage(mixed ^ mixed >> np.uint32(15))

    def register_rows(self, indices: Sequence[int], uniform: bool) -> Value:
        """These registers of a file, a row each."""
        file = self._uniform_regs if uniform else self._regs
        rows = self._undefined_registers(indices, uniform)
        for row, index in enumerate(indices):
            if (value := file[index]) is not None:
                rows[row] = value
        return rows

    def _special_registers(self) -> dict[str, Value]:
        """Those that every launch of this geometry has, and those that differ from run to run."""
        g, u32 = self.geometry, np.uint32
        return {
            **_places(g).specials,
            "SR_SWINHI": np.full(g.lanes, self.shared_window >> 32, u32),
            "SR_VIRTUALSMID": self.random.integers(0, 64, g.blocks, dtype=u32)[self.block_of],
            "SR_VIRTID": self.random.integers(0, 2**24, g.blocks, dtype=u32)[self.block_of],
        }

    def set_mask(self, mask: Mask) -> None:
        self.mask = mask
        self.active = np.flatnonzero(mask)
        self.full = len(self.active) == len(mask)

    # registers

    def get_reg(self, index: int, uniform: bool) -> Value:
        file = self._uniform_regs if uniform else self._regs
        value = file[index]
        if value is None:
            value = file[index] = self._undefined_registers([index], uniform)[0]
        return value

    def set_reg(self, index: int, uniform: bool, value: Value) -> None:
        assert value.dtype == np.uint32, value.dtype
        file = self._uniform_regs if uniform else self._regs
        if self.full and value.shape == self.mask.shape:
            file[index] = value
        else:
            file[index] = np.where(self.mask, value, self.get_reg(index, uniform))

    def get_pred(self, index: int, uniform: bool) -> Value:
        return (self._uniform_preds if uniform else self._preds)[index]

    def set_pred(self, index: int, uniform: bool, value: Value) -> None:
        assert value.dtype == np.bool_, value.dtype
        file = self._uniform_preds if uniform else self._preds
        file[index] = np.where(self.mask, value, file[index])

    def special(self, name: str) -> Value:
        if name in ("SR_CLOCKLO", "SR_GLOBALTIMERLO", "SR_GLOBALTIMER"):
            self.clock += int(self.random.integers(1, 64))
            return constant(self.clock, 64)
        if name not in self._specials:
            raise Unsupported(name, why="special register of the reference interpreter")
        return self._specials[name]

    def mufu(self, function: str, a: Value) -> Value:
        return self.model_mufu(function, a)

    def spread(self, value: Value) -> Value:
        """The value as one entry per lane."""
        return np.broadcast_to(value, self.mask.shape)

    # memory

    def _resolve(self, space: str, addresses: Value, size: int) -> list[tuple[Any, Lanes, Lanes]]:
        """Storage, offsets and positions within `addresses` (active lanes only), by space; checked and aligned."""
        try:
            if space == "generic":
                return self._resolve_generic(addresses, size)
            every = np.arange(len(addresses))
            storage, offsets = self._locate(space, addresses, self.active, size)
            check_aligned(offsets, size)
        except Fault as fault:
            raise Fault(fault.reason, lane=int(self.active[fault.lane])) from None
        return [(storage, offsets, every)]

    def _locate(self, space: str, addresses: Value, lanes: Lanes, size: int) -> tuple[Any, Lanes]:
        if space == "global":
            return self.arena, self.arena.locate(addresses, size)
        if space == "shared":
            return self.shared, self.shared.locate(self.block_of[lanes], addresses.astype(np.uint32), size)
        return self.local, self.local.locate(lanes, addresses.astype(np.uint32), size)

    def _resolve_generic(self, addresses: Value, size: int) -> list[tuple[Any, Lanes, Lanes]]:
        found = []
        window = addresses >> np.uint64(32)
        in_shared = window == np.uint64(self.shared_window >> 32)
        in_local = window == np.uint64(self.local_window >> 32)
        for space, chosen in (("global", ~(in_shared | in_local)), ("shared", in_shared), ("local", in_local)):
            positions = np.flatnonzero(chosen)
            if not len(positions):
                continue
            try:
                storage, offsets = self._locate(space, addresses[positions], self.active[positions], size)
                check_aligned(offsets, size)
            except Fault as fault:
                raise Fault(fault.reason, lane=int(positions[fault.lane])) from None
            found.append((storage, offsets, positions))
        return found

    def load(
        self, space: str, address: Value, width: int, count: int, signed: bool = False, order: str = "weak"
    ) -> list[Value]:
        addresses = self.spread(address)[self.active]
        size = width // 8
        if self.observe is not None and space in ("global", "generic"):
            self.observe(addresses)
        results = [np.zeros(self.mask.shape, np.uint32) for _ in range(count)]
        for storage, offsets, positions in self._resolve(space, addresses, size * count):
            lanes = self.active[positions]
            if storage is self.shared:
                self.undefined_reads += int((~self.shared_written[offsets]).any())
            if self.races is not None and storage is not self.local and (order == "weak" or not self.races.mixed):
                self.races.load(*self._place(storage), *each_byte(offsets, size * count, lanes // WARP))
            for part in range(count):
                word = gather(storage.content, offsets + size * part, size)
                if width < 32:
                    word = self.sext(word, 32) if signed else word.astype(np.uint32)
                results[part][lanes] = word
        return results

    def load_where(self, p: Value, address: Value, count: int) -> list[Value]:
        every = self.mask
        self.set_mask(every & self.spread(p).astype(bool))
        try:
            return self.load("global", address, 32, count)
        finally:
            self.set_mask(every)

    def store(self, space: str, address: Value, values: list[Value], width: int, order: str = "weak") -> None:
        addresses = self.spread(address)[self.active]
        size = width // 8
        for storage, offsets, positions in self._resolve(space, addresses, size * len(values)):
            lanes = self.active[positions]
            for part, value in enumerate(values):
                at, stored = offsets + size * part, self.spread(value)[lanes]
                if self.races is not None and storage is not self.local:
                    written, told = stored.astype(DTYPES[8 * size]).view(np.uint8), each_byte(at, size, lanes // WARP)
                    self.races.store(*self._place(storage), *told, storage.content[told[0]] != written, written)
                scatter(storage.content, at, stored, size)
                self.mark_written(storage, at, size)

    def _place(self, storage: Arena | Scratch) -> tuple[str, int]:
        """Name and size in bytes of global or shared memory."""
        return ("global" if storage is self.arena else "shared", len(storage.content))

    def mark_written(self, storage: Arena | Scratch, at: Lanes, size: int) -> None:
        """Note that `size` bytes at each offset were written."""
        noted = self.arena.touched if storage is self.arena else self.shared_written
        if storage is not self.local:
            for byte in range(size):
                noted[at + byte] = True
        if storage is self.arena:
            for word in range(0, size, 4):
                self.arena.writer[(at + word) >> 2] = self.current

    def is_space(self, space: str, address: Value) -> Value:
        window = self.spread(address) >> np.uint64(32)
        shared = window == np.uint64(self.shared_window >> 32)
        local = window == np.uint64(self.local_window >> 32)
        return {"shared": shared, "local": local, "global": ~(shared | local)}[space]

    def fence(self, scope: str) -> None:
        """Accesses take effect at once, in order: nothing to do."""

    # the block

    def barrier(self, barrier_id: Value | None, thread_count: Value | None) -> None:
        """The scheduler runs a barrier only when everyone it waits for is there."""

    def barrier_arrive(self, barrier_id: Value | None, thread_count: Value) -> None:
        """Counted by the scheduler."""

    def barrier_reduce(self, operation: str, p: Value, barrier_id: Value | None, thread_count: Value | None) -> None:
        taken = self.spread(p) & self.mask
        count = np.bincount(self.block_of, weights=taken, minlength=self.geometry.blocks).astype(np.uint32)
        present = np.bincount(self.block_of, weights=self.mask, minlength=self.geometry.blocks)
        if operation == "popc":
            by_block = count
        else:
            truth = count == present if operation == "and" else count > 0
            by_block = np.where(truth, np.uint32(0xFFFF_FFFF), np.uint32(0))
        self.barrier_value = np.where(self.mask, by_block[self.block_of], self.barrier_value)

    def barrier_result(self) -> Value:
        return self.barrier_value

    def system_call(self, name: str) -> None:
        raise Unsupported(name, why="system calls are the scheduler's")

    def trap(self) -> None:
        raise Fault("the kernel trapped", lane=int(self.active[0]))
