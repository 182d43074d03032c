"""Which branches send all lanes of a warp the same way.

In: a function's blocks and the edges between them. Out: the blocks at whose end lanes may part. A register is alike
where all lanes that are there have one value in it: it was made of constants, parameters, the block's number and what
is alike by an instruction whose reads and writes are known here, or read from shared or plain memory by one address.
Where lanes have parted, all that is written until they meet again is taken to differ. Unknown is "differs".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from cass_shim.isa.sass.atomic import result_registers
from cass_shim.lift.code import Code, Function, all_called, ends, is_call, never
from cass_shim.lift.dataflow import ATOMICS, NO_RESULT, destinations_and_sources
from cass_shim.model.instruction import PT, RZ, Const, Instruction, Mem, Operand, Pred, Reg, Special, Word

# A set of registers and predicates is a number: R from bit 0, UR from 256, P from 512, UP from 520.
_UNIFORM, _PREDICATES, _COUNT = 256, 512, 528
_ALL = (1 << _COUNT) - 1
_ALL_PREDICATES = 0xFF << _PREDICATES
_ALL_UNIFORM_PREDICATES = 0xFF << _PREDICATES + 8
_MOST = 8  # registers that one operand of an instruction may stand for

_NOTHING = NO_RESULT | {
    "BAR", "NOP", "YIELD", "NANOSLEEP", "WARPSYNC", "DEPBAR", "LDGDEPBAR", "MEMBAR", "ERRBAR", "CCTL", "BREAK", "BPT",
    "ARRIVES", "RET", "JMP", "BRX",
}  # fmt: skip
# Instructions whose result is alike where their sources are; two registers at most, with 64 or WIDE in their name.
_COMPUTES = frozenset({
    "BMSK", "BREV", "F2FP", "F2I", "FADD", "FCHK", "FFMA", "FLO", "FMNMX", "FMUL", "FRND", "FSEL", "FSETP", "HADD2",
    "HFMA2", "HMUL2", "HSETP2", "I2F", "I2FP", "I2I", "IABS", "IADD", "IADD3", "IMAD", "IMNMX", "ISETP", "LEA",
    "LOP3", "MOV", "MUFU", "PLOP3", "POPC", "PRMT", "R2UR", "SEL", "SGXT", "SHF", "UBMSK", "UBREV", "UFLO", "UIADD3",
    "UIMAD", "UISETP", "ULEA", "ULOP3", "UMOV", "UPLOP3", "UPOPC", "UPRMT", "USEL", "USGXT", "USHF", "VIADD",
    "VIMNMX",
})  # fmt: skip
_READS = frozenset({"LDC", "LDCU", "LDG", "LDS", "ULDC"})  # what is at one address, for all lanes at once
# Others, whose result differs: how many registers, at most, the first one in it stands for.
_DIFFERS = {
    "HMMA": 4, "IMMA": 4, "BMMA": 4, "QMMA": 4, "LDSM": 4, "DMMA": 8, "LDG": 8, "LDL": 8, "LDS": 8, "LD": 8, "SHFL": 1,
    "S2R": 1, "CS2R": 2, "P2R": 1, "DADD": 2, "DMUL": 2, "DFMA": 2, "DSETP": 1, "F2F": 2, "MOVM": 1, "R2UR": 1,
    "MATCH": 1,
}  # fmt: skip
_LENGTHS = {"64": 2, "128": 4, "256": 8}
_SAME_FOR_ALL = frozenset({"SRZ", "SR_CTAID.X", "SR_CTAID.Y", "SR_CTAID.Z"})


@dataclass(frozen=True, slots=True)
class _Fact:
    """What one instruction does. known: its result is alike where all it reads is; writes, surely: what may and what
    does get a new value; keeps: it is guarded."""

    known: bool
    reads: int
    writes: int
    surely: int
    keeps: bool


def parting(
    code: Code, functions: Mapping[int, Function], function: Function, edges: Mapping[int, list[int]]
) -> dict[int, set[int]]:
    """The blocks at whose end lanes of a warp may go different ways → those that they go through until they meet."""
    return _Alike(code, functions, function, edges).found()


class _Alike:
    def __init__(
        self, code: Code, functions: Mapping[int, Function], function: Function, edges: Mapping[int, list[int]]
    ) -> None:
        self.code, self.functions, self.edges = code, functions, edges
        self.entry = function.entry
        self.by_calls: dict[tuple[int, ...], int] = {}  # what callees write
        self.facts = {b: [self._fact(function, a, i) for a, i in code.block(b) if not never(i)] for b in edges}
        self.parted: set[int] = set()  # blocks that lanes which have parted go through
        self.branches: dict[int, set[int]] = {}

    def found(self) -> dict[int, set[int]]:
        before = dict.fromkeys(self.edges, 0)
        before[self.entry] = _ALL
        waiting = list(self.edges)
        while waiting:
            block = waiting.pop()
            after = self._through(block, before[block])
            if block not in self.branches and len(self.edges[block]) > 1 and self._asks(block) & after:
                self.branches[block] = self._until_met(block)
                new = self.branches[block] - self.parted
                self.parted |= new
                waiting += new
            for successor in self.edges[block]:
                if after & ~before[successor]:
                    before[successor] |= after
                    waiting.append(successor)
        return self.branches

    def _through(self, block: int, differs: int) -> int:
        """What differs at the block's end, from what does at its begin."""
        together = block not in self.parted
        for fact in self.facts[block]:
            if not (together and fact.known) or fact.reads & differs:
                differs |= fact.writes
            elif not fact.keeps:
                differs &= ~fact.surely
        return differs

    def _asks(self, block: int) -> int:
        """What the branch at the block's end depends on."""
        last = list(self.code.block(block))[-1][1]
        if last.has("DIV", "CONV"):
            return _ALL
        return _named(last.guard, 1) | _union(_named(o, 2) for o in last.operands)

    def _until_met(self, block: int) -> set[int]:
        """The blocks that lanes which part at this block's end go through before they are together again."""
        meeting = self._behind[block]
        found: set[int] = set()
        waiting = list(self.edges[block])
        while waiting:
            one = waiting.pop()
            if one not in found and (one == block or not meeting >> self._number[one] & 1):
                found.add(one)
                waiting += self.edges[one]
        return found

    @cached_property
    def _number(self) -> dict[int, int]:
        return {block: number for number, block in enumerate(self.edges)}

    @cached_property
    def _behind(self) -> dict[int, int]:
        """Block → those that are on every way from it to the function's end, as bits."""
        sources: dict[int, list[int]] = {block: [] for block in self.edges}
        for block, following in self.edges.items():
            for successor in following:
                sources[successor].append(block)
        last = [block for block, following in self.edges.items() if not following]
        behind = dict.fromkeys(self.edges, -1)
        for block in last:
            behind[block] = 1 << self._number[block]
        waiting = [source for block in last for source in sources[block]]
        while waiting:
            block = waiting.pop()
            common = -1
            for successor in self.edges[block]:
                common &= behind[successor]
            common |= 1 << self._number[block]
            if common != behind[block]:
                behind[block] = common
                waiting += sources[block]
        return {block: 0 if bits == -1 else bits for block, bits in behind.items()}

    def _fact(self, function: Function, address: int, i: Instruction) -> _Fact:
        if is_call(i) and address in function.calls:
            callees = function.calls[address]
            if callees not in self.by_calls:
                self.by_calls[callees] = self._written_by_call(callees)
            return _Fact(False, 0, self.by_calls[callees], 0, True)
        return _fact(i)

    def _written_by_call(self, callees: tuple[int, ...]) -> int:
        """What callees and theirs may write; all where they are not known."""
        called = all_called(self.functions, callees)
        if called is None:
            return _ALL
        return _union(
            _fact(i).writes for one in called for b in one.blocks for _, i in self.code.block(b) if not never(i)
        )


def _fact(i: Instruction) -> _Fact:
    guarded = i.guard is not None
    if i.mnemonic in _NOTHING or ends(i):
        return _Fact(False, 0, 0, 0, guarded)
    if i.mnemonic in ("VOTE", "VOTEU"):
        first = (next((o for o in i.operands if isinstance(o, kind)), None) for kind in (Reg, Pred))
        written = _union(_named(o, 1) for o in first)
        return _Fact(True, _named(i.guard, 1), written, written, guarded)
    if i.mnemonic in _READS and not i.has("STRONG", "MMIO"):
        return _computed(i, next((n for name, n in _LENGTHS.items() if i.has(name)), 1), guarded)
    special = next((o for o in i.operands if isinstance(o, Special)), None)
    if special is not None and special.name in _SAME_FOR_ALL:
        return _computed(i, 2 if i.mnemonic == "CS2R" and not i.has("32") else 1, guarded)
    if special is None and i.mnemonic in _COMPUTES and not _given_by_some(i):
        return _computed(i, 2 if i.has("WIDE") else 1, guarded)
    count = result_registers(i) if i.mnemonic in ATOMICS else _DIFFERS.get(i.mnemonic)
    results = _results(i)[0] if count is not None else [o for o in i.operands if not isinstance(o, Mem)]
    return _Fact(False, 0, _union(_named(o, count or _MOST) for o in results), 0, guarded)


def _computed(i: Instruction, count: int, guarded: bool) -> _Fact:
    """count: registers that it surely writes. What has 64 in its name may write and read pairs."""
    wide = 2 if any("64" in one or one == "WIDE" for one in i.modifiers) else 1
    results, sources = destinations_and_sources(i)
    surely = _union(_named(o, count) for o in results)
    writes = surely | _union(_named(o, wide) for o in _results(i)[0])
    if i.mnemonic in ("IMAD", "UIMAD") and i.has("HI", "WIDE"):  # of three sources the last is a pair
        reads = _union(_named(o, 1) for o in sources[:2]) | _union(_named(o, 2) for o in sources[2:])
    else:
        reads = _union(_named(o, wide) for o in sources)
    reads |= _named(i.guard, 1)
    return _Fact(True, reads, writes, surely, guarded)


def _results(i: Instruction) -> tuple[list[Operand], list[Operand]]:
    """Operands that may be written, and the others; predicates right behind the register are taken for carries."""
    results, others = destinations_and_sources(i)
    while others and isinstance(others[0], Pred):
        results.append(others.pop(0))
    return results, others


def _given_by_some(i: Instruction) -> bool:
    """Whether a lane gives a value to the whole warp (`spec.warp_wide`)."""
    return i.mnemonic == "R2UR" and isinstance(i.operands[-1], Pred)


def _named(operand: Operand | None, count: int) -> int:
    """The registers that an operand names, each as the first of `count`."""
    if isinstance(operand, Pred):
        return 1 << _PREDICATES + 8 * operand.uniform + operand.index if operand.index != PT else 0
    if isinstance(operand, Reg):
        first = _UNIFORM * operand.uniform + operand.index
        return ((1 << count) - 1) << first & _ALL if operand.index != RZ else 0
    if isinstance(operand, Mem):
        return _union(_named(o, 2) for o in (operand.base, operand.uniform, operand.descriptor))
    if isinstance(operand, Const):
        return _named(operand.index, 1) | _named(operand.bank_register, 2)
    if isinstance(operand, Word) and operand.text in ("PR", "UPR"):
        return _ALL_UNIFORM_PREDICATES if operand.text == "UPR" else _ALL_PREDICATES
    return 0


def _union(masks: Iterator[int]) -> int:
    found = 0
    for mask in masks:
        found |= mask
    return found
