"""Which chain of calls a lane is in, as a number, where callees with cross-lane operations are shared.

In: the functions of a kernel, and which of them have one copy. Out: what a call adds to the number of the lane's chain,
and its return takes away again. The chains that lead to one function have different numbers, so that a block and a
number say as much as a copy of the block per chain would: lanes of two call sites never run together, as they would not
in two copies. (On NVIDIA's hardware such a callee is shared code, too, and lanes of two sites may come together in it;
that they stay apart is one of the schedules that it may choose.)
Source: Sumner et al., "Precise Calling Context Encoding", ICSE 2010, §3.1, for graphs without cycles.
"""

from __future__ import annotations

from functools import cache

from cass_shim.lift.code import Function
from cass_shim.model.errors import Unsupported

Edge = tuple[int, int, int]  # caller, address of the call, callee
_MOST = 1 << 32  # chains that a number of 32 bits tells apart


def number_calls(functions: dict[int, Function], root: int, shared: set[int]) -> dict[Edge, int]:
    """What calls add, as far as that is not 0. Raises Unsupported for more chains than numbers."""
    calls: dict[int, list[Edge]] = {entry: [] for entry in functions}
    for caller, function in functions.items():
        for site, callees in function.calls.items():
            for callee in dict.fromkeys(callees):
                if functions[callee].lanes:  # elsewhere it does not matter who runs with whom
                    calls[callee].append((caller, site, callee))

    @cache
    def chains(entry: int) -> int:
        """How many lead to one copy of a function."""
        known = [chains(caller) for caller, _, _ in calls[entry]]
        return 1 if entry == root else sum(known) if entry in shared else max(known, default=1)

    added: dict[Edge, int] = {}
    for entry in shared:
        before = 0
        for edge in calls[entry]:
            if before:
                added[edge] = before
            before += chains(edge[0])
        if before > _MOST:
            raise Unsupported("cross-lane calls that multiply the code", address=entry, why=f"{before} chains of calls")
    return added
