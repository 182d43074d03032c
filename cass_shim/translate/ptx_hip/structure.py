"""Control flow as if, loops and switch, recovered from the graph; `goto` where it leaves several of them at once.

In: a `Graph` and a way to write blocks. Out: lines of C++. The nesting follows the dominator tree, as in Ramsey,
"Beyond Relooper" (ICFP 2022): a block with several forward predecessors is placed after the statement that contains
all of them; the one exit that follows a loop is placed behind it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass, field

from cass_shim.translate.ptx_hip.graph import Branch, Graph, Jump, Return, Switch
from cass_shim.translate.ptx_hip.nodes import (
    Choose,
    Code,
    Exit,
    If,
    Leave,
    Loop,
    Node,
    Place,
    Region,
    first_block,
    jumps_of,
)

# What may stand twice to spare a goto: instructions of a block, its predecessors, and what does not cross lanes.
_COPIED, _COPIES = 6, 3
_OF_ONE_LANE = frozenset((
    "add", "sub", "mul", "mad", "fma", "mov", "cvt", "cvta", "ld", "st", "and", "or", "xor", "not", "shl", "shr",
    "setp", "selp", "min", "max", "neg", "abs",
))  # fmt: skip


class _Shaper:
    """Builds the tree of nodes. copied: blocks that stand wherever a jump goes to them."""

    def __init__(self, graph: Graph, copied: Set[int] = frozenset()) -> None:
        self.graph = graph
        self.children: list[list[int]] = [[] for _ in graph.blocks]
        self.behind: dict[int, int] = {}
        for node in range(1, len(graph.blocks)):
            self.children[graph.dominator[node]].append(node)
        for header in sorted(graph.loops):
            self._choose_behind(header)
        self.merges = {
            node for node in range(len(graph.blocks)) if sum(other < node for other in graph.predecessors[node]) > 1
        } | set(self.behind.values())
        self.merges -= copied

    def _choose_behind(self, header: int) -> None:
        """The block to place right behind a loop: of those outside that it dominates from inside, the last."""
        loop = self.graph.loops[header]
        outside = [
            child
            for member in loop
            for child in self.children[member]
            if child not in loop and child not in self.behind.values()
        ]
        ends = [node for node in outside if not self._leaves(node)]
        chosen = max(ends or outside, default=None)
        if chosen is not None:
            self.children[self.graph.dominator[chosen]].remove(chosen)
            self.behind[header] = chosen

    def _leaves(self, node: int) -> bool:
        """A short way out (`return` in a loop) that reads best where it is taken."""
        block = self.graph.blocks[node]
        return isinstance(block.end, Return) and len(self.graph.predecessors[node]) == 1 and len(block.code) < 8

    def tree(self, start: int) -> list[Node]:
        """Everything that `start` dominates (less what stands behind an outer loop)."""
        result: list[Node] = []
        node: int | None = start
        while node is not None:
            body, node_next = self._one(node)
            if node_next is None:
                result.extend(body)
            else:
                result.append(Region(body, node_next))
            node = node_next
        return result

    def _one(self, node: int) -> tuple[list[Node], int | None]:
        """The node with all its merge children but the last, and that last one."""
        followers = sorted(child for child in self.children[node] if child in self.merges)
        if node in self.graph.loops:
            body = self._chain(self._end(node), followers)
            return [Loop(node, body)], self.behind.get(node)
        if not followers:
            return self._end(node), None
        return self._chain(self._end(node), followers[:-1]), followers[-1]

    def _chain(self, body: list[Node], followers: list[int]) -> list[Node]:
        for follower in followers:
            body = [Region(body, follower), *self.tree(follower)]
        return body

    def _end(self, node: int) -> list[Node]:
        end = self.graph.blocks[node].end
        if isinstance(end, Jump):
            return [Code(node), *self._go(node, end.target)]
        if isinstance(end, Branch):
            if end.yes == end.no:
                return [Code(node), *self._go(node, end.yes)]
            return [Code(node), If(node, self._go(node, end.yes), self._go(node, end.no))]
        if isinstance(end, Switch):
            cases: dict[int, list[int]] = {}
            for index, target in enumerate(end.targets):
                cases.setdefault(target, []).append(index)
            ordered = sorted(cases.items(), key=lambda item: len(end.targets) - 1 in item[1])
            return [Code(node), Choose(node, [(held, self._go(node, target)) for target, held in ordered])]
        return [Code(node), Leave(end.exits)]

    def _go(self, source: int, target: int) -> list[Node]:
        if target <= source or target in self.merges:
            return [Exit(target)]
        return self.tree(target)


@dataclass(slots=True)
class Printer:
    """Writes a tree. code(block) gives its lines, condition(block, negated) and index(block) its expressions."""

    code: Callable[[int], list[str]]
    condition: Callable[[int, bool], str]
    index: Callable[[int], str]
    leave: Callable[[bool], str]
    lines: list[str] = field(default_factory=list)
    used: set[int] = field(default_factory=set)
    breaks: frozenset[int] = frozenset()  # targets of regions that `break` leaves

    def body(self, nodes: list[Node], place: Place, depth: int) -> None:
        for position, node in enumerate(nodes):
            last = position == len(nodes) - 1
            follow = place.follow if last else first_block(nodes[position + 1])
            self._node(node, Place(follow, place.leave, place.again), depth, last)

    def emit(self, text: str, depth: int) -> None:
        self.lines.append("    " * depth + text)

    def _node(self, node: Node, place: Place, depth: int, last: bool) -> None:
        if isinstance(node, Code):
            for line in self.code(node.block):
                self.emit(line, depth)
        elif isinstance(node, Leave):
            self.emit(self.leave(node.exits), depth)
        elif isinstance(node, Exit):
            self._exit(node.target, place, depth)
        elif isinstance(node, Region):
            self._region(node, place, depth)
        elif isinstance(node, Loop):
            self._loop(node, place, depth)
        elif isinstance(node, Choose):
            self._choose(node, place, depth)
        else:
            self._if(node, place, depth)

    def _region(self, node: Region, place: Place, depth: int) -> None:
        if node.target in self.breaks:
            self.emit("do {", depth)
            self.body(node.body, Place(node.target, node.target), depth + 1)
            self.emit("} while (0);", depth)
        else:
            self.body(node.body, Place(node.target, place.leave, place.again), depth)
            self.lines.append(f"\0{node.target}")  # becomes a label if a goto needs it

    def _exit(self, target: int, place: Place, depth: int) -> None:
        if target == place.follow:
            return
        if target == place.leave:
            self.emit("break;", depth)
        elif target == place.again:
            self.emit("continue;", depth)
        else:
            self.used.add(target)
            self.emit(f"goto L{target};", depth)

    def _nested(self, nodes: list[Node], place: Place, depth: int) -> list[str]:
        """The lines of a nested body, not yet written."""
        outer, self.lines = self.lines, []
        self.body(nodes, place, depth)
        inner, self.lines = self.lines, outer
        return inner

    def _if(self, node: If, place: Place, depth: int) -> None:
        yes, no = (self._nested(side, place, depth + 1) for side in (node.yes, node.no))
        if not any(line.strip() for line in yes if not line.startswith("\0")):
            yes, no, negated = no, [], True
        else:
            negated = False
        if not yes:
            return
        if no and len(yes) > len(no) and _jumps(no):
            yes, no, negated = no, yes, not negated
        condition = self.condition(node.block, negated)
        if len(yes) == 1 and _jumps(yes):
            self.emit(f"if ({condition}) {yes[0].strip()}", depth)
            self._outdent(no)
            return
        self.emit(f"if ({condition}) {{", depth)
        self.lines.extend(yes)
        if no and not _jumps(yes):
            self.emit("} else {", depth)
            self.lines.extend(no)
            self.emit("}", depth)
        else:
            self.emit("}", depth)
            self._outdent(no)

    def _outdent(self, lines: list[str]) -> None:
        """Lines of an else branch that is not needed, because the other side jumps away."""
        self.lines.extend(line[4:] if not line.startswith("\0") else line for line in lines)

    def _loop(self, node: Loop, place: Place, depth: int) -> None:
        if not self.lines or self.lines[-1] != f"\0{node.header}":  # a region in front may end with the same label
            self.lines.append(f"\0{node.header}")
        inner = self._nested(node.body, Place(node.header, place.follow, node.header), depth + 1)
        tail = inner[-1].strip() if inner else ""
        at_end = "    " * (depth + 1)
        if tail.startswith("if (") and tail.endswith(") break;") and inner[-1].startswith(at_end + "if"):
            condition = tail[len("if (") : -len(") break;")]
            if not any("continue;" in line for line in inner):
                self.emit("do {", depth)
                self.lines.extend(inner[:-1])
                self.emit(f"}} while ({_negate(condition)});", depth)
                return
        self.emit("for (;;) {", depth)
        self.lines.extend(inner)
        self.emit("}", depth)

    def _choose(self, node: Choose, place: Place, depth: int) -> None:
        self.emit(f"switch ({self.index(node.block)}) {{", depth)
        for position, (indices, body) in enumerate(node.cases):
            names = [f"case {index}:" for index in indices]
            if position == len(node.cases) - 1:
                names.append("default:")
            self.emit(f"{' '.join(names)} {{", depth)
            inner = self._nested(body, Place(place.follow, place.follow, None), depth + 1)
            self.lines.extend(inner)
            if not inner or not _jumps(inner):
                self.emit("    break;", depth)
            self.emit("}", depth)
        self.emit("}", depth)


def _negate(condition: str) -> str:
    return condition[1:] if condition.startswith("!") and " " not in condition else f"!{condition}"


def _jumps(lines: list[str]) -> bool:
    """Whether control does not come out at the end of these lines."""
    for line in reversed(lines):
        if line.startswith("\0"):
            return False
        return line.strip().startswith(("break;", "continue;", "goto ", "return"))
    return False


def _with_labels(lines: list[str], used: set[int]) -> list[str]:
    result = []
    for line in lines:
        if not line.startswith("\0"):
            result.append(line)
        elif int(line[1:]) in used:
            result.append(f"L{line[1:]}:;")
    return result


def chained(lines: Sequence[str]) -> list[str]:
    """`} else {` around one `if` as `} else if (…) {`, on the lines of a whole body."""
    result = list(lines)
    for start in range(len(result) - 1, -1, -1):
        if not result[start].endswith("} else {"):
            continue
        depth = len(result[start]) - len("} else {")
        end = result.index(" " * depth + "}", start)
        margin = " " * (depth + 4)
        beside = [line for line in result[start + 1 : end] if line.startswith(margin) and line[depth + 4] != " "]
        if result[end - 1] != margin + "}" or not result[start + 1].startswith(margin + "if ("):
            continue
        if result[start + 1].endswith(" {") and all(line[depth + 4] == "}" for line in beside[1:]):
            inside = [line.removeprefix("    ") for line in result[start + 2 : end]]
            result[start : end + 1] = [f"{' ' * depth}}} else {result[start + 1].strip()}", *inside]
    return result


def structured(
    graph: Graph, printer: Printer, waiting: frozenset[int] = frozenset(), together: frozenset[int] = frozenset()
) -> list[str]:
    """The body of a function. Irreducible graphs come out as a loop over a switch, and those in which lanes wait.

    waiting: blocks in which a lane waits for others. together: blocks that lanes should run together.
    """
    if waiting or not graph.reducible:
        return _flat(graph, printer, waiting, together)
    tree = _Shaper(graph).tree(0)
    jumps = jumps_of(tree)
    copied = {target for target in jumps.between if _may_stand_twice(graph, target)} if jumps.labels else set()
    if copied:
        other = _Shaper(graph, copied).tree(0)
        if len((fewer := jumps_of(other)).labels) < len(jumps.labels):
            tree, jumps = other, fewer
    printer.breaks = frozenset(jumps.breaks)
    printer.body(tree, Place(None), 1)
    return _with_labels(printer.lines, printer.used)


def _may_stand_twice(graph: Graph, number: int) -> bool:
    """Whether a block is a few instructions of one lane each, and dominates none: a copy of it does no harm."""
    block = graph.blocks[number]
    small = len(block.code) <= _COPIED and isinstance(block.end, Jump) and len(graph.predecessors[number]) <= _COPIES
    alone = number not in graph.dominator and number not in graph.loops
    return small and alone and all(each.opcode in _OF_ONE_LANE for each in block.code)


def _flat(graph: Graph, printer: Printer, waiting: frozenset[int], together: frozenset[int]) -> list[str]:
    """A loop over a switch whose cases are the blocks.

    Lanes at the lowest case run first, so that those behind catch up and meet the others before they go on: what
    crosses lanes stays together as far as the graph allows. A lane that is done stays until all are, or clang would put
    what it did last behind the loop. Where lanes wait for each other, those that do not wait
    come first, then those that wait take turns, and what lanes do together comes last.
    """
    emit, count = printer.emit, len(graph.blocks)
    later = dict.fromkeys(waiting, count)
    if waiting:
        later |= dict.fromkeys(together - waiting, 2 * count)
    case = [number + later.get(number, 0) for number in range(count)]
    emit(f"for (u32 next = {case[0]}, now = 0;;) {{", 1)
    emit(f"now = {f'ptx_turn(next, now, {count}, {2 * count})' if waiting else 'ptx_lowest(next)'};", 2)
    emit("if (now == ~0u) break;", 2)
    emit("if (next == now) switch (now) {", 2)
    leaves = "return;"
    for number, block in enumerate(graph.blocks):
        emit(f"case {case[number]}: {{", 2)
        for line in printer.code(number):
            emit(line, 3)
        end = block.end
        if isinstance(end, Return):
            leaves = printer.leave(end.exits)
            emit("next = ~0u;", 3)
        elif isinstance(end, Jump):
            emit(f"next = {case[end.target]};", 3)
        elif isinstance(end, Branch):
            emit(f"next = {printer.condition(number, False)} ? {case[end.yes]} : {case[end.no]};", 3)
        else:
            index = printer.index(number)
            chosen = "".join(f"{index} == {at} ? {case[target]} : " for at, target in enumerate(end.targets[:-1]))
            emit(f"next = {chosen}{case[end.targets[-1]]};", 3)
        emit("break;", 3)
        emit("}", 2)
    emit("}", 2)
    emit("}", 1)
    emit(leaves, 1)
    return printer.lines
