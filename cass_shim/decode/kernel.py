"""One code section to instructions: printed rows, words, relocations and branch targets put together."""

from __future__ import annotations

import re
from dataclasses import replace

from cass_shim.decode.nvdisasm import Printed, disassemble, has_tool
from cass_shim.decode.operands import INSTRUCTION_BYTES, parse_operands
from cass_shim.decode.table import decode_words
from cass_shim.model.artifacts import Cubin, CubinKernel
from cass_shim.model.errors import Malformed, Unsupported
from cass_shim.model.instruction import PT, Const, Instruction, Mem, Operand, Pred, Relocation, Target

R_CUDA_ABS32_LO, R_CUDA_ABS32_HI, R_CUDA_ABS16_32, R_CUDA_UNUSED_CLEAR64 = 56, 57, 59, 73
CALL_RELOCATIONS = (58, 75, 114)  # ABS47_34, ABS55_16_34, ABS56_16_34: the target field of CALL.ABS
FIRST_SM_WITH_WIDE_MARK = 80
_EXTENDED = frozenset({"LDG", "LD", "STG", "ST", "ATOMG", "ATOM", "RED", "QSPC"})
_GUARD = re.compile(r"@(!?)(U?)P(\d|T)$")


def decode_code(kernel: CubinKernel, cubin: Cubin, decoder: str = "auto") -> tuple[Instruction, ...]:
    """Instructions in address order. decoder: "table" (ours), "nvdisasm", or "auto": ours, and nvdisasm where no
    row of ours describes some word and the tool is there. Raises Unsupported, Malformed, ToolFailed."""
    patches = {r.offset: r for r in kernel.relocations if r.kind != R_CUDA_UNUSED_CLEAR64}
    stray = [offset for offset in patches if offset % INSTRUCTION_BYTES or offset >= len(kernel.code)]
    if stray:
        raise Malformed("relocation inside an instruction", where=kernel.name, offset=stray[0])
    if not kernel.code or len(kernel.code) % INSTRUCTION_BYTES:
        raise Malformed(f"code of {len(kernel.code)} bytes", where=kernel.name)
    raw = _decode_words(kernel, decoder)
    return tuple(_complete(kernel, cubin, instruction, patches) for instruction in raw)


def _decode_words(kernel: CubinKernel, decoder: str) -> tuple[Instruction, ...]:
    if decoder != "nvdisasm":
        try:
            return decode_words(kernel.code, kernel.sm)
        except Unsupported:
            if decoder == "table" or not has_tool("nvdisasm"):
                raise
    rows = disassemble(kernel.code, kernel.sm)
    return tuple(_parse_row(kernel, row, INSTRUCTION_BYTES * n) for n, row in enumerate(rows))


def _parse_row(kernel: CubinKernel, row: Printed, address: int) -> Instruction:
    """One row of nvdisasm's output."""
    word = int.from_bytes(kernel.code[address : address + INSTRUCTION_BYTES], "little")
    mnemonic, *modifiers = row.opcode.split(".")
    operands = parse_operands(mnemonic, tuple(modifiers), row.operands, word, address)
    guard = _guard(row, address)
    return Instruction(address, mnemonic, tuple(modifiers), operands, guard, word, text=row.text)


def _complete(
    kernel: CubinKernel, cubin: Cubin, instruction: Instruction, patches: dict[int, Relocation]
) -> Instruction:
    """Add what the cubin says about an instruction: indirect targets and relocations."""
    address = instruction.address
    if kernel.sm < FIRST_SM_WITH_WIDE_MARK and instruction.has("E") and instruction.mnemonic in _EXTENDED:
        instruction = replace(instruction, operands=tuple(_widen(o) for o in instruction.operands))
    if address in kernel.targets:
        instruction = replace(instruction, targets=kernel.targets[address])
    if address in patches:
        instruction = _relocate(instruction, patches[address], cubin)
    _check_targets(instruction, len(kernel.code))
    return instruction


def _widen(operand: Operand) -> Operand:
    """An address of sm_75 that is a register pair: there only `.E` says so, later SMs print [R2.64]."""
    if isinstance(operand, Mem) and operand.base is not None and operand.uniform is None:
        return replace(operand, wide=True)
    return operand


def _guard(row: Printed, address: int) -> Pred | None:
    if not row.guard:
        return None
    match = _GUARD.match(row.guard)
    if not match:
        raise Unsupported(row.opcode, address=address, why=f"guard {row.guard} is not understood")
    return Pred(PT if match[3] == "T" else int(match[3]), bool(match[2]), bool(match[1]))


def _relocate(instruction: Instruction, patch: Relocation, cubin: Cubin) -> Instruction:
    """Attach a relocation; fields that only hold an offset within a bank are filled in here."""
    if patch.kind in (R_CUDA_ABS32_LO, R_CUDA_ABS32_HI):
        return replace(instruction, relocation=patch)
    if patch.kind in CALL_RELOCATIONS:
        operands = tuple(
            Target(patch.addend, patch.symbol) if isinstance(o, Target) else o for o in instruction.operands
        )
        return replace(instruction, operands=operands, relocation=patch)
    if patch.kind == R_CUDA_ABS16_32:
        variable = next((v for v in cubin.variables if v.name == patch.symbol), None)
        if variable is not None and cubin.images[variable.image].kind == "constant3":
            shift = variable.offset + patch.addend
            return replace(instruction, operands=tuple(_shift(o, shift) for o in instruction.operands))
    raise Unsupported(
        instruction.form, address=instruction.address, why=f"relocation {patch.kind} against {patch.symbol}"
    )


def _shift(operand: Operand, offset: int) -> Operand:
    return replace(operand, offset=operand.offset + offset) if isinstance(operand, Const) else operand


def _check_targets(instruction: Instruction, size: int) -> None:
    for operand in instruction.operands:
        if isinstance(operand, Target) and not operand.symbol and not 0 <= operand.address < size:
            raise Malformed(f"branch of {instruction.form} leaves the code", offset=instruction.address)
