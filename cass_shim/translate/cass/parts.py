"""A kernel in parts, each a small kernel of its own: for a model whose window the whole does not fit.

In: a decoded kernel. Out: parts, runs of its instructions in order. What a part may assume at its edges is the edge
contract: each lane has a frame of words, which stand at offsets from `FRAME` on in shared memory, at the thread's own
place there ("[R40.X4+0xc008]" with SR_TID.X in R40: what code with a word for each thread looks like). Word `NEXT`
holds the number of the part that the lane runs next, 0 once it has ended; `edges.py` keeps word `ITEM`. Every R, UR and
P that is alive between parts has a word too: a part loads what it needs with LDS, stores what it changed with STS, and
ends. So a part is said in words that every contract has. `edges.py` turns these accesses into accesses of the lane's
own memory, and joins the parts. A lane that leaves by EXIT stores nothing: its NEXT stays 0. Local memory of the kernel
lies below the frame, at the same place in all parts; where it ends is a number in a part.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from cass_shim.model.artifacts import SassKernel
from cass_shim.model.errors import Unsupported
from cass_shim.model.instruction import (
    PT,
    RZ,
    Barrier,
    Const,
    Imm,
    Instruction,
    Mem,
    Operand,
    Pred,
    Reg,
    Special,
    Target,
)
from cass_shim.translate.cass.fields import LOCAL_HIGH, LOCAL_LOW, STACK, last_instruction
from cass_shim.translate.cass.frame import local_bytes
from cass_shim.translate.cass.values import Key, effects, follow

FRAME = 0xC000  # shared memory that a program declares ends here (48 KiB), so an address from here on is the frame's
NEXT, ITEM, FIRST_WORD = 0, 1, 2
MOST_WORDS = 960  # a scratch access reaches 4095 bytes (RDNA3 ISA, "FLAT_SCRATCH"): the frame and what is below it
MOST_PARTS = 60  # their numbers are inline constants
_STEP = 16
_UNIFORMS = 63  # uniform registers of sm_75 to sm_90
_OTHER_BANK = 100  # the generation from which on constant bank 0 begins otherwise (sass.md, 2.5)
_TRUE, _UTRUE, _UZERO = Pred(PT), Pred(PT, uniform=True), Reg(RZ, uniform=True)


@dataclass(frozen=True)
class Part:
    """One part. number: from 1, in the order of the code; begin, end: in the original; sass: the kernel that it is.

    plain: the same with the frame at fixed addresses, for the lifter.
    """

    number: int
    begin: int
    end: int
    sass: SassKernel
    plain: SassKernel


class Splitter:
    """The parts of one kernel. Raises Unsupported for what no part can hold."""

    def __init__(self, sass: SassKernel) -> None:
        self.sass = sass
        given = sass.instructions[: last_instruction(sass.instructions)]
        self.at = {one.address: number for number, one in enumerate(given)}
        self.local = local_bytes(sass)
        if self.local and sass.sm >= _OTHER_BANK:
            raise self._refuse(f"local memory of sm_{sass.sm}, whose end has another place in constant bank 0")
        for one in given:
            self._check(one)
        # Where a call comes back to. A call is a branch here: the address to come back to is a value like any other.
        self.sites = [
            number + 1 for number, one in enumerate(given) if one.mnemonic == "CALL" and number + 1 < len(given)
        ]
        self.code = [self._without_stack(_branch(one)) for one in given]
        touched = [effects(one, sass.sm) for one in self.code]
        self.reads = [set(_kept(reads)) for reads, _ in touched]
        self.writes = [set(_kept(writes)) for _, writes in touched]
        self.follow = follow(self.code)
        for number, one in enumerate(self.code):
            if one.mnemonic == "RET":
                self.follow[number] = list(self.sites)
        self.alive = self._alive()
        used = [index for each in (*self.reads, *self.writes) for kind, index in each if kind == "R"]
        self.next, self.spare, self.lane = (Reg(max(used, default=0) + more) for more in (1, 2, 3))
        if self.lane.index >= RZ:
            raise self._refuse("no register is free for edges")
        uniform = [index for each in (*self.reads, *self.writes) for kind, index in each if kind == "UR"]
        self.uniform = Reg(max(uniform, default=-1) + 1, uniform=True)
        self.words: dict[Key, int] = {}
        awaited = set().union(*(self.alive[site] for site in self.sites))
        self.free = next((index for index in range(PT) if ("P", index) not in awaited), None)  # for returns

    def _refuse(self, what: str) -> Unsupported:
        return Unsupported("translation in parts", kernel=self.sass.name, why=what)

    def _check(self, one: Instruction) -> None:
        if one.mnemonic in ("BRX", "BRXU", "JMP", "JMX", "LEPC", "RPCMOV", "KILL", "BMOV"):
            raise self._refuse(f"{one.mnemonic} at {one.address:#x} goes beyond one part")
        if one.relocation is not None or one.targets:
            raise self._refuse(f"{one.mnemonic} at {one.address:#x} has an address of the module")
        targets = [o for o in one.operands if isinstance(o, Target)]
        if one.mnemonic == "CALL" and (len(one.operands) != 1 or not targets or targets[0].address not in self.at):
            raise self._refuse(f"{one.mnemonic} at {one.address:#x} goes beyond the kernel")
        if one.mnemonic == "RET" and (one.guard is not None or not isinstance(next(iter(one.operands), None), Reg)):
            raise self._refuse(f"{one.mnemonic} at {one.address:#x} on a condition, or to no register")
        if self.local and any(_is_word(o, LOCAL_LOW, LOCAL_HIGH) for o in one.operands):
            raise self._refuse(f"{one.mnemonic} at {one.address:#x} makes a generic address of local memory")
        for operand in one.operands:
            if isinstance(operand, Mem) and one.mnemonic in ("LDS", "STS", "ATOMS", "LDSM") and operand.offset >= FRAME:
                raise self._refuse(f"shared memory at {operand.offset:#x}, where the edges are")

    def _without_stack(self, one: Instruction) -> Instruction:
        """Where local memory ends as a number: a part that has no access of its own is not told it."""
        at = next((at for at, o in enumerate(one.operands) if self.local and _is_word(o, STACK)), None)
        if at is None:
            return one
        if one.mnemonic not in ("MOV", "IMAD", "IADD3"):
            raise self._refuse(f"{one.mnemonic} at {one.address:#x} reads where local memory ends")
        text = one.text.replace(f"c[0x0][{STACK:#x}]", f"{self.local:#x}")
        return dataclasses.replace(
            one, operands=(*one.operands[:at], Imm(self.local), *one.operands[at + 1 :]), text=text
        )

    def _alive(self) -> list[set[Key]]:
        """Per instruction, what is alive before it."""
        alive: list[set[Key]] = [set() for _ in self.code]
        changed = True
        while changed:
            changed = False
            for number in range(len(self.code) - 1, -1, -1):
                after = set().union(*(alive[one] for one in self.follow[number]))
                before = self.reads[number] | after - self.writes[number]
                changed |= before != alive[number]
                alive[number] = before
        return alive

    def _leaving(self, begin: int, end: int) -> dict[int, list[int]]:
        """Per instruction of a part, the instructions outside that may follow it; behind a return, all of them."""
        return {
            number: [
                one for one in self.follow[number] if self.code[number].mnemonic == "RET" or not begin <= one < end
            ]
            for number in range(begin, end)
        }

    def split(self, fits: Callable[[SassKernel], bool], begins: Iterable[int] = ()) -> list[Part]:
        """Parts that fit; cut where blocks begin if possible. Every branch leads within its part, or to a part.

        begins: instructions where parts begin in any case.
        """
        starts = {0, *begins, *(self.sites if any(one.mnemonic == "RET" for one in self.code) else ())}
        while True:
            order = sorted(starts)
            spans = list(zip(order, [*order[1:], len(self.code)], strict=True))
            leads = {one for begin, end in spans for each in self._leaving(begin, end).values() for one in each}
            if leads - starts:
                starts |= leads
                continue
            parts = [self._part(number, spans) for number in range(len(spans))]
            large = next((one for one in parts if not fits(one.sass)), None)
            if large is None:
                return parts
            if large.end - large.begin < 2 or len(parts) >= MOST_PARTS:
                raise self._refuse(f"no part at {self.code[large.begin].address:#x} is small enough")
            starts.add(self.middle(large))

    def middle(self, part: Part) -> int:
        """Where to cut: the block's beginning that is nearest to the middle, in the middle half; else the middle."""
        middle, reach = (part.begin + part.end) // 2, (part.end - part.begin) // 4
        begins = {one for number in range(part.begin, part.end) for one in self.follow[number]
                  if self.follow[number] != [number + 1]}  # fmt: skip
        near = [one for one in begins if abs(one - middle) <= reach and part.begin < one < part.end]
        return min(near, key=lambda one: (abs(one - middle), one), default=max(middle, part.begin + 1))

    def _part(self, number: int, spans: Sequence[tuple[int, int]]) -> Part:
        begin, end = spans[number]
        numbers = {first: position + 1 for position, (first, _) in enumerate(spans)}
        kernel = dataclasses.replace(self.sass.kernel, symbols={})  # a part has addresses of its own, and no callees
        sass, plain = (
            dataclasses.replace(
                self.sass, kernel=kernel, instructions=tuple(_Body(self, begin, end, numbers, lane).instructions())
            )
            for lane in (self.lane, None)
        )
        return Part(number + 1, begin, end, sass, plain)

    def word(self, key: Key) -> int:
        """The frame's word of a value."""
        if key[0] == "UP" and self.uniform.index >= _UNIFORMS:
            raise self._refuse(f"UP{key[1]} is alive between parts, and no uniform register is free")
        return self.words.setdefault(key, FIRST_WORD + len(self.words))


def _is_word(operand: Operand, *offsets: int) -> bool:
    """Whether it is one of these words of constant bank 0."""
    return isinstance(operand, Const) and operand.bank == 0 and operand.index is None and operand.offset in offsets


def _branch(one: Instruction) -> Instruction:
    """A call as the branch that it is."""
    if one.mnemonic != "CALL":
        return one
    target = next(o for o in one.operands if isinstance(o, Target))
    text = f"{one.text.split('CALL')[0]}BRA {target.address:#x}"
    return dataclasses.replace(one, mnemonic="BRA", modifiers=(), text=text)


def _kept(keys: Sequence[Key]) -> Iterator[Key]:
    """Without the constant registers."""
    return (key for key in keys if key[1] != (PT if key[0].endswith("P") else RZ))


def _plain(text: str, *operands: Operand, guard: Pred | None = None) -> Instruction:
    """An instruction of an edge; its operands stand in the text too."""
    name, *modifiers = text.split()[0].split(".")
    condition = "" if guard is None else f"@{'!' * guard.negate}{'U' * guard.uniform}P{guard.index} "
    return Instruction(0, name, tuple(modifiers), operands, guard, text=condition + text)


class _Body:
    """The instructions of one part. numbers: of parts, by their beginnings; lane: register with the thread's index."""

    def __init__(self, whole: Splitter, begin: int, end: int, numbers: Mapping[int, int], lane: Reg | None) -> None:
        self.whole, self.begin, self.end, self.numbers, self.lane = whole, begin, end, numbers, lane
        self.leaving = whole._leaving(begin, end)
        own = range(begin, end)
        needed = set().union(*(whole.alive[one] for each in self.leaving.values() for one in each))
        self.stored = sorted(set().union(*(whole.writes[number] for number in own)) & needed)
        used = set(self.stored).union(*(whole.reads[number] for number in own))
        self.loaded = sorted(whole.alive[begin] & used)

    def instructions(self) -> list[Instruction]:
        """Loads, the part's own code, stores; addresses from 0 on, targets among them."""
        head = [one for key in self.loaded for one in self._load(key)]
        if self.lane is not None and (self.loaded or any(self.leaving.values())):
            head.insert(0, _plain(f"S2R R{self.lane.index}, SR_TID.X", self.lane, Special("SR_TID.X")))
        if self.end in self.leaving[self.end - 1]:
            head.append(self._goes(self.numbers[self.end]))
        ends = any(self.leaving.values())
        own: list[tuple[int, Instruction]] = []
        for number in range(self.begin, self.end):
            own += [(number, one) for one in self._own(number)]
        tail = [*(one for key in self.stored for one in self._store(key)), *self._leave()] if ends else []
        placed = [(-1, one) for one in head] + own + [(self.end, one) for one in tail]
        first: dict[int, int] = {}
        for position, (number, _) in enumerate(placed):
            first.setdefault(number, _STEP * position)
        return [self._at(_STEP * position, one, first) for position, (_, one) in enumerate(placed)]

    def _goes(self, number: int, guard: Pred | None = None) -> Instruction:
        register = self.whole.next
        return _plain(f"MOV R{register.index}, {number:#x}", register, Imm(number), guard=guard)

    def _place(self, word: int) -> tuple[str, Mem]:
        """A word's address, as text too."""
        offset = FRAME + 4 * word
        if self.lane is None:
            return f"[{offset:#x}]", Mem(None, offset)
        return f"[R{self.lane.index}.X4+{offset:#x}]", Mem(self.lane, offset, scale=4)

    def _uniform(self, key: Key) -> Reg | None:
        """The uniform register by way of which a value goes: its own, or the spare one; None for other values."""
        kind, index = key
        return {"UR": Reg(index, uniform=True), "UP": self.whole.uniform}.get(kind)

    def _load(self, key: Key) -> Iterator[Instruction]:
        kind, index = key
        (shown, place), spare = self._place(self.whole.word(key)), self.whole.spare
        register = Reg(index) if kind == "R" else spare
        yield _plain(f"LDS R{register.index}, {shown}", register, place)
        if kind == "P":
            text = f"ISETP.NE.AND P{index}, PT, R{spare.index}, RZ, PT"
            yield _plain(text, Pred(index), _TRUE, spare, Reg(RZ), _TRUE)
        if (uniform := self._uniform(key)) is not None:
            yield _plain(f"R2UR UR{uniform.index}, R{spare.index}", uniform, spare)
        if uniform is not None and kind == "UP":
            text = f"UISETP.NE.AND UP{index}, UPT, UR{uniform.index}, URZ, UPT"
            yield _plain(text, Pred(index, uniform=True), _UTRUE, uniform, _UZERO, _UTRUE)

    def _store(self, key: Key) -> Iterator[Instruction]:
        kind, index = key
        (shown, place), spare = self._place(self.whole.word(key)), self.whole.spare
        register = Reg(index) if kind == "R" else spare
        if kind == "P":
            text = f"SEL R{spare.index}, RZ, 0x1, !P{index}"
            yield _plain(text, spare, Reg(RZ), Imm(1), Pred(index, negate=True))
        if (uniform := self._uniform(key)) is not None:
            if kind == "UP":
                text = f"USEL UR{uniform.index}, URZ, 0x1, !UP{index}"
                yield _plain(text, uniform, _UZERO, Imm(1), Pred(index, uniform=True, negate=True))
            yield _plain(f"MOV R{spare.index}, UR{uniform.index}", spare, uniform)
        yield _plain(f"STS {shown}, R{register.index}", place, register)

    def _leave(self) -> Iterator[Instruction]:
        (shown, place), register = self._place(NEXT), self.whole.next
        yield _plain(f"STS {shown}, R{register.index}", place, register)
        yield _plain("EXIT")

    def _own(self, number: int) -> Iterator[Instruction]:
        """One of the original's instructions, branches out of the part by way of its end."""
        one = self.whole.code[number]
        if one.mnemonic in ("BSSY", "BSYNC", "BREAK") and not self._converges(one):
            return
        if one.mnemonic == "RET":
            yield from self._back(one, number)
            return
        outside = [at for at in self._targets(one) if not self.begin <= at < self.end]
        if one.mnemonic != "BRA" or not outside:
            yield one
            return
        if "DIV" in one.modifiers and one.guard is None:  # lanes that run a part are together (`lift/transfer.py`, too)
            return
        if one.modifiers:
            raise self.whole._refuse(f"{one.form} out of a part at {one.address:#x}")
        guards = [o for o in one.operands if isinstance(o, Pred) and o != _TRUE]
        if guards and one.guard is not None:  # on two predicates: first around it on the one
            beyond = self.whole.code[number + 1].address if number + 1 < self.end else -1
            around = dataclasses.replace(one.guard, negate=not one.guard.negate)
            yield _plain(f"BRA {beyond:#x}", Target(beyond), guard=around)
        guard = guards[0] if guards else one.guard
        yield self._goes(self.numbers[outside[0]], guard)
        if number + 1 < self.end:
            yield _plain("BRA -0x1", Target(-1), guard=guard)

    def _back(self, one: Instruction, number: int) -> Iterator[Instruction]:
        """A return: to the part that begins where the register says."""
        register, free = one.operands[0], self.whole.free
        assert isinstance(register, Reg)
        if free is None:
            raise self.whole._refuse("no predicate is free for a return")
        for site in self.whole.sites:
            address = self.whole.code[site].address
            text = f"ISETP.EQ.U32.AND P{free}, PT, R{register.index}, {address:#x}, PT"
            yield _plain(text, Pred(free), _TRUE, register, Imm(address), _TRUE)
            yield self._goes(self.numbers[site], Pred(free))
        if number + 1 < self.end:
            yield _plain("BRA -0x1", Target(-1))

    def _targets(self, one: Instruction) -> list[int]:
        return [self.whole.at[o.address] for o in one.operands if isinstance(o, Target) and o.address in self.whole.at]

    def _converges(self, one: Instruction) -> bool:
        """Whether all uses of its barrier lie in this part: lanes meet again by the order of parts anyway."""
        barriers = [o for o in one.operands if isinstance(o, Barrier)]
        same = [number for number, other in enumerate(self.whole.code) if any(o in barriers for o in other.operands)]
        targets = [at for number in same for at in self._targets(self.whole.code[number])]
        return all(self.begin <= number < self.end for number in (*same, *targets))

    def _at(self, address: int, one: Instruction, first: Mapping[int, int]) -> Instruction:
        """At its new address; a target becomes what came of the old one, or of the next that is left."""
        text, operands = one.text, list(one.operands)
        for position, operand in enumerate(operands):
            if isinstance(operand, Target):
                number = self.end if operand.address < 0 else self.whole.at[operand.address]
                operands[position] = found = Target(first[min(left for left in first if left >= number)])
                text = re.sub(rf"{operand.address:#x}\b", f"{found.address:#x}", text)
        return dataclasses.replace(one, address=address, operands=tuple(operands), text=text)


def listing(sass: SassKernel, head: str) -> str:
    """A part as cuobjdump prints kernels, without encodings. head: the whole kernel's listing."""
    first = head.find("/*0000*/")
    lines = [f"\t/*{one.address:04x}*/ {one.text.rstrip(' ;')} ;" for one in sass.instructions]
    return "\n".join([head[: max(first, 0)].rstrip(), *lines, "\t\t.........."])
