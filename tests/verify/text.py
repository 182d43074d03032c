"""Kernels from SASS text, for tests of control flow: `kernel(lines)`; labels are `name:` on a line of their own."""

from __future__ import annotations

import re
import struct
from collections.abc import Sequence

import numpy as np

from cass_shim.decode.operands import parse_operands
from cass_shim.model.artifacts import CubinKernel, SassKernel
from cass_shim.model.instruction import PT, Instruction, Pred
from cass_shim.model.kernel_abi import KernelAbi, Param
from cass_shim.verify import mufu
from cass_shim.verify.interpreter import Interpreter, Launch, Outcome
from cass_shim.verify.memory import Arena
from cass_shim.verify.program import prepare
from cass_shim.verify.state import Geometry

BASE = 0x7F00_0000_0000
_GUARD = re.compile(r"@(!?)P(\d|T)\s+(.*)")


def _word(operands: str) -> int:
    """A float immediate's bits, where the decoder looks for them."""
    for part in operands.split(","):
        if re.fullmatch(r"-?\d+\.\d+", part.strip()):
            return int(struct.unpack("<I", struct.pack("<f", float(part)))[0]) << 32
    return 0


def kernel(text: str, *, shared: int = 0, params: Sequence[int] = (8, 4), sm: int = 80) -> SassKernel:
    """params: sizes of the parameters, laid out by the C rules from c[0x0][0x160]."""
    lines = [line.strip() for line in text.strip().splitlines() if line.strip()]
    labels: dict[str, int] = {}
    code: list[str] = []
    for line in lines:
        if line.endswith(":"):
            labels[line[:-1]] = 16 * len(code)
        else:
            code.append(line)
    instructions = []
    for index, line in enumerate(code):
        guard = None
        if match := _GUARD.match(line):
            guard = Pred(PT if match[2] == "T" else int(match[2]), negate=bool(match[1]))
            line = match[3]
        opcode, _, operands = line.partition(" ")
        for name, address in labels.items():
            operands = re.sub(rf"\b{name}\b", f"{address:#x}", operands)
        mnemonic, *modifiers = opcode.split(".")
        parsed = parse_operands(mnemonic, tuple(modifiers), operands, _word(operands), 16 * index)
        instructions.append(Instruction(16 * index, mnemonic, tuple(modifiers), parsed, guard, text=line))
    described, end = [], 0
    for ordinal, size in enumerate(params):
        end = -(-end // size) * size
        described.append(Param(ordinal, end, size))
        end += size
    abi = KernelAbi(tuple(described), 0x160, end, 32, shared)
    return SassKernel(CubinKernel("test", sm, abi, bytes(16 * len(code)), token=0x1000), tuple(instructions))


def run(
    sass: SassKernel,
    *,
    block: int = 32,
    grid: int = 1,
    number: int = 0,
    data: np.ndarray | None = None,
    words: int = 256,
    policy: str = "lowest",
    seed: int = 1,
    max_steps: int = 20_000,
) -> tuple[np.ndarray, Outcome]:
    """Run with parameters (pointer to `words` u32, number): the words afterwards, and the outcome."""
    content = np.zeros(4 * words, np.uint8)
    if data is not None:
        content[: data.nbytes] = data.view(np.uint8)
    arena = Arena(BASE, content, np.ones(len(content), bool))
    launch = Launch(Geometry((grid, 1, 1), (block, 1, 1)), struct.pack("<QI", BASE, number))
    machine = Interpreter(
        prepare(sass, {}, b""),
        sass.abi,
        launch,
        arena,
        seed=seed,
        mufu=mufu.nearest,
        policy=policy,
        max_steps=max_steps,
    )
    outcome = machine.run()
    return outcome.arena.content.view(np.uint32).copy(), outcome
