"""What a kernel's code says about its launch: which parameters are addresses, what is loaded as what.

In: SassKernel. Out: `Survey`. Everything here is a guess that steers input generation and how long a launch may take; a
wrong guess costs coverage, or a right translation that was refused, never soundness.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

from cass_shim.isa.sass.atomic import result_registers
from cass_shim.isa.spec import Effect, specs
from cass_shim.model.artifacts import SassKernel
from cass_shim.model.instruction import RZ, Const, Imm, Instruction, Mem, Operand, Pred, Reg, Special, Target

Key = tuple[bool, int]  # (uniform, register)

_LOADS = frozenset({"LDG", "LD", "LDS", "LDL", "LDC", "ULDC", "LDCU", "LDGSTS"})
_STORES = frozenset({"STG", "ST", "STS", "STL", "RED", "REDG", "ATOMG", "ATOM", "ATOMS", "BAR", "BRA", "EXIT"})
_DOUBLE = frozenset({"DADD", "DMUL", "DFMA", "DSETP", "DMNMX", "DMMA"})
_HALF = frozenset({"HADD2", "HMUL2", "HFMA2", "HSETP2", "HSET2", "HMNMX2", "HMMA"})
_FLOAT_KINDS = ("f32", "f64", "f16", "bf16")
_MOVES = frozenset({"MOV", "UMOV", "IMAD.MOV.U32", "IMAD.MOV", "R2UR", "SEL", "MOV.64", "UMOV.64", "SEL.64"})
_SECOND_AXIS = frozenset({0x04, 0x10, 0x364, 0x374})  # of block and grid, in bank 0 (sass.md §2.5)
GRID_BARRIER = (
    (100, (0x254, 0x258)),
    (90, (0x44, 0x48)),
    (0, (0x8C, 0x90)),
)  # where bank 0 holds the address of the grid barrier's words, (high, low), from which SM on. Source: sass.md §2.5
_PRODUCTS = frozenset({"IMAD", "UIMAD", "IMUL", "XMAD"})
_PREDICATES = frozenset(
    {"ISETP", "UISETP", "FSETP", "UFSETP", "DSETP", "HSETP2", "PLOP3", "UPLOP3", "FCHK"}
)  # no register result
_COMPARES = frozenset({"ISETP", "UISETP", "IMNMX", "VIMNMX", "I2F", "I2FP"})
_SUMS = frozenset({"IADD3", "UIADD3", "IADD", "VIADD"})
STEPS = range(32, 4097)  # of an index: shorter ones the usual sizes meet
_ATOMICS = frozenset({"ATOMG", "ATOM", "ATOMS", "RED", "REDG"})
_SINGLE = ("F32", "F32x2", "F32x4", "F64")
_FLOATS = ("F16", "F32", "F64", "BF16", "TF32", "E4M3", "E5M2")  # modifiers of what computes in floats
_READERS = ("TEX", "TLD", "SULD", "MUFU", "DMMA", "HMMA", "F2", "D")
# What another processor may need many instructions or a loop for, and what waits for others.
_LONG = (
    "HMMA", "IMMA", "DMMA", "QMMA", "OMMA", "BMMA", "TEX", "TLD", "TXD", "TMML", "TXQ", "SU", "ATOM", "RED", "CALL",
    "SYNCS", "YIELD", "NANOSLEEP",
)  # fmt: skip
_EXCHANGES = frozenset({"SHFL", "REDUX", "CREDUX", "MATCH"})  # read other lanes, which a block of one has not
_GLOBAL = frozenset({"LDG", "LD", "STG", "ST", "RED", "REDG", "ATOMG", "ATOM", "LDGSTS"})


@dataclass
class Survey:
    """addresses: offsets (in the parameter block) of 64-bit words that may flow into a global address.

    scalars: offset → "f32", "f64", "f16" or "i32" by the instructions that read it. loads: byte address of each
    global load → kind of its elements. dimensions: highest thread or block dimension read (1 to 3).
    """

    addresses: set[int] = field(default_factory=set)
    scalars: dict[int, str] = field(default_factory=dict)
    loads: dict[int, str] = field(default_factory=dict)
    wide: set[int] = field(default_factory=set)  # offsets of 64-bit integers: their high half is read with a carry
    distances: set[int] = field(default_factory=set)  # words that are factors, or only ever added to another address
    pitched: bool = False  # 64-bit integers are distances between rows: multiples of what is loaded
    bounds: set[int] = field(default_factory=set)  # offsets, multiples of 8, of words that code compares with
    steps: set[int] = field(default_factory=set)  # what is added to 32-bit numbers, as to the index in an unrolled loop
    constant_kind: str = "i32"
    dimensions: int = 1
    many_blocks: bool = False  # it reads its block's index, so several blocks do different work
    shared: bool = False
    cross_lane: bool = False
    barriers: bool = False
    atomics: bool = False
    float_atomics: bool = False
    grid_sync: bool = False
    approximate: bool = False  # it uses MUFU
    float_sums: bool = False  # it adds floats atomically, in any order
    heap: bool = False  # it may call malloc or free
    exchanges: Counter[str] = field(default_factory=Counter)  # instructions that read other lanes
    floats: bool = False  # it computes in floats of some width, or reads textures: what it writes may be a NaN
    both_shared: bool = False  # it is to be tried with dynamic shared memory beside its static one
    whole_warps: bool = False  # only blocks of whole warps are to be tried
    brief: bool = True  # each instruction is a few of another processor, and no lane waits for another


def grid_barrier(sm: int) -> tuple[int, int]:
    """Offsets in bank 0 of the high and the low half of the address of the grid barrier's words."""
    return next(places for first, places in GRID_BARRIER if sm >= first)


def survey(kernel: SassKernel) -> Survey:
    """Read the code once, in address order."""
    code = [i for part in (kernel, *kernel.callees.values()) for i in part.instructions]
    reading, table, barrier = _Reading(kernel, code), specs(), grid_barrier(kernel.sm)
    found = reading.found
    for position, instruction in enumerate(code):
        _note_properties(found, instruction, barrier)
        spec = table.get(instruction.mnemonic)
        if spec is not None:
            found.cross_lane |= spec.effect is Effect.LANES
            found.barriers |= spec.effect is Effect.BARRIER
        reading.read(position, instruction)
    found.addresses -= reading.compared
    found.bounds = reading.compared
    bases = {word for words in reading.sums if len(words) == 1 for word in words}
    found.distances |= {word for words in reading.sums if words & bases for word in words - bases}
    called = [r.symbol for part in (kernel, *kernel.callees.values()) for r in part.kernel.bank4.values()]
    called += [i.relocation.symbol for i in code if i.relocation is not None]
    found.heap = "malloc" in called or "free" in called
    held = next((kind for kind, _ in reading.shared.most_common() if kind in _FLOAT_KINDS), "i32")
    found.loads = {at: held if kind == "shared" else kind for at, kind in found.loads.items()}
    return found


class _Reading:
    """What the parameters' words become while the code is read."""

    def __init__(self, kernel: SassKernel, code: list[Instruction]) -> None:
        self.code, self.base, self.size = code, kernel.abi.params_base, kernel.abi.params_bytes
        self.found = Survey()
        self.taint: dict[Key, frozenset[int]] = {}
        self.shared: Counter[str] = Counter()
        self.copies: dict[Key, int] = {}  # registers that hold a parameter word as it is
        self.sums: set[frozenset[int]] = set()  # the words that meet in an address
        self.compared: set[int] = set()  # words that are bounds: code compares with them, never with a base address

    def read(self, position: int, instruction: Instruction) -> None:
        """One instruction, those before it having been read."""
        found = self.found
        for operand in instruction.operands:
            _note_constant(found, instruction, operand, self.base, self.size, self.code, position)
        if instruction.relocation is not None and instruction.relocation.symbol == "cudaGraphSetConditional":
            found.addresses |= self.taint.get((False, 4), frozenset())  # the handle is the address of its word
        if instruction.mnemonic in _GLOBAL:
            self._access(position, instruction)
        if instruction.mnemonic in _COMPARES and not instruction.has("EQ", "NE"):  # those are tests for null
            self._compare(instruction)
        if instruction.mnemonic in ("LDS", "LDSM"):
            self.shared[loaded_kind(self.code, position)] += 1
        _propagate(self.taint, instruction, self.base, self.size)
        _note_copies(self.copies, instruction, self.base, self.size)

    def _access(self, position: int, instruction: Instruction) -> None:
        """The words in an address of global memory."""
        for operand in instruction.operands:
            if isinstance(operand, Mem):
                words = frozenset[int]().union(*(self.taint.get(key, frozenset()) for key in _mem_keys(operand)))
                self.found.addresses |= words
                self.sums.add(words)
        if instruction.mnemonic in _LOADS:
            self.found.loads[instruction.address] = loaded_kind(self.code, position)

    def _compare(self, instruction: Instruction) -> None:
        """The words that code compares with."""
        bounds = set(_parameter_words(instruction, self.base, self.size))
        keys = ((r.uniform, r.index) for r in _sources(instruction))
        bounds |= {self.copies[key] for key in keys if key in self.copies}
        self.compared |= bounds
        if instruction.has("S64", "U64"):
            self.found.wide |= bounds


def _note_properties(found: Survey, instruction: Instruction, barrier: tuple[int, int]) -> None:
    name = instruction.mnemonic
    found.shared |= name in ("LDS", "STS", "ATOMS", "LDSM")
    found.floats |= operand_kind(instruction) != "i32" or name.startswith(_READERS)
    found.floats |= any(part.startswith(_FLOATS) for part in instruction.modifiers)
    found.approximate |= name == "MUFU"
    found.brief &= not name.startswith(_LONG) and not any(part.startswith("STRONG") for part in instruction.modifiers)
    if name in _EXCHANGES:
        found.exchanges[name.removeprefix("C")] += 1
    found.float_sums |= name in _ATOMICS and instruction.has("ADD") and instruction.has(*_SINGLE)
    atomic = name in _ATOMICS
    found.atomics |= atomic
    found.float_atomics |= atomic and any(m.startswith(("F16", "F32", "F64", "BF16")) for m in instruction.modifiers)
    if name in _SUMS and not instruction.has("X") and not any(isinstance(o, Pred) for o in instruction.operands):
        found.steps |= {o.bits for o in instruction.operands if isinstance(o, Imm) and o.bits in STEPS}
    for operand in instruction.operands:
        if isinstance(operand, Special) and operand.name.endswith((".Y", ".Z")):
            found.dimensions = max(found.dimensions, 2 if operand.name.endswith("Y") else 3)
        found.many_blocks |= isinstance(operand, Special) and operand.name.startswith("SR_CTAID")
        if isinstance(operand, Const) and operand.bank == 0:
            if operand.offset in _SECOND_AXIS:
                found.dimensions = max(found.dimensions, 2)
            found.grid_sync |= operand.offset in barrier


def _note_constant(
    found: Survey, instruction: Instruction, operand: Operand, base: int, size: int, code: list[Instruction], at: int
) -> None:
    if not isinstance(operand, Const) or operand.index is not None:
        return
    kind = operand_kind(instruction)
    if kind == "i32" and (instruction.form in _MOVES or instruction.mnemonic in _LOADS):
        kind = loaded_kind(code, at)
    if operand.bank == 3 and kind != "i32":
        found.constant_kind = kind
    if operand.bank == 0 and base <= operand.offset < base + size:
        offset = operand.offset - base
        factor = instruction.mnemonic in _PRODUCTS and instruction.form not in _MOVES
        if factor and operand in instruction.operands[1:3]:
            found.distances.add(offset & ~7)
        if instruction.has("EX", "X"):
            found.wide.add(offset & ~7)
        if found.scalars.get(offset, "i32") == "i32":
            found.scalars[offset] = kind


def operand_kind(instruction: Instruction) -> str:
    """The kind of number an instruction works on."""
    name = instruction.mnemonic
    if name in _DOUBLE or (name in ("F2F", "F2I", "FRND") and "F64" in instruction.modifiers[-1:]):
        return "f64"
    if name in _HALF:
        return "bf16" if any(m.startswith("BF16") for m in instruction.modifiers) else "f16"
    if (name.startswith("F") and name not in ("FLO", "FENCE")) or name == "MUFU":
        return "f32"
    return "i32"


def loaded_kind(code: list[Instruction], position: int) -> str:
    """How the register that `code[position]` writes is used first, following the code in address order.

    "ptr": as an address; "shared": only stored to shared memory; otherwise the element's kind.
    """
    load = code[position]
    narrow = "i8" if load.has("U8", "S8") else "i16" if load.has("U16", "S16") else ""
    if narrow == "i8":
        return narrow
    first = next((o for o in load.operands if isinstance(o, Reg)), None)
    if first is None or first.index == RZ:
        return "shared" if load.mnemonic == "LDGSTS" else "i32"
    width = 4 if load.has("128") else 2 if load.has("64") else 1
    names = {(first.uniform, first.index + part) for part in range(width)}
    fallback = narrow or "i32"
    for user in code[position + 1 : position + 200]:
        if any((o.uniform, o.index) in names for o in _sources(user)):
            if load.has("64") and _is_address_of(user, (first.uniform, first.index)):
                return "ptr"
            if load.has("64") and user.mnemonic == "ISETP" and user.has("EQ", "NE"):
                continue  # a test for null
            if user.form in _MOVES or user.mnemonic == "PRMT":
                names |= _destinations(user)
                continue
            kind = _narrowed(operand_kind(user), user, narrow)
            if kind in ("f32", "f64", "f16", "bf16"):
                return kind
            if user.mnemonic == "STS":
                fallback = "shared"
            elif user.mnemonic not in ("SHFL", "STG", "STL", "I2F"):
                return fallback
        names -= _destinations(user) if user.guard is None and user.form not in _MOVES else set()
        if not names:
            break
    return fallback


def _narrowed(kind: str, user: Instruction, narrow: str) -> str:
    """A 16-bit element that a conversion reads is a half."""
    if narrow and kind == "f32" and any(m.startswith("F16") for m in user.modifiers):
        return "f16"
    return "i16" if narrow and kind not in ("f16", "bf16") else kind


def _is_address_of(user: Instruction, key: Key) -> bool:
    return user.mnemonic in _GLOBAL and any(isinstance(o, Mem) and key in set(_mem_keys(o)) for o in user.operands)


def _sources(instruction: Instruction) -> Iterator[Reg]:
    skip = 0 if instruction.mnemonic in _STORES or instruction.mnemonic in _PREDICATES else 1
    seen = 0
    for operand in instruction.operands:
        if isinstance(operand, Reg):
            seen += 1
            if seen > skip:
                yield operand
        elif isinstance(operand, Mem):
            for key in _mem_keys(operand):
                yield Reg(key[1], key[0])


def _destinations(instruction: Instruction) -> set[Key]:
    if instruction.mnemonic in _PREDICATES:
        return set()
    if instruction.mnemonic in _STORES and instruction.mnemonic not in ("ATOMG", "ATOM", "ATOMS"):
        return set()
    first = next((o for o in instruction.operands if isinstance(o, Reg)), None)
    if first is None or first.index == RZ:
        return set()
    if instruction.mnemonic in _ATOMICS:
        count = result_registers(instruction)
    else:
        count = 4 if instruction.has("128") else 2 if _writes_pair(instruction) else 1
    return {(first.uniform, first.index + part) for part in range(count)}


def _writes_pair(instruction: Instruction) -> bool:
    return instruction.has("64", "S64", "U64", "WIDE") or instruction.mnemonic in (*_DOUBLE, "CS2R")


def _mem_keys(operand: Mem) -> Iterator[Key]:
    if operand.base is not None and operand.base.index != RZ:
        yield (False, operand.base.index)
        yield (False, operand.base.index + 1)
    if operand.uniform is not None and operand.uniform.index != RZ:
        yield (True, operand.uniform.index)
        yield (True, operand.uniform.index + 1)


def _note_copies(copies: dict[Key, int], instruction: Instruction, base: int, size: int) -> None:
    """Follow loads of parameter words into registers, and moves between registers."""
    words = list(_parameter_words(instruction, base, size))
    sources = [(r.uniform, r.index) for r in _sources(instruction)]
    moved = next((copies[key] for key in sources if key in copies), None)
    for key in _destinations(instruction):
        copies.pop(key, None)
        if instruction.mnemonic in ("ULDC", "LDC", "LDCU") or instruction.form in _MOVES:
            word = words[0] if len(words) == 1 else moved if not words else None
            if word is not None:
                copies[key] = word


def _parameter_words(instruction: Instruction, base: int, size: int) -> Iterator[int]:
    for operand in instruction.operands:
        if isinstance(operand, Const) and operand.bank == 0 and base <= operand.offset < base + size:
            yield (operand.offset - base) & ~7


def _propagate(taint: dict[Key, frozenset[int]], instruction: Instruction, base: int, size: int) -> None:
    """Parameter words that reach the destination: of the operands, whether read as 32 or 64 bits."""
    carried: set[int] = set()
    if instruction.mnemonic not in ("LDG", "LD", "LDS", "LDL", "S2R", "S2UR"):
        carried |= set(_parameter_words(instruction, base, size))
        for source in _sources(instruction):
            carried |= taint.get((source.uniform, source.index), frozenset())
            if instruction.has("WIDE", "64", "HI"):
                carried |= taint.get((source.uniform, source.index + 1), frozenset())
    for key in _destinations(instruction):
        taint[key] = frozenset(carried) | (taint.get(key, frozenset()) if instruction.guard else frozenset())


def immediates(kernel: SassKernel) -> set[int]:
    """Integers that the code compares with, for boundary values of scalars."""
    found = set()
    for instruction in kernel.instructions:
        if instruction.mnemonic in ("ISETP", "UISETP"):
            found |= {o.bits for o in instruction.operands if isinstance(o, Imm) and o.bits < 4096}
    return found


def is_padding(instruction: Instruction) -> bool:
    """What ptxas puts behind the last instruction: a branch to itself, then NOPs."""
    itself = Target(instruction.address)
    return instruction.mnemonic == "NOP" or (instruction.mnemonic == "BRA" and itself in instruction.operands)


def uncovered(sass: SassKernel, executed: np.ndarray) -> list[list[int]]:
    """`runs` of the kernel's own instructions that no agreed input reached."""
    return runs(
        instruction.address
        for number, instruction in enumerate(sass.instructions)
        if not (is_padding(instruction) or (len(executed) and executed[number]))
    )


def runs(addresses: Iterable[int]) -> list[list[int]]:
    """Byte addresses [first, last] of the runs of instructions that follow each other; the addresses ascend."""
    found: list[list[int]] = []
    for address in addresses:
        if found and found[-1][1] == address - 16:
            found[-1][1] = address
        else:
            found.append([address, address])
    return found


def prints(sass: SassKernel) -> bool:
    """Whether the kernel can print: then records were compared even where no memory was."""
    named = [r.symbol for r in sass.kernel.bank4.values()]
    return "vprintf" in named or any(i.relocation and i.relocation.symbol == "vprintf" for i in sass.instructions)
