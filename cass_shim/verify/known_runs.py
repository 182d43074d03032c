"""Reference runs that are kept, for judging many candidates of one kernel: they do not depend on the candidate.

In: inputs and how they were run. Out: what such a run gave before. Addresses are part of an input, so all candidates
share one arena of the device. A run that the clock ended is not kept: it may go further the next time.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from cass_shim.device import Device
from cass_shim.verify.inputs import Input
from cass_shim.verify.interpreter import Outcome
from cass_shim.verify.memory import Fault

LIMIT = 256  # runs; each holds an arena, a megabyte or two

Key = tuple[Any, ...]
Run = tuple[Outcome | Fault, Any]  # and what else it showed


class KnownRuns:
    """The last runs of the reference over inputs of one kernel, and the arena that they are about."""

    def __init__(self, device: Device, limit: int = LIMIT) -> None:
        self.device, self.limit = device, limit
        self._base, self._size = 0, 0
        self._runs: OrderedDict[Key, Run] = OrderedDict()
        self.hits = 0

    def arena(self, size: int) -> int:
        """The address of an arena of at least `size` bytes."""
        if size > self._size:
            self.close()
            self._base, self._size = self.device.alloc(size), size
        return self._base

    def lose(self) -> None:
        """The device was reset: the arena is gone."""
        self._base, self._size = 0, 0
        self._runs.clear()

    def close(self) -> None:
        """Give the arena back."""
        if self._base:
            self.device.free(self._base)
        self.lose()

    def run(
        self, given: Input, how: Key, run: Callable[[], tuple[Outcome | Fault, Any]]
    ) -> tuple[Outcome | Fault, Any]:
        """What `run` gives for the input, run in the way `how`; it is called when that is not known yet."""
        content = hashlib.blake2b(given.content.data, digest_size=16).digest()
        key = (how, given.scenario.shape, given.scenario.seed, given.params, content)
        if key in self._runs:
            self._runs.move_to_end(key)
            self.hits += 1
            return self._runs[key]
        made = run()
        if not (isinstance(made[0], Fault) and "in time" in made[0].reason):
            self._runs[key] = made
            if len(self._runs) > self.limit:
                self._runs.popitem(last=False)
        return made
