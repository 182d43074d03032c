"""Transfers of control: branches, jump tables, calls of functions and of the system, returns."""

from __future__ import annotations

from cass_shim.lift.builder import Value, constant
from cass_shim.lift.code import STEP, Code, Function, always, ends, target_of
from cass_shim.lift.emitter import SYSTEM_CALLS, LlvmEmitter, token_of
from cass_shim.lift.exclusive import Exclusive, find_regions, is_exclusive
from cass_shim.lift.layout import Instance, Layout
from cass_shim.lift.straight import Straight
from cass_shim.model.errors import Unsupported
from cass_shim.model.instruction import Instruction, Pred, Reg, Target

# Of a callee's own function (`lift.calls`): the address where its caller goes on, and the block that returns.
BACK, GIVE = "%back", "give"


class Transfers(Straight):
    """Writes terminators. layout: hands out the copies of callees.

    returns: the RET of each instance, its place in the text and the value it switches on, written last, when
    all return sites are known. regions: by the WARPSYNC that begins them; exclusive: the one at hand.
    """

    def __init__(self, code: Code, emitter: LlvmEmitter, functions: dict[int, Function], layout: Layout) -> None:
        super().__init__(code, emitter)
        self.functions = functions
        self.layout = layout
        self.returns: list[tuple[Instance, str, str]] = []
        self.regions = {begin: r for f in functions.values() for begin, r in find_regions(code, f).items()}
        self.exclusive: Exclusive | None = None

    def _next(self, instance: Instance, address: int) -> str:
        following = address + STEP
        last = self.code.instructions[address]
        stopped = ends(last) and always(last)
        falls = not stopped and following in instance.function.blocks and (following not in self.code.functions)
        return self._to(instance, following) if falls else "lost"

    def _to(self, instance: Instance, address: int) -> str:
        """Label of a block of this function; for one that ends the region at hand, of what the region ends with."""
        region = self.exclusive
        if region is not None and address == region.end:
            return self._latch(instance, region)
        return instance.label(address)

    @staticmethod
    def _latch(instance: Instance, region: Exclusive) -> str:
        return f"{instance.label(region.begin)}.latch"

    def _control(self, instance: Instance, address: int, i: Instruction) -> bool:
        """Write a control instruction; True when it ended the block."""
        if i.mnemonic == "WARPSYNC":
            if is_exclusive(i):
                self._in_turn(instance, address, i)
                return True
            self.e.fence("warp")
            return False
        if i.mnemonic == "ENDCOLLECTIVE":
            return False
        if i.mnemonic == "LEPC":
            self._lepc(i)
            return False
        if i.mnemonic == "RPCMOV":
            self._return_address(i)
            return False
        if self.code.is_jump(address, i):
            self._branch(instance, address, i)
        elif i.mnemonic in ("EXIT", "KILL"):
            self._conditional(instance, address, i, "done")
        elif i.mnemonic == "CALL":
            self._call(instance, address, i)
        elif i.mnemonic == "RET":
            self._return(instance, address, i)
        elif i.mnemonic in ("BRX", "BRXU"):
            self._indexed_branch(instance, address, i)
        else:
            raise Unsupported(i.form, address=i.address)
        return True

    def _enter(self, instance: Instance, address: int, i: Instruction) -> bool:
        """Write back, and for a guarded terminator branch around it; False when it cannot be reached."""
        guard = self._guard(i)
        self.e.write_back()
        if guard is None:
            return True
        self.flow.unless(guard, self._next(instance, address))
        return True

    def _conditional(self, instance: Instance, address: int, i: Instruction, target: str) -> None:
        if any(not isinstance(o, Pred) for o in i.operands):
            raise Unsupported(i.form, address=i.address)
        self._enter(instance, address, i)
        self.flow.goto(target)

    def _branch(self, instance: Instance, address: int, i: Instruction) -> None:
        following = self._next(instance, address)
        if i.has("DIV") and self.flow.apart:
            self._come_together(instance, address, i)
        if i.has("DIV") and always(i):  # the lanes of a wave are together at such a place
            self.e.write_back()
            self.flow.goto(following)
            return
        target = target_of(i)
        if target is None:
            raise Unsupported(i.form, address=i.address, why="branch to a register")
        condition = self._guard(i)
        if i.has("DIV") and condition is not None:
            # The lanes that pass the guard are compared with the mask: one whose own mask is not its neighbours' sends
            # all of them the slow way, which serves every lane with its own.
            others = self.e.ballot(self.e.not_(condition))
            condition = self.e.compare("ne", others, constant(0, 32))
        for operand in i.operands:
            if isinstance(operand, Pred):
                p = self._predicate(operand)
                condition = p if condition is None else self.e.and_(condition, p)
        if i.has("ANY") and condition is not None:  # one lane that jumps takes those along that are here with it
            condition = self.e.compare("ne", self.e.ballot(condition), constant(0, 32))
        self.e.write_back()
        taken = self._to(instance, self.code.destination(address, target))
        if condition is None or condition.known == 1:
            self.flow.goto(taken)
        else:
            self.flow.branch(condition, taken, following)

    def _in_turn(self, instance: Instance, address: int, i: Instruction) -> None:
        """End the block: lanes with one mask run the region together, one mask after the other."""
        region, mask = self._region(instance, address, i)
        value = self.e.get_reg(mask.index, mask.uniform)
        served = f"served.{instance.label(address)}"
        turn, chosen, latch = self.e.new_label("turn"), self.e.new_label("chosen"), self._latch(instance, region)
        self.e.put_state(served, constant(0, 1))
        self.e.write_back()
        self.e.raw(f"br label %{turn}")
        self.e.start_block(turn)
        mine = self.e.compare("eq", value, self.e.read_first(value))
        self.e.raw(f"br i1 {mine.text}, label %{chosen}, label %{latch}")
        self.e.start_block(chosen)
        self.e.put_state(served, constant(1, 1))
        self.e.write_back()
        self.e.raw(f"br label %{latch if region.end == address + STEP else instance.label(address + STEP)}")
        behind = self._to(instance, region.end)  # of a region around this one: what that ends with
        self.e.start_block(latch)
        done = self.e.get_state(served, 1)
        self.e.call_text("void", "llvm.amdgcn.wave.barrier")  # or LLVM takes the region out of the loop
        self.e.raw(f"br i1 {done.text}, label %{behind}, label %{turn}")

    def _region(self, instance: Instance, address: int, i: Instruction) -> tuple[Exclusive, Reg]:
        """The region that a WARPSYNC begins, and its mask. Raises Unsupported."""
        mask = i.operands[0]
        if not isinstance(mask, Reg) or not always(i):
            raise Unsupported(i.form, address=i.address)
        region = self.regions[address]
        called = {c for at, callees in instance.function.calls.items() if self._within(region, at) for c in callees}
        if self.flow.apart and any(self.functions[callee].recursive for callee in called):
            raise Unsupported(i.form, address=i.address, why="its region calls what calls itself")
        return region, mask

    def _within(self, region: Exclusive, address: int) -> bool:
        return any(address == at for start in region.blocks for at, _ in self.code.block(start))

    def _come_together(self, instance: Instance, address: int, i: Instruction) -> None:
        raise NotImplementedError

    def _indexed_branch(self, instance: Instance, address: int, i: Instruction) -> None:
        """BRX R, target: the printed target is where R = 0 goes; the rest the cubin lists."""
        base, target = i.operands[0], target_of_indexed(i)
        if not i.targets or not isinstance(base, Reg):
            raise Unsupported(i.form, address=i.address, why="its targets are not listed")
        self._enter(instance, address, i)
        offset = self.e.get_reg(base.index, base.uniform)
        place = self.e.add(offset, constant(target, 32))
        cases = [(t, self._to(instance, self.code.base_of(address) + t)) for t in sorted(set(i.targets))]
        self._switch(place, cases)

    def _switch(self, value: Value, cases: list[tuple[int, str]]) -> None:
        if value.known is not None:
            found = [label for number, label in cases if number == value.known]
            self.flow.goto(found[0] if found else "lost")
            return
        self.e.lines += self.flow.switch(value.text, value.width, cases)

    def _call(self, instance: Instance, address: int, i: Instruction) -> None:
        self._enter(instance, address, i)
        target = target_of(i)
        if target is not None and target.symbol in SYSTEM_CALLS and target.symbol not in self.code.bases:
            self._system(instance, address, target.symbol)
            return
        callees = self.functions[instance.function.entry].calls[address]
        if target is not None:
            self.flow.goto(self._callee(instance, address, callees[0]))
            return
        register = next((o for o in i.operands if isinstance(o, Reg)), None)
        if register is None:
            raise Unsupported(i.form, address=i.address, why="nothing says where to")
        low = self.e.get_reg(register.index, register.uniform)
        place = low
        if i.has("ABS"):
            place = self.e.pair(low, self.e.get_reg(register.index + 1, register.uniform))
        self._indirect(instance, address, i, place, callees)

    def _indirect(
        self, instance: Instance, address: int, i: Instruction, place: Value, callees: tuple[int, ...]
    ) -> None:
        wanted = [c for c in SYSTEM_CALLS if any(r.symbol == c for r in self.e.kernel.bank4.values())]
        tokens = {token_of(name): name for name in wanted} if i.has("ABS") else {}
        if place.known in tokens:
            self._system(instance, address, tokens[place.known])
            return
        base = 0 if i.has("ABS") else self.code.base_of(address)
        known = [c for c in callees if place.known is None or c - base == place.known]
        cases = [(c - base, self._callee(instance, address, c)) for c in known]
        systems = [(t, name, self.e.new_label("system")) for t, name in tokens.items()]
        if not cases and not systems:
            raise Unsupported(i.form, address=i.address, why="no function can be the target")
        self._switch(place, cases + [(t, label) for t, _name, label in systems])
        for _t, name, label in systems:
            self.e.start_block(label)
            self._system(instance, address, name)

    def _callee(self, instance: Instance, address: int, entry: int) -> str:
        """Label of the callee's instance, told to come back behind the call; elsewhere is `lost`."""
        back = address + STEP
        label = instance.label(back) if back in instance.function.blocks else "lost"
        added = self.layout.added.get((instance.function.entry, address, entry), 0)
        callee = self.layout.call(instance, entry, back, self.flow.along(label, -added))
        return self.flow.along(callee.label(entry), added)

    def _system(self, instance: Instance, address: int, name: str) -> None:
        self.e.system_call(name)
        self.e.write_back()
        self.flow.goto(self._next(instance, address))

    def _return(self, instance: Instance, address: int, i: Instruction) -> None:
        register = i.operands[0]
        if not isinstance(register, Reg) or register.uniform:
            raise Unsupported(i.form, address=i.address)
        if instance.function.entry == self.code.entry:
            raise Unsupported(i.form, address=i.address, why="a return from the kernel itself")
        self._enter(instance, address, i)
        place = self.e.get_reg(register.index, False)
        if not i.has("ABS"):  # sections lie below 4 GB, so the low word tells
            place = self.e.add(place, constant(self.code.base_of(address), 32))
        if instance.called:
            inner = self.e.new_label("inner") if instance.function.recursive else "lost"
            self.flow.branch(self.e.compare("eq", place, Value(BACK, 32)), GIVE, inner)
            if inner == "lost":
                return
            self.e.start(inner)
        mark = f"; return {len(self.returns)}"
        self.e.raw(mark)
        self.returns.append((instance, mark, place.text))

    def _write_returns(self) -> None:
        """Return sites are known only when every block is written."""
        marks = {mark: (instance, text) for instance, mark, text in self.returns}
        lines: list[str] = []
        for line in self.e.lines:
            if line.startswith("  ; return "):
                instance, text = marks[line.strip()]
                lines += self.flow.switch(text, 32, instance.returns)
            else:
                lines.append(line)
        self.e.lines = lines


def target_of_indexed(i: Instruction) -> int:
    """Where BRX goes for a zero register, in bytes from the start of the section."""
    found = next((o for o in i.operands if isinstance(o, Target)), None)
    if found is None:
        raise Unsupported(i.form, address=i.address)
    return found.address
