"""Which of a fatbinary's entries serves: the client's rule (native/client/fatbin.c), for the daemon and the commands.

In: entries of any SM. Out: the one to run and the PTX to set beside it.
"""

from __future__ import annotations

from collections.abc import Sequence

from cass_shim.model.artifacts import EntryKind, FatbinEntry
from cass_shim.model.config import SM_ORDER


def choose_entries(
    entries: Sequence[FatbinEntry], preferred_sm: int = 0, own_ptx: bool = False
) -> tuple[FatbinEntry | None, FatbinEntry | None]:
    """The entry to run and the PTX to set beside it, by the client's rule (native/client/fatbin.c).

    own_ptx: machine code of generations whose PTX is there comes first. PTX of another may be another kernel, of which
    the program knows nothing (CUB's blocks have 320 threads on sm_80 and 128 on sm_89).
    """
    first = {one.sm for one in entries if one.kind is EntryKind.PTX or not own_ptx}
    last = 2 * len(SM_ORDER)

    def rank(one: FatbinEntry) -> int:
        if one.sm == preferred_sm:
            return -1
        return SM_ORDER.index(one.sm) + (0 if one.sm in first else len(SM_ORDER)) if one.sm in SM_ORDER else last

    best = min((one for one in entries if one.kind is EntryKind.ELF), key=rank, default=None)
    usable = best is not None and rank(best) < last
    wanted = best.sm if best is not None and usable else SM_ORDER[0]
    texts = (one for one in entries if one.kind is EntryKind.PTX)
    ptx = min(texts, key=lambda one: (one.sm > wanted, abs(one.sm - wanted)), default=None)
    if not usable and ptx is not None:
        return ptx, ptx
    return best, ptx
