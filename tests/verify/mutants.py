"""Wrong versions of a kernel: one instruction changed in a way a translator could get it wrong.

In: a decoded kernel and a random generator. Out: (what was done, the changed kernel). `python -m tests.verify.mutants
CUBIN...` lifts, verifies and counts: the mutation score, and every survivor.
"""

from __future__ import annotations

import random
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from cass_shim.model.artifacts import Cubin, SassKernel
from cass_shim.model.instruction import RZ, Const, Imm, Instruction, Mem, Operand, Pred, Reg, Target

_SWAPS = {"GE": "GT", "GT": "GE", "LT": "LE", "LE": "LT", "EQ": "NE", "NE": "EQ", "MIN": "MAX", "MAX": "MIN"}
_SWAPS |= {"U32": "S32", "S32": "U32", "AND": "OR", "OR": "AND", "ADD": "MAX", "GEU": "GTU", "LTU": "LEU", "L": "R"}
DESCRIPTORS = frozenset({0x118, 0x208, 0x358})  # words of bank 0 whose value no access depends on
_OPCODES = {"FADD": "FMUL", "FMUL": "FADD", "DADD": "DMUL", "DMUL": "DADD"}
SKIPPED = frozenset({"NOP", "BRA", "BSSY", "BSYNC", "EXIT", "S2R", "CS2R", "WARPSYNC", "DEPBAR", "YIELD"})


def _changed(operand: Operand, rng: random.Random) -> Operand | None:
    """One operand, wrong; None when there is no sensible way."""
    if isinstance(operand, Imm):
        return Imm(operand.bits ^ (1 << rng.choice((0, 1, 2, 23, 30))))
    if isinstance(operand, Const) and operand.bank in (0, 3) and operand.offset not in DESCRIPTORS:
        return replace(operand, offset=operand.offset + 4)
    if isinstance(operand, Pred):
        return replace(operand, negate=not operand.negate)
    if isinstance(operand, Mem):
        return replace(operand, offset=operand.offset + 4)
    if isinstance(operand, Reg) and operand.index != RZ:
        return replace(operand, index=max(0, operand.index + rng.choice((-1, 1))))
    return None


def mutate(instruction: Instruction, rng: random.Random) -> tuple[str, Instruction] | None:
    """One instruction, wrong."""
    ways = ["operand", "operand", "operand", "guard", "modifier", "drop", "swap", "opcode"]
    for way in rng.sample(ways, len(ways)):
        operands = list(instruction.operands)
        if way == "operand" and operands:
            at = rng.randrange(len(operands))
            new = _changed(operands[at], rng)
            if new is None or (at == 0 and isinstance(new, Pred)):
                continue
            operands[at] = new
            return f"operand {at}", replace(instruction, operands=tuple(operands))
        if way == "guard" and instruction.guard is not None:
            return "guard", replace(instruction, guard=replace(instruction.guard, negate=not instruction.guard.negate))
        if way == "modifier":
            at = next((n for n, m in enumerate(instruction.modifiers) if m in _SWAPS), -1)
            if at >= 0:
                modifiers = list(instruction.modifiers)
                modifiers[at] = _SWAPS[modifiers[at]]
                return "modifier", replace(instruction, modifiers=tuple(modifiers))
        if way == "drop":
            return "drop", Instruction(instruction.address, "NOP", text="dropped")
        if way == "opcode" and instruction.mnemonic in _OPCODES:
            return "opcode", replace(instruction, mnemonic=_OPCODES[instruction.mnemonic])
        if way == "swap" and len(operands) >= 3 and operands[-1] != operands[-2]:
            operands[-1], operands[-2] = operands[-2], operands[-1]
            return "swap", replace(instruction, operands=tuple(operands))
    return None


def mutants(kernel: SassKernel, count: int, seed: int) -> Iterator[tuple[str, SassKernel]]:
    """`count` mutants, spread over the code."""
    rng = random.Random(seed)
    places = [n for n, i in enumerate(kernel.instructions) if i.mnemonic not in SKIPPED and i.mnemonic != "BAR"]
    for _ in range(count):
        at = rng.choice(places)
        made = mutate(kernel.instructions[at], rng)
        if made is None:
            continue
        how, changed = made
        code = (*kernel.instructions[:at], changed, *kernel.instructions[at + 1 :])
        original = kernel.instructions[at]
        yield f"{original.address:#06x} {original.text}: {how}", replace(kernel, instructions=code)


def branch_mutants(kernel: SassKernel) -> Iterator[tuple[str, SassKernel]]:
    """Every conditional branch one instruction off."""
    for at, instruction in enumerate(kernel.instructions):
        if instruction.mnemonic != "BRA" or instruction.guard is None:
            continue
        target = next((o.address for o in instruction.operands if isinstance(o, Target)), 0)
        skipped = kernel.instructions[target // 16]
        if skipped.mnemonic in SKIPPED or skipped.mnemonic == "BAR":
            continue  # skipping these changes nothing, or only what no input can show
        operands = tuple(
            replace(o, address=o.address + 16) if isinstance(o, Target) else o for o in instruction.operands
        )
        changed = replace(instruction, operands=operands)
        code = (*kernel.instructions[:at], changed, *kernel.instructions[at + 1 :])
        yield f"{instruction.address:#06x} {instruction.text}: target", replace(kernel, instructions=code)


def main(paths: list[str], count: int = 15) -> None:
    """Print the score over the kernels of some cubins: lifted mutants against the unchanged kernel's reference."""
    from cass_shim.assemble.llvm import assemble_llvm
    from cass_shim.decode import decode_kernel
    from cass_shim.extract.cubin import read_cubin
    from cass_shim.lift import lift_kernel
    from cass_shim.model.errors import CassError, Rejected
    from cass_shim.verify import verify_kernel
    from cass_shim.verify.kernel import open_device

    device = open_device("emulated")
    verdicts: Counter[str] = Counter()
    for path in paths:
        cubin: Cubin = read_cubin(Path(path).read_bytes(), path)
        for raw in cubin.kernels.values():
            kernel = decode_kernel(raw, cubin)
            local: Counter[str] = Counter()
            started = time.monotonic()
            reference = _code(assemble_llvm, lift_kernel, kernel)
            for how, mutant in (*mutants(kernel, count, 5), *branch_mutants(kernel)):
                code = _code(assemble_llvm, lift_kernel, mutant)
                if code is None or (reference is not None and code.elf == reference.elf):
                    local["not a mutant"] += 1
                    continue
                try:
                    verify_kernel(code, kernel, cubin, device)
                    local["survived"] += 1
                    print(f"  survived: {Path(path).stem} {kernel.name} {how}", flush=True)
                except Rejected:
                    local["rejected"] += 1
                except CassError as error:
                    local["other"] += 1
                    print(f"  other: {how}: {error}")
            verdicts += local
            print(f"{Path(path).stem} {kernel.name} {dict(local)} {time.monotonic() - started:.1f} s", flush=True)
    judged = verdicts["rejected"] + verdicts["survived"]
    print(f"{dict(verdicts)}: {verdicts['rejected']}/{judged} = {verdicts['rejected'] / max(judged, 1):.1%} rejected")


def _code(assemble: Any, lift: Any, kernel: SassKernel) -> Any:
    try:
        return assemble(lift(kernel), kernel.abi)
    except Exception:  # a mutant that no translator would produce
        return None


if __name__ == "__main__":
    main(sys.argv[1:])
