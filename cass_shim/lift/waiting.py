"""Whether lanes of a warp may wait for each other, so that they must be scheduled apart (`lift.independent`).

A lane waits in a loop that would never end for it if memory stayed as it is, and whose end depends on what it loads.
Another lane of its warp can end that where a write is reachable for that lane while the first one is in the loop: on
the way on behind the loop, on another way past it, or in it. Nobody passes a barrier of the block meanwhile. Loops of a
counter, and compare-and-swap loops whose comparand is what was read (one lane's failure is another's success), end.
Loops without a sign of waiting (ptxas puts YIELD into those with volatile accesses) are not looked at.
"""

from __future__ import annotations

from cass_shim.lift.code import Code, Function, always, ends, is_call, never
from cass_shim.lift.dataflow import ATOMICS, Effects, Loop, Rows, calls_of, effects_of, hints, strongly_connected
from cass_shim.model.instruction import Imm, Instruction

_WRITES = frozenset({"ST", "STG", "STS", "STSM", "RED", "REDG", "LDGSTS", "SYNCS", *ATOMICS})
_BUDGET = 100  # loops looked at below one; a kernel with more is taken to wait
_DEPTH = 3  # branches that a lane is assumed to take always the same way

Edges = dict[int, list[int]]


def lanes_wait(code: Code, functions: dict[int, Function]) -> bool:
    """Whether any lane may wait for another of its warp."""
    if not any(hints(i) for f in functions.values() for b in f.blocks for _, i in code.block(b)):
        return False
    effects = effects_of(code, functions)
    return any(_function_waits(code, function, calls_of(function, effects)) for function in functions.values())


def _function_waits(code: Code, function: Function, calls: dict[int, Effects]) -> bool:
    edges = {b: [s for s in code.successors(b)[0] if s in function.blocks] for b in sorted(function.blocks)}
    for blocks in strongly_connected(edges):
        body = [(a, i) for b in blocks for a, i in code.block(b)]
        if any(hints(i) or (a in calls and calls[a].hints) for a, i in body):
            search = _Search(code, edges, calls, Rows.of(code, blocks, calls))
            found = search.stuck(_within(edges, blocks), assumed=frozenset())
            if found is not None and _others_write(code, function, edges, found):
                return True
    return False


def _within(edges: Edges, blocks: set[int]) -> Edges:
    return {b: [s for s in edges[b] if s in blocks] for b in edges if b in blocks}


class _Search:
    """Looks for a cycle that a lane cannot leave while memory stays as it is. edges: of the whole function."""

    def __init__(self, code: Code, edges: Edges, calls: dict[int, Effects], rows: Rows) -> None:
        self.code, self.edges, self.calls, self.rows = code, edges, calls, rows
        self.left = _BUDGET
        self.ended: set[tuple[frozenset[tuple[int, int]], frozenset[int]]] = set()  # looked at: no such cycle

    def stuck(self, loop: Edges, assumed: frozenset[int]) -> set[int] | None:
        """The blocks of such a cycle. assumed: blocks whose branch, which memory decides, is taken to go one way."""
        known = frozenset((b, s) for b, following in loop.items() for s in following), assumed
        if known in self.ended:
            return None
        self.left -= 1
        if self.left < 0:
            return set(loop)
        found = self._stuck(loop, assumed)
        if found is None:
            self.ended.add(known)
        return found

    def _stuck(self, loop: Edges, assumed: frozenset[int]) -> set[int] | None:
        facts = Loop.of(self.rows, loop, self.calls)
        if any(facts.may_change(b) for b in assumed):
            return None
        leaving = {b for b in loop if self._leaves(b, loop)}
        kept = set(loop) - {b for b in leaving if facts.may_change(b)}
        if kept == set(loop) and (assumed or any(facts.depends_on_memory(b) for b in leaving)):
            return kept
        for smaller in self._smaller(loop, kept):
            found = self.stuck(smaller, assumed & set(smaller))
            if found is not None:
                return found
        return self._stubborn(loop, facts, assumed) if len(assumed) < _DEPTH else None

    def _leaves(self, block: int, loop: Edges) -> bool:
        """Whether a lane may leave the loop there: by a branch, or by a guarded exit."""
        last = list(self.code.block(block))[-1][1]
        return any(s not in loop for s in self.edges[block]) or (ends(last) and not always(last))

    def _smaller(self, loop: Edges, kept: set[int]) -> list[Edges]:
        """Cycles in what is kept, or the loops within the loop."""
        if kept != set(loop):
            return [_within(loop, c) for c in strongly_connected(_within(loop, kept))]
        entries = {b for b in loop for p, following in self.edges.items() if p not in loop and b in following}
        inner = {b: [s for s in following if s not in entries] for b, following in loop.items()}
        if inner == loop:
            return []
        return [_within(inner, c) for c in strongly_connected(inner)]

    def _stubborn(self, loop: Edges, facts: Loop, assumed: frozenset[int]) -> set[int] | None:
        """Cycles of a lane for which a branch that memory decides always goes the same way."""
        for block, following in loop.items():
            if len(following) < 2 or not facts.depends_on_memory(block):
                continue
            for successor in following:
                fewer = {**loop, block: [s for s in following if s != successor]}
                for component in strongly_connected(fewer):
                    if block in component:
                        found = self.stuck(_within(fewer, component), (assumed | {block}) & component)
                        if found is not None:
                            return found
        return None


def _is_block_barrier(i: Instruction) -> bool:
    """Whether no lane goes on before all of its warp are there: the barrier of the whole block, or of the warp."""
    if not always(i):
        return False
    if i.mnemonic == "WARPSYNC":
        return i.has("ALL") or (bool(i.operands) and i.operands[0] == Imm(0xFFFF_FFFF))
    return i.mnemonic == "BAR" and not i.has("ARV") and bool(i.operands) and i.operands[0] == Imm(0)


def _others_write(code: Code, function: Function, edges: Edges, loop: set[int]) -> bool:
    """Whether a lane that is not in the loop may write before it meets those in it at a barrier."""
    if function.entry != code.entry:
        return True  # what its callers do meanwhile is not looked at
    if any(_writes(i) and not i.has("CAS", "EXCH") for b in loop for _, i in code.block(b)):
        return True
    dominators = _dominators(edges, function.entry, loop)
    before = _before(code, edges, loop)
    waiting = [s for b in before | loop for s in edges[b] if s not in loop and s not in dominators]
    seen: set[int] = set()
    while waiting:
        block = waiting.pop()
        if block in seen:
            continue
        seen.add(block)
        for _, i in code.block(block):
            if _is_block_barrier(i):
                break
            if _writes(i) or (is_call(i) and not never(i)):
                return True
        else:
            waiting += edges[block]
    return False


def _writes(i: Instruction) -> bool:
    return i.mnemonic in _WRITES and not never(i)


def _before(code: Code, edges: Edges, loop: set[int]) -> set[int]:
    """Blocks from which the loop is reached without a barrier on the way."""
    sources: dict[int, list[int]] = {b: [] for b in edges}
    for block, following in edges.items():
        for successor in following:
            sources[successor].append(block)
    found: set[int] = set()
    waiting = [p for b in loop for p in sources[b] if p not in loop]
    while waiting:
        block = waiting.pop()
        if block not in found:
            found.add(block)
            if not any(_is_block_barrier(i) for _, i in code.block(block)):
                waiting += sources[block]
    return found


def _dominators(edges: Edges, entry: int, loop: set[int]) -> set[int]:
    """Blocks without which the loop cannot be reached: a lane that is in it has been there, with its siblings."""
    bit = {block: 1 << number for number, block in enumerate(edges)}
    dominate = dict.fromkeys(edges, -1)  # block → those on every way to it; -1: no way is known yet
    dominate[entry] = bit[entry]
    waiting = [entry]
    while waiting:
        block = waiting.pop()
        for successor in edges[block]:
            fewer = dominate[successor] & (dominate[block] | bit[successor])
            if fewer != dominate[successor]:
                dominate[successor] = fewer
                waiting.append(successor)
    common = -1
    for block in loop:
        common &= dominate[block]
    return {block for block in edges if block not in loop and common & bit[block]}
