"""Atomic operations of the reference interpreter: lane after lane, in an order that the run chooses.

In: old value and operands as integers of the kind's width. Out: the new value.
Source: PTX ISA, `atom`; SASS spells the same operations.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from cass_shim.isa.sass import mbarrier
from cass_shim.model.errors import Unsupported
from cass_shim.model.kernel_abi import WARP
from cass_shim.verify import floats
from cass_shim.verify.arithmetic import DTYPES, Value
from cass_shim.verify.memory import Arena, Scratch, gather, scatter
from cass_shim.verify.races import each_byte
from cass_shim.verify.state import Lanes, State

Operation = Callable[[int, int, int], int]

WIDTHS = {"u16": 16, "u32": 32, "s32": 32, "u64": 64, "s64": 64, "f32": 32, "f64": 64, "f16x2": 32, "bf16x2": 32}
_FLOATS = ("f32", "f64", "f16x2", "bf16x2")


def _signed(value: int, width: int) -> int:
    return value - (1 << width) if value >> (width - 1) else value


def _float_operation(operation: str, kind: str) -> Operation:
    """Sums of f32 flush denormals (.FTZ, as recorded), as AMD's memory does too (RDNA3 ISA, 13.2)."""
    dtype = DTYPES[WIDTHS[kind]]

    def run(old: int, value: int, _: int) -> int:
        a, b = np.array([old], dtype), np.array([value], dtype)
        if operation == "add":
            return int(floats.fadd(kind, a, b, ftz=kind == "f32")[0])
        return int(floats.fminmax(kind, a, b, operation == "min", False, False)[0])

    return run


def _inexact(kind: str, a: Value, b: Value) -> bool:
    """Whether a + b has to be rounded."""
    x, y = (v.view({"f32": np.float32, "f64": np.float64}[kind]).astype(np.float64) for v in (a, b))
    with np.errstate(all="ignore"):
        total = x + y
        part = total - x
        error = (x - (total - part)) + (y - part)  # exact, Knuth's two-sum
        return bool(error[0]) or (kind == "f32" and bool(total.astype(np.float32)[0] != total[0]))


def otherwise_rounded(kind: str, random: np.random.Generator) -> Operation:
    """Addition of f32 or f64 as another order of the addends could have rounded it: an inexact sum moves by a unit in
    the last place, or not."""
    dtype = DTYPES[WIDTHS[kind]]
    top = 0x7F7F_FFFF if kind == "f32" else 0x7FEF_FFFF_FFFF_FFFF

    def run(old: int, value: int, _: int) -> int:
        a, b = np.array([old], dtype), np.array([value], dtype)
        total = int(floats.fadd(kind, a, b, ftz=kind == "f32")[0])
        movable = 0 < total & (1 << WIDTHS[kind] - 1) - 1 < top and _inexact(kind, a, b)
        return total + int(random.integers(-1, 2)) if movable else total

    return run


def operation_for(operation: str, kind: str) -> Operation:
    """The new value from (old, value, compare). Raises Unsupported for a combination that does not exist."""
    width = WIDTHS[kind]
    mask = (1 << width) - 1
    if operation == "exch":
        return lambda old, value, compare: value
    if operation == "cas":
        return lambda old, value, compare: value if old == compare else old
    if kind in _FLOATS:
        if operation in ("add", "min", "max"):
            return _float_operation(operation, kind)
        raise Unsupported(f"atomic {operation}.{kind}")
    if operation == "mbarrier":
        return lambda old, value, _: mbarrier.step(old, value)
    if operation == "arrive":
        return lambda old, value, _: mbarrier.arrival(old)
    if operation in ("min", "max"):
        pick = min if operation == "min" else max
        if kind[0] == "s":
            return lambda old, value, _: pick(_signed(old, width), _signed(value, width)) & mask
        return lambda old, value, _: pick(old, value)
    simple: dict[str, Operation] = {
        "add": lambda old, value, _: (old + value) & mask,
        "and": lambda old, value, _: old & value,
        "or": lambda old, value, _: old | value,
        "xor": lambda old, value, _: old ^ value,
        "inc": lambda old, value, _: 0 if old >= value else old + 1,
        "dec": lambda old, value, _: value if old == 0 or old > value else old - 1,
    }
    if operation not in simple:
        raise Unsupported(f"atomic {operation}.{kind}")
    return simple[operation]


class AtomicState(State):
    """`State` with atomics.

    shuffled: whether lanes take their turn in a random order. unrounded: makes sums of floats come out as another
    order of addends would have rounded them; None: as they are.
    """

    shuffled = False
    unrounded: np.random.Generator | None = None

    def _order(self, count: int) -> Sequence[int]:
        """Whose turn it is: as they come, or shuffled (Fisher-Yates), as native/reference repeats it."""
        order = list(range(count))
        for last in range(count - 1, 0, -1) if self.shuffled else ():
            other = self.turns.below(last + 1)
            order[last], order[other] = order[other], order[last]
        return order

    def atomic(
        self,
        space: str,
        operation: str,
        kind: str,
        address: Value,
        value: Value,
        compare: Value | None = None,
        scope: str = "gpu",
    ) -> Value:
        function = operation_for(operation, kind)
        if self.unrounded is not None and operation == "add" and kind in ("f32", "f64"):
            function = otherwise_rounded(kind, self.unrounded)
        size = WIDTHS[kind] // 8
        addresses = self.spread(address)[self.active]
        dtype = DTYPES[8 * size]
        old_values = np.zeros(self.mask.shape, dtype if size > 2 else np.uint32)
        for storage, offsets, positions in self._resolve(space, addresses, size):
            lanes = self.active[positions]
            operands = self.spread(value)[lanes].astype(dtype).tolist()
            compares = (self.spread(compare)[lanes].astype(dtype) if compare is not None else offsets).tolist()
            order = self._order(len(lanes))
            start = gather(storage.content, offsets, size).tolist()
            current = dict(zip(offsets.tolist(), start, strict=True))
            where = offsets.tolist()
            found = [0] * len(where)
            for n in order:
                old = current[where[n]]
                found[n] = old
                current[where[n]] = function(old, operands[n], compares[n])
            old_values[lanes] = np.array(found, dtype)
            places = np.array(list(current), np.int64)
            scatter(storage.content, places, np.array(list(current.values()), dtype), size)
            changed = gather(storage.content, offsets, size) != np.array(start, dtype)
            self._tell_races(storage, offsets[changed], size, lanes[changed])
            self.contended |= len(places) < len(where)
            if storage is self.shared and operation != "exch":
                self.undefined_reads += int((~self.shared_written[places]).any())
            self.mark_written(storage, places, size)
        return old_values

    def _tell_races(self, storage: Arena | Scratch, at: Lanes, size: int, lanes: Lanes) -> None:
        if self.races is not None and storage is not self.local:
            self.races.atomic(*self._place(storage), *each_byte(at, size, lanes // WARP))

    def atomic_whole(
        self, space: str, operation: str, address: Value, value: list[Value], compare: list[Value] | None, scope: str
    ) -> list[Value]:
        addresses = self.spread(address)[self.active]
        found = [np.zeros(self.mask.shape, np.uint32) for _ in range(4)]
        news = np.stack([self.spread(v) for v in value], axis=1)
        expected = np.stack([self.spread(v) for v in compare], axis=1) if compare is not None else news
        for storage, offsets, positions in self._resolve(space, addresses, 16):
            lanes, words = self.active[positions], storage.content.view(np.uint32)
            for n in self._order(len(lanes)):
                first, lane = int(offsets[n]) // 4, lanes[n]
                old = words[first : first + 4].copy()
                for part in range(4):
                    found[part][lane] = old[part]
                if operation == "exch" or (old == expected[lane]).all():
                    words[first : first + 4] = news[lane]
            self._tell_races(storage, offsets, 16, lanes)
            self.contended |= len(np.unique(offsets)) < len(offsets)
            if storage is self.shared and operation != "exch":
                self.undefined_reads += int((~self.shared_written[offsets]).any())
            self.mark_written(storage, offsets, 16)
        return found
