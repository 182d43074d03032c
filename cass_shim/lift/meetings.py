"""Where lanes that are scheduled apart meet: convergence barriers, WARPSYNC, barriers of the block.

In structured code LLVM reconverges by itself, and these are no operations.
"""

from __future__ import annotations

from cass_shim.isa import quads
from cass_shim.isa.spec import lookup
from cass_shim.lift.builder import Value, constant
from cass_shim.lift.code import STEP, Code, always, is_plain_barrier, never
from cass_shim.lift.exclusive import is_exclusive
from cass_shim.lift.independent import BLOCK_BARRIER, WARPSYNC, Independent
from cass_shim.lift.layout import Instance
from cass_shim.lift.transfer import Transfers
from cass_shim.model.errors import Unsupported
from cass_shim.model.instruction import RZ, Barrier, Imm, Instruction, Pred, Reg

_EVERYBODY = constant(-1, 32)
_SPLITS = frozenset({"BSYNC", "WARPSYNC", "BREAK", "BAR"})
_YIELDS = frozenset({"YIELD", "NANOSLEEP"})
_CONVERGENCE = frozenset({"BSSY", "BSYNC", "BREAK", "BMOV"})


def split_at_meetings(code: Code) -> None:
    """Make every instruction that lanes wait at the last of its block."""
    for address, i in code.instructions.items():
        if i.mnemonic in _SPLITS and not never(i):
            code.leaders.add(address + STEP)


class Meetings(Transfers):
    """Writes what lanes wait at. All of it only where they are scheduled apart."""

    def _meet(self, instance: Instance, address: int, i: Instruction) -> bool:
        """Write an instruction that has to do with waiting; True when it ended the block."""
        try:
            return self._written(instance, address, i)
        except (ValueError, StopIteration) as error:  # other operands than printed: somebody's broken cubin
            raise Unsupported(i.form, address=i.address, why=f"its operands: {error}") from error

    def _written(self, instance: Instance, address: int, i: Instruction) -> bool:
        assert isinstance(self.flow, Independent)
        self.e.settle()
        if i.mnemonic == "BAR":
            self._block_barrier(instance, address, i)
            return True
        if i.mnemonic == "WARPSYNC":
            return self._warp_sync(instance, address, i)
        if i.mnemonic == "BMOV":
            self._move_mask(i)
            return False
        barrier = next(o.index for o in i.operands if isinstance(o, Barrier))
        guard = self._who(i)
        if i.mnemonic == "BSSY":
            self._note_mask(barrier, guard)
            return False
        following = self._next(instance, address)
        if i.mnemonic == "BSYNC":
            self.flow.synchronise(barrier, guard, following)
        else:
            self.flow.leave(barrier, guard, following)
        return True

    def _who(self, i: Instruction) -> Value | None:
        """Guard and predicate operands together."""
        guard = self._guard(i)
        for operand in i.operands:
            if isinstance(operand, Pred):
                p = self._predicate(operand)
                guard = p if guard is None else self.e.and_(guard, p)
        return guard

    def _note_mask(self, barrier: int, guard: Value | None) -> None:
        """BSSY: the lanes that are here now take part."""
        mask = self.e.ballot(constant(1, 1) if guard is None else guard)
        if guard is not None:
            mask = self.e.select(guard, mask, self.e.get_state(f"B{barrier}", 32))
        self.e.put_state(f"B{barrier}", mask)

    def _move_mask(self, i: Instruction) -> None:
        """BMOV: a barrier's mask to or from a register; from another barrier or a constant (sm_87)."""
        first, second = i.operands
        if not always(i):
            raise Unsupported(i.form, address=i.address, why="a guard")
        if isinstance(first, Barrier) and quads.notes_lanes(i):
            self._note_mask(first.index, None)
            return
        if quads.touches_state(i):
            raise Unsupported(i.form, address=i.address, why="state of the warp")
        if isinstance(first, Barrier) and isinstance(second, Reg):
            value = constant(0, 32) if second.index == RZ else self.e.get_reg(second.index, second.uniform)
            self.e.put_state(f"B{first.index}", value)
            return
        if isinstance(first, Barrier) and isinstance(second, Imm):
            self.e.put_state(f"B{first.index}", constant(second.bits, 32))
            return
        if isinstance(first, Barrier) and isinstance(second, Barrier):
            self.e.put_state(f"B{first.index}", self.e.get_state(f"B{second.index}", 32))
            if i.has("CLEAR"):
                self.e.put_state(f"B{second.index}", constant(0, 32))
            return
        if not isinstance(second, Barrier) or not isinstance(first, Reg):
            raise Unsupported(i.form, address=i.address)
        if first.index != RZ:
            self.e.set_reg(first.index, first.uniform, self.e.get_state(f"B{second.index}", 32))
        if i.has("CLEAR"):
            self.e.put_state(f"B{second.index}", constant(0, 32))

    def _warp_sync(self, instance: Instance, address: int, i: Instruction) -> bool:
        assert isinstance(self.flow, Independent)
        mask = self._mask(i)
        if is_exclusive(i):
            self._apart_from_others(instance, address, i)
            return True
        guard = self._guard(i)
        self.e.fence("warp")
        self.e.write_back()
        self.flow.wait(WARPSYNC, mask, guard, self._next(instance, address))
        return True

    def _apart_from_others(self, instance: Instance, address: int, i: Instruction) -> None:
        """End the block: lanes come together by their masks, and no other lane joins them before the region's end."""
        assert isinstance(self.flow, Independent)
        region, mask = self._region(instance, address, i)
        latch, around = self._latch(instance, region), f"around.{instance.label(address)}"
        value = self.e.get_reg(mask.index, mask.uniform)
        self.e.put_state(around, self.flow.group())
        self.flow.choose_group(value)
        self.e.write_back()
        self.flow.together(f"{instance.label(address)}.meet", value)
        self.flow.goto(latch if region.end == address + STEP else instance.label(address + STEP))
        self.e.start_block(latch)
        self.flow.choose_group(self.e.get_state(around, 32))
        self.e.write_back()
        self.flow.goto(self._to(instance, region.end))

    def _mask(self, i: Instruction) -> Value:
        """The lanes that a WARPSYNC or BRA.DIV is about."""
        source = next((o for o in i.operands if isinstance(o, Reg | Imm)), None)
        if i.has("ALL") or source is None or (isinstance(source, Reg) and source.index == RZ):
            return _EVERYBODY
        if isinstance(source, Imm):
            return constant(source.bits, 32)
        value = self.e.get_reg(source.index, source.uniform)
        return self.e.not_(value) if source.invert else value

    def _block_barrier(self, instance: Instance, address: int, i: Instruction) -> None:
        """The lanes of a warp cross together, as one arrival."""
        assert isinstance(self.flow, Independent)
        following = self._next(instance, address)
        guard = self._guard(i)
        self.e.write_back()
        if is_plain_barrier(i):
            self.flow.wait(BLOCK_BARRIER, _EVERYBODY, guard, following)
            return
        if guard is not None:
            self.flow.unless(guard, following)
        self.flow.together(f"{instance.label(address)}.meet", _EVERYBODY)
        self._run(lookup(i), i)
        self.e.write_back()
        self.flow.goto(following)

    def _come_together(self, instance: Instance, address: int, i: Instruction) -> None:
        """BRA.DIV: all lanes of its mask; what follows then needs no slow way but for masks that differ."""
        assert isinstance(self.flow, Independent)
        mask = self._mask(i)
        self.e.write_back()
        self.flow.together(f"{instance.label(address)}.meet", mask)

    def _note_yield(self, i: Instruction) -> None:
        if i.mnemonic in _YIELDS and self.flow.apart:
            assert isinstance(self.flow, Independent)
            self.e.settle()
            self.flow.note_yield()

    def _waits(self, i: Instruction) -> bool:
        """Whether `_meet` writes it."""
        return self.flow.apart and (i.mnemonic in _CONVERGENCE or i.mnemonic in ("WARPSYNC", "BAR"))
