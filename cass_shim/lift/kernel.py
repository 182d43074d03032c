"""Lifts one kernel: SASS to the text of an LLVM module for amdgcn.

In: a decoded `SassKernel`. Out: `LlvmModule` with its binding-table slots. Pure; raises Unsupported with the
kernel's name and the instruction's address.
"""

from __future__ import annotations

from cass_shim.isa.spec import CONTROL, Effect, lookup
from cass_shim.lift.builder import Value, constant
from cass_shim.lift.code import (
    STEP,
    Code,
    always,
    ends,
    find_functions,
    never,
    restrict,
    target_of,
)
from cass_shim.lift.emitter import SYSTEM_CALLS, LlvmEmitter, token_of
from cass_shim.lift.helpers import Shortcut, find_shortcut
from cass_shim.lift.layout import Instance, Layout, choose_shared
from cass_shim.lift.modes import flushes_f32
from cass_shim.lift.module import module_text
from cass_shim.model.artifacts import LlvmModule, SassKernel
from cass_shim.model.errors import Unsupported
from cass_shim.model.instruction import RZ, Imm, Instruction, Pred, Reg, Target

_DEFAULT_STACK = 4096  # bytes a thread for code whose stack depth ptxas cannot know: recursion, indirect calls
_NO_OPERATION = frozenset({"BSSY", "BSYNC", "BREAK", "BMOV"})
_RESERVED_SHARED_SM = 90  # from here on the first 1 KB of shared memory is the system's, so ours too
_REDUCTION_BYTES = 16
_R_CUDA_ABS32_LO, _R_CUDA_ABS32_HI = 56, 57


def lift_kernel(kernel: SassKernel) -> LlvmModule:
    """The kernel as LLVM IR. Raises Unsupported."""
    try:
        return _Lifter(kernel).run()
    except Unsupported as error:
        if error.kernel:
            raise
        raise Unsupported(error.feature, kernel=kernel.name, address=error.address, why=error.why) from None


class _Lifter:
    """Walks the instances of a kernel's functions and writes their blocks."""

    def __init__(self, kernel: SassKernel) -> None:
        self.kernel = kernel
        self.code = Code.of(kernel, frozenset(SYSTEM_CALLS))
        self.functions = find_functions(self.code)
        self.shortcuts = self._find_shortcuts()
        self.layout = Layout(
            self.functions, self.code.entry, choose_shared(self.functions, self.code.entry)
        )
        live = [i for f in self.functions.values() for b in f.blocks for _, i in self.code.block(b)]
        self.e = LlvmEmitter(
            flush_f32=flushes_f32(live),
            sm=kernel.sm,
            kernel=kernel.kernel,
            frame_bytes=self._frame_bytes(),
            shared_shift=self._shared_shift(live),
        )
        self.address = 0
        self.exclusive: tuple[str, str] | None = None

    def _find_shortcuts(self) -> dict[int, Shortcut]:
        found = {}
        for entry, function in self.functions.items():
            shortcut = find_shortcut(self.code, function) if not function.recursive else None
            if shortcut is not None:
                restrict(self.code, function, [shortcut.tail])
                found[entry] = shortcut
        return found

    def _take_shortcut(self, instance: Instance, shortcut: Shortcut) -> None:
        """The entry block of a known helper: what it saves, its result, and on to where its paths join."""
        for address in shortcut.prologue:
            self.address = address
            self._straight(self.code.instructions[address])
        sources = [self.e.get_reg(index, False) for index in shortcut.sources]
        self.e.set_reg(shortcut.target, False, self.e.exact32(shortcut.operation, sources))
        self.e.write_back()
        self.e.raw(f"br label %{instance.label(shortcut.tail)}")

    def _frame_bytes(self) -> int:
        deep = any(f.recursive for f in self.functions.values()) or bool(self.code.taken)
        size = self.kernel.abi.local_bytes + (_DEFAULT_STACK if deep else 0)
        return (size + 15) & ~15

    def _shared_shift(self, live: list[Instruction]) -> int:
        reduces = any(i.mnemonic == "BAR" and i.has("RED") for i in live)
        return _REDUCTION_BYTES if reduces and self.kernel.sm < _RESERVED_SHARED_SM else 0

    def run(self) -> LlvmModule:
        root = self.layout.root()
        first = root.label(self.code.entry)
        returns: list[tuple[Instance, str, str]] = []
        try:
            while self.layout.waiting:
                instance = self.layout.waiting.pop()
                for start in sorted(instance.function.blocks):
                    self._block(instance, start, returns)
        except Unsupported as error:
            if error.address is None:
                raise Unsupported(self._form(error), address=self._offset(), why=error.why or error.feature) from None
            raise
        self._write_returns(returns)
        return module_text(self.e, first)

    def _offset(self) -> int:
        """The current instruction's offset in its section, which is what a user sees."""
        return self.address - self.code.base_of(self.address)

    def _form(self, error: Unsupported) -> str:
        i = self.code.instructions.get(self.address)
        return i.form if i is not None else error.feature

    def _block(self, instance: Instance, start: int, returns: list[tuple[Instance, str, str]]) -> None:
        self.e.start_block(instance.label(start))
        self.exclusive = None
        shortcut = self.shortcuts.get(start)
        if shortcut is not None:
            self._take_shortcut(instance, shortcut)
            return
        address = start
        for address, i in self.code.block(start):
            self.address = address
            if never(i):
                continue
            if i.mnemonic in CONTROL and i.mnemonic not in _NO_OPERATION:
                if self._control(instance, address, i, returns):
                    self._check_exclusive()
                    return
            elif i.mnemonic not in _NO_OPERATION:
                self._straight(i)
            elif i.mnemonic == "BSYNC" and self.exclusive is not None:
                self._end_exclusive()
        self._check_exclusive()
        self.e.write_back()
        self.e.raw(f"br label %{self._next(instance, address)}")

    def _next(self, instance: Instance, address: int) -> str:
        following = address + STEP
        last = self.code.instructions[address]
        stopped = ends(last) and always(last)
        falls = not stopped and following in instance.function.blocks and (
            following not in self.code.functions
        )
        return instance.label(following) if falls else "lost"

    # straight-line code
    def _guard(self, i: Instruction) -> Value | None:
        if always(i):
            return None
        assert i.guard is not None
        return self._predicate(i.guard)

    def _predicate(self, p: Pred) -> Value:
        from cass_shim.isa.operands import predicate

        return predicate(self.e, p)

    def _straight(self, i: Instruction) -> None:
        spec = lookup(i)
        guard = self._guard(i)
        if guard is not None and guard.known is not None:
            if not guard.known:
                return
            guard = None

        def run() -> None:
            if i.relocation is not None:
                self._relocated(i)
            else:
                spec.meaning(self.e, i)

        if guard is None:
            run()
        elif spec.effect is Effect.REGISTERS:
            self.e.guarded(guard, run)
        else:
            self.e.branched(guard, run)

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
            from cass_shim.model.kernel_abi import SlotKind

            value = self.e.slot(SlotKind.SYMBOL, patch.symbol, patch.addend)
        half = self.e.high(value) if patch.kind == _R_CUDA_ABS32_HI else self.e.low(value)
        if dst.index != RZ:
            self.e.set_reg(dst.index, dst.uniform, half)

    # control flow
    def _control(
        self, instance: Instance, address: int, i: Instruction, returns: list[tuple[Instance, str, str]]
    ) -> bool:
        """Write a control instruction; True when it ended the block."""
        if i.mnemonic == "WARPSYNC" and not i.has("EXCLUSIVE", "COLLECTIVE"):
            return False
        if i.mnemonic == "WARPSYNC" and i.has("EXCLUSIVE"):
            self._exclusive(address, i)
            return False
        if i.mnemonic == "LEPC":
            self._lepc(i)
            return False
        if self.code.is_jump(address, i):
            self._branch(instance, address, i)
        elif i.mnemonic in ("EXIT", "KILL"):
            self._conditional(instance, address, i, "done")
        elif i.mnemonic == "CALL":
            self._call(instance, address, i)
        elif i.mnemonic == "RET":
            self._return(instance, address, i, returns)
        elif i.mnemonic in ("BRX", "BRXU"):
            self._indexed_branch(instance, address, i)
        else:
            raise Unsupported(i.form, address=i.address)
        return True

    def _exclusive(self, address: int, i: Instruction) -> None:
        """Lanes with the same mask run the region up to BSYNC together, one mask after the other."""
        mask = i.operands[0]
        if not isinstance(mask, Reg) or not always(i) or self.exclusive is not None:
            raise Unsupported(i.form, address=i.address)
        value = self.e.get_reg(mask.index, mask.uniform)
        turn, region, latch = (self.e.new_label(stem) for stem in ("turn", "region", "latch"))
        self.e.write_back()
        self.e.raw(f"br label %{turn}")
        self.e.start_block(turn)
        mine = self.e.compare("eq", value, self.e.read_first(value))
        self.e.raw(f"br i1 {mine.text}, label %{region}, label %{latch}")
        self.e.start_block(region)
        self.exclusive = (turn, latch)

    def _check_exclusive(self) -> None:
        if self.exclusive is not None:
            raise Unsupported("WARPSYNC.EXCLUSIVE", address=self._offset(), why="its region has branches")

    def _end_exclusive(self) -> None:
        assert self.exclusive is not None
        turn, latch = self.exclusive
        self.exclusive = None
        after = self.e.new_label("after")
        self.e.write_back()
        last = self.e.block
        self.e.raw(f"br label %{latch}")
        self.e.start_block(latch)
        served = self.e.op(1, f"phi i1 [ false, %{turn} ], [ true, %{last} ]")
        self.e.raw(f"br i1 {served.text}, label %{after}, label %{turn}")
        self.e.start_block(after)

    def _lepc(self, i: Instruction) -> None:
        """The virtual address of this instruction, or of the target that newer generations print."""
        dst = i.operands[0]
        target = i.operands[1] if len(i.operands) > 1 else None
        place = self.address
        if isinstance(target, Target):
            place = self.code.destination(self.address, target)
        if not always(i) or not isinstance(dst, Reg) or not (target is None or isinstance(target, Target)):
            raise Unsupported(i.form, address=i.address)
        self.e.set_reg(dst.index, dst.uniform, constant(place, 32))
        self.e.set_reg(dst.index + 1, dst.uniform, constant(0, 32))

    def _enter(self, instance: Instance, address: int, i: Instruction) -> bool:
        """Write back, and for a guarded terminator branch around it; False when it cannot be reached."""
        guard = self._guard(i)
        self.e.write_back()
        if guard is None:
            return True
        inside = self.e.new_label("taken")
        self.e.raw(f"br i1 {guard.text}, label %{inside}, label %{self._next(instance, address)}")
        held = dict(self.e.held)
        self.e.start_block(inside)
        self.e.held.update(held)
        return True

    def _conditional(self, instance: Instance, address: int, i: Instruction, target: str) -> None:
        if any(not isinstance(o, Pred) for o in i.operands):
            raise Unsupported(i.form, address=i.address)
        self._enter(instance, address, i)
        self.e.raw(f"br label %{target}")

    def _branch(self, instance: Instance, address: int, i: Instruction) -> None:
        following = self._next(instance, address)
        if i.has("DIV"):
            self.e.write_back()
            self.e.raw(f"br label %{following}")
            return
        target = target_of(i)
        if target is None:
            raise Unsupported(i.form, address=i.address, why="branch to a register")
        condition = self._guard(i)
        for operand in i.operands:
            if isinstance(operand, Pred):
                p = self._predicate(operand)
                condition = p if condition is None else self.e.and_(condition, p)
        self.e.write_back()
        taken = instance.label(self.code.destination(address, target))
        if condition is None or condition.known == 1:
            self.e.raw(f"br label %{taken}")
        else:
            self.e.raw(f"br i1 {condition.text}, label %{taken}, label %{following}")

    def _indexed_branch(self, instance: Instance, address: int, i: Instruction) -> None:
        """BRX R, target: the printed target is where R = 0 goes; the rest the cubin lists."""
        base, target = i.operands[0], target_of_indexed(i)
        if not i.targets or not isinstance(base, Reg):
            raise Unsupported(i.form, address=i.address, why="its targets are not listed")
        self._enter(instance, address, i)
        offset = self.e.get_reg(base.index, base.uniform)
        place = self.e.add(offset, constant(target, 32))
        cases = [(t, instance.label(self.code.base_of(address) + t)) for t in sorted(set(i.targets))]
        self._switch(place, cases)

    def _switch(self, value: Value, cases: list[tuple[int, str]]) -> None:
        if value.known is not None:
            found = [label for number, label in cases if number == value.known]
            self.e.raw(f"br label %{found[0] if found else 'lost'}")
            return
        listed = " ".join(
            f"i{value.width} {constant(number, value.width).text}, label %{label}" for number, label in cases
        )
        self.e.raw(f"switch i{value.width} {value.text}, label %lost [ {listed} ]")

    # calls
    def _call(self, instance: Instance, address: int, i: Instruction) -> None:
        self._enter(instance, address, i)
        target = target_of(i)
        if target is not None and target.symbol in SYSTEM_CALLS and target.symbol not in self.code.bases:
            self._system(instance, address, target.symbol)
            return
        callees = self.functions[instance.function.entry].calls[address]
        if target is not None:
            self.e.raw(f"br label %{self._callee(instance, address, callees[0])}")
            return
        register = next(o for o in i.operands if isinstance(o, Reg))
        low = self.e.get_reg(register.index, register.uniform)
        place = low
        if i.has("ABS"):
            place = self.e.pair(low, self.e.get_reg(register.index + 1, register.uniform))
        self._indirect(instance, address, i, place, callees)

    def _indirect(
        self, instance: Instance, address: int, i: Instruction, place: Value, callees: tuple[int, ...]
    ) -> None:
        wanted = [c for c in SYSTEM_CALLS if any(r.symbol == c for r in self.kernel.kernel.bank4.values())]
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
        return self.layout.call(instance, entry, back, label).label(entry)

    def _system(self, instance: Instance, address: int, name: str) -> None:
        self.e.system_call(name)
        self.e.write_back()
        self.e.raw(f"br label %{self._next(instance, address)}")

    def _return(
        self, instance: Instance, address: int, i: Instruction, returns: list[tuple[Instance, str, str]]
    ) -> None:
        register = i.operands[0]
        if not isinstance(register, Reg) or register.uniform:
            raise Unsupported(i.form, address=i.address)
        if instance.function.entry == self.code.entry:
            raise Unsupported(i.form, address=i.address, why="a return from the kernel itself")
        self._enter(instance, address, i)
        place = self.e.get_reg(register.index, False)
        if not i.has("ABS"):  # sections lie below 4 GB, so the low word tells
            place = self.e.add(place, constant(self.code.base_of(address), 32))
        mark = f"; return {len(returns)}"
        self.e.raw(mark)
        returns.append((instance, mark, place.text))

    def _write_returns(self, returns: list[tuple[Instance, str, str]]) -> None:
        """Return sites are known only when every block is written."""
        marks = {mark: (instance, text) for instance, mark, text in returns}
        for at, line in enumerate(self.e.lines):
            if not line.startswith("  ; return "):
                continue
            instance, text = marks[line.strip()]
            listed = " ".join(f"i32 {constant(number, 32).text}, label %{label}" for number, label in instance.returns)
            self.e.lines[at] = f"  switch i32 {text}, label %lost [ {listed} ]"


def target_of_indexed(i: Instruction) -> int:
    """Where BRX goes for a zero register, in bytes from the start of the section."""
    found = next((o for o in i.operands if isinstance(o, Target)), None)
    if found is None:
        raise Unsupported(i.form, address=i.address)
    return found.address
