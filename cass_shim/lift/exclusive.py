"""Regions of WARPSYNC.EXCLUSIVE and .COLLECTIVE: code that lanes with one mask run apart from those with another.

In: a kernel's code and functions. Out: the blocks of each region. A region begins behind the WARPSYNC and ends at the
BSYNC of the barrier around it, at ENDCOLLECTIVE (sm_90) or at the return of the helper that it fills; optimised code
has it in one block, debug builds branch in it. Its end starts a block, so that all of its blocks are its own.
"""

from __future__ import annotations

from dataclasses import dataclass

from cass_shim.lift.code import STEP, Code, Function, always, is_call, never
from cass_shim.model.errors import Unsupported
from cass_shim.model.instruction import Instruction


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
    """(the region's blocks, its end), from the block behind its begin."""
    blocks: set[int] = set()
    ends: set[int] = set()
    waiting = [begin + STEP]
    while waiting:
        start = waiting.pop()
        if start in blocks or start in ends:
            continue
        end = _end_in(code, begin, start)
        if end != start:
            blocks.add(start)
        if end is None:
            waiting += code.successors(start)[0]
        else:
            ends.add(end)
    if len(ends) != 1:
        raise _refused(code, begin, "its region ends in several places" if ends else "its region has no end")
    return blocks, ends.pop()


def _end_in(code: Code, begin: int, start: int) -> int | None:
    """Where a block of the region at `begin` ends it. Raises Unsupported for what has no meaning in a region yet."""
    for address, i in code.block(start):
        if never(i):
            continue
        if i.mnemonic in ("BSYNC", "ENDCOLLECTIVE") or (i.mnemonic == "RET" and always(i)):
            return address
        if i.mnemonic in ("BSSY", "RET", "BAR") or is_exclusive(i):
            raise _refused(code, begin, f"its region has a {i.mnemonic}")
        if is_call(i) and not code.is_jump(address, i):
            raise _refused(code, begin, "its region has a call")
    return None


def _refused(code: Code, begin: int, why: str) -> Unsupported:
    i = code.instructions[begin]
    return Unsupported(i.form, address=i.address, why=why)
