"""The SASS side: one warp, executed for all inputs at once.

In: a prepared `Program`, a `Domain`, the block's memories. Out: accesses in those memories, and the condition under
which every loop ended within the bound. Lanes that stand at one instruction run it together, each under its own
condition; the lowest address goes first, and what waits at a convergence point goes last, so that lanes meet again
where the interpreter's meet. Where lanes meet, their registers are joined by the condition that brought them.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from cass_shim.model.instruction import PT, RZ, Instruction, Pred, Reg, Target
from cass_shim.model.kernel_abi import WARP
from cass_shim.verify.interpreter import PARAMETERS_AT
from cass_shim.verify.program import Program, Step
from cass_shim.verify.proof.lanes import Unknown, Value, each, gathered, lane, spread
from cass_shim.verify.proof.launch import AXES, Domain
from cass_shim.verify.proof.memory import BANK, Memory
from cass_shim.verify.proof.sass_lanes import LaneOperations
from cass_shim.verify.proof.terms import Term
from cass_shim.verify.textures import NoTextures

_WAITING = frozenset({"BSYNC", "WARPSYNC"})
_NOTHING = frozenset({"BSSY", "BSYNC", "WARPSYNC", "BREAK", "BMOV", "ENDCOLLECTIVE"})
MAX_STEPS = 40_000  # executed instructions of one warp
MAX_RETURNS = 16  # places from which one function is called
STACK_END = 0x10_0000  # where the stack begins, growing down: any number does


@dataclass
class Here:
    """Lanes that stand at one instruction: their conditions and registers."""

    conditions: tuple[Term, ...]
    registers: dict[tuple[str, int], Value] = field(default_factory=dict)


class SassWarp(NoTextures[Value], LaneOperations):
    """One warp. `run` goes on until every lane waits at a barrier of the block or has ended."""

    def __init__(self, program: Program, domain: Domain, warp: int, memories: dict[str, Memory], unroll: int) -> None:
        super().__init__(domain, warp, memories)
        self.program, self.sm, self.unroll = program, program.sm, unroll
        self.base = domain.abi.params_base
        if program.unsupported:
            raise Unknown(str(next(iter(program.unsupported.values()))))
        self.pending: dict[int, Here] = {0: Here(spread(domain.alive(warp)))}
        self.visits: dict[int, int] = {}
        self.executed: set[int] = set()
        self.steps = 0
        self.beyond: list[Term] = []  # conditions under which a lane leaves the bound
        self.parked: dict[int, Here] = {}  # at a barrier of the block, by the instruction behind it

    # registers

    def get_reg(self, index: int, uniform: bool) -> Value:
        return self._seen(("UR" if uniform else "R", index), 32)

    def set_reg(self, index: int, uniform: bool, value: Value) -> None:
        self._set(("UR" if uniform else "R", index), value, 32)

    def get_pred(self, index: int, uniform: bool) -> Value:
        return self._seen(("UP" if uniform else "P", index), 1)

    def set_pred(self, index: int, uniform: bool, value: Value) -> None:
        self._set(("UP" if uniform else "P", index), value, 1)

    def _seen(self, key: tuple[str, int], width: int) -> Value:
        """A register as the lanes see it that execute the instruction."""
        return each(self.terms.under, self.active, self._get(key, width))

    def _get(self, key: tuple[str, int], width: int) -> Value:
        found = self.registers.get(key)
        if found is None:
            name = f"undefined.sass.{key[0]}{key[1]}.{self.warp}"
            found = gathered(tuple(self.terms.var(f"{name}.{n}", width) for n in range(WARP)))
            self.registers[key] = found
        return found

    def _set(self, key: tuple[str, int], value: Value, width: int) -> None:
        guard = self.guard
        self.registers[key] = value if guard is None else each(self.terms.ite, guard, value, self._get(key, width))

    # constants

    def load_const(self, bank: int, offset: int, index: Value | None, width: int) -> Value:
        if bank == 3:
            return self._load_bank(bank, offset, index, width)
        if index is not None or bank not in (0, 2):
            raise Unknown(f"constant bank {bank}{' with an index' if index is not None else ''}")
        if bank == 2:
            content = self.program.banks.get(2)
            if content is None or offset + width // 8 > len(content):
                raise Unknown("constant bank 2 out of range")
            number = int.from_bytes(content[offset : offset + width // 8].tobytes(), "little")
            return self.terms.const(number, max(width, 32))
        if width == 64:
            return self.terms.concat(self._word(offset), self._word(offset + 4))
        part = self.terms.extract(self._word(offset & ~3), 8 * (offset & 3), width)
        return self.terms.zext(part, 32)

    def _load_bank(self, bank: int, offset: int, index: Value | None, width: int) -> Value:
        """Constant memory lies in device memory, at an address that both sides know by one name."""
        t, start = self.terms, self.terms.var(f"{BANK}{bank}", 64)
        at: Value = t.const(offset, 32) if index is None else self.add(index, t.const(offset, 32))
        words = self.load("global", self.add(self.sext(at, 64), start), min(width, 32), max(1, width // 32))
        return words[0] if len(words) == 1 else self.pair(words[0], words[1])

    def _word(self, offset: int) -> Term:
        """A word of bank 0. Source: sass.md §2.5, as the interpreter has it."""
        domain, base = self.domain, max(self.base, next(b for sm, b in PARAMETERS_AT if self.sm >= sm))
        newer = self.sm >= 100
        dimensions, grid = (0x360, 0x370) if newer else (0, 0x0C)
        for position in range(len(AXES)):
            if offset == dimensions + 4 * position:
                return domain.dimensions[position]
            if offset == grid + 4 * position:
                return domain.grid[position]
        if base <= offset < base + domain.abi.params_bytes:
            return domain.parameter(offset - base)
        if offset == (0x37C if newer else 0x28):
            return self.terms.const(STACK_END, 32)
        return self.terms.var(f"bank0.{offset:#x}", 32)

    # execution

    def run(self) -> None:
        """Up to the next barrier of the block, or to the end. Raises Unknown."""
        self.pending.update(self.parked)
        self.parked = {}
        while self.pending:
            at = min(self.pending, key=self._rank)
            self._run(at, self.pending.pop(at))

    def _rank(self, at: int) -> tuple[bool, int]:
        step = self.program.steps[at]
        return step.instruction.mnemonic in _WAITING, at

    def _run(self, at: int, here: Here) -> None:
        """Straight on until control may leave, or others wait at the next instruction."""
        self.registers = here.registers
        while True:
            if all(c is self.terms.false for c in here.conditions):
                return
            step = self.program.steps[at]
            self.executed.add(at)
            self.steps += 1
            self.domain.check_time()
            if self.steps > MAX_STEPS:
                raise Unknown(f"the kernel runs {MAX_STEPS} instructions")
            self.active = here.conditions
            guard = self._guard(step.instruction.guard)
            if step.control and step.instruction.mnemonic not in _NOTHING:
                self._control(step, at, here, guard)
                return
            if step.parks:
                self._park(at, here, guard)
                return
            if not step.control and step.meaning is not None:
                self._execute(step, here, guard)
            at += 1
            if at in self.pending or self.program.steps[at].instruction.mnemonic in _WAITING:
                self._arrive(at, here)
                return

    def _execute(self, step: Step, here: Here, guard: Value | None) -> None:
        assert step.meaning is not None
        self.guard = guard
        conditions = here.conditions
        self.active = conditions if guard is None else tuple(map(self.terms.both, conditions, spread(guard)))
        if all(c is self.terms.false for c in self.active):
            return
        self.current = step.instruction.address
        step.meaning(self, step.instruction)

    def _guard(self, guard: Pred | None) -> Value | None:
        if guard is None or (guard.index == PT and not guard.negate):
            return None
        if guard.index == PT:
            return self.terms.false
        value = self.get_pred(guard.index, guard.uniform)
        return self.not_(value) if guard.negate else value

    def _arrive(self, at: int, here: Here) -> None:
        """Lanes reach an instruction: they join those that are there already."""
        there = self.pending.get(at)
        if there is None:
            self.pending[at] = here
            return
        conditions = tuple(map(self.terms.either, there.conditions, here.conditions))
        joined: dict[tuple[str, int], Value] = {}
        for key in there.registers.keys() | here.registers.keys():
            mine, theirs = here.registers.get(key), there.registers.get(key)
            if mine is None or theirs is None:
                joined[key] = self._half_known(key, mine, theirs, here, there)
            else:
                joined[key] = (
                    mine if mine is theirs else each(self._joined, here.conditions, there.conditions, mine, theirs)
                )
        self.pending[at] = Here(conditions, joined)

    def _half_known(
        self, key: tuple[str, int], mine: Value | None, theirs: Value | None, here: Here, there: Here
    ) -> Value:
        """A register that only one of two groups has: the other's is undefined."""
        known = mine if mine is not None else theirs
        assert known is not None
        width = lane(known, 0).width
        self.registers, kept = {}, self.registers
        other = self._get(key, width)
        self.registers = kept
        first, second = (known, other) if mine is not None else (other, known)
        return each(self._joined, here.conditions, there.conditions, first, second)

    def _joined(self, here: Term, there: Term, mine: Term, theirs: Term) -> Term:
        if here is self.terms.false:
            return theirs
        return mine if there is self.terms.false else self.terms.ite(here, mine, theirs)

    # control

    def _control(self, step: Step, at: int, here: Here, guard: Value | None) -> None:
        instruction, terms = step.instruction, self.terms
        taken: Value = terms.true if guard is None else guard
        if instruction.mnemonic in ("EXIT", "KILL"):
            self._arrive(at + 1, self._part(here, self.not_(taken)))
            return
        if instruction.mnemonic in ("CALL", "RET"):
            self._arrive(at + 1, self._part(here, self.not_(taken)))
            self._transfer(step, self._part(here, taken))
            return
        if instruction.mnemonic != "BRA" or instruction.has("ANY", "DIV", "CONV"):
            raise Unknown(f"{instruction.form} has no terms")
        target = next((o for o in instruction.operands if isinstance(o, Target)), None)
        for condition in (o for o in instruction.operands if isinstance(o, Pred)):
            extra = self._guard(condition)
            taken = taken if extra is None else self.and_(taken, extra)
        if target is None or target.symbol:
            raise Unknown(f"{instruction.text} goes nowhere known")
        to = self.program.index_of(step.base + target.address)
        stays, leaves = self._part(here, self.not_(taken)), self._part(here, taken)
        if to <= at and self._beyond(at, leaves):
            self._arrive(at + 1, here)
            return
        self._arrive(at + 1, stays)
        self._arrive(to, leaves)

    def _transfer(self, step: Step, leaves: Here) -> None:
        """CALL and RET: to a label, or to the addresses that a pair of registers may hold, each a constant."""
        instruction, t = step.instruction, self.terms
        target = next((o for o in instruction.operands if isinstance(o, Target)), Target(0))
        register = next((o for o in instruction.operands if isinstance(o, Reg) and o.index != RZ), None)
        if target.symbol and target.symbol not in self.program.tokens:
            raise Unknown(f"it calls {target.symbol}")
        if register is None:
            start = self.program.tokens[target.symbol] if target.symbol else step.base
            self._jump(start + target.address, leaves)
            return
        self.registers = leaves.registers
        mask = (1 << 64) - 1 if instruction.has("ABS") else (1 << 32) - 1
        pairs = [self._get(("UR" if register.uniform else "R", register.index + n), 32) for n in range(2)]
        held = self.pair(*(each(t.under, leaves.conditions, one) for one in pairs))
        places = {number for one, c in zip(spread(held), leaves.conditions, strict=True)
                  if c is not t.false for number in _constants(one, instruction)}  # fmt: skip
        for place in sorted(places):
            there = self._part(leaves, each(lambda x, n=place: t.eq(x, t.const(n, 64)), held))
            self._jump((0 if instruction.has("ABS") else step.base) + (place + target.address & mask), there)

    def _jump(self, address: int, leaves: Here) -> None:
        to = self.program.index_of(address)
        if to < 0:
            raise Unknown(f"a jump to {address:#x}, where there is no code")
        if any(c is not self.terms.false for c in leaves.conditions):
            self._arrive(to, leaves)

    def _part(self, here: Here, condition: Value) -> Here:
        """Those of the lanes for which a condition holds."""
        return Here(tuple(map(self.terms.both, here.conditions, spread(condition))), dict(here.registers))

    def _beyond(self, at: int, leaves: Here) -> bool:
        """A jump back: after `unroll` of them that may be taken, it is assumed that none is."""
        possible = [c for c in leaves.conditions if c is not self.terms.false]
        if not possible or all(c is self.terms.true for c in possible):
            return False
        self.visits[at] = self.visits.get(at, 0) + 1
        if self.visits[at] <= self.unroll:
            return False
        self.beyond += possible
        return True

    def _park(self, at: int, here: Here, guard: Value | None) -> None:
        """BAR: wait for the block. Lanes that do not take part go on."""
        instruction = self.program.steps[at].instruction
        _check_whole_block(instruction)
        if guard is not None:
            self._arrive(at + 1, self._part(here, self.not_(guard)))
            here = self._part(here, guard)
        if any(c is not self.terms.false for c in here.conditions):
            kept, self.pending = self.pending, self.parked
            self._arrive(at + 1, here)
            self.pending = kept


def _constants(term: Term, instruction: Instruction) -> set[int]:
    """What a choice of constants may be."""
    found, stack = set[int](), [term]
    while stack:
        top = stack.pop()
        if top.op == "ite":
            stack += top.args[1:]
        elif top.op == "concat" and top.args[0].op == "ite" and top.args[1].known is not None:
            found |= {low | top.args[1].known << 32 for low in _constants(top.args[0], instruction)}
        elif top.known is None or len(found) > MAX_RETURNS:
            raise Unknown(f"{instruction.text} to an address that is not known")
        else:
            found.add(top.known)
    return found


def _check_whole_block(instruction: Instruction) -> None:
    """Only the barrier of all threads is modelled."""
    if not instruction.has("SYNC") or len(instruction.operands) > 1:
        raise Unknown(f"{instruction.text} is no barrier of the whole block")
