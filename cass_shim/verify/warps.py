"""What the lanes of a warp say to each other in the reference interpreter: exchanges, votes, reductions, matrices.

In: values over all lanes of the launch, and the lanes that execute the instruction. Out: one value for each lane.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cass_shim.isa.emitter import Product
from cass_shim.model.kernel_abi import WARP
from cass_shim.verify import matrices
from cass_shim.verify.arithmetic import Value, constant
from cass_shim.verify.memory import Fault


class Warps:
    """The cross-lane part of `isa.emitter.Emitter`; `state.State` has the lanes."""

    mask: Any
    active: NDArray[np.int64]
    lane_of: NDArray[np.uint32]
    warps: int
    undefined_reads: int

    def spread(self, value: Value) -> Value:
        """The value as one entry per lane."""
        raise NotImplementedError

    def _garbage(self) -> Value:
        """What lanes that are not there hold."""
        raise NotImplementedError

    def _by_warp(self, value: Value) -> Value:
        return self.spread(value).reshape(self.warps, WARP)

    def _per_lane(self, by_warp: Value) -> Value:
        return np.repeat(by_warp, WARP)

    def shuffle(self, mode: str, value: Value, lane: Value, clamp: Value) -> tuple[Value, Value]:
        own = self.lane_of.astype(np.int64)
        by = (self.spread(lane) & np.uint32(31)).astype(np.int64)
        control = self.spread(clamp).astype(np.int64)
        segment, limit = control >> 8 & 31, control & 31
        last = (own & segment) | (limit & ~segment)
        if mode == "up":
            source = own - by
            inside = source >= last
        else:
            source = {"down": own + by, "bfly": own ^ by, "idx": (own & segment) | (by & ~segment)}[mode]
            inside = source <= last
        source = np.where(inside, source, own) & 31
        start = np.arange(len(own)) & ~31
        picked = self.spread(value)[start + source]
        # reading a lane that does not take part is undefined: something else in every run
        present = self.mask[start + source]
        if not present[self.active].all():
            self.undefined_reads += 1
            picked = np.where(present, picked, self._garbage().astype(picked.dtype))
        return picked, inside

    def ballot(self, p: Value) -> Value:
        bits = self._by_warp(p) & self.mask.reshape(self.warps, WARP)
        packed = np.packbits(bits, axis=1, bitorder="little").view(np.uint32)[:, 0]
        return self._per_lane(packed)

    def _equal(self, value: Value) -> Value:
        rows = self._by_warp(value)
        return (rows[:, :, None] == rows[:, None, :]) & self.mask.reshape(self.warps, 1, WARP)

    def match_any(self, value: Value) -> Value:
        packed = np.packbits(self._equal(value), axis=2, bitorder="little").view(np.uint32)
        return packed.reshape(-1)

    def match_all(self, value: Value) -> tuple[Value, Value]:
        every = self.ballot(constant(1, 1))
        same = self.match_any(value) == every
        return np.where(same, every, np.uint32(0)), same

    def read_first(self, value: Value) -> Value:
        mask = self.mask.reshape(self.warps, WARP)
        first = mask.argmax(axis=1)
        return self._per_lane(self._by_warp(value)[np.arange(self.warps), first])

    def reduce(self, operation: str, value: Value) -> Value:
        rows, mask = self._by_warp(value), self.mask.reshape(self.warps, WARP)
        if operation[0] in "us" and operation[1:] in ("min", "max"):
            view = rows.view(np.int32 if operation[0] == "s" else np.uint32)
            limits = np.iinfo(view.dtype)
            neutral = limits.max if operation.endswith("min") else limits.min
            function = np.minimum if operation.endswith("min") else np.maximum
            return self._per_lane(function.reduce(np.where(mask, view, neutral), axis=1).view(np.uint32))
        neutral = 0xFFFF_FFFF if operation == "and" else 0
        reduction: Any = {
            "and": np.bitwise_and,
            "or": np.bitwise_or,
            "xor": np.bitwise_xor,
            "add": np.add,
        }[operation]
        chosen = np.where(mask, rows, np.uint32(neutral))
        return self._per_lane(reduction.reduce(chosen, axis=1, dtype=np.uint32))

    def matrix_multiply(
        self, kinds: Product, a: list[Value], b: list[Value], c: list[Value], present: list[Value] | None = None
    ) -> list[Value]:
        lanes = self.mask.reshape(self.warps, WARP)
        if (lanes.any(axis=1) & ~lanes.all(axis=1)).any():
            raise Fault("matrix operation in a diverged warp", lane=int(self.active[0]))
        spread = [[np.ascontiguousarray(self.spread(v)) for v in part] for part in (a, b, c, present or [])]
        return matrices.multiply(kinds, *spread)
