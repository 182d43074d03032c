"""Which of a fatbinary's entries serves: the client's rule (native/client/fatbin.c), for the daemon and the commands.

In: entries of any SM. Out: the one to run and the PTX to set beside it.
"""

from __future__ import annotations

from collections.abc import Sequence

from cass_shim.model.artifacts import EntryKind, FatbinEntry
from cass_shim.model.config import SM_ORDER


def choose_entries(
    entries: Sequence[FatbinEntry], preferred_sm: int = 0
) -> tuple[FatbinEntry | None, FatbinEntry | None]:
    """The entry to run and the PTX to set beside it, by the client's rule (native/client/fatbin.c)."""

    def rank(one: FatbinEntry) -> int:
        if one.sm == preferred_sm:
            return -1
        return SM_ORDER.index(one.sm) if one.sm in SM_ORDER else len(SM_ORDER)

    best = min((one for one in entries if one.kind is EntryKind.ELF), key=rank, default=None)
    usable = best is not None and rank(best) < len(SM_ORDER)
    wanted = best.sm if best is not None and usable else SM_ORDER[0]
    texts = (one for one in entries if one.kind is EntryKind.PTX)
    ptx = min(texts, key=lambda one: (one.sm > wanted, abs(one.sm - wanted)), default=None)
    if not usable and ptx is not None:
        return ptx, ptx
    return best, ptx
