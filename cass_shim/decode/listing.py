"""A kernel as `cuobjdump -sass` lists it: addresses, instructions, encodings, without any NVIDIA tool."""

from __future__ import annotations

from cass_shim.model.artifacts import SassKernel
from cass_shim.model.instruction import Instruction, Target

TEXT_COLUMN = 35  # where opcodes begin; a guard ends one column before
GUARD_SPLIT = "@"


def instruction_head(instruction: Instruction, padding: bool) -> str:
    """Address, guard and instruction, up to the semicolon; cuobjdump 13.5 puts no blank before it in the padding."""
    text = instruction.text
    guard = ""
    if text.startswith(GUARD_SPLIT):
        guard, _, text = text.partition(" ")
    place = f"        /*{instruction.address:04x}*/"
    return place + guard.rjust(TEXT_COLUMN - 1 - len(place)) + " " + text + (";" if padding else " ;")


def is_forever(instruction: Instruction) -> bool:
    """The branch to itself that ends the code; padding follows it."""
    return instruction.operands == (Target(instruction.address),)


def listing(kernel: SassKernel) -> str:
    """The whole listing of one kernel's section; two lines an instruction, both halves of the word."""
    end = next((n for n, one in enumerate(kernel.instructions) if is_forever(one)), len(kernel.instructions))
    heads = [instruction_head(one, n >= end) for n, one in enumerate(kernel.instructions)]
    column = max((len(head.removesuffix(" ;")) for head in heads), default=0) + 4
    lines = [f"\t\tFunction : {kernel.name}"]
    for head, instruction in zip(heads, kernel.instructions, strict=True):
        low, high = instruction.word & (1 << 64) - 1, instruction.word >> 64
        lines.append(f"{head.ljust(column)}/* {low:#018x} */")
        lines.append(" " * column + f"/* {high:#018x} */")
    return "\n".join([*lines, "\t\t.........."]) + "\n"
