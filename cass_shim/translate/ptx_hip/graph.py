"""The control-flow graph of a PTX function: blocks, dominators, loops.

In: a parsed body. Out: `Graph`, reachable blocks only, numbered in reverse postorder.
Source for dominators: Cooper, Harvey, Kennedy, "A Simple, Fast Dominance Algorithm" (2001).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from cass_shim.isa.ptx.syntax import Function, Instruction, Label, Operand, Register, Symbol
from cass_shim.model.errors import InvalidPtx


@dataclass(frozen=True, slots=True)
class Jump:
    target: int


@dataclass(frozen=True, slots=True)
class Branch:
    """To `yes` when the guard holds, else to `no`."""

    guard: tuple[Register, bool]
    yes: int
    no: int


@dataclass(frozen=True, slots=True)
class Switch:
    """To targets[index]; an index beyond them is undefined in PTX and goes to the last."""

    index: Operand
    targets: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Return:
    """ret or exit."""

    exits: bool


Terminator = Jump | Branch | Switch | Return


@dataclass(slots=True)
class Block:
    """Straight-line code and how it ends. labels: PTX labels at its start."""

    code: list[Instruction] = field(default_factory=list)
    end: Terminator = field(default_factory=lambda: Return(False))
    labels: list[str] = field(default_factory=list)


def successors(end: Terminator) -> tuple[int, ...]:
    """Targets, each once."""
    if isinstance(end, Jump):
        return (end.target,)
    if isinstance(end, Branch):
        return (end.yes, end.no) if end.yes != end.no else (end.yes,)
    if isinstance(end, Switch):
        return tuple(dict.fromkeys(end.targets))
    return ()


@dataclass(slots=True)
class Graph:
    """blocks in reverse postorder, entry first. dominator[b]: immediate dominator (0 of 0). loops: header → members."""

    blocks: list[Block]
    predecessors: list[list[int]]
    dominator: list[int]
    loops: dict[int, frozenset[int]]
    reducible: bool

    def dominates(self, a: int, b: int) -> bool:
        while b > a:
            b = self.dominator[b]
        return a == b


class _Builder:
    def __init__(self, function: Function) -> None:
        self.function = function
        self.blocks: list[Block] = [Block()]
        self.at_label: dict[str, int] = {}

    def fail(self, what: str, line: int) -> InvalidPtx:
        return InvalidPtx(what, where=f"PTX line {line} in {self.function.name}")

    def split(self) -> list[tuple[Block, Instruction | None]]:
        """Cut at labels and after branches; the instruction that ends each block, if any."""
        cut: list[tuple[Block, Instruction | None]] = []
        block = self.blocks[0]
        for statement in self.function.body or []:
            if isinstance(statement, Label):
                if block.code:
                    cut.append((block, None))
                    block = Block()
                if statement.name in self.at_label:
                    raise self.fail(f"label {statement.name} defined twice", statement.line)
                self.at_label[statement.name] = len(cut)
                block.labels.append(statement.name)
            elif statement.opcode in ("bra", "brx", "ret", "exit"):
                cut.append((block, statement))
                block = Block()
            else:
                block.code.append(statement)
        cut.append((block, None))
        return cut

    def build(self) -> list[Block]:
        cut = self.split()
        for index, (block, ending) in enumerate(cut):
            following = index + 1
            if ending is None:
                block.end = Jump(following)
            else:
                block.end = self.terminator(ending, following)
        blocks = [block for block, _ in cut]
        blocks.append(Block())  # falling off the end returns
        return blocks

    def terminator(self, ending: Instruction, following: int) -> Terminator:
        if ending.opcode == "bra":
            target = self.label(ending.operands[0] if ending.operands else None, ending)
            if ending.guard is None:
                return Jump(target)
            return Branch(ending.guard, target, following)
        if ending.opcode in ("ret", "exit"):
            if ending.guard is None:
                return Return(ending.opcode == "exit")
            return Branch(ending.guard, -1 if ending.opcode == "ret" else -2, following)
        if len(ending.operands) != 2 or not isinstance(ending.operands[1], Symbol):
            raise self.fail("brx.idx needs an index and a list of targets", ending.line)
        names = self.function.targets.get(ending.operands[1].name)
        if not names:
            raise self.fail(f"{ending.operands[1].name} is not a list of branch targets", ending.line)
        if ending.guard is not None:
            raise self.fail("a guarded brx.idx", ending.line)
        targets = tuple(self.label(Symbol(name), ending) for name in names)
        return Switch(ending.operands[0], targets)

    def label(self, operand: Operand | None, ending: Instruction) -> int:
        if isinstance(operand, Symbol) and operand.name in self.at_label:
            return self.at_label[operand.name]
        name = operand.name if isinstance(operand, Symbol) else operand
        raise self.fail(f"branch to {name}, which is no label of this function", ending.line)


def _with_returns(blocks: list[Block]) -> None:
    """Give guarded returns (targets -1 and -2) blocks of their own."""
    for block in list(blocks):
        if isinstance(block.end, Branch) and block.end.yes < 0:
            exits = block.end.yes == -2
            blocks.append(Block(end=Return(exits)))
            block.end = Branch(block.end.guard, len(blocks) - 1, block.end.no)


def retarget(end: Terminator, number: dict[int, int]) -> Terminator:
    """The same end in a graph whose blocks have other numbers."""
    if isinstance(end, Jump):
        return Jump(number[end.target])
    if isinstance(end, Branch):
        return Branch(end.guard, number[end.yes], number[end.no])
    if isinstance(end, Switch):
        return Switch(end.index, tuple(number[target] for target in end.targets))
    return end


def _reverse_postorder(blocks: list[Block]) -> list[int]:
    """Reachable blocks; the fall-through side of a branch comes before its target where the graph allows."""
    order: list[int] = []
    seen = {0}
    stack: list[tuple[int, list[int]]] = [(0, list(successors(blocks[0].end)))]
    while stack:
        node, left = stack[-1]
        if left:
            target = left.pop(0)
            if target not in seen:
                seen.add(target)
                stack.append((target, list(successors(blocks[target].end))))
        else:
            order.append(node)
            stack.pop()
    return order[::-1]


def _dominators(predecessors: list[list[int]]) -> list[int]:
    dominator = [-1] * len(predecessors)
    dominator[0] = 0
    changed = True
    while changed:
        changed = False
        for node in range(1, len(predecessors)):
            new = -1
            for other in predecessors[node]:
                if dominator[other] < 0:
                    continue
                if new < 0:
                    new = other
                    continue
                a, b = other, new
                while a != b:
                    while a > b:
                        a = dominator[a]
                    while b > a:
                        b = dominator[b]
                new = a
            if dominator[node] != new:
                dominator[node] = new
                changed = True
    return dominator


def _merge_chains(blocks: list[Block]) -> None:
    """Join a block with its only successor when that has no other predecessor."""
    count = [0] * len(blocks)
    count[0] = 1
    for block in blocks:
        for target in successors(block.end):
            count[target] += 1
    for index, block in enumerate(blocks):
        while isinstance(block.end, Jump) and count[block.end.target] == 1 and block.end.target != index:
            joined = blocks[block.end.target]
            count[block.end.target] = 0
            block.code.extend(joined.code)
            block.end, joined.end, joined.code = joined.end, Return(False), []


def build_graph(function: Function) -> Graph:
    """Raises Malformed for a branch to nowhere."""
    raw = _Builder(function).build()
    _with_returns(raw)
    for merge in (False, True):
        order = _reverse_postorder(raw)
        number = {old: new for new, old in enumerate(order)}
        blocks = [Block(raw[old].code, retarget(raw[old].end, number), raw[old].labels) for old in order]
        if not merge:
            _merge_chains(blocks)
        raw = blocks
    predecessors: list[list[int]] = [[] for _ in blocks]
    for index, block in enumerate(blocks):
        for target in successors(block.end):
            predecessors[target].append(index)
    graph = Graph(blocks, predecessors, _dominators(predecessors), {}, True)
    _find_loops(graph)
    return graph


def _find_loops(graph: Graph) -> None:
    """Natural loops by header; not reducible when a retreating edge enters beside its header."""
    members: dict[int, set[int]] = {}
    for source, block in enumerate(graph.blocks):
        for target in successors(block.end):
            if target > source:
                continue
            if not graph.dominates(target, source):
                graph.reducible = False
                continue
            found = members.setdefault(target, {target})
            stack = [source]
            while stack:
                node = stack.pop()
                if node not in found:
                    found.add(node)
                    stack.extend(graph.predecessors[node])
    graph.loops = {header: frozenset(found) for header, found in members.items()}
