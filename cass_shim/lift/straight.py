"""Straight-line code: one instruction after the other, guards, relocated moves."""

from __future__ import annotations

from cass_shim.isa.operands import predicate, put32, register
from cass_shim.isa.spec import Effect, Spec, effect_of, lookup
from cass_shim.lift.builder import Value, constant
from cass_shim.lift.code import Code, always, reads_clock
from cass_shim.lift.emitter import SYSTEM_CALLS, LlvmEmitter, token_of
from cass_shim.lift.flow import Flow
from cass_shim.lift.lines import MARK
from cass_shim.model.errors import Unsupported
from cass_shim.model.instruction import PT, RZ, Imm, Instruction, Pred, Reg, Target, Word
from cass_shim.model.kernel_abi import SlotKind

_R_CUDA_ABS32_HI = 57


class Straight:
    """Writes instructions into the emitter's current block. address: of the instruction at hand.

    flow: how lanes get to other blocks.
    marks: write each instruction's address in front of what becomes of it.
    """

    def __init__(self, code: Code, emitter: LlvmEmitter) -> None:
        self.code = code
        self.e = emitter
        self.address = code.entry
        self.flow = Flow(emitter)
        self.marks = False

    def _at(self, address: int) -> None:
        """Go on to the instruction at this address."""
        self.address = address
        if self.marks:
            self.e.lines.append(f"{MARK}{address}")

    def _offset(self) -> int:
        """The current instruction's offset in its section, which is what a user sees."""
        return self.address - self.code.base_of(self.address)

    def _guard(self, i: Instruction) -> Value | None:
        if always(i):
            return None
        assert i.guard is not None
        return self._predicate(i.guard)

    def _predicate(self, p: Pred) -> Value:
        return predicate(self.e, p)

    def _straight(self, i: Instruction) -> None:
        spec, effect = lookup(i), effect_of(i)
        key = self._key(i)
        if effect is Effect.REGISTERS and not reads_clock(i):
            if key and self.e.region is not None and key == self.e.region.key:
                self.e.branched(self.e.region.guard, key, lambda: self._run(spec, i))
            else:
                self.e.beside(lambda: self._selected(spec, i))
            return
        if not key or key != (self.e.region.key if self.e.region is not None else ""):
            self.e.settle()
        guard = self.e.region.guard if self.e.region is not None else self._guard(i)
        if guard is not None and guard.known is not None:
            if not guard.known:
                return
            guard = None
        if guard is None:
            self._run(spec, i)
        else:
            self.e.branched(guard, self._key(i), lambda: self._run(spec, i), alone=effect is Effect.BARRIER)

    def _selected(self, spec: Spec, i: Instruction) -> None:
        """An instruction without effects: run always, with selected writes where it has a guard."""
        guard = self._guard(i)
        if guard is None or guard.known == 1:
            self._run(spec, i)
        elif guard.known is None:
            self.e.guarded(guard, lambda: self._run(spec, i))

    def _key(self, i: Instruction) -> str:
        """Equal for guards of one value; empty without a guard, or where its value is not at hand."""
        p = i.guard
        if p is None or p.index == PT:
            return ""
        value = self.e.pred_at_hand(p.index, p.uniform)
        return "" if value is None else f"{'!' if p.negate else ''}{value.text}"

    def _run(self, spec: Spec, i: Instruction) -> None:
        if self.marks and self.e.region is None:  # a region's lines are apart from those around it
            self.e.lines.append(f"{MARK}{self.address}")
        if i.relocation is not None:
            self._relocated(i)
        else:
            self._mean(spec, i)

    def _mean(self, spec: Spec, i: Instruction) -> None:
        """The meaning takes its operands apart as they are printed; other shapes are somebody's broken cubin."""
        try:
            spec.meaning(self.e, i)
        except (ValueError, IndexError, KeyError, StopIteration) as error:
            raise Unsupported(i.form, address=i.address, why=f"its operands: {error}") from error

    def _relocated(self, i: Instruction) -> None:
        """MOV of half of a symbol's address; functions are their virtual addresses."""
        patch = i.relocation
        assert patch is not None
        dst = i.operands[0]
        if i.mnemonic not in ("MOV", "UMOV") or not isinstance(dst, Reg) or not isinstance(i.operands[1], Imm):
            raise Unsupported(i.form, address=i.address, why=f"relocation {patch.kind}")
        if patch.symbol in self.code.bases:
            value = constant(self.code.bases[patch.symbol] + patch.addend, 64)
        elif patch.symbol in SYSTEM_CALLS:
            value = constant(token_of(patch.symbol), 64)
        else:
            value = self.e.slot(SlotKind.SYMBOL, patch.symbol, patch.addend)
        half = self.e.high(value) if patch.kind == _R_CUDA_ABS32_HI else self.e.low(value)
        if dst.index != RZ:
            self.e.set_reg(dst.index, dst.uniform, half)

    def _return_address(self, i: Instruction) -> None:
        """RPCMOV: half of the register of return addresses, which no RET here reads: ptxas keeps values in it."""
        dst, source = i.operands
        if not always(i) or isinstance(dst, Word) == isinstance(source, Word):
            raise Unsupported(i.form, address=i.address)
        if isinstance(dst, Word) and isinstance(source, Reg):
            self.e.put_state(dst.text, register(self.e, source))
        elif isinstance(source, Word) and isinstance(dst, Reg) and not dst.uniform:
            put32(self.e, dst, self.e.get_state(source.text, 32))
        else:
            raise Unsupported(i.form, address=i.address)

    def _lepc(self, i: Instruction) -> None:
        """The virtual address of this instruction, or of the target that newer generations print."""
        dst, target = (*i.operands, None, None)[:2]
        place = self.address
        if isinstance(target, Target):
            place = self.code.destination(self.address, target)
        if not always(i) or not isinstance(dst, Reg) or not (target is None or isinstance(target, Target)):
            raise Unsupported(i.form, address=i.address)
        self.e.set_reg(dst.index, dst.uniform, constant(place, 32))
        self.e.set_reg(dst.index + 1, dst.uniform, constant(0, 32))
