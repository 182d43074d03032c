"""Regions of WARPSYNC.EXCLUSIVE: which lanes are in one, and where it ends for them.

Behind the instruction lanes with one mask run apart from those with another, to the BSYNC of the barrier around it.
A barrier that was set in the region ends nothing, nor does what a call in it does; the region of a helper that it fills
ends behind that helper's return, at the next barrier.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Lanes = NDArray[np.int64]
_ENDED = -1  # depth of a region whose helper has returned


class Regions:
    """Of all lanes. masks: of the region each lane is in, 0: none."""

    def __init__(self, count: int) -> None:
        self.masks: Lanes = np.zeros(count, np.int64)
        self._own: Lanes = np.zeros(count, np.int64)  # barrier registers that were set in the region, as bits
        self._depth: Lanes = np.zeros(count, np.int64)  # calls that have not returned
        self._around: dict[int, list[tuple[int, int, int]]] = {}  # of lanes in a region within one

    def begin(self, lanes: Lanes, masks: Any) -> None:
        """The lanes enter a region, each with its mask."""
        for lane in lanes[(self.masks[lanes] != 0) & (self._depth[lanes] != _ENDED)].tolist():
            outer = int(self.masks[lane]), int(self._own[lane]), int(self._depth[lane])
            self._around.setdefault(lane, []).append(outer)
        self.masks[lanes] = masks
        self._own[lanes] = self._depth[lanes] = 0

    def set_barrier(self, lanes: Lanes, number: int) -> None:
        """BSSY of a barrier."""
        inside = lanes[(self.masks[lanes] != 0) & (self._depth[lanes] != _ENDED)]
        self._own[inside] |= 1 << number

    def pass_barrier(self, lanes: Lanes, number: int) -> None:
        """The lanes go on behind a BSYNC."""
        own = self._own[lanes] >> number & 1 != 0
        self._own[lanes[own]] &= ~(1 << number)
        self._end(lanes[~own])

    def pass_mask(self, lanes: Lanes) -> None:
        """The lanes go on behind a plain WARPSYNC, which only ends what has ended already."""
        self._end(lanes[self._depth[lanes] == _ENDED])

    def call(self, lanes: Lanes, by: int) -> None:
        """The lanes call a function (1) or return from one (-1)."""
        inside = lanes[(self.masks[lanes] != 0) & (self._depth[lanes] != _ENDED)]
        self._depth[inside] += by

    def _end(self, lanes: Lanes) -> None:
        self.masks[lanes] = self._own[lanes] = self._depth[lanes] = 0
        for lane in lanes.tolist() if self._around else ():
            if outer := self._around.get(lane):
                self.masks[lane], self._own[lane], self._depth[lane] = outer.pop()
