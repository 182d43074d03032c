"""The launch that a proof is about: which of its numbers are fixed and which are unknown.

In: a block shape, or "any block of one dimension". Out: terms for thread and block indices, dimensions and parameters,
and what is assumed of them. Limits of CUDA: 1024 threads a block, 2^31 - 1 blocks in x, 65535 in y and z (CUDA C
Programming Guide, technical specifications per compute capability).
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field

from cass_shim.model.kernel_abi import WARP, KernelAbi
from cass_shim.verify.proof.floats import Terms
from cass_shim.verify.proof.lanes import Unknown, Value, gathered
from cass_shim.verify.proof.terms import Term

MAX_THREADS = 1024
GRID_LIMITS = ((1 << 31) - 1, 65535, 65535)
AXES = "xyz"
INDEX_BITS = 10  # of threadIdx, along any axis


@dataclass
class Domain:
    """All launches with one block shape, or with every block (n, 1, 1) when `block` is None.

    blocks: the grid's limits; every grid within them is meant. alone: the kernel's warps do not know of each other; one
    warp, unknown, then stands for all where the block is unknown too or its rows and the warps fit each other.
    """

    terms: Terms
    abi: KernelAbi
    block: tuple[int, int, int] | None
    blocks: tuple[int, int, int] = GRID_LIMITS
    assumptions: list[Term] = field(default_factory=list)
    deadline: float = math.inf  # on the monotonic clock: when execution gives up
    alone: bool = False

    def check_time(self) -> None:
        """Raises Unknown after the deadline."""
        if time.monotonic() > self.deadline:
            raise Unknown("the time budget is spent")

    def __post_init__(self) -> None:
        t = self.terms
        self.grid = tuple(t.var(f"gridDim.{axis}", 32) for axis in AXES)
        self.group = tuple(t.var(f"blockIdx.{axis}", 32) for axis in AXES)
        for count, index, limit in zip(self.grid, self.group, self.blocks, strict=True):
            self.assumptions.append(t.ult(index, count))
            self.assumptions.append(t.ult(count, t.const(limit + 1, 32)))
        self.warp_index = t.var("warp", 5)
        if self.block is not None:
            self.dimensions: tuple[Term, ...] = tuple(t.const(n, 32) for n in self.block)
            if self.one_for_all:
                self.assumptions.append(t.ult(t.zext(self.warp_index, 32), t.const(self.whole_warps, 32)))
            return
        threads = t.var("blockDim.x", 16)
        self.dimensions = (t.zext(threads, 32), t.const(1, 32), t.const(1, 32))
        limit = self.abi.max_threads or MAX_THREADS
        self.assumptions.append(t.ult(threads, t.const(limit + 1, 16)))
        self.assumptions.append(t.ult(self._first_thread(), self.dimensions[0]))

    def _first_thread(self) -> Term:
        return self.terms.scale(self.terms.zext(self.warp_index, 32), WARP)

    @property
    def one_for_all(self) -> bool:
        """Whether one unknown warp is executed instead of all."""
        if self.block is None:
            return True
        x, y, z = self.block
        return self.alone and z == 1 and WARP % x == 0 and x * y % WARP == 0

    @property
    def whole_warps(self) -> int:
        """The warps of a fixed block."""
        assert self.block is not None
        return -(-self.block[0] * self.block[1] * self.block[2] // WARP)

    @property
    def warps(self) -> int:
        """How many warps are executed."""
        return 1 if self.one_for_all else self.whole_warps

    def alive(self, warp: int) -> Value:
        """Per lane, whether the block has such a thread."""
        t = self.terms
        if self.block is None:
            first = self._first_thread()
            return gathered(tuple(t.ult(t.add(first, t.const(n, 32)), self.dimensions[0]) for n in range(WARP)))
        if self.one_for_all:
            return t.true
        threads = self.block[0] * self.block[1] * self.block[2]
        return gathered(tuple(t.const(WARP * warp + n < threads, 1) for n in range(WARP)))

    def thread(self, warp: int, axis: int) -> Value:
        """threadIdx along an axis, per lane."""
        t = self.terms
        if self.block is None:
            if axis:
                return t.const(0, 32)
            return gathered(tuple(t.add(self._first_thread(), t.const(n, 32)) for n in range(WARP)))
        x, y, _ = self.block
        if self.one_for_all:
            return self._thread_of_any(x, axis)
        flat = range(WARP * warp, WARP * warp + WARP)
        index = [(n % x, n // x % y, n // (x * y))[axis] for n in flat]
        return gathered(tuple(t.const(n, 32) for n in index))

    def _thread_of_any(self, x: int, axis: int) -> Value:
        """threadIdx in the unknown warp of a block whose rows of x threads fill warps."""
        t = self.terms
        first = t.scale(t.zext(self.warp_index, INDEX_BITS), WARP // x)
        if axis == 1:
            rows = (t.zext(t.add(first, t.const(n // x, INDEX_BITS)), 32) for n in range(WARP))
            return gathered(tuple(rows))
        return gathered(tuple(t.const(0 if axis else n % x, 32) for n in range(WARP)))

    def parameter(self, offset: int) -> Term:
        """The 32-bit word of the parameter block at a multiple of 4."""
        return self.terms.var(f"param.{offset:#x}", 32)

    def describe(self) -> str:
        """The bounds in words."""
        shape = f"every block (n, 1, 1) with n <= {self.abi.max_threads or MAX_THREADS}"
        if self.block is not None:
            shape = f"block {self.block}"
        return f"{shape}, every grid up to {self.blocks}"
