"""What the registers of one loop depend on: definitions, which of them reach which, and what changes from turn to turn.

In: the blocks of a loop and the edges between them that a lane may take. Out: for each branch in it, whether its
condition can change while memory stays as it is, and whether it depends on what was loaded. Where this is not exact it
errs towards "stays": `lift.waiting` then takes a loop for one that waits, which costs speed and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from cass_shim.isa.sass.atomic import result_registers
from cass_shim.lift.code import Code, Function, is_call, never, reads_clock
from cass_shim.lift.masks import bits, closure, components, union
from cass_shim.model.instruction import PT, RZ, Imm, Instruction, Mem, Operand, Pred, Reg

Name = tuple[str, int, bool]  # "R" or "P", number, uniform
Edges = Mapping[int, Iterable[int]]

ATOMICS = frozenset({"ATOM", "ATOMG", "ATOMS"})
LOADS = frozenset({"LD", "LDG", "LDS", "LDSM", "SYNCS", *ATOMICS})
NO_RESULT = frozenset({"ST", "STG", "STS", "STL", "STSM", "RED", "REDG", "LDGSTS", "BRA", "EXIT", "BSSY", "BSYNC"})
# What gives one of its sources, or bits of them: repeated, it comes to rest.
_COPIES = frozenset(
    {"MOV", "UMOV", "SEL", "USEL", "FSEL", "R2UR", "R2P", "P2R", "PRMT", "UPRMT", "SHFL", "LOP3", "ULOP3", "PLOP3"}
    | {"UPLOP3", "I2I", "SGXT"}
)
_STEPS = frozenset({"ADD", "INC", "DEC", "POPC", "ARRIVE"})  # atomics that move on by themselves
_WIDE = ("64", "WIDE", "F64")
_SETS_PREDICATES = ("ISETP", "FSETP", "DSETP", "HSETP2", "PLOP3", "PSETP", "UISETP", "UPLOP3", "UPSETP")
_CARRIES = ("IADD3", "UIADD3", "LEA", "ULEA", "IMAD")
_CLOBBERED = 16  # registers from R0 on that a system call may change: nvcc's calling convention keeps R16 and up


def strongly_connected(edges: Edges) -> list[set[int]]:
    """The strongly connected components that have a cycle. Source: Tarjan's algorithm, without recursion."""
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    stack: list[int] = []
    held: set[int] = set()
    found: list[set[int]] = []
    for root in edges:
        if root in index:
            continue
        work = [(root, iter(edges[root]))]
        index[root] = low[root] = len(index)
        stack.append(root)
        held.add(root)
        while work:
            node, following = work[-1]
            successor = next(following, None)
            if successor is not None:
                if successor not in index:
                    index[successor] = low[successor] = len(index)
                    stack.append(successor)
                    held.add(successor)
                    work.append((successor, iter(edges[successor])))
                elif successor in held:
                    low[node] = min(low[node], index[successor])
                continue
            work.pop()
            if work:
                low[work[-1][0]] = min(low[work[-1][0]], low[node])
            if low[node] == index[node]:
                at = stack.index(node)
                component = set(stack[at:])
                del stack[at:]
                held -= component
                if len(component) > 1 or node in edges[node]:
                    found.append(component)
    return found


def is_load(i: Instruction) -> bool:
    """Whether it brings what somebody else may have written: not constants, not the thread's own memory."""
    return i.mnemonic in LOADS and not i.has("CONSTANT")


def destinations_and_sources(i: Instruction) -> tuple[list[Operand], list[Operand]]:
    """Operands that are written and those that are read."""
    leading = 2 if i.mnemonic in _SETS_PREDICATES else 1
    at = 0
    while at < min(leading, len(i.operands)) and isinstance(i.operands[at], Pred):
        at += 1
    if i.mnemonic not in _SETS_PREDICATES and at < len(i.operands) and isinstance(i.operands[at], Reg):
        at += 1
        while at < len(i.operands) and isinstance(i.operands[at], Pred) and i.mnemonic in _CARRIES:
            at += 1
    return list(i.operands[:at]), list(i.operands[at:])


def _destinations(i: Instruction) -> set[Name]:
    """Registers and predicates that an instruction other than a call writes."""
    found: set[Name] = set()
    for operand in destinations_and_sources(i)[0] if i.mnemonic not in NO_RESULT else []:
        found |= _named(operand)
        if isinstance(operand, Reg) and operand.index != RZ:
            wide = 4 if i.has("128") else 2 if i.has(*_WIDE) or i.mnemonic[0] == "D" else 1
            count = result_registers(i) if i.mnemonic in ATOMICS else wide
            found |= {("R", operand.index + k, operand.uniform) for k in range(count)}
    return found


def _named(operand: Operand | None) -> set[Name]:
    if isinstance(operand, Pred):
        return {("P", operand.index, operand.uniform)} if operand.index != PT else set()
    if isinstance(operand, Reg):
        return {("R", operand.index, operand.uniform)} if operand.index != RZ else set()
    if isinstance(operand, Mem):
        return _named(operand.base) | _named(operand.uniform)
    return set()


def _sources(i: Instruction) -> set[Name]:
    """What its result depends on; of atomics and loads only the address, since memory stays as it is."""
    guard = _named(i.guard)
    if is_load(i):
        return guard.union(*(_named(o) for o in i.operands if isinstance(o, Mem)))
    read = list(i.operands) if i.mnemonic in NO_RESULT else destinations_and_sources(i)[1]
    return guard.union(*(_named(o) for o in read))


@dataclass
class Effects:
    """What a function with its callees writes and reads; whether it loads, and whether it may wait."""

    written: set[Name] = field(default_factory=set)
    read: set[Name] = field(default_factory=set)
    loads: bool = False
    hints: bool = False

    def add(self, other: Effects) -> None:
        self.written |= other.written
        self.read |= other.read
        self.loads |= other.loads
        self.hints |= other.hints


_SYSTEM = Effects({("R", n, False) for n in range(_CLOBBERED)} | {("P", n, False) for n in range(PT)})


def hints(i: Instruction) -> bool:
    """A sign of waiting for other threads."""
    if never(i):
        return False
    if i.mnemonic in ATOMICS:
        result = next((o for o in i.operands if isinstance(o, Reg)), None)
        return result is not None and result.index != RZ
    return i.mnemonic in ("YIELD", "NANOSLEEP", "MEMBAR", "SYNCS") or (is_load(i) and i.has("STRONG"))


def effects_of(code: Code, functions: Mapping[int, Function]) -> dict[int, Effects]:
    """The effects of every function that is called, by its entry, closed over calls."""
    found = {callee: Effects() for f in functions.values() for callees in f.calls.values() for callee in callees}
    for entry, own in found.items():
        for block in functions[entry].blocks:
            for _, i in code.block(block):
                if not never(i) and not is_call(i):
                    own.add(Effects(_destinations(i), _sources(i), is_load(i), hints(i)))
    for _ in found:
        before = [(len(e.written), len(e.read), e.loads, e.hints) for e in found.values()]
        for entry, own in found.items():
            for callees in functions[entry].calls.values():
                for callee in callees:
                    own.add(found[callee])
        if before == [(len(e.written), len(e.read), e.loads, e.hints) for e in found.values()]:
            break
    return found


def _copies(i: Instruction) -> bool:
    """Whether its result is one of its sources or a constant."""
    if i.mnemonic in _COPIES or (i.mnemonic in ("IMAD", "IMAD.MOV") and i.has("MOV")):
        return True
    sources = destinations_and_sources(i)[1]
    return bool(sources) and all(isinstance(o, Imm) or (isinstance(o, Reg) and o.index == RZ) for o in sources)


def comparand(i: Instruction) -> Operand | None:
    """What a compare-and-swap compares memory with."""
    if i.mnemonic not in ATOMICS or not i.has("CAS"):
        return None
    values = [o for o in i.operands if not isinstance(o, Mem)]
    at = 1 if i.mnemonic == "ATOMS" else 2
    return values[at] if at < len(values) else None


def calls_of(function: Function, effects: Mapping[int, Effects]) -> dict[int, Effects]:
    """What each call of a function does, by its address."""
    found = {}
    for address, callees in function.calls.items():
        found[address] = Effects()
        for each in [effects[callee] for callee in callees] or [_SYSTEM]:
            found[address].add(each)
    return found


@dataclass(frozen=True, slots=True)
class Row:
    """What one instruction does to registers. A set of definitions is a number with a bit for each."""

    address: int
    instruction: Instruction
    sources: tuple[Name, ...]
    writes: tuple[tuple[int, Name], ...]  # the definition's bit, what it defines
    keeps: bool  # it is guarded: what was there before may stay
    compared: tuple[Name, ...] | None  # of a compare-and-swap


@dataclass
class Rows:
    """The instructions of some blocks, looked at once for all loops in them. defined: name → its definitions."""

    blocks: dict[int, list[Row]] = field(default_factory=dict)
    defined: dict[Name, int] = field(default_factory=dict)
    of_definition: list[Row] = field(default_factory=list)
    moves: dict[int, tuple[int, int]] = field(default_factory=dict)  # block → (definitions made, definitions kept)
    loading: int = 0  # definitions by kind: what is brought from memory,
    polling: int = 0  # of that what no atomic brings,
    strong: int = 0  # of that what is marked to be seen by others;
    moving: int = 0  # clocks and atomics;
    copying: int = 0  # `_copies`

    @classmethod
    def of(cls, code: Code, blocks: Iterable[int], calls: Mapping[int, Effects]) -> Rows:
        """calls: by the call's address."""
        rows = cls()
        for block in blocks:
            rows.blocks[block] = [rows._row(a, i, calls.get(a)) for a, i in code.block(block) if not never(i)]
        for block, listed in rows.blocks.items():
            made, kept = 0, -1
            for row in listed:
                for bit, name in row.writes:
                    if not row.keeps:
                        made &= ~rows.defined[name]
                        kept &= ~rows.defined[name]
                    made |= 1 << bit
            rows.moves[block] = made, kept
        return rows

    def _row(self, address: int, i: Instruction, effects: Effects | None) -> Row:
        if effects is None:
            sources, names = _sources(i), _destinations(i)
        else:
            sources, names = set() if effects.loads else effects.read, effects.written
        writes: list[tuple[int, Name]] = []
        for name in sorted(names):
            writes.append((len(self.of_definition) + len(writes), name))
            self.defined[name] = self.defined.get(name, 0) | 1 << writes[-1][0]
        compared = comparand(i)
        names_compared = tuple(_named(compared)) if compared is not None else None
        keeps = i.guard is not None or (i.mnemonic == "R2UR" and isinstance(i.operands[-1], Pred))  # spec.warp_wide
        row = Row(address, i, tuple(sources), tuple(writes), keeps, names_compared)
        self._sort(i, effects, (1 << len(writes)) - 1 << len(self.of_definition))
        self.of_definition += [row] * len(writes)
        return row

    def _sort(self, i: Instruction, effects: Effects | None, made: int) -> None:
        """Note of which kinds the definitions are that an instruction makes."""
        if is_load(i) or (effects is not None and effects.loads):
            self.loading |= made
        if i.mnemonic in ATOMICS or reads_clock(i):
            self.moving |= made
        elif is_load(i):
            self.polling |= made
            self.strong |= made if i.has("STRONG") else 0
        if _copies(i):
            self.copying |= made

    def reaching(self, names: Iterable[Name], now: int) -> int:
        """The definitions among `now` of these names."""
        mask = 0
        for name in names:
            mask |= self.defined.get(name, 0)
        return mask & now


@dataclass
class Loop:
    """Facts about some blocks and edges of a function; sets of definitions are numbers (`Row`).

    used: definition → those it depends on; kept: those whose value it may leave. asked: block → definitions that its
    last instruction's condition depends on. changing, loaded: definitions that differ from turn to turn, that depend
    on memory. old: definitions that reach a compare-and-swap's comparand, by its address.
    """

    rows: Rows
    edges: dict[int, list[int]]
    patient: bool  # it has YIELD or NANOSLEEP: polls memory whatever the addresses are
    used: dict[int, int] = field(default_factory=dict)
    kept: dict[int, int] = field(default_factory=dict)
    asked: dict[int, int] = field(default_factory=dict)
    old: dict[int, int] = field(default_factory=dict)
    changing: int = 0
    loaded: int = 0

    @classmethod
    def of(cls, rows: Rows, edges: dict[int, list[int]]) -> Loop:
        body = (row.instruction for b in edges for row in rows.blocks[b])
        loop = cls(rows, edges, any(i.mnemonic in ("YIELD", "NANOSLEEP") for i in body))
        loop._reach()
        loop._classify()
        return loop

    def may_change(self, block: int) -> bool:
        """Whether the condition at the block's end can change although memory does not."""
        return bool(self.asked[block] & self.changing)

    def depends_on_memory(self, block: int) -> bool:
        return bool(self.asked[block] & self.loaded)

    def _reach(self) -> None:
        """Which definitions reach what, by iteration."""
        before = dict.fromkeys(self.edges, 0)
        waiting = list(self.edges)
        while waiting:
            block = waiting.pop()
            made, kept = self.rows.moves[block]
            after = made | (before[block] & kept)
            for successor in self.edges[block]:
                if after & ~before[successor]:
                    before[successor] |= after
                    waiting.append(successor)
        for block, now in before.items():
            self._through(block, now)

    def _through(self, block: int, now: int) -> None:
        asked, rows = 0, self.rows
        for row in rows.blocks[block]:
            asked = rows.reaching(row.sources, now)
            if row.compared is not None:
                self.old[row.address] = rows.reaching(row.compared, now)
            for bit, name in row.writes:
                all_of_it = rows.defined[name]
                self.used[bit] = asked
                self.kept[bit] = now & all_of_it if row.keeps else 0
                now = (now if row.keeps else now & ~all_of_it) | 1 << bit
        self.asked[block] = asked

    def _classify(self) -> None:
        rows = self.rows
        behind = {d: used | self.kept[d] for d, used in self.used.items()}
        ordered = components(behind)
        own = union(ordered)
        seeds = 0
        for d in bits(own & rows.moving):
            if self._moves_on(rows.of_definition[d].address, rows.of_definition[d].instruction):
                seeds |= 1 << d
        for members in ordered:
            if any(members & self.used[d] for d in bits(members & ~rows.copying)):
                seeds |= members
        polled = rows.polling if self.patient else rows.strong  # it stays as it is, whatever its address does
        self.changing = closure(seeds, behind, ordered, without=polled)
        self.loaded = closure(own & rows.loading, behind, ordered)

    def _moves_on(self, address: int, i: Instruction) -> bool:
        """Whether it gives something new in each turn, or makes sure that a turn is the last."""
        if reads_clock(i):
            return True
        if i.mnemonic not in ATOMICS:
            return False
        if i.has("CAST"):
            return True
        if i.has("CAS"):
            return self._is_current(self.old.get(address, 0), set())
        amount = i.operands[-1] if i.operands else None
        nothing = (isinstance(amount, Imm) and not amount.bits) or (isinstance(amount, Reg) and amount.index == RZ)
        return i.has(*_STEPS) and not nothing

    def _is_current(self, definitions: int, seen: set[int]) -> bool:
        """Whether a comparand is what memory held in this turn or the last: then only another's success fails it."""
        if not definitions:
            return False
        for definition in bits(definitions):
            if definition in seen:
                continue
            seen.add(definition)
            if self.rows.loading >> definition & 1:
                continue
            behind = self.used[definition] | self.kept[definition]
            if not self.rows.copying >> definition & 1 or not self._is_current(behind, seen):
                return False
        return True
