"""A decoded kernel prepared for the reference interpreter: all its code as one array, and its constant banks.

In: SassKernel, where module variables lie in the run's memory. Out: `Program`. Code addresses are virtual: a
section's token plus the byte offset, which is what function pointers and return addresses hold.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from cass_shim.isa import shared_memory, texture_calls
from cass_shim.isa.spec import CONTROL, Effect, Meaning, lookup, warp_wide
from cass_shim.isa.uniform import own_moves
from cass_shim.model.artifacts import SassKernel
from cass_shim.model.errors import Unsupported
from cass_shim.model.instruction import Imm, Instruction
from cass_shim.model.kernel_abi import KernelAbi

R_CUDA_ABS32_LO, R_CUDA_ABS32_HI = 56, 57
SYSTEM_CALLS = ("vprintf", "malloc", "free", "__assertfail", "cudaGraphSetConditional", *texture_calls.NAMES)
SYSTEM_CALL_BASE = 0x7C00_0000_0000  # pretended addresses of the driver's functions, 16 apart
IGNORED = frozenset({"NOP", "YIELD", "NANOSLEEP", "DEPBAR", "LDGDEPBAR", "ERRBAR", "CGAERRBAR", "CCTL", "PREEXIT"})

YIELDS = frozenset({"YIELD", "NANOSLEEP"})


@dataclass(frozen=True, slots=True)
class Step:
    """One instruction. meaning: None for control flow and hints. parks: waits for the block (BAR).

    yields: a hint that the lanes wait for others.
    """

    instruction: Instruction
    base: int  # virtual address of its section
    meaning: Meaning | None
    control: bool
    parks: bool
    yields: bool = False


@dataclass
class Program:
    """steps: all sections, the kernel first; `starts` their first index, `bases` their virtual addresses."""

    name: str
    sm: int
    steps: list[Step]
    starts: list[int]
    bases: list[int]
    sizes: list[int]
    banks: dict[int, NDArray[np.uint8]]
    constants: int = 0  # generic address of bank 3
    tokens: dict[str, int] = field(default_factory=dict)  # function → virtual address
    unsupported: dict[int, Unsupported] = field(default_factory=dict)
    references: dict[int, int] = field(default_factory=dict)  # offset in bank 0 → address of the handle that it holds
    calls: bool = False  # whether anything is called, which needs room on the stack
    may_use_reserved: bool = False  # whether the code may read where shared memory's reserved KiB is

    def shared_room(self, abi: KernelAbi, dynamic: int) -> tuple[int, int, int]:
        """Bytes of a block's shared memory, the size that it reads of itself, and where the system's own part begins.

        dynamic: bytes that the launch asks for.
        """
        unit = shared_memory.total_unit(self.sm)
        own = shared_memory.own_bytes(self.sm, abi.shared_bytes) + dynamic
        total = -(-own // unit) * unit
        shared = abi.shared_bytes + dynamic
        if self.sm >= shared_memory.FIRST_SM:
            shared = max(shared, shared_memory.RESERVED_BYTES + dynamic)
        reserved_at = shared_memory.reserved_at(self.sm, shared)
        if self.may_use_reserved:
            shared = shared_memory.room(self.sm, shared)
        return shared, total, reserved_at

    def index_of(self, address: int) -> int:
        """Index of the step at a virtual address, or -1."""
        for start, base, size in zip(self.starts, self.bases, self.sizes, strict=True):
            if base <= address < base + 16 * size and address % 16 == base % 16:
                return start + (address - base) // 16
        return -1

    def address_of(self, index: int) -> int:
        """Virtual address of a step."""
        step = self.steps[index]
        return step.base + step.instruction.address

    def where(self, index: int) -> int:
        """Byte address of a step within its section, as printed."""
        return self.steps[index].instruction.address


class Preparation:
    """A kernel and its callees put together, once for all runs: only where variables lie differs between those."""

    def __init__(self, kernel: SassKernel) -> None:
        self.kernel = kernel
        self.steps: list[Step] = []
        self.starts: list[int] = []
        self.bases: list[int] = []
        self.sizes: list[int] = []
        self.problems: dict[int, Unsupported] = {}
        self.tokens = {name: callee.kernel.token for name, callee in kernel.callees.items()}
        self.tokens[kernel.name] = kernel.kernel.token
        self._relocated: list[tuple[int, Instruction, frozenset[int], int]] = []  # index, as it is, own moves, base
        self._last: tuple[Mapping[str, int], bytes, Program] | None = None
        for section in (kernel, *kernel.callees.values()):
            self._append(section)
        code = [step.instruction for step in self.steps]
        self._calls = any(instruction.mnemonic == "CALL" for instruction in code)
        self._may_use_reserved = shared_memory.may_use_reserved(kernel.sm, kernel.abi.params_base, code)

    def _append(self, section: SassKernel) -> None:
        base = section.kernel.token
        self.starts.append(len(self.steps))
        self.bases.append(base)
        self.sizes.append(len(section.instructions))
        own = own_moves(section.instructions, closed=section is self.kernel)
        for instruction in section.instructions:
            index = len(self.steps)
            if _is_relocated(instruction):
                self._relocated.append((index, instruction, own, base))
            step, problem = _step(warp_wide(instruction, own), base)
            if problem is not None:
                self.problems[index] = problem
            self.steps.append(step)

    def program(self, symbols: Mapping[str, int], bank3: bytes) -> Program:
        """The code of one run, or the last run's where that is the same.

        symbols: address of each module variable. An instruction nobody can interpret is Unsupported only when a
        lane reaches it. Raises Unsupported for an address that cannot be resolved.
        """
        if self._last is not None and self._last[0] == symbols and self._last[1] == bank3:
            return self._last[2]
        steps = list(self.steps)
        for index, instruction, own, base in self._relocated:
            steps[index], _ = _step(warp_wide(_patch(instruction, symbols, self.tokens), own), base)
        kernel = self.kernel
        program = Program(
            kernel.name, kernel.sm, steps, self.starts, self.bases, self.sizes, _banks(kernel, symbols, bank3),
            symbols.get(".nv.constant3", 0), self.tokens, self.problems,
            {at: resolve(name, symbols, {}) for at, name in kernel.kernel.references.items()}, self._calls,
            self._may_use_reserved,
        )  # fmt: skip
        self._last = dict(symbols), bank3, program
        return program


def prepare(kernel: SassKernel, symbols: Mapping[str, int], bank3: bytes) -> Program:
    """As `Preparation.program`, for one run."""
    return Preparation(kernel).program(symbols, bank3)


def _step(instruction: Instruction, base: int) -> tuple[Step, Unsupported | None]:
    if instruction.mnemonic in CONTROL:
        return Step(instruction, base, None, True, False), None
    if instruction.mnemonic in IGNORED:
        return Step(instruction, base, None, False, False, instruction.mnemonic in YIELDS), None
    try:
        spec = lookup(instruction)
    except Unsupported as error:
        return Step(instruction, base, None, False, False), error
    parks = spec.effect is Effect.BARRIER and instruction.mnemonic == "BAR" and not instruction.has("ARV")
    return Step(instruction, base, spec.meaning, False, parks), None


def resolve(symbol: str, symbols: Mapping[str, int], tokens: Mapping[str, int]) -> int:
    """The address a symbol stands for in this run."""
    if symbol in tokens:
        return tokens[symbol]
    if symbol in symbols:
        return symbols[symbol]
    if symbol in SYSTEM_CALLS:
        return SYSTEM_CALL_BASE + 16 * SYSTEM_CALLS.index(symbol)
    raise Unsupported(f"external symbol {symbol}", why="the reference interpreter does not know it")


def _is_relocated(instruction: Instruction) -> bool:
    """Whether half an address is put into the instruction."""
    relocation = instruction.relocation
    return relocation is not None and relocation.kind in (R_CUDA_ABS32_LO, R_CUDA_ABS32_HI)


def _patch(instruction: Instruction, symbols: Mapping[str, int], tokens: Mapping[str, int]) -> Instruction:
    relocation = instruction.relocation
    assert relocation is not None
    address = resolve(relocation.symbol, symbols, tokens) + relocation.addend
    bits = (address >> (32 if relocation.kind == R_CUDA_ABS32_HI else 0)) & 0xFFFF_FFFF
    operands = tuple(Imm(bits) if isinstance(o, Imm) else o for o in instruction.operands)
    return replace(instruction, operands=operands)


def _banks(kernel: SassKernel, symbols: Mapping[str, int], bank3: bytes) -> dict[int, NDArray[np.uint8]]:
    """Banks 2, 3, 4 ... as bytes, bank 4 filled with this run's addresses; padded so that words may be read."""
    banks = {number: bytearray(content) for number, content in kernel.kernel.constants.items()}
    for offset, relocation in kernel.kernel.bank4.items():
        try:
            address = resolve(relocation.symbol, symbols, {}) + relocation.addend
        except Unsupported:
            address = SYSTEM_CALL_BASE - 16  # calling it is the error, not having it in the table
        banks[4][offset : offset + 8] = (address & (2**64 - 1)).to_bytes(8, "little")
    banks[3] = bytearray(bank3)
    return {n: np.frombuffer(bytes(b) + bytes(-len(b) % 16), np.uint8) for n, b in banks.items()}
