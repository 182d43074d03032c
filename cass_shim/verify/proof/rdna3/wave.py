"""The RDNA3 side: one wave, executed for all inputs at once.

In: an `Image`, a `Domain`, the block's memories. Out: accesses in those memories. The program counter is the wave's, so
a branch whose condition is unknown makes two waves, each with its condition and its registers, that are joined where
their ways meet; the lowest address goes first. EXEC is a mask of 32 conditions.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from cass_shim.model.kernel_abi import Slot
from cass_shim.verify.proof.lanes import Unknown, Value, each, spread
from cass_shim.verify.proof.launch import INDEX_BITS, Domain
from cass_shim.verify.proof.memory import Memory
from cass_shim.verify.proof.rdna3.image import Image
from cass_shim.verify.proof.rdna3.kernarg import Kernarg
from cass_shim.verify.proof.rdna3.memory import MemoryOperations
from cass_shim.verify.proof.rdna3.operation import EXEC, VCC, Operation
from cass_shim.verify.proof.terms import Term

MAX_STEPS = 40_000
_HINTS = frozenset({"s_nop", "s_sleep", "v_nop"})
_BRANCHES = {
    "s_cbranch_scc0": ("scc", False), "s_cbranch_scc1": ("scc", True),
    "s_cbranch_vccz": ("vcc", False), "s_cbranch_vccnz": ("vcc", True),
    "s_cbranch_execz": ("exec", False), "s_cbranch_execnz": ("exec", True),
}  # fmt: skip


@dataclass
class Here:
    """The wave at one address: under which condition, with which registers."""

    condition: Term
    registers: dict[int, Value]


class Wave(MemoryOperations):
    """One wave. `run` goes on until it waits at a barrier on every way, or has ended."""

    def __init__(
        self, image: Image, slots: tuple[Slot, ...], bindings: int, domain: Domain, warp: int,
        memories: dict[str, Memory], unroll: int,
    ) -> None:  # fmt: skip
        super().__init__(domain, image, warp, memories, Kernarg(domain, image, slots, bindings))
        self.unroll = unroll
        self.visits: dict[int, int] = {}
        self.executed: set[int] = set()
        self.steps = 0
        self.beyond: list[Term] = []
        self.parked: dict[int, Here] = {}
        self.condition = self.terms.true
        self.registers = self._start()
        self.pending: dict[int, Here] = {min(image.code): Here(self.terms.true, self.registers)}

    def _start(self) -> dict[int, Value]:
        """Registers when the wave starts. What the descriptor does not ask for is undefined."""
        t, image, domain = self.terms, self.image, self.domain
        registers: dict[int, Value] = {EXEC: t.bits(spread(domain.alive(self.warp))), EXEC + 1: t.const(0, 32)}
        if "kernarg" in image.user:
            first = image.user["kernarg"]
            registers[first] = t.extract(self.kernarg.base, 0, 32)
            registers[first + 1] = t.extract(self.kernarg.base, 32, 32)
        for register, index in zip(image.group_ids, domain.group, strict=True):
            if register is not None:
                registers[register] = index
        registers[256] = packed = domain.thread(self.warp, 0)
        for number in range(1, image.thread_fields):
            held = each(lambda x, n=number: t.extract(x, 0, n * INDEX_BITS), packed)
            field = each(lambda x: t.extract(x, 0, INDEX_BITS), domain.thread(self.warp, number))
            packed = each(t.concat, held, field)
            registers[256] = packed = each(lambda x: t.zext(x, 32), packed)
        return registers

    # execution

    def run(self) -> None:
        """Up to the next barrier, or to the end. Raises Unknown."""
        self.pending.update(self.parked)
        self.parked = {}
        while self.pending:
            at = min(self.pending)
            self._run(at, self.pending.pop(at))

    def _run(self, at: int, here: Here) -> None:
        self.registers, self.condition = here.registers, here.condition
        while True:
            if self.condition is self.terms.false:
                return
            found = self.image.code.get(at)
            if found is None:
                raise Unknown(f"the code ends at {at:#x} without s_endpgm")
            self.executed.add(at)
            self.steps += 1
            self.domain.check_time()
            if self.steps > MAX_STEPS:
                raise Unknown(f"the translation runs {MAX_STEPS} instructions")
            first = found[0]
            if first.row.encoding == "SOPP" and first.name not in _HINTS:
                self._program(first)
                return
            self._execute(found)
            at = first.next
            if at in self.pending:
                self._arrive(at, Here(self.condition, self.registers))
                return

    def _program(self, o: Operation) -> None:
        name, here = o.name, Here(self.condition, self.registers)
        if name == "s_endpgm":
            return
        if name == "s_barrier":
            kept, self.pending = self.pending, self.parked
            self._arrive(o.next, here)
            self.pending = kept
            return
        if name == "s_branch" and o.target is not None:
            self._arrive(o.target, here)
            return
        if name not in _BRANCHES or o.target is None:
            raise Unknown(f"{o.row.name} has no terms")
        what, wanted = _BRANCHES[name]
        taken = self.flag(what) if wanted else self.terms.invert(self.flag(what))
        stays = Here(self.terms.both(here.condition, self.terms.invert(taken)), dict(here.registers))
        leaves = Here(self.terms.both(here.condition, taken), here.registers)
        if o.target <= o.at and self._beyond(o, leaves, stays):
            self._arrive(o.next, here)
            return
        self._arrive(o.next, stays)
        self._arrive(o.target, leaves)

    def flag(self, name: str) -> Term:
        """SCC, or whether a mask has any lane."""
        if name == "scc":
            return self.scc()
        value = self.scalar(EXEC if name == "exec" else VCC)
        return self.terms.invert(self.terms.eq(value, self.terms.const(0, 32)))

    def _beyond(self, o: Operation, leaves: Here, stays: Here) -> bool:
        """A jump back that is not certain: after `unroll` of them it is claimed that none is taken any more."""
        if leaves.condition is self.terms.false or stays.condition is self.terms.false:
            return False
        self.visits[o.at] = self.visits.get(o.at, 0) + 1
        if self.visits[o.at] <= self.unroll:
            return False
        self.beyond.append(leaves.condition)
        return True

    def _arrive(self, at: int, here: Here) -> None:
        """Two ways of the wave meet: registers are chosen by the condition that brought them."""
        if here.condition is self.terms.false:
            return
        there = self.pending.get(at)
        if there is None:
            self.pending[at] = here
            return
        joined: dict[int, Value] = {}
        for key in there.registers.keys() | here.registers.keys():
            mine, theirs = here.registers.get(key), there.registers.get(key)
            mine = self.undefined(key) if mine is None else mine
            theirs = self.undefined(key) if theirs is None else theirs
            choose = partial(self.terms.ite, here.condition)
            joined[key] = mine if mine is theirs else each(choose, mine, theirs)
        self.pending[at] = Here(self.terms.either(there.condition, here.condition), joined)
