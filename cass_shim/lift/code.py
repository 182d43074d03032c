"""The control flow of one kernel and its callees: blocks, functions, and how calls are laid out.

A virtual address is a section's token plus the offset in it, the number that relocations, LEPC and pointers to
functions of linked (-rdc) modules hold. Relative calls and returns use offsets in their section instead.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from cass_shim.isa.spec import CONTROL, Effect, effect_of, warp_wide
from cass_shim.isa.uniform import own_moves
from cass_shim.model.artifacts import SassKernel
from cass_shim.model.errors import Unsupported
from cass_shim.model.instruction import PT, Const, Imm, Instruction, Pred, Reg, Special, Target

STEP = 16
_ENDS = frozenset({"EXIT", "RET", "BRX", "BRXU", "JMP", "JMX", "KILL"})
_INTERNAL = "$__internal"  # ptxas's own helpers, which no pointer leads to
_FUNCTION_TABLE_BANK = 2


def never(i: Instruction) -> bool:
    """Whether the guard is the constant !PT."""
    return i.guard is not None and i.guard.index == PT and i.guard.negate


def reads_clock(i: Instruction) -> bool:
    """Whether what it reads goes on by itself: it must stay where it is among effects."""
    return any(isinstance(o, Special) and ("CLOCK" in o.name or "TIMER" in o.name) for o in i.operands)


def always(i: Instruction) -> bool:
    return i.guard is None or (i.guard.index == PT and not i.guard.negate)


def ends(i: Instruction) -> bool:
    """Whether nothing behind it runs, as far as its guard lets it: exits, returns, jumps by register, traps."""
    return i.mnemonic in _ENDS or (i.mnemonic == "BPT" and i.has("TRAP"))


def is_call(i: Instruction) -> bool:
    return i.mnemonic == "CALL"


def is_plain_barrier(i: Instruction) -> bool:
    """Whether it is the barrier of the whole block, which counts nothing."""
    return i.has("SYNC") and not i.has("RED") and i.operands == (Imm(0),)


def target_of(i: Instruction) -> Target | None:
    """The code operand of a direct branch or call; None when a register chooses.

    The register of BRA.CONV and BRA.DIV is the mask of lanes asked about, not a place.
    """
    if not i.has("CONV", "DIV") and any(isinstance(o, Reg | Const) for o in i.operands):
        return None
    return next((o for o in i.operands if isinstance(o, Target)), None)


@dataclass
class Code:
    """Instructions of a kernel and its callees by virtual address.

    functions: entry → name. bases: function → address. leaders: addresses where a block starts. taken: entries
    that an indirect call may reach. starts: first addresses of the sections, ascending.
    undefined: symbols outside the module that calls may name.
    """

    kernel: SassKernel
    undefined: frozenset[str] = frozenset()
    starts: list[int] = field(default_factory=list)
    instructions: dict[int, Instruction] = field(default_factory=dict)
    bases: dict[str, int] = field(default_factory=dict)
    functions: dict[int, str] = field(default_factory=dict)
    leaders: set[int] = field(default_factory=set)
    taken: tuple[int, ...] = ()

    @classmethod
    def of(cls, kernel: SassKernel, undefined: frozenset[str] = frozenset()) -> Code:
        code = cls(kernel, undefined=undefined)
        for section in (kernel, *kernel.callees.values()):
            code._add_section(section, section.kernel.token)
        code.starts.sort()
        code._find_leaders()
        code.taken = code._address_taken()
        return code

    @property
    def entry(self) -> int:
        return self.kernel.kernel.token

    def _add_section(self, section: SassKernel, base: int) -> None:
        self.starts.append(base)
        own = own_moves(section.instructions, closed=base == self.entry)
        for i in section.instructions:
            self.instructions[base + i.address] = warp_wide(i, own)
        self.bases[section.name] = base
        for name, address in section.kernel.symbols.items():
            self.functions[base + address] = name
            self.bases.setdefault(name, base + address)
        self.functions.setdefault(base, section.name)

    def base_of(self, address: int) -> int:
        """Start of the section that holds an address."""
        return self.starts[bisect_right(self.starts, address) - 1]

    def place_of(self, address: int) -> tuple[str, int]:
        """Section and byte address within it, as a listing prints them."""
        base = self.base_of(address)
        return (self.kernel.name if base == self.entry else self.functions[base]), address - base

    def destination(self, address: int, target: Target) -> int:
        """Virtual address of a branch target."""
        if target.symbol:
            if target.symbol not in self.bases:
                raise Unsupported(f"call of {target.symbol}", address=address, why="its code is not in the module")
            return self.bases[target.symbol] + target.address
        return self.base_of(address) + target.address

    def is_jump(self, address: int, i: Instruction) -> bool:
        """Whether it goes to a block of this function for good: ptxas also writes far branches as calls."""
        if i.mnemonic == "BRA":
            return True
        target = target_of(i) if i.mnemonic in ("CALL", "JMP") else None
        if target is None or target.symbol in self.undefined:
            return False
        return self.destination(address, target) not in self.functions

    def _find_leaders(self) -> None:
        self.leaders |= set(self.functions)
        for address, i in self.instructions.items():
            if never(i):
                continue
            target = target_of(i) if i.mnemonic in ("BRA", "CALL", "JMP") else None
            if target is not None and target.symbol not in self.undefined:
                self.leaders.add(self.destination(address, target))
            if i.mnemonic == "BRA" or i.mnemonic == "CALL" or ends(i):
                self.leaders.add(address + STEP)
            self.leaders.update(self.base_of(address) + t for t in i.targets)

    def _address_taken(self) -> tuple[int, ...]:
        """Functions that an indirect call may reach: the table in bank 2, and those that pointers lead to.

        Without a table ptxas stores offsets into the kernel's section: then any function of the program in it.
        """
        table = self.kernel.kernel.constants.get(_FUNCTION_TABLE_BANK, b"")
        words = {int.from_bytes(table[at : at + 8], "little") for at in range(0, len(table) - 7, 8)}
        entries = {self.entry + w for w in words if w}
        entries |= self.kernel.pointed
        found = sorted(e for e in entries if e in self.functions and e != self.entry)
        own = (e for e, name in self.functions.items() if e != self.entry and _INTERNAL not in name)
        return tuple(found or sorted(own))

    def block(self, start: int) -> Iterator[tuple[int, Instruction]]:
        """The instructions from a leader to the end of its block."""
        address = start
        while (i := self.instructions.get(address)) is not None:
            yield address, i
            address += STEP
            if address in self.leaders:
                return

    def successors(self, start: int) -> tuple[list[int], int]:
        """(blocks that follow within the function, address after the block); calls are stepped over."""
        last, end = None, start
        for address, i in self.block(start):
            last, end = i, address + STEP
        if last is None:
            return [], end
        address = end - STEP
        following = [end] if end in self.instructions and end not in self.functions else []
        jump = self.is_jump(address, last)
        if never(last) or not (jump or ends(last)):
            return following, end
        if jump:
            if last.has("DIV") and always(last):  # guarded: see transfer.py
                return following, end
            target = target_of(last)
            if target is None:
                return following, end
            taken = self.destination(address, target)
            certain = always(last) and not any(isinstance(o, Pred) for o in last.operands)
            return ([taken] if certain else [taken, *following]), end
        others = [] if always(last) else following
        return [self.base_of(address) + t for t in last.targets] + others, end


@dataclass
class Function:
    """One function's body: its blocks, its calls (site → callees), and what it does besides computing.

    cycle: the functions that it reaches and that reach it, itself among them where it calls itself.
    """

    entry: int
    blocks: set[int] = field(default_factory=set)
    calls: dict[int, tuple[int, ...]] = field(default_factory=dict)
    size: int = 0
    lanes: bool = False
    cycle: frozenset[int] = frozenset()

    @property
    def recursive(self) -> bool:
        """Whether it may run again before it has returned."""
        return bool(self.cycle)


def restrict(code: Code, function: Function, starts: list[int]) -> None:
    """Keep only the entry's block and what is reachable from `starts`."""
    calls = function.calls
    kept = _walk(code, function.entry, starts)
    function.blocks, function.size = kept.blocks | {function.entry}, kept.size
    function.calls = {a: calls[a] for a in kept.calls}


def all_called(functions: Mapping[int, Function], callees: Iterable[int]) -> list[Function] | None:
    """These callees and what they call in turn; None where one is not known, as no callee at all is."""
    found: dict[int, Function] = {}
    waiting = list(callees)
    known = bool(waiting)
    while waiting:
        entry = waiting.pop()
        if entry not in found:
            found[entry] = functions[entry]
            known = known and all(found[entry].calls.values())
            waiting += [one for more in found[entry].calls.values() for one in more]
    return list(found.values()) if known else None


def find_functions(code: Code) -> dict[int, Function]:
    """All functions reachable from the kernel's entry, with `lanes` and `recursive` closed over calls."""
    functions: dict[int, Function] = {}
    waiting = [code.entry]
    while waiting:
        entry = waiting.pop()
        if entry in functions:
            continue
        function = _walk(code, entry)
        functions[entry] = function
        waiting += [callee for callees in function.calls.values() for callee in callees]
    _close(functions)
    return functions


def _walk(code: Code, entry: int, starts: list[int] | None = None) -> Function:
    function = Function(entry)
    waiting = [entry] if starts is None else list(starts)
    while waiting:
        start = waiting.pop()
        if start in function.blocks or start not in code.instructions:
            continue
        function.blocks.add(start)
        for address, i in code.block(start):
            function.size += 1
            if never(i):
                continue
            if is_call(i) and not code.is_jump(address, i):
                function.calls[address] = _callees(code, address, i)
            elif i.mnemonic not in CONTROL and effect_of(i) in (Effect.LANES, Effect.BARRIER):
                function.lanes = True
        waiting += code.successors(start)[0]
    return function


def _callees(code: Code, address: int, i: Instruction) -> tuple[int, ...]:
    """An absolute call by register in a program of one section goes to the driver: free, and never a pointer."""
    target = target_of(i)
    if target is None:
        return () if i.has("ABS") and not code.kernel.callees else code.taken
    return () if target.symbol in code.undefined else (code.destination(address, target),)


def _close(functions: dict[int, Function]) -> None:
    """Transitive closure of the call graph: who reaches itself, and who reaches a cross-lane operation."""
    reach = {e: {c for cs in f.calls.values() for c in cs} for e, f in functions.items()}
    changed = True
    while changed:
        changed = False
        for callees in reach.values():
            more = set().union(*(reach[c] for c in callees)) - callees if callees else set()
            if more:
                callees |= more
                changed = True
    own = {entry: function.lanes for entry, function in functions.items()}
    for entry, function in functions.items():
        function.cycle = frozenset(c for c in reach[entry] if entry in reach[c])
        function.lanes = own[entry] or any(own[c] for c in reach[entry])
