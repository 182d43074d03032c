"""What a run of the reference teaches of a kernel's parameters: which are addresses, and of what.

In: a run's loads, and where it wrote. Out: better `Roles`.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from cass_shim.verify.inputs import WINDOW, Roles
from cass_shim.verify.survey import Survey


@dataclass
class Lesson:
    """What a run showed of the arena's windows: which were read, and by loads of which kind."""

    seen: Counter[tuple[int, str]] = field(default_factory=Counter)
    read: set[int] = field(default_factory=set)


class Observer(Protocol):
    """Told the addresses that an instruction's loads read in the lanes that ran it, and how many times it was so."""

    def __call__(self, address: int, where: NDArray[np.uint64], times: int = 1) -> None: ...


def learn(found: Survey, base: int) -> tuple[Observer, Lesson]:
    """An observer of a run's loads, and what it notes."""
    lesson = Lesson()

    def observe(address: int, where: NDArray[np.uint64], times: int = 1) -> None:
        if not len(where):
            return
        window = (int(where[0]) - base) // WINDOW
        lesson.read.add(window)
        kind = found.loads.get(address)
        if kind is not None:
            lesson.seen[window, kind] += times

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


def note_used(roles: Roles, lesson: Lesson, written: NDArray[np.bool_]) -> None:
    """Keep which parameters' windows a run has read or written."""
    roles.used |= {at for at, window in roles.pointers.items() if _is_used(window, lesson, written)}


def drop_pointers(roles: Roles, lesson: Lesson, written: NDArray[np.bool_]) -> bool:
    """Take the parameters whose windows no run has used for scalars instead. Returns whether there were any."""
    note_used(roles, lesson, written)
    kept = sorted(set(roles.pointers) & roles.used)
    dropped = len(kept) < len(roles.pointers)
    if dropped:
        roles.pointers = {at: index for index, at in enumerate(kept)}
        roles.kinds = {}
    return dropped


def _is_used(window: int, lesson: Lesson, written: NDArray[np.bool_]) -> bool:
    return window in lesson.read or bool(written[window * WINDOW : (window + 1) * WINDOW].any())
