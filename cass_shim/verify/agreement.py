"""Agreement (E1): a candidate on the device against the reference interpreter, on one generated input.

In: code object, kernel, device, `Input`s. Out: how much was compared, or `Rejected` with a witness. The reference
runs at least twice, in different legal orders, with different garbage in everything undefined: bytes that differ
between its own runs are not defined by the kernel and are not compared. All others must be equal bit for bit, except
that any NaN is as good as another where the reference computed one; and a byte the reference never wrote must be
untouched anywhere in the arena.
"""

from __future__ import annotations

import contextlib
import struct
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cass_shim.device import Device, Function
from cass_shim.model.artifacts import CodeObject, Cubin, SassKernel
from cass_shim.model.errors import DeviceFailed, Rejected, Unsupported
from cass_shim.model.kernel_abi import (
    HEAP_HEADER_BYTES,
    PRINTF_HEADER_BYTES,
    PRINTF_KIND_PRINTF,
    PRINTF_RECORD_BYTES,
    AbiClass,
    SlotKind,
)
from cass_shim.verify.inputs import BIAS, HEAP_BYTES, WINDOW, Input, Roles
from cass_shim.verify.interpreter import Interpreter, Launch, Outcome
from cass_shim.verify.memory import Arena, Fault
from cass_shim.verify.program import prepare
from cass_shim.verify.state import Geometry, Mufu
from cass_shim.verify.survey import Survey
from cass_shim.verify.system_calls import argument_sizes

RING_BYTES = 1 << 20
DEVICE_HEAP_BYTES = 1 << 22
LAUNCH_SECONDS = 5.0
HIP_NOT_READY, HIP_TIMED_OUT = 600, 702
# Instructions a wave may run on the emulated device before the launch is stopped; read when the library is loaded.
EMULATED_LIMIT = ("CASS_EMU_LIMIT", str(2_000_000))
PATIENCE = 10  # times the usual limits, for the runs that decide whether a difference is one
# Policies of the reference runs, in order; the first two are always made, the others before a difference is believed.
ORDERS = ("lowest", "random", "blocks", "warps reversed", "blocks reversed", "warps", "random", "random")
POISON = 0xA5

# What a binding table may hold for a kernel that is verified by running it.
_BOUND = (SlotKind.SYMBOL, SlotKind.BANK, SlotKind.PRINTF, SlotKind.HEAP)

Octets = NDArray[np.uint8]


@dataclass
class Reference:
    """The reference's runs on one input."""

    outcomes: list[Outcome] = field(default_factory=list)

    @property
    def first(self) -> Outcome:
        return self.outcomes[0]


@dataclass
class Judge:
    """Everything that stays the same over the inputs of one kernel."""

    kernel: SassKernel
    cubin: Cubin | None
    found: Survey
    mufu: Mufu
    max_steps: int
    run_seconds: float = 1.0  # of one reference run
    arena: Arena | None = None  # of the last run, also when it ended in a Fault

    def run(self, given: Input, base: int, order: int, observe: Any = None, patience: int = 1) -> Outcome:
        """One reference run, in the order ORDERS[order]. patience: how many times the usual limits it may take."""
        program = prepare(self.kernel, given.symbols, given.bank3)
        shape = given.scenario.shape
        arena = Arena(base, given.content.copy(), np.ones(len(given.content), bool))
        self.arena = arena
        launch = Launch(Geometry(shape.grid, shape.block), given.params, shape.dynamic_shared)
        machine = Interpreter(
            program,
            self.kernel.abi,
            launch,
            arena,
            seed=1000 * given.scenario.seed + order,
            mufu=self.mufu,
            policy=ORDERS[order % len(ORDERS)],
            max_steps=self.max_steps * patience,
            deadline=time.monotonic() + self.run_seconds * patience,
            heap=_heap(given, base, order),
        )
        if observe is not None:
            machine.observe = lambda addresses: observe(machine.current, addresses)
        return machine.run()


def _heap(given: Input, base: int, order: int) -> tuple[int, int]:
    """Where malloc's blocks come from: elsewhere in every run, so that an address in an output is seen to vary."""
    if not given.heap:
        return (0, 0)
    start = base + given.heap
    return (start + 4096 * (order % 8), start + HEAP_BYTES)


@dataclass
class Lesson:
    """What a run showed of the arena's windows: which were read, and by loads of which kind."""

    seen: Counter[tuple[int, str]] = field(default_factory=Counter)
    read: set[int] = field(default_factory=set)


def learn(found: Survey, base: int) -> tuple[Any, Lesson]:
    """An observer of a run's loads, and what it notes."""
    lesson = Lesson()

    def observe(address: int, where: NDArray[np.uint64]) -> None:
        if not len(where):
            return
        window = (int(where[0]) - base) // WINDOW
        lesson.read.add(window)
        kind = found.loads.get(address)
        if kind is not None:
            lesson.seen[window, kind] += 1

    return observe, lesson


def apply_kinds(roles: Roles, lesson: Lesson) -> bool:
    """Give each window the kind most of its loads have; floats beat integers, addresses beat both.

    Returns whether a window turned out to hold addresses.
    """
    before = [w for w, kind in roles.kinds.items() if kind == "ptr"]
    for window in {w for w, _ in lesson.seen if 0 <= w < roles.windows()}:
        counts = {kind: n for (w, kind), n in lesson.seen.items() if w == window}
        floats = {kind: n for kind, n in counts.items() if kind[0] in "fb"}
        best = floats or counts
        kind = max(best, key=lambda kind: best[kind])
        roles.kinds[window] = "ptr" if "ptr" in counts and window != roles.objects else kind
    return [w for w, kind in roles.kinds.items() if kind == "ptr"] != before


def drop_pointers(roles: Roles, lesson: Lesson, written: NDArray[np.bool_]) -> bool:
    """Take the parameters whose windows a run never used for scalars instead. Returns whether there were any."""
    unused = {
        at: window
        for at, window in roles.pointers.items()
        if window not in lesson.read and not written[window * WINDOW : (window + 1) * WINDOW].any()
    }
    kept = sorted(at for at in roles.pointers if at not in unused)
    if unused:
        roles.pointers = {at: index for index, at in enumerate(kept)}
        roles.kinds = {}
    return bool(unused)


class Candidate:
    """A code object loaded on the device, with its binding table and printf ring."""

    def __init__(self, code: CodeObject, kernel: SassKernel, cubin: Cubin | None, device: Device, arena: int) -> None:
        self.code, self.kernel, self.device = code, kernel, device
        self.stuck = False  # its kernel runs on; the device is of no use to this process any more
        unsure = [s.kind.name for s in code.slots if s.kind not in _BOUND]
        if unsure:
            raise Unsupported(f"binding {unsure[0]}", kernel=kernel.name, why="not verified by running")
        try:
            self.module = device.load(code.elf)
            self.function: Function = self.module.function(code.symbol)
        except DeviceFailed as failure:
            raise Rejected("the code object does not load", kernel=kernel.name, witness=str(failure)) from None
        self.base = device.alloc(arena)
        self.table = device.alloc(max(8 * len(code.slots), 8))
        self.ring = device.alloc(RING_BYTES)
        self.banks: dict[int, int] = {}
        self.heap = device.alloc(DEVICE_HEAP_BYTES) if any(s.kind is SlotKind.HEAP for s in code.slots) else 0
        for slot in code.slots:
            if slot.kind is SlotKind.BANK and slot.addend != 3:
                content = kernel.kernel.constants.get(slot.addend, b"").ljust(16, b"\0")
                self.banks[slot.addend] = device.alloc(len(content))
                device.copy(self.banks[slot.addend], content)
        self.bank3 = -1
        if cubin is not None:
            self.bank3 = next((i for i, image in enumerate(cubin.images) if image.kind == "constant3"), -1)

    def close(self) -> None:
        """Give everything back; a device that has failed is reset instead, one that still runs is left alone."""
        if self.stuck:
            return
        try:
            self.module.close()
            for address in (self.base, self.table, self.ring, self.heap, *self.banks.values()):
                if address:
                    self.device.free(address)
        except DeviceFailed:
            self.device.reset()

    def run(self, given: Input, bank3_offset: int) -> tuple[Octets, list[bytes]]:
        """The arena and the printed records after one launch. Raises DeviceFailed, Unsupported."""
        device = self.device
        device.copy(self.base, given.content)
        device.copy(self.ring, struct.pack("<IIII", RING_BYTES - PRINTF_HEADER_BYTES, 0, 0, 0).ljust(RING_BYTES, b"\0"))
        if self.heap:
            device.copy(self.heap, struct.pack("<Q", DEVICE_HEAP_BYTES).ljust(HEAP_HEADER_BYTES, b"\0"))
        device.copy(self.table, self._slots(given, bank3_offset))
        kernarg = given.params
        if self.code.abi is AbiClass.CASS1:
            kernarg = kernarg.ljust(self.code.bindings_offset, b"\0") + self.table.to_bytes(8, "little")
        shape = given.scenario.shape
        self.function.launch(shape.grid, shape.block, kernarg, shape.dynamic_shared)
        self._wait()
        after = np.empty(len(given.content), np.uint8)
        device.copy(after, self.base)
        return after, parse_ring(device.read(self.ring, RING_BYTES))

    def _wait(self) -> None:
        """Wait for the launch, but not for ever: a candidate may loop. Raises DeviceFailed."""
        deadline = time.monotonic() + LAUNCH_SECONDS
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
                raise DeviceFailed("hipStreamQuery", HIP_TIMED_OUT, f"not finished after {LAUNCH_SECONDS} s")
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
            else:
                words.append(self.heap)
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


def normal_record(record: bytes, content: Octets, base: int) -> bytes:
    """A printf record without the padding between its arguments."""
    start = int.from_bytes(record[:8], "little") - base
    if not 0 <= start < len(content):
        return record
    text = content[start : start + 4096].tobytes().split(b"\0")[0]
    parts, at, body = [record[:8]], 0, record[8:]
    for size in argument_sizes(text):
        at = -(-at // size) * size
        parts.append(body[at : at + size].ljust(size, b"\0"))
        at += size
    return b"".join(parts)


def _nan_words(words: NDArray[np.uint32]) -> NDArray[np.bool_]:
    return (words & np.uint32(0x7FFF_FFFF)) > np.uint32(0x7F80_0000)


@dataclass
class Comparison:
    """compared: bytes the reference wrote that were compared; undefined: written bytes its runs disagree on."""

    compared: int = 0
    undefined: int = 0
    bad: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))


def compare(after: Octets, outcomes: list[Outcome], halves: bool, end: int = 0) -> Comparison:
    """Words (by index, 4 bytes each) where the device differs from every reference run that agrees with the others.

    halves: whether the kernel computes in 16-bit floats, so that NaNs are looked for in half words too. end: bytes of
    the arena to compare, 0 for all; behind them lies the reference's heap.
    """
    end = end or len(after)
    device = after[:end].view(np.uint32)
    runs = [o.arena.content[:end].view(np.uint32) for o in outcomes]
    first = runs[0]
    stable = np.ones(len(first), bool)
    nan = _nan_words(first)
    for other in runs[1:]:
        stable &= other == first
        nan &= _nan_words(other)
    differs = device != first
    bad = differs & stable
    if bad.any() or nan.any():
        unstable_nan = nan & ~stable  # a NaN that the kernel computed: its payload is open
        bad |= unstable_nan & ~_nan_words(device)
        bad &= ~(stable & nan & _nan_words(device) & _computed(outcomes, end))
        bad &= ~_double_nan(device, runs)
        if halves:
            bad &= ~_half_nan(device, runs)
    touched = _computed(outcomes, end)
    return Comparison(
        4 * int((touched & stable).sum()), 4 * int((touched & ~stable).sum()), np.flatnonzero(bad).astype(np.int64)
    )


def order_dependent(reference: Reference, words: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which of these words were written by an instruction whose other results depend on the order of lanes.

    The result of a contended atomic goes to whichever lane came first. Few runs cannot show that for each word, but
    they show it for the store that such results reach; single-thread inputs check what those stores compute.
    """
    first = reference.first.arena
    loose: set[int] = set()
    for other in reference.outcomes[1:]:
        varies = first.content.view(np.uint32) != other.arena.content.view(np.uint32)
        loose |= set(np.unique(first.writer[varies]).tolist()) | set(np.unique(other.arena.writer[varies]).tolist())
    return np.isin(first.writer[words], sorted(loose - {-1}))


def settle(result: Comparison, reference: Reference) -> Comparison:
    """Take out what depends on the order of atomics or on memory that nobody wrote, where a run met either."""
    if len(result.bad) and any(o.contended or o.undefined_reads for o in reference.outcomes):
        loose = order_dependent(reference, result.bad)
        result.undefined += 4 * int(loose.sum())
        result.bad = result.bad[~loose]
    return result


def _computed(outcomes: list[Outcome], end: int) -> NDArray[np.bool_]:
    """Words written in some run: only there may a NaN be replaced by another."""
    touched = np.zeros(end // 4, bool)
    for outcome in outcomes:
        touched |= outcome.arena.touched[:end].reshape(-1, 4).any(axis=1)
    return touched


def _double_nan(device: NDArray[np.uint32], runs: list[NDArray[np.uint32]]) -> NDArray[np.bool_]:
    """Words of aligned f64 NaNs in the device's result and in every run."""

    def nan(words: NDArray[np.uint32]) -> NDArray[np.bool_]:
        wide = words.view(np.uint64)
        return np.asarray((wide & np.uint64((1 << 63) - 1)) > np.uint64(0x7FF0 << 48))

    both = nan(device)
    for run in runs:
        both = both & nan(run)
    return np.repeat(both, 2)


def _half_nan(device: NDArray[np.uint32], runs: list[NDArray[np.uint32]]) -> NDArray[np.bool_]:
    """Words whose differing halves are 16-bit NaNs on both sides (f16 or bf16)."""

    def nan(halves: NDArray[np.uint16]) -> NDArray[np.bool_]:
        return np.asarray((halves & np.uint16(0x7FFF)) > np.uint16(0x7C00))

    mine, first = device.view(np.uint16), runs[0].view(np.uint16)
    fine = (mine == first) | (nan(mine) & nan(first))
    return np.asarray(fine.reshape(-1, 2).all(axis=1))


def describe(given: Input, roles: Roles, base: int, word: int, after: Octets, outcome: Outcome) -> str:
    """The witness: launch, place and both values of the first difference."""
    offset = 4 * word
    place = f"arena+{offset:#x}"
    window = offset // WINDOW
    for at, index in roles.pointers.items():
        if index == window:
            place = f"pointer parameter at {at:#x}, byte {offset - window * WINDOW - BIAS}"
    for name, address in given.symbols.items():
        if not name.startswith(".") and 0 <= offset - (address - base) < 4096 and offset >= WINDOW * roles.windows():
            place = f"variable {name}, byte {offset - (address - base)}"
    scenario = given.scenario
    expected = int(outcome.arena.content.view(np.uint32)[word])
    got = int(after.view(np.uint32)[word])
    written = "" if outcome.arena.touched[offset : offset + 4].any() else " (the kernel does not write there)"
    return (
        f"grid {scenario.shape.grid} block {scenario.shape.block} shared {scenario.shape.dynamic_shared} "
        f"values {scenario.values} size {scenario.size} seed {scenario.seed}: {place}: "
        f"{got:#010x} instead of {expected:#010x}{written}"
    )


def judge_input(judge: Judge, candidate: Candidate, given: Input, roles: Roles, reference: Reference) -> Comparison:
    """Run the candidate and compare. Raises Rejected; DeviceFailed only when the device itself is at fault.

    reference: runs made so far; more are added before a difference is believed.
    """
    name = judge.kernel.name
    constant3 = 0
    if candidate.bank3 >= 0 and judge.cubin is not None:
        constant3 = given.symbols.get(".nv.constant3", candidate.base) - candidate.base
    try:
        after, printed = candidate.run(given, constant3)
    except DeviceFailed as failure:
        raise Rejected("the launch failed", kernel=name, witness=f"{_launch_text(given)}: {failure}") from failure
    halves = any(k in ("f16", "bf16") for k in (*judge.found.loads.values(), *judge.found.scalars.values()))
    halves = halves or any(i.mnemonic.startswith("H") for i in judge.kernel.instructions)
    result = settle(compare(after, reference.outcomes, halves, given.heap), reference)
    for order in range(2, len(ORDERS)):
        if not len(result.bad):
            break
        _one_more(judge, given, candidate.base, reference, order)
        result = settle(compare(after, reference.outcomes, halves, given.heap), reference)
    if len(result.bad):
        witness = describe(given, roles, candidate.base, int(result.bad[0]), after, reference.first)
        raise Rejected(f"differs from the reference in {len(result.bad)} words", kernel=name, witness=witness)
    _compare_printed(name, given, candidate.base, printed, reference)
    return result


def _one_more(judge: Judge, given: Input, base: int, reference: Reference, order: int) -> None:
    """Add a run in another order, with time to spare; one that fails or does not end is no evidence."""
    with contextlib.suppress(Fault):
        reference.outcomes.append(judge.run(given, base, order, patience=PATIENCE))


def _launch_text(given: Input) -> str:
    shape = given.scenario.shape
    return f"grid {shape.grid} block {shape.block} shared {shape.dynamic_shared} seed {given.scenario.seed}"


def _compare_printed(name: str, given: Input, base: int, printed: list[bytes], reference: Reference) -> None:
    """The same records in any order, unless the reference's own runs print differently."""
    wanted = [Counter(normal_record(r, given.content, base) for r in o.printed) for o in reference.outcomes]
    if any(w != wanted[0] for w in wanted[1:]):
        return
    got = Counter(normal_record(r, given.content, base) for r in printed)
    if got != wanted[0]:
        missing, extra = wanted[0] - got, got - wanted[0]
        raise Rejected(
            f"prints {got.total()} records, {len(extra)} of them wrong, {len(missing)} missing",
            kernel=name,
            witness=_launch_text(given),
        )
