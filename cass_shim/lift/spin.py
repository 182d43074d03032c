"""Locks taken in a loop, where a wave's lanes must not be scheduled as LLVM likes.

NVIDIA's warps schedule diverged lanes independently: a lane that has the lock goes on while its siblings spin. A
wave finishes the spinning loop for all lanes first. Two shapes are recognised by an atomic compare-and-swap or
exchange of values that the loop does not change. Where the loop also releases the lock, its reconvergence points
are pinned, because LLVM would thread the winner's path out of the loop, behind the losers. Where the release follows
behind the loop (ptxas moves the critical section there for sm_120), an edge from the release back to the loop, which
no lane ever takes, makes the critical section part of the loop for LLVM; all ways back meet in one block. Where no
release is found, lanes that contend for one lock would wait for each other for ever, and trap instead.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from cass_shim.lift.code import STEP, Code, Function, is_call, never, target_of
from cass_shim.model.instruction import RZ, Imm, Instruction, Mem, Pred, Reg, Special

_ATOMICS = frozenset({"ATOM", "ATOMG", "ATOMS"})
_WRITES = frozenset({"ST", "STG", "STS", "RED", "REDG", "LDGSTS", *_ATOMICS})
_WIDE = ("64", "128", "WIDE", "F64")


@dataclass
class Spins:
    """Addresses: atomics that take a lock nobody releases; BSYNCs of loops that release theirs; releases behind a loop,
    and the branches back of such loops, each with the block that they go back to."""

    contended: set[int] = field(default_factory=set)
    pinned: set[int] = field(default_factory=set)
    released: dict[int, int] = field(default_factory=dict)
    retries: dict[int, int] = field(default_factory=dict)


def find_spins(code: Code, functions: dict[int, Function]) -> Spins:
    """All locks taken in loops."""
    found = Spins()
    for function in functions.values():
        for blocks in _loops(code, function):
            _look_at(code, function, blocks, found)
    return found


def _loops(code: Code, function: Function) -> list[set[int]]:
    """The strongly connected components that have a cycle."""
    edges = {b: [s for s in code.successors(b)[0] if s in function.blocks] for b in function.blocks}
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    stack: list[int] = []
    found: list[set[int]] = []
    for root in edges:
        if root in index:
            continue
        work = [(root, iter(edges[root]))]
        index[root] = low[root] = len(index)
        stack.append(root)
        while work:
            block, following = work[-1]
            successor = next(following, None)
            if successor is not None:
                if successor not in index:
                    index[successor] = low[successor] = len(index)
                    stack.append(successor)
                    work.append((successor, iter(edges[successor])))
                elif successor in stack:
                    low[block] = min(low[block], index[successor])
                continue
            work.pop()
            if work:
                low[work[-1][0]] = min(low[work[-1][0]], low[block])
            if low[block] == index[block]:
                at = stack.index(block)
                component = set(stack[at:])
                del stack[at:]
                if len(component) > 1 or block in edges[block]:
                    found.append(component)
    return found


def _look_at(code: Code, function: Function, blocks: set[int], found: Spins) -> None:
    body = [(a, i) for b in blocks for a, i in code.block(b) if not never(i)]
    written = {r for _, i in body if not _sets_constant(i) for r in _destinations(i)}
    writers = {a for a, i in body if i.mnemonic in _WRITES or is_call(i)}
    locks = {a for b in blocks for a, i in _atomics(code, b) if _takes_lock(i, written - _constants(code, b, a))}
    if not locks:
        return
    if writers != locks:
        found.pinned |= {a for a, i in body if i.mnemonic == "BSYNC"}
        return
    head = min(blocks)
    releases = {_release(code, function, blocks, code.instructions[lock]) for lock in locks}
    back = {a for b in blocks for a in [code.successors(b)[1] - STEP] if head in code.successors(b)[0]}
    jumps = all(code.is_jump(a, code.instructions[a]) and target_of(code.instructions[a]) for a in back)
    release = releases.pop()
    if releases or release is None or not jumps:
        found.contended |= locks
    else:
        found.released[release] = head
        found.retries |= dict.fromkeys(back, head)


def _release(code: Code, function: Function, loop: set[int], lock: Instruction) -> int | None:
    """The first write to the lock's place behind its loop; None where a path may miss it or the place changes."""
    place = _place(lock)
    leaving = {s for block in loop for s in code.successors(block)[0] if s not in loop and s in function.blocks}
    seen: set[int] = set()
    while len(leaving) == 1:  # one path: the release ends every lane's critical section
        block = leaving.pop()
        if block in seen or block in loop:
            return None
        seen.add(block)
        for address, i in code.block(block):
            if i.mnemonic in _WRITES and not never(i) and place is not None and _place(i) == place:
                return address
            if place is None or place[0] in _destinations(i) or is_call(i):
                return None
        leaving = {s for s in code.successors(block)[0] if s in function.blocks}
    return None


def _place(i: Instruction) -> tuple[tuple[int, bool], int] | None:
    """Register and offset that an access goes to."""
    where = next((o for o in i.operands if isinstance(o, Mem) and o.base is not None), None)
    return None if where is None or where.base is None else ((where.base.index, where.base.uniform), where.offset)


def _atomics(code: Code, block: int) -> list[tuple[int, Instruction]]:
    return [(a, i) for a, i in code.block(block) if i.mnemonic in _ATOMICS and not never(i)]


def _constants(code: Code, block: int, end: int) -> set[tuple[int, bool]]:
    """Registers that the block sets to constants before an address: ptxas for sm_120 resets the comparand, which
    is the result's register too, in every turn."""
    found: set[tuple[int, bool]] = set()
    for address, i in code.block(block):
        if address >= end:
            break
        if i.guard is None and _sets_constant(i):
            found |= _destinations(i)
        else:
            found -= _destinations(i)
    return found


def _takes_lock(i: Instruction, written: set[tuple[int, bool]]) -> bool:
    if i.mnemonic not in _ATOMICS or not i.has("CAS", "EXCH"):
        return False
    values = i.operands[2:] if i.mnemonic == "ATOMS" else i.operands[3:]
    result = i.operands[0] if i.mnemonic == "ATOMS" else i.operands[1]
    used = isinstance(result, Reg) and result.index != RZ
    return used and all(_unchanged(v, written) for v in values)


def _sets_constant(i: Instruction) -> bool:
    """Whether it only loads constants into registers, the same in every turn."""
    sources = i.operands[1:]
    return i.mnemonic in ("MOV", "UMOV", "IMAD", "HFMA2", "CS2R") and all(
        isinstance(o, Imm | Special) or (isinstance(o, Reg) and o.index == RZ) for o in sources
    )


def _destinations(i: Instruction) -> set[tuple[int, bool]]:
    if i.mnemonic in ("ST", "STG", "STS", "STL", "RED", "REDG", "BRA", "EXIT"):
        return set()
    registers = [o for o in i.operands[:3] if isinstance(o, Reg | Pred)]
    target = next((o for o in registers if isinstance(o, Reg)), None)
    if target is None or target.index == RZ:
        return set()
    count = 4 if i.has("128") else 2 if i.has(*_WIDE) or i.mnemonic[0] == "D" else 1
    return {(target.index + k, target.uniform) for k in range(count)}


def _unchanged(operand: object, written: set[tuple[int, bool]]) -> bool:
    if isinstance(operand, Imm):
        return True
    return isinstance(operand, Reg) and (operand.index, operand.uniform) not in written
