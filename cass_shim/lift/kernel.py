"""Lifts one kernel: SASS to the text of an LLVM module for amdgcn.

In: a decoded `SassKernel`. Out: `LlvmModule` with its binding-table slots. Pure; raises Unsupported with the
kernel's name and the instruction's address.
"""

from __future__ import annotations

from dataclasses import dataclass

from cass_shim.isa import quads, shared_memory
from cass_shim.isa.spec import CONTROL
from cass_shim.lift.barriers import BARRIERS_OFFSET, FRONT_BYTES
from cass_shim.lift.calls import Calls
from cass_shim.lift.code import STEP, Code, Function, find_functions, never, restrict, target_of
from cass_shim.lift.contexts import number_calls
from cass_shim.lift.emitter import SYSTEM_CALLS, LlvmEmitter
from cass_shim.lift.exclusive import meet_others, split_at_regions
from cass_shim.lift.flow import Flow
from cass_shim.lift.helpers import Shortcut, find_shortcut
from cass_shim.lift.independent import Independent
from cass_shim.lift.layout import Instance, Layout, choose_once
from cass_shim.lift.lines import with_lines
from cass_shim.lift.meetings import split_at_meetings
from cass_shim.lift.modes import flushes_f32
from cass_shim.lift.module import module_text
from cass_shim.lift.waiting import lanes_wait
from cass_shim.model.artifacts import LlvmModule, SassKernel
from cass_shim.model.errors import Unsupported
from cass_shim.model.instruction import Imm, Instruction

_DEFAULT_STACK = 4096  # bytes a thread for code whose stack depth ptxas cannot know: recursion, indirect calls
_CLEAR = "clear"
_NO_OPERATION = frozenset({"BSSY", "BSYNC", "BREAK", "BMOV"})


@dataclass
class PartEmitter(LlvmEmitter):
    """For parts of a kernel, which run in one mode: denormals are kept, and what flushes says so itself."""

    def __post_init__(self) -> None:
        self.flush_f32 = False


def lift_kernel(kernel: SassKernel, *, lines: bool = False, emitting: type[LlvmEmitter] = LlvmEmitter) -> LlvmModule:
    """The kernel as LLVM IR. lines: with every instruction's address as a debug line. Raises Unsupported."""
    try:
        code = Code.of(kernel, frozenset(SYSTEM_CALLS))
        functions = find_functions(code)
        regions = split_at_regions(code, functions)
        if regions:
            functions = find_functions(code)
        apart = lanes_wait(code, functions) or (regions and meet_others(code, functions))
        if apart:
            split_at_meetings(code)
            functions = find_functions(code)
        shortcuts = _find_shortcuts(code, functions)
        shared, called = choose_once(functions, code.entry, apart)
        layout = Layout(functions, code.entry, shared, called, number_calls(functions, code.entry, shared))
        emitter = _emitter(kernel, code, functions, emitting)
        flow = Independent(emitter) if apart else Flow(emitter)
        lifter = _Lifter(code, emitter, functions, layout, shortcuts, flow)
        lifter.marks = lines
        return with_lines(lifter.run(), code.place_of) if lines else lifter.run()
    except Unsupported as error:
        if error.kernel:
            raise
        raise Unsupported(error.feature, kernel=kernel.name, address=error.address, why=error.why) from None


def _find_shortcuts(code: Code, functions: dict[int, Function]) -> dict[int, Shortcut]:
    found = {}
    for entry, function in functions.items():
        shortcut = find_shortcut(code, function) if not function.recursive else None
        if shortcut is not None:
            restrict(code, function, [shortcut.tail])
            found[entry] = shortcut
    return found


def _emitter(
    kernel: SassKernel, code: Code, functions: dict[int, Function], emitting: type[LlvmEmitter]
) -> LlvmEmitter:
    live = [i for f in functions.values() for start in f.blocks for _, i in code.block(start)]
    sites = [(at, callees) for f in functions.values() for at, callees in f.calls.items()]
    indirect = any(callees and target_of(code.instructions[at]) is None for at, callees in sites)
    deep = indirect or any(f.recursive for f in functions.values())
    frame = kernel.abi.local_bytes + (_DEFAULT_STACK if deep else 0)
    return emitting(
        flush_f32=flushes_f32(live),
        sm=kernel.sm,
        kernel=kernel.kernel,
        frame_bytes=(frame + 15) & ~15,
        shared_shift=_shared_shift(kernel, live),
        least_shared=FRONT_BYTES if any(_counts(i) or i.has("RED") for i in live if i.mnemonic == "BAR") else 0,
        spilled=kernel.abi.spilled,
    )


def _counts(i: Instruction) -> bool:
    """Whether a barrier needs counters: any but the plain one of the whole block."""
    plain = bool(i.operands) and i.operands[0] == Imm(0)
    return i.mnemonic == "BAR" and not i.has("RED") and not (plain and len(i.operands) == 1)


def _shared_shift(kernel: SassKernel, live: list[Instruction]) -> int:
    """Bytes in front of shared memory for barriers; where the system's KiB is in front they lie in that.

    Raises Unsupported where barrier 0 is used both ways.
    """
    barriers = [i for i in live if i.mnemonic == "BAR"]
    counted = [i for i in barriers if _counts(i)]
    mixed = [i for i in counted if len(i.operands) > 1 and not (isinstance(i.operands[0], Imm) and i.operands[0].bits)]
    if mixed:
        raise Unsupported(mixed[0].form, address=mixed[0].address, why="a count for barrier 0, or for any barrier")
    if kernel.sm >= shared_memory.FIRST_SM or not (counted or any(i.has("RED") for i in barriers)):
        return 0
    return FRONT_BYTES if counted else BARRIERS_OFFSET


class _Lifter(Calls):
    """Walks the instances of a kernel's functions and writes their blocks."""

    def __init__(
        self,
        code: Code,
        emitter: LlvmEmitter,
        functions: dict[int, Function],
        layout: Layout,
        shortcuts: dict[int, Shortcut],
        flow: Flow,
    ) -> None:
        super().__init__(code, emitter, functions, layout)
        self.shortcuts = shortcuts
        self.flow = flow

    def run(self) -> LlvmModule:
        root = self.layout.root()
        first = self.flow.begin(root.label(self.code.entry))
        if any(_counts(i) for f in self.functions.values() for b in f.blocks for _, i in self.code.block(b)):
            self.e.start(_CLEAR)
            self.e.clear_barriers()
            self.e.raw(f"br label %{first}")
            first = _CLEAR
        try:
            self._instances()
        except Unsupported as error:
            if error.address is None:
                raise Unsupported(self._form(error), address=self._offset(), why=error.why or error.feature) from None
            raise
        self.flow.finish()
        return module_text(self.e, first)

    def _instances(self) -> None:
        while self.layout.waiting:
            instance = self.layout.waiting.pop()
            for start in sorted(instance.function.blocks):
                self._block(instance, start)
        self._write_returns()
        self.e.lines += self.sites

    def _form(self, error: Unsupported) -> str:
        i = self.code.instructions.get(self.address)
        return i.form if i is not None else error.feature

    def _take_shortcut(self, instance: Instance, shortcut: Shortcut) -> None:
        """The entry block of a known helper: what it saves, its result, and on to where its paths join."""
        for address in shortcut.prologue:
            self._at(address)
            self._straight(self.code.instructions[address])
        self.e.settle()
        sources = [self.e.get_reg(index, False) for index in shortcut.sources]
        self.e.set_reg(shortcut.target, False, self.e.exact32(shortcut.operation, sources))
        self.e.write_back()
        self.flow.goto(instance.label(shortcut.tail))

    def _in_quads(self, start: int, address: int) -> int:
        """Write a region in which whole quads run; the address behind it."""
        self.e.settle()
        region = quads.region([i for at, i in self.code.block(start) if at >= address])
        quads.run(self.e, region)
        return address + STEP * len(region)

    def _block(self, instance: Instance, start: int) -> None:
        self.e.start_block(instance.label(start))
        around = (r for r in self.regions.values() if start in r.blocks)
        self.exclusive = min(around, key=lambda r: len(r.blocks), default=None)
        shortcut = self.shortcuts.get(start)
        if shortcut is not None:
            self._take_shortcut(instance, shortcut)
            return
        address = behind = start
        for address, i in self.code.block(start):
            if address < behind:
                continue
            self._at(address)
            if never(i):
                continue
            if quads.begins(i):
                behind = self._in_quads(start, address)
            elif self._waits(i):
                if self._meet(instance, address, i):
                    return
            elif i.mnemonic in CONTROL and i.mnemonic not in _NO_OPERATION:
                self.e.settle()
                if self._control(instance, address, i):
                    return
            elif i.mnemonic not in _NO_OPERATION:
                self._straight(i)
                self._note_yield(i)
            elif i.mnemonic == "BSYNC":
                self.e.settle()  # LLVM reconverges there anyway
            elif quads.touches_state(i) and not quads.notes_lanes(i):
                raise Unsupported(i.form, address=i.address, why="state of the warp")
        self.e.write_back()
        self.flow.goto(self._next(instance, address))
