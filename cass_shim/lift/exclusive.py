"""Regions of WARPSYNC.EXCLUSIVE and .COLLECTIVE: code that lanes with one mask run apart from those with another.

In: a kernel's code and functions. Out: the blocks of each region. A region begins behind the WARPSYNC and ends at the
BSYNC of the barrier around it, at ENDCOLLECTIVE (sm_90) or at the return of the helper that it fills; optimised code
has it in one block, debug builds branch in it, call, and have convergence barriers and regions of their own there. Its
end starts a block, so that all of its blocks are its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from cass_shim.lift.code import STEP, Code, Function, always, is_plain_barrier, never
from cass_shim.model.errors import Unsupported
from cass_shim.model.instruction import Barrier, Instruction

Barriers = frozenset[int]  # numbers of convergence barriers


@dataclass(frozen=True)
class Exclusive:
    """One region. begin: the WARPSYNC; end: the instruction that is behind it; blocks: where its blocks start."""

    begin: int
    end: int
    blocks: frozenset[int]


def is_exclusive(i: Instruction) -> bool:
    return i.mnemonic == "WARPSYNC" and i.has("EXCLUSIVE", "COLLECTIVE") and not i.has("ALL")


def split_at_regions(code: Code, functions: dict[int, Function]) -> bool:
    """Make blocks of every region's begin and end. Returns whether there are any; then find the functions again."""
    begins = [
        (function.entry, address)
        for function in functions.values()
        for start in function.blocks
        for address, i in code.block(start)
        if is_exclusive(i) and not never(i)
    ]
    code.leaders.update(address + STEP for _, address in begins)
    for _, address in begins:
        code.leaders.add(_walk(code, address)[1])
    return bool(begins)


def find_regions(code: Code, function: Function) -> dict[int, Exclusive]:
    """The function's regions by their begin, once its blocks end there. Raises Unsupported."""
    found = {}
    for start in function.blocks:
        for address, i in code.block(start):
            if is_exclusive(i) and not never(i):
                blocks, end = _walk(code, address)
                found[address] = Exclusive(address, end, frozenset(blocks))
    for start in function.blocks:
        following, end = code.successors(start)
        for region in found.values():
            entered = region.blocks.intersection(following)
            if start not in region.blocks and entered and end != region.begin + STEP:
                raise _refused(code, region.begin, "its region is entered from elsewhere")
    return found


def _walk(code: Code, begin: int) -> tuple[set[int], int]:
    """(the region's blocks, its end), from the block behind its begin; calls are stepped over."""
    opened: dict[int, Barriers] = {}  # block → which barriers the region has opened where it begins
    ends: set[int] = set()
    waiting: list[tuple[int, Barriers]] = [(begin + STEP, frozenset())]
    while waiting:
        start, own = waiting.pop()
        if start in ends:
            continue
        if start in opened:
            if opened[start] != own:
                raise _refused(code, begin, "its barriers are not the same on all ways")
            continue
        end, after = _through(code, begin, start, own)
        if end != start:
            opened[start] = own
        if end is None:
            waiting += [(following, after) for following in code.successors(start)[0]]
        else:
            ends.add(end)
    if len(ends) != 1:
        raise _refused(code, begin, "its region ends in several places" if ends else "its region has no end")
    return set(opened), ends.pop()


def _through(code: Code, begin: int, start: int, own: Barriers) -> tuple[int | None, Barriers]:
    """(where a block of the region at `begin` ends it, the barriers of its own that are open behind the block).

    A BSYNC of a barrier that a BSSY in the region has set is within. Raises Unsupported for what has no meaning there.
    """
    for address, i in code.block(start):
        if never(i):
            continue
        barrier = next((o.index for o in i.operands if isinstance(o, Barrier)), None)
        if i.mnemonic == "BSSY" and barrier is not None:
            if not always(i):
                raise _refused(code, begin, "its region has a BSSY of some lanes")
            own |= {barrier}
        elif i.mnemonic == "BSYNC" and barrier in own:
            own -= {barrier}
        elif i.mnemonic in ("BSYNC", "ENDCOLLECTIVE") or (i.mnemonic == "RET" and always(i)):
            return address, own
        elif i.mnemonic == "RET" or (is_exclusive(i) and i.has("COLLECTIVE")):
            raise _refused(code, begin, f"its region has a {i.mnemonic}")
    return None, own


def meet_others(code: Code, functions: dict[int, Function]) -> bool:
    """Whether lanes come to a barrier of the block within a region: those with other masks must then go on meanwhile.

    Raises Unsupported for barriers other than the whole block's, which would count a warp once for every mask.
    """
    found = False
    for function in functions.values():
        for region in find_regions(code, function).values():
            for i in _barriers(code, functions, function, region.blocks):
                if not is_plain_barrier(i):
                    raise _refused(code, region.begin, f"its region has a {i.form}")
                found = True
    return found


def _barriers(
    code: Code, functions: dict[int, Function], function: Function, blocks: frozenset[int]
) -> Iterator[Instruction]:
    """Barriers of the block in some of a function's blocks, and in what those call."""
    seen: set[int] = set()
    waiting = [(function, start) for start in blocks]
    while waiting:
        within, start = waiting.pop()
        for address, i in code.block(start):
            if i.mnemonic == "BAR" and not never(i):
                yield i
            for callee in within.calls.get(address, ()):
                if callee not in seen:
                    seen.add(callee)
                    waiting += [(functions[callee], one) for one in functions[callee].blocks]


def _refused(code: Code, begin: int, why: str) -> Unsupported:
    i = code.instructions[begin]
    return Unsupported(i.form, address=i.address, why=why)
