"""Whether lanes of a warp may wait for each other, so that they must be scheduled apart (`lift.independent`).

A lane waits in a loop that would never end for it if memory stayed as it is, and whose end depends on what it loads.
Another lane of its warp can end that where a write is reachable for that lane while the first one is in the loop: on
the way on behind the loop, on another way past it, or in it (`lift.siblings`). Nobody passes a barrier of the block
meanwhile, and no lane goes another way at a branch at which all have one condition. Loops of a counter, and
compare-and-swap loops whose comparand is what was read (one lane's failure is another's success), end. Loops without a
sign of waiting (ptxas puts YIELD into those with volatile accesses) are not looked at.
"""

from __future__ import annotations

from collections.abc import Iterator

from cass_shim.lift.code import Code, Function, always, ends
from cass_shim.lift.dataflow import Effects, Loop, Rows, calls_of, effects_of, hints, strongly_connected
from cass_shim.lift.siblings import Edges, Siblings, within

_BUDGET = 100  # loops looked at below one; a kernel with more is taken to wait
_DEPTH = 3  # branches that a lane is assumed to take always the same way


def lanes_wait(code: Code, functions: dict[int, Function]) -> bool:
    """Whether any lane may wait for another of its warp."""
    if not any(hints(i) for f in functions.values() for b in f.blocks for _, i in code.block(b)):
        return False
    effects = effects_of(code, functions)
    return any(
        _function_waits(Siblings(code, functions, function), calls_of(function, effects))
        for function in functions.values()
    )


def _function_waits(siblings: Siblings, calls: dict[int, Effects]) -> bool:
    code, edges = siblings.code, siblings.edges
    for blocks in strongly_connected(edges):
        for loop in _suspects(siblings, blocks, calls):
            search = _Search(code, edges, Rows.of(code, loop, calls))
            found = search.stuck(within(edges, loop), assumed=frozenset())
            if found is not None and siblings.write(found):
                return True
    return False


def _suspects(siblings: Siblings, blocks: set[int], calls: dict[int, Effects]) -> Iterator[set[int]]:
    """The loops in a component of the blocks in which a lane may wait by signs.

    Where all of a warp meet in a turn, nobody waits for a sibling that is in the loop, too: what it waits for comes
    from one that has left, or it waits in a smaller loop.
    """

    def signs(loop: set[int]) -> bool:
        return any(hints(i) or (a in calls and calls[a].hints) for b in loop for a, i in siblings.code.block(b))

    if not signs(blocks):
        return
    smaller = siblings.apart(blocks)
    if blocks in smaller:
        yield blocks
        return
    yield from filter(signs, smaller)
    if siblings.write(blocks, left=True):
        yield blocks


class _Search:
    """Looks for a cycle that a lane cannot leave while memory stays as it is. edges: of the whole function."""

    def __init__(self, code: Code, edges: Edges, rows: Rows) -> None:
        self.code, self.edges, self.rows = code, edges, rows
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
        facts = Loop.of(self.rows, loop)
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
            return [within(loop, c) for c in strongly_connected(within(loop, kept))]
        entries = {b for b in loop for p, following in self.edges.items() if p not in loop and b in following}
        inner = {b: [s for s in following if s not in entries] for b, following in loop.items()}
        if inner == loop:
            return []
        return [within(inner, c) for c in strongly_connected(inner)]

    def _stubborn(self, loop: Edges, facts: Loop, assumed: frozenset[int]) -> set[int] | None:
        """Cycles of a lane for which a branch that memory decides always goes the same way."""
        for block, following in loop.items():
            if len(following) < 2 or not facts.depends_on_memory(block):
                continue
            for successor in following:
                fewer = {**loop, block: [s for s in following if s != successor]}
                for component in strongly_connected(fewer):
                    if block in component:
                        found = self.stuck(within(fewer, component), (assumed | {block}) & component)
                        if found is not None:
                            return found
        return None
