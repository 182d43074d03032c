"""Wrong versions of a kernel's SASS: one instruction changed in a way that a translator could get it wrong.

In: a decoded kernel and a random generator. Out: (what was done, the changed kernel). `python3 -m tools.mutation.sass
CUBIN...` lifts, verifies and counts: the mutation score, and every survivor.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from cass_shim.assemble.llvm import assemble_llvm
from cass_shim.decode import decode_kernel
from cass_shim.device import Device
from cass_shim.extract.cubin import read_cubin
from cass_shim.lift import lift_kernel
from cass_shim.model.artifacts import CodeObject, SassKernel
from cass_shim.model.errors import CassError, Rejected
from cass_shim.model.instruction import RZ, Const, Imm, Instruction, Mem, Operand, Pred, Reg, Target
from cass_shim.verify import verify_kernel
from cass_shim.verify.kernel import open_device

SEED = 5
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


def counted(path: Path, device: Device, count: int) -> Counter[str]:
    """Verdicts over the mutants of a cubin's kernels; survivors are printed."""
    verdicts: Counter[str] = Counter()
    cubin = read_cubin(path.read_bytes(), str(path))
    for raw in cubin.kernels.values():
        kernel = decode_kernel(raw, cubin)
        reference = _code(kernel)
        for how, mutant in (*mutants(kernel, count, SEED), *branch_mutants(kernel)):
            code = _code(mutant)
            if code is None or (reference is not None and code.elf == reference.elf):
                verdicts["not a mutant"] += 1
                continue
            try:
                verify_kernel(code, kernel, cubin, device)
            except Rejected:
                verdicts["rejected"] += 1
            except CassError as error:
                verdicts["other"] += 1
                print(f"  other: {how}: {error}", flush=True)
            else:
                verdicts["survived"] += 1
                print(f"  survived: {path.stem} {kernel.name} {how}", flush=True)
    return verdicts


def _code(kernel: SassKernel) -> CodeObject | None:
    """What the lifter and LLVM make of it; None for what no translator would produce."""
    try:
        return assemble_llvm(lift_kernel(kernel), kernel.abi)
    except CassError:
        return None


def main() -> int:
    """Command line: the score over the kernels of some cubins, against each unchanged kernel's reference."""
    parser = argparse.ArgumentParser(prog="python3 -m tools.mutation.sass", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("cubins", nargs="+", type=Path)
    parser.add_argument("--count", type=int, default=15, help="mutants a kernel, beside its branches' (default: 15)")
    options = parser.parse_args()
    device, verdicts = open_device("emulated"), Counter[str]()
    for path in options.cubins:
        verdicts += counted(path, device, options.count)
    judged = verdicts["rejected"] + verdicts["survived"]
    print(f"{dict(verdicts)}: {verdicts['rejected']}/{judged} = {verdicts['rejected'] / max(judged, 1):.1%} rejected")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
