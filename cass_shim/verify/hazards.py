"""Hazards of gfx1100 that its hardware does not resolve and that assemblers leave to whoever writes the text.

In: the instructions of a kernel. Out: nothing, or `Rejected` naming the instruction and what it needs. LLVM's code
generation inserts what is needed (GCNHazardRecognizer, SIInsertWaitcnts; features of gfx1100 in AMDGPU.td), its
assembler does not, so this is about code that a language model wrote. In waves of 32 there are five:

- the result of a transcendental instruction read by a vector instruction with less than six vector instructions or
  two transcendental ones between, and no s_waitcnt_depctr with va_vdst of 0 nor an access of memory or LDS, which waits
  for all of them;
- a matrix product whose A or B is the result of the matrix product right before it;
- v_permlane right behind a v_cmpx, in both cases without another vector instruction between;
- v_mad_u64_u32 and v_mad_i64_i32 that write a register which they multiply;
- s_sendmsg that gives registers back, without an s_nop before it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from cass_shim.isa.rdna3.transcendental import TRANSCENDENTALS_BETWEEN, VECTORS_BETWEEN, WAIT, is_transcendental
from cass_shim.model.errors import Rejected
from cass_shim.verify.gfx11 import Decoded, names, row_of
from cass_shim.verify.waits import VECTOR, VGPR, followers, vector_registers

MEMORY = ("DS", "FLAT", "GLOBAL", "SCRATCH", "MUBUF", "MTBUF", "MIMG", "EXP")
MATRIX, PERMUTES, WIDE_PRODUCTS = "v_wmma_", "v_permlane", ("v_mad_u64_u32", "v_mad_i64_i32")
_DEPCTR, _SENDMSG, _NOP = 8, 54, 0  # SOPP
_DEALLOC_VGPRS = 3
_CMPX = 0x80  # of a comparison's opcode

Age = tuple[int, int, int]  # vector and transcendental instructions since a transcendental one, offset of its own
Recent = dict[int, frozenset[Age]]  # register → one on each path that wrote it so


@dataclass
class Before:
    """What may have gone before an instruction, on some path."""

    results: Recent = field(default_factory=dict)  # of transcendental instructions
    matrix: frozenset[int] = frozenset()  # what the last vector instruction wrote, where it was a matrix product
    compared: bool = False  # the last vector instruction was a v_cmpx

    def copy(self) -> Before:
        return Before(dict(self.results), self.matrix, self.compared)

    def join(self, other: Before) -> bool:
        """Add another path; whether anything is new."""
        before = (dict(self.results), self.matrix, self.compared)
        for register, ages in other.results.items():
            self.results[register] = self.results.get(register, frozenset()) | ages
        self.matrix |= other.matrix
        self.compared |= other.compared
        return before != (self.results, self.matrix, self.compared)


def check_hazards(kernel: str, instructions: list[Decoded]) -> None:
    """Follow every path. Raises Rejected."""
    at = {d.offset: n for n, d in enumerate(instructions)}
    entering: list[Before | None] = [None] * len(instructions)
    entering[0] = Before()
    work = [0]
    while work:
        index = work.pop()
        state = (entering[index] or Before()).copy()
        previous = instructions[index - 1] if index else None
        _step(kernel, instructions[index], previous, state)
        for follower in followers(instructions[index], index, at):
            if follower >= len(instructions):
                continue
            known = entering[follower]
            if known is None:
                entering[follower] = state.copy()
                work.append(follower)
            elif known.join(state):
                work.append(follower)


def _step(kernel: str, instruction: Decoded, previous: Decoded | None, state: Before) -> None:
    if instruction.encoding == "SOPP":
        low = instruction.words[0] & 0xFFFF
        if instruction.opcode == _DEPCTR and not low >> 12:
            state.results.clear()
        if instruction.opcode == _SENDMSG and low == _DEALLOC_VGPRS and not _is_nop(previous):
            raise Rejected(f"s_sendmsg at {instruction.offset:#x} without an s_nop before it", kernel=kernel)
        return
    if instruction.encoding in MEMORY:
        state.results.clear()
    row = row_of(instruction)
    if instruction.encoding not in VECTOR or row is None:
        return
    sources, written = vector_registers(instruction, row)
    read = {*sources, *(written if "fmac" in row.name or "acc" in row.name else ())}
    where = f"{row.name} at {instruction.offset:#x}"
    for register in sorted(read & state.results.keys()):
        raise Rejected(
            f"{where} reads v{register - VGPR} too soon behind the transcendental instruction at "
            f"{min(state.results[register])[2]:#x}, without s_waitcnt_depctr {WAIT:#x}",
            kernel=kernel,
        )
    if row.name.startswith(MATRIX) and state.matrix & set(sources[:-8] or sources):
        raise Rejected(f"{where} takes the result of the matrix product before it, without v_nop", kernel=kernel)
    if row.name.startswith(PERMUTES) and state.compared:
        raise Rejected(f"{where} behind v_cmpx, without another vector instruction", kernel=kernel)
    if row.name in WIDE_PRODUCTS and _factors(instruction) & set(written):
        raise Rejected(f"{where} writes a register that it multiplies", kernel=kernel)
    _passed(instruction, row.name, written, state)


def _factors(instruction: Decoded) -> set[int]:
    """The registers that a product multiplies; of what it adds LLVM overlaps the half that says nothing."""
    high = instruction.words[1]
    return {source for source in (high & 0x1FF, high >> 9 & 0x1FF) if source >= VGPR}


def _passed(instruction: Decoded, name: str, written: list[int], state: Before) -> None:
    """A vector instruction went by."""
    slow = is_transcendental(name)
    aged = {r: frozenset(_older(ages, slow)) for r, ages in state.results.items()}
    state.results = {register: ages for register, ages in aged.items() if ages}
    if slow:
        state.results.update(dict.fromkeys(written, frozenset({(0, 0, instruction.offset)})))
    state.matrix = frozenset(written) if name.startswith(MATRIX) else frozenset()
    compares = instruction.encoding == "VOPC" or (instruction.encoding == "VOP3" and instruction.opcode < 0x100)
    state.compared = compares and bool(instruction.opcode & _CMPX)


def _older(ages: frozenset[Age], slow: bool) -> Iterator[Age]:
    """Those that still count when another vector instruction has gone by. slow: a transcendental one."""
    for vectors, others, offset in ages:
        if vectors < VECTORS_BETWEEN and others + slow <= TRANSCENDENTALS_BETWEEN:
            yield vectors + 1, others + slow, offset


def _is_nop(instruction: Decoded | None) -> bool:
    return instruction is not None and names().get((instruction.encoding, instruction.opcode)) == "s_nop"
