"""Broken instructions end in a named error or in IR, never in anything else."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from cass_shim.lift import lift_kernel
from cass_shim.model.artifacts import SassKernel
from cass_shim.model.errors import CassError
from cass_shim.model.instruction import Const, Imm, Instruction, Mem, Operand, Pred, Reg, Special, Target
from tests.lift.support import CRITICAL, HEAD, LOCK, NAMED, kernel
from tests.lift.test_kernel import CALLS, FUNCTION

POOL: list[Operand] = [
    Reg(255), Reg(254), Reg(3, True), Reg(4, negate=True), Reg(5, suffix=("H1_H1",)), Pred(7), Pred(2, negate=True),
    Imm(0), Imm(0xFFFFFFFF), Const(0, 0x160), Const(3, 8), Const(9, 0), Const(2, 0, Reg(4)), Mem(Reg(2), 8, wide=True),
    Mem(None), Mem(Reg(3), 4, scale=4), Special("SR_TID.X"), Special("SR_NOTHING"), Target(0), Target(64, "nobody"),
]  # fmt: skip
MNEMONICS = [
    "IADD3",
    "IMAD",
    "LEA",
    "LOP3",
    "SHF",
    "PRMT",
    "ISETP",
    "SEL",
    "FADD",
    "FFMA",
    "DADD",
    "DSETP",
    "HFMA2",
    "HSETP2",
    "F2I",
    "I2F",
    "F2F",
    "F2FP",
    "MUFU",
    "SHFL",
    "VOTE",
    "MATCH",
    "REDUX",
    "LDG",
    "STG",
    "LDS",
    "STL",
    "LDC",
    "ATOMG",
    "ATOMS",
    "RED",
    "LDSM",
    "LDGSTS",
    "BAR",
    "B2R",
    "S2R",
    "CS2R",
    "BRA",
    "BRX",
    "CALL",
    "RET",
    "EXIT",
    "BSSY",
    "BSYNC",
    "WARPSYNC",
    "HMMA",
    "IMMA",
    "R2UR",
    "P2R",
    "R2P",
    "LEPC",
    "BPT",
    "NOP",
    "QSPC",
    "FCHK",
    "VIMNMX",
    "ELECT",
]
MODIFIERS = [
    "X",
    "HI",
    "WIDE",
    "U32",
    "64",
    "E",
    "FTZ",
    "RZ",
    "SAT",
    "AND",
    "LUT",
    "STRONG",
    "GPU",
    "CAS",
    "ADD",
    "IDX",
    "ANY",
    "RED",
    "POPC",
    "16816",
    "F32",
    "NONSENSE",
]


def mutate(i: Instruction, chance: random.Random) -> Instruction:
    operands, modifiers = list(i.operands), list(i.modifiers)
    kind = chance.randrange(6)
    if kind == 0 and operands:
        operands[chance.randrange(len(operands))] = chance.choice(POOL)
    elif kind == 1 and operands:
        operands.pop(chance.randrange(len(operands)))
    elif kind == 2:
        operands.insert(chance.randrange(len(operands) + 1), chance.choice(POOL))
    elif kind == 3:
        modifiers.append(chance.choice(MODIFIERS))
    elif kind == 4:
        return replace(i, mnemonic=chance.choice(MNEMONICS))
    else:
        return replace(i, guard=Pred(chance.randrange(8), negate=chance.random() < 0.5))
    return replace(i, operands=tuple(operands), modifiers=tuple(modifiers))


def originals() -> list[SassKernel]:
    texts = [HEAD + "STG.E [R2.64], R0\nEXIT", NAMED, LOCK.format(critical=CRITICAL, after="")]
    return [*(kernel(text) for text in texts), kernel(CALLS, symbols=FUNCTION)]


@pytest.mark.parametrize("seed", range(8))
def test_mutated_kernels_lift_or_are_refused(seed: int) -> None:
    chance = random.Random(seed)
    kernels, refused = originals(), 0
    for _ in range(150):
        original = chance.choice(kernels)
        code = list(original.instructions)
        for _ in range(chance.choice((1, 1, 2, 4))):
            at = chance.randrange(len(code))
            code[at] = mutate(code[at], chance)
        try:
            assert lift_kernel(replace(original, instructions=tuple(code))).text
        except CassError as error:
            refused += 1
            assert str(error)
    assert 0 < refused < 150
