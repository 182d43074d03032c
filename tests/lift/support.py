"""SASS kernels from a few lines of text, and running them on the emulated device."""

from __future__ import annotations

import contextlib
import shutil
import struct
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest

from cass_shim.assemble.llvm import assemble_llvm
from cass_shim.decode import decode_kernel
from cass_shim.decode.operands import parse_operands
from cass_shim.device import Device
from cass_shim.extract.cubin import read_cubin
from cass_shim.lift import lift_kernel
from cass_shim.model.artifacts import CubinKernel, SassKernel
from cass_shim.model.errors import ToolFailed
from cass_shim.model.instruction import PT, Instruction, Pred, Relocation
from cass_shim.model.kernel_abi import KernelAbi, Param
from cass_shim.native.locate import emulated_hip

STEP = 16
PARAMETERS = {75: 0x160, 80: 0x160, 90: 0x210, 120: 0x380}  # where they begin in bank 0


def instructions(text: str) -> tuple[Instruction, ...]:
    """One instruction a line; `name:` lines are labels, usable as the last operand of a branch."""
    lines = [line.strip() for line in text.strip().splitlines() if line.strip()]
    labels: dict[str, int] = {}
    kept: list[str] = []
    for line in lines:
        if line.endswith(":"):
            labels[line[:-1]] = STEP * len(kept)
        else:
            kept.append(line)
    found = []
    for number, line in enumerate(kept):
        for name, address in labels.items():
            line = line.replace(f"={name}", hex(address))
        found.append(_instruction(line, STEP * number))
    return tuple(found)


def _instruction(line: str, address: int) -> Instruction:
    guard = None
    if line.startswith("@"):
        mark, line = line.split(" ", 1)
        name = mark.lstrip("@!")
        number = PT if name == "PT" else int(name.removeprefix("U")[1:])
        guard = Pred(number, uniform=name[0] == "U", negate="!" in mark)
    opcode, _, operands = line.partition(" ")
    mnemonic, *modifiers = opcode.split(".")
    parsed = parse_operands(mnemonic, tuple(modifiers), operands.replace(", ", ","), 0, address)
    return Instruction(address, mnemonic, tuple(modifiers), parsed, guard, text=line)


def kernel(
    text: str,
    sm: int = 80,
    params: Sequence[int] = (8, 8, 4),
    symbols: Mapping[str, int] | None = None,
    constants: Mapping[int, bytes] | None = None,
    bank4: Mapping[int, str] | None = None,
    callees: Mapping[str, SassKernel] | None = None,
    shared_bytes: int = 0,
    local_bytes: int = 0,
) -> SassKernel:
    """A kernel called k: out pointer, in pointer, count, unless `params` (sizes) says otherwise."""
    code = instructions(text)
    offset, listed = 0, []
    for ordinal, size in enumerate(params):
        offset = -(-offset // size) * size
        listed.append(Param(ordinal, offset, size))
        offset += size
    base = PARAMETERS[sm]
    abi = KernelAbi(tuple(listed), base, offset, 32, shared_bytes, local_bytes)
    relocations = {at: Relocation(at, 2, symbol) for at, symbol in (bank4 or {}).items()}
    cubin = CubinKernel(
        "k", sm, abi, bytes(STEP * len(code)), dict(symbols or {"k": 0}), dict(constants or {}), relocations
    )
    return SassKernel(cubin, code, "text", dict(callees or {}))


@contextlib.contextmanager
def emulated() -> Iterator[Device]:
    """The emulated device, reset behind: a trap is an error that stays. Skips where it is not built."""
    try:
        emulated_hip()
    except ToolFailed as missing:
        pytest.skip(str(missing))
    device = Device.open("emulated")
    try:
        yield device
    finally:
        device.reset()


def run(
    sass: SassKernel,
    given: np.ndarray,
    out_words: int,
    grid: Sequence[int] = (1,),
    block: Sequence[int] = (32,),
    slots: Sequence[int] = (),
) -> np.ndarray:
    """Launch over (out, in, count); the out buffer as u32."""
    code = assemble_llvm(lift_kernel(sass), sass.abi)
    with emulated() as device:
        module = device.load(code.elf)
        out = device.buffer(np.zeros(out_words, np.uint32))
        source = device.buffer(np.ascontiguousarray(given))
        table = device.buffer(np.array([*slots, 0], np.uint64))
        kernarg = bytearray(code.bindings_offset + 8)
        struct.pack_into("<QQI", kernarg, 0, out.address, source.address, len(given))
        struct.pack_into("<Q", kernarg, code.bindings_offset, table.address)
        module.function("k").launch(grid, block, bytes(kernarg))
        device.synchronize()
        return np.asarray(out.read())


def built(name: str, options: list[str], folder: Path) -> dict[str, SassKernel]:
    """The kernels of a source file beside this one, compiled by nvcc; skips where there is none."""
    if shutil.which("nvcc") is None or shutil.which("gcc") is None:
        pytest.skip("needs nvcc and gcc")
    source, target = Path(__file__).with_name(name), folder / "built.cubin"
    subprocess.run(["nvcc", *options, "-cubin", "-w", "-o", str(target), str(source)], check=True, timeout=120)
    cubin = read_cubin(target.read_bytes())
    return {name: decode_kernel(one, cubin) for name, one in cubin.kernels.items()}


# R0 = global thread, R2:R3 = &out[R0], R4:R5 = &in[R0]
HEAD = """
    MOV R1, c[0x0][0x28]
    S2R R0, SR_TID.X
    S2R R6, SR_CTAID.X
    IMAD R0, R6, c[0x0][0x0], R0
    MOV R7, 0x4
    IMAD.WIDE R2, R0, R7, c[0x0][0x160]
    IMAD.WIDE R4, R0, R7, c[0x0][0x168]
"""
WORDS = np.arange(32, dtype=np.uint32) * 7 + 3
NAMED = (
    HEAD
    + """
    ISETP.GE.U32.AND P0, PT, R0, 0x20, PT
    @P0 BRA =producer
    BAR.SYNC 0x1, 0x40
    IMAD R8, R0, 0x4, RZ
    LDS R8, [R8]
    STG.E [R2.64], R8
    BAR.ARV 0x2, 0x40
    EXIT
    producer:
    IADD3 R9, R0, -0x20, RZ
    IMAD R9, R9, 0x4, RZ
    IMAD R8, R0, 0x3, RZ
    STS [R9], R8
    BAR.ARV 0x1, 0x40
    BAR.SYNC 0x2, 0x40
    STG.E [R2.64], R9
    EXIT
    """
)
LOCK = (
    HEAD
    + """
    MOV R4, c[0x0][0x168]
    MOV R5, c[0x0][0x16c]
    again:
    MOV R8, RZ
    MOV R9, 0x1
    YIELD
    ATOMG.E.CAS.STRONG.GPU PT, R10, [R4], R8, R9
    BSSY B0, =end
    ISETP.NE.AND P0, PT, R10, RZ, PT
    ISETP.NE.AND P1, PT, R10, RZ, PT
    @P0 BRA =joined
    {critical}
    joined:
    BSYNC B0
    end:
    @P1 BRA =again
    {after}
    EXIT
    """
)
CRITICAL = """
    LDG.E.STRONG.SYS R11, [R4.64+0x4]
    IADD3 R11, R11, 0x1, RZ
    STG.E.STRONG.SYS [R4.64+0x4], R11
    STG.E [R2.64], R11
    MEMBAR.SC.GPU
    ATOMG.E.EXCH.STRONG.GPU PT, RZ, [R4.64], RZ
"""
