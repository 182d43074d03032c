"""What other lanes of a warp may do while one of them is in a loop.

Lanes are apart only where a branch has sent them different ways (`lift.alike`), and until they meet at a barrier.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from cass_shim.lift.alike import parting
from cass_shim.lift.code import Code, Function, all_called, always, never
from cass_shim.lift.dataflow import ATOMICS, strongly_connected
from cass_shim.model.instruction import Imm, Instruction

_WRITES = frozenset({"ST", "STG", "STS", "STSM", "RED", "REDG", "LDGSTS", "SYNCS", *ATOMICS})

Edges = dict[int, list[int]]


def within(edges: Edges, blocks: set[int]) -> Edges:
    return {b: [s for s in edges[b] if s in blocks] for b in edges if b in blocks}


def _is_barrier(i: Instruction) -> bool:
    """Whether no lane goes on before all of its warp are there: the barrier of the whole block, or of the warp."""
    if not always(i):
        return False
    if i.mnemonic == "WARPSYNC":
        return i.has("ALL") or (bool(i.operands) and i.operands[0] == Imm(0xFFFF_FFFF))
    return i.mnemonic == "BAR" and not i.has("ARV") and bool(i.operands) and i.operands[0] == Imm(0)


def _writes(i: Instruction) -> bool:
    return i.mnemonic in _WRITES and not never(i)


@dataclass
class Siblings:
    """The lanes that run one function of a kernel."""

    code: Code
    functions: Mapping[int, Function]
    function: Function

    @cached_property
    def edges(self) -> Edges:
        blocks = self.function.blocks
        return {b: [s for s in self.code.successors(b)[0] if s in blocks] for b in sorted(blocks)}

    @cached_property
    def _parting(self) -> dict[int, set[int]]:
        return parting(self.code, self.functions, self.function, self.edges)

    @cached_property
    def _meeting(self) -> set[int]:
        """Blocks with a barrier."""
        return {b for b in self.edges if any(_is_barrier(i) for _, i in self.code.block(b))}

    def apart(self, blocks: set[int]) -> list[set[int]]:
        """The loops among these blocks in which nobody comes to a barrier."""
        return strongly_connected(within(self.edges, blocks - self._meeting))

    def write(self, loop: set[int], left: bool = False) -> bool:
        """Whether a sibling of a lane in a loop may write before the two meet. left: one that is not in the loop."""
        if self.function.entry != self.code.entry:
            return True  # what its callers do meanwhile is not looked at
        if not left and self.apart(loop):
            instructions = (i for b in loop for _, i in self.code.block(b))
            if any(_writes(i) and not i.has("CAS", "EXCH") for i in instructions):
                return True
        passed = self._dominators(loop)
        around = [b for b in self._before(loop) | loop if b in loop or not loop.isdisjoint(self._parting.get(b, ()))]
        waiting = [s for b in around if b in self._parting for s in self.edges[b] if s not in loop and s not in passed]
        seen: set[int] = set()
        while waiting:
            block = waiting.pop()
            if block in seen:
                continue
            seen.add(block)
            for at, i in self.code.block(block):
                if _is_barrier(i):
                    break
                if _writes(i) or (at in self.function.calls and self._call_writes(self.function.calls[at])):
                    return True
            else:
                waiting += self.edges[block]
        return False

    def _call_writes(self, callees: tuple[int, ...]) -> bool:
        """Whether one of them or what they call may; () is something outside the module."""
        called = all_called(self.functions, callees)
        return called is None or any(_writes(i) for one in called for b in one.blocks for _, i in self.code.block(b))

    def _before(self, loop: set[int]) -> set[int]:
        """Blocks from which the loop is reached without a barrier on the way."""
        sources: dict[int, list[int]] = {b: [] for b in self.edges}
        for block, following in self.edges.items():
            for successor in following:
                sources[successor].append(block)
        found: set[int] = set()
        waiting = [p for b in loop for p in sources[b] if p not in loop]
        while waiting:
            block = waiting.pop()
            if block not in found:
                found.add(block)
                if block not in self._meeting:
                    waiting += sources[block]
        return found

    def _dominators(self, loop: set[int]) -> set[int]:
        """Blocks without which the loop cannot be reached: a lane that is in it has been there, with its siblings."""
        bit = {block: 1 << number for number, block in enumerate(self.edges)}
        dominate = dict.fromkeys(self.edges, -1)  # block → those on every way to it; -1: no way is known yet
        dominate[self.function.entry] = bit[self.function.entry]
        waiting = [self.function.entry]
        while waiting:
            block = waiting.pop()
            for successor in self.edges[block]:
                fewer = dominate[successor] & (dominate[block] | bit[successor])
                if fewer != dominate[successor]:
                    dominate[successor] = fewer
                    waiting.append(successor)
        common = -1
        for block in loop:
            common &= dominate[block]
        return {block for block in self.edges if block not in loop and common & bit[block]}
