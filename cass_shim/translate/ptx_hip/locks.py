"""Loops in which a lane waits for what another lane of its wave may have to do: give back a lock, raise a flag.

A wave runs one path at a time: where the lane that took the lock waits behind the loop for those that still spin, all
wait for ever. Such functions are written as a loop over a switch in which every lane keeps the block that it runs next.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

from cass_shim.isa.ptx.syntax import Function, Instruction, Integer, Module, Register
from cass_shim.model.errors import Unsupported
from cass_shim.translate.ptx_hip.contract import registers_of
from cass_shim.translate.ptx_hip.graph import Block, Branch, Graph, Jump, retarget, successors
from cass_shim.translate.ptx_hip.steady import Reach, changing, written

_TAKES = frozenset({"cas", "exch"})
_STEPS = frozenset({"add", "inc", "dec"})  # each turn gives something new
_SEEN = frozenset({"volatile", "relaxed", "acquire"})
_WRITES = frozenset({"st", "red", "atom"})
# What lanes of a wave or of a block do together.
_TOGETHER = frozenset(
    {"bar", "barrier", "shfl", "vote", "match", "redux", "activemask", "elect", "mma", "wmma", "ldmatrix", "stmatrix",
     "movmatrix"}
)  # fmt: skip


def _code(graph: Graph, members: frozenset[int]) -> Iterator[Instruction]:
    for number in sorted(members):
        yield from graph.blocks[number].code


def takes_lock(instruction: Instruction) -> bool:
    """Whether it may take a lock: a compare and swap or an exchange."""
    return instruction.opcode == "atom" and not _TAKES.isdisjoint(instruction.modifiers)


def asks_memory(each: Instruction, polls: bool) -> bool:
    """An atomic that gives the same until another lane writes, or (`polls`) a load that sees what others write."""
    if each.opcode == "ld":
        return polls and not _SEEN.isdisjoint(each.modifiers)
    steps = not _STEPS.isdisjoint(each.modifiers) and each.operands[2:3] != (Integer(0),)
    return each.opcode == "atom" and len(each.operands) > 2 and not steps


def _asked(graph: Graph, members: frozenset[int], polls: bool, stack: frozenset[str]) -> list[Instruction]:
    """What a loop asks of memory in the same way in every turn: the same cell, with the same values."""
    code = list(_code(graph, members))
    asking = [each for each in code if asks_memory(each, polls)]
    new = changing(code, stack) if asking else set()
    return [
        each
        for each in asking
        if new.isdisjoint(name for operand in each.operands[1:] for name in registers_of(operand))
    ]


def _cycles(graph: Graph) -> list[frozenset[int]]:
    """Natural loops; where the graph has others, the blocks that reach themselves as well."""
    found = list(graph.loops.values())
    if graph.reducible:
        return found
    reach: list[set[int]] = [set(successors(block.end)) for block in graph.blocks]
    grown = True
    while grown:
        grown = False
        for held in reach:
            more = set().union(*(reach[each] for each in held)) - held
            if more:
                held |= more
                grown = True
    for number in range(len(graph.blocks)):
        members = frozenset(other for other in reach[number] if number in reach[other])
        if number in members and members not in found:
            found.append(members)
    return found


def waiting_blocks(graph: Graph, function: Function, module: Module) -> frozenset[int]:
    """Blocks of loops that ask memory the same until it has changed, and write nothing else before they go round again.

    Not so in cooperative kernels and where lanes do something together in the loop, or in every turn of the one around
    it: there, whole waves wait. Nor where one lane of a block polls.
    Unsupported where a function that is still called (`flatten`) takes a lock or polls for its caller: who has the lock
    would wait for those who have not where the function returns.
    """
    found: set[int] = set()
    why = ""
    reach = Reach(module, function)
    cooperative = any(_reads_workspace(each) for block in graph.blocks for each in block.code)
    for members in _cycles(graph):
        code = list(_code(graph, members))
        if not any(asks_memory(each, True) for each in code):
            continue
        polls = not cooperative and not any(reach.does(each, _TOGETHER) for each in code)
        polls = polls and not _of_one_lane(graph, min(members)) and not _meet_behind(graph, members, reach)
        asked = _asked(graph, members, polls, reach.stack)
        others = any(reach.does(each, _WRITES) and each not in asked for each in code)
        if asked and not (others and graph.reducible):  # else it gives back inside: lanes meet at the end of a turn
            found |= members
            why = why or ("a flag polled" if all(each.opcode == "ld" for each in asked) else "a lock taken")
    rest = frozenset(range(len(graph.blocks))) - found
    if function.entry or not found:
        return frozenset(found)
    if why.endswith("taken") and any(reach.does(each, _WRITES) for each in _code(graph, rest)):
        return frozenset(found)
    raise Unsupported(
        f"{why} in function {function.name}",
        why="its caller is not part of it: lanes of one wave would wait for each other; translate with lift",
    )


def _meet_behind(graph: Graph, members: frozenset[int], reach: Reach) -> bool:
    """Whether all who leave a loop do something together, still in the loop around it, before they write anything.

    As in CUB's radix sort, which polls a block's tile before each vote.
    """
    around = min((held for held in graph.loops.values() if members < held), key=len, default=frozenset[int]())
    left = [to for number in members for to in successors(graph.blocks[number].end) if to not in members]
    seen = set(members)
    met = False
    while left:
        number = left.pop()
        if number not in around:
            return False
        if number in seen:
            continue
        seen.add(number)
        for each in graph.blocks[number].code:
            if reach.does(each, _TOGETHER):
                met = True
                break
            if reach.does(each, _WRITES):
                return False
        else:
            left.extend(successors(graph.blocks[number].end))
    return met


def _of_one_lane(graph: Graph, header: int) -> bool:
    """Whether a block is behind a test of %tid.x for one value: one thread of a block waits for other blocks."""
    made: dict[str, list[Instruction]] = {}
    for block in graph.blocks:
        for each in block.code:
            for name in written(each.operands[0]) if each.operands and each.opcode in ("setp", "mov") else ():
                made.setdefault(name, []).append(each)
    at = header
    while at:
        end = graph.blocks[graph.dominator[at]].end
        tests = made.get(end.guard[0].name, []) if isinstance(end, Branch) else []
        if isinstance(end, Branch) and len(tests) == 1 and tests[0].modifiers[0] in ("eq", "ne"):
            equal = (tests[0].modifiers[0] == "eq") != end.guard[1]
            _, a, b = tests[0].operands[:3]
            source = made.get(a.name, []) if isinstance(a, Register) and isinstance(b, Integer) else []
            of_tid = len(source) == 1 and isinstance(source[0].operands[1], Register)
            if of_tid and getattr(source[0].operands[1], "name", "") == "%tid" and at == (end.yes if equal else end.no):
                return len(graph.predecessors[at]) == 1
        at = graph.dominator[at]
    return False


def _reads_workspace(instruction: Instruction) -> bool:
    """Of a cooperative launch: what waits there is one lane of a block, for other blocks."""
    return any(isinstance(each, Register) and each.name.startswith("%envreg") for each in instruction.operands)


@dataclass(frozen=True, slots=True)
class Apart:
    """A graph whose lanes are scheduled apart. waiting: blocks in which lanes wait for others. together: blocks of what
    lanes do together, and nothing else."""

    graph: Graph
    waiting: frozenset[int]
    together: frozenset[int]


def scheduled_apart(graph: Graph, function: Function, module: Module) -> Apart:
    """The graph, with blocks cut around what lanes do together if any lane waits in it."""
    waiting = waiting_blocks(graph, function, module)
    if not waiting:
        return Apart(graph, waiting, frozenset())
    reach = Reach(module, function)
    blocks: list[Block] = []
    number: dict[int, int] = {}
    together: set[int] = set()
    held: set[int] = set()
    for old, block in enumerate(graph.blocks):
        number[old] = len(blocks)
        for joint, code in itertools.groupby(block.code, lambda each: reach.does(each, _TOGETHER)):
            if joint:
                together.add(len(blocks))
            blocks.append(Block(list(code), Jump(len(blocks) + 1)))
        if len(blocks) == number[old]:
            blocks.append(Block())
        blocks[-1].end = block.end
        if old in waiting:
            held.update(range(number[old], len(blocks)))
    for old in range(len(graph.blocks)):
        final = (number[old + 1] if old + 1 < len(graph.blocks) else len(blocks)) - 1
        blocks[final].end = retarget(blocks[final].end, number)
    return Apart(Graph(blocks, [], [], {}, False), frozenset(held), frozenset(together))
