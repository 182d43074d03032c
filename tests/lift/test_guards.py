"""Straight-line code under guards, at random: what a register holds where its guard was false, and where it was true.

The oracle runs each lane by itself, an instruction after the other.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

import numpy as np
import pytest

from cass_shim.assemble.llvm import generate_assembly
from cass_shim.lift import lift_kernel
from tests.lift.support import HEAD, kernel, run

LANES, WORDS = 32, 24  # words: of memory that the program may store to
MASK = 0xFFFF_FFFF
REGISTERS, PAIRS = range(8, 14), range(8, 14, 2)


@dataclass
class Lane:
    """One lane's state. out: what it stored, by slot; None where nothing was."""

    given: int
    registers: dict[int, int]
    predicates: dict[int, bool]
    out: list[int] = field(default_factory=lambda: [0] * WORDS)


def _sum_of_pairs(d: int, a: int, b: int) -> list[str]:
    return [f"IADD3 R{d}, P2, R{a}, R{b}, RZ", f"IADD3.X R{d + 1}, R{a + 1}, R{b + 1}, RZ, P2, !PT"]


@dataclass
class Program:
    """Lines of SASS and what each does to a lane."""

    chance: random.Random
    lines: list[str] = field(default_factory=list)
    steps: list[tuple[str, tuple[int, ...], tuple[int, bool] | None]] = field(default_factory=list)
    stores: int = 0

    def add(self) -> None:
        """One more instruction, often under the guard of the one before."""
        pick = self.chance
        last = self.steps[-1][2] if self.steps else None
        fresh = (pick.randrange(2), pick.random() < 0.5)
        guard = None if pick.random() < 0.2 else last if last is not None and pick.random() < 0.6 else fresh
        kind = pick.choice(("add", "add", "xor", "wide", "less", "load", "store"))
        d, a, b, c = (pick.choice(REGISTERS) for _ in range(4))
        wide = (pick.choice(PAIRS), pick.choice(PAIRS), pick.choice(PAIRS))
        parts, listed = {
            "add": ((d, a, b), [f"IADD3 R{d}, R{a}, R{b}, RZ"]),
            "xor": ((d, a, b), [f"LOP3.LUT R{d}, R{a}, R{b}, RZ, 0x3c, !PT"]),
            "wide": (wide, _sum_of_pairs(*wide)),
            "less": ((c % 2, a, b), [f"ISETP.LT.U32.AND P{c % 2}, PT, R{a}, R{b}, PT"]),
            "load": ((d,), [f"LDG.E R{d}, [R4.64]"]),
            "store": ((self.stores, a), [f"STG.E [R2.64+{4 * LANES * self.stores:#x}], R{a}"]),
        }[kind]
        self.stores += kind == "store"
        mark = "" if guard is None else f"@{'!' if guard[1] else ''}P{guard[0]} "
        self.lines += [mark + line for line in listed]
        self.steps.append((kind, parts, guard))

    def run(self, lane: Lane) -> None:
        """All of it for one lane."""
        r = lane.registers
        for what, parts, guard in self.steps:
            if guard is not None and lane.predicates[guard[0]] == guard[1]:
                continue
            if what == "add":
                r[parts[0]] = r[parts[1]] + r[parts[2]] & MASK
            elif what == "xor":
                r[parts[0]] = r[parts[1]] ^ r[parts[2]]
            elif what == "wide":
                low = r[parts[1]] + r[parts[2]]
                r[parts[0]] = low & MASK
                r[parts[0] + 1] = r[parts[1] + 1] + r[parts[2] + 1] + (low >> 32) & MASK
            elif what == "less":
                lane.predicates[parts[0]] = r[parts[1]] < r[parts[2]]
            elif what == "load":
                r[parts[0]] = lane.given
            else:
                lane.out[parts[0]] = r[parts[1]]


def program(seed: int) -> Program:
    made = Program(random.Random(seed))
    for _ in range(26):
        made.add()
        if made.stores == WORDS - len(REGISTERS):
            break
    return made


@pytest.mark.parametrize("first", range(0, 120, 20))
def test_guards_hold_and_let_go(first: int) -> None:
    given = np.array([random.Random(lane).getrandbits(32) for lane in range(LANES)], np.uint32)
    for seed in range(first, first + 20):
        made = program(seed)
        begin = ["LDG.E R8, [R4.64]"]
        begin += [f"IMAD R{n}, R{n - 1}, 0x10dcd, R0" for n in REGISTERS[1:]]
        begin += ["ISETP.LT.U32.AND P0, PT, R9, R10, PT", "ISETP.LT.U32.AND P1, PT, R11, R12, PT"]
        end = [f"STG.E [R2.64+{4 * LANES * (made.stores + k):#x}], R{n}" for k, n in enumerate(REGISTERS)]
        found = run(kernel(HEAD + "\n".join([*begin, *made.lines, *end, "EXIT"])), given, WORDS * LANES)
        for number in range(LANES):
            words = [int(given[number])]
            for _ in REGISTERS[1:]:
                words.append(words[-1] * 0x10DCD + number & MASK)
            lane = Lane(int(given[number]), dict(zip(REGISTERS, words, strict=True)), {})
            lane.predicates = {0: words[1] < words[2], 1: words[3] < words[4]}
            made.run(lane)
            for k, n in enumerate(REGISTERS):
                lane.out[made.stores + k] = lane.registers[n]
            assert found[number::LANES].tolist() == lane.out, (seed, number, made.lines)


def test_an_address_made_under_a_guard_is_one_sum() -> None:
    """Its words are not selected before the guarded load reads them."""
    text = """
        ISETP.LT.U32.AND P0, PT, R0, 0x10, PT
        @P0 LEA R10, P2, R0, R4, 0x2
        @P0 LEA.HI.X.SX32 R11, R0, R5, 0x2, P2
        @P0 LDG.E R12, [R10.64]
        STG.E [R2.64], R12
        EXIT
    """
    assert "v_cndmask" not in generate_assembly(lift_kernel(kernel(HEAD + text)).text)
