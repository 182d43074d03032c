"""Uniform registers that some lanes write: a move of each lane's own, or one that all lanes see."""

from __future__ import annotations

import pytest

from cass_shim.isa.spec import Effect, effect_of, warp_wide
from cass_shim.isa.uniform import own_moves
from cass_shim.lift.code import Code
from tests.lift.support import kernel

GIVEN = "ISETP.NE.AND P0, PT, R0, 0x3, PT\n@!P0 R2UR UR4, R10\n@!P0 R2UR UR5, R11\n"
READ = "LDG.E R6, [R8.64+UR4]\n"
# What follows lanes' values in UR4 and UR5, and whether those are the lanes' own.
OWN = {
    "read by those lanes": f"@!P0 {READ}EXIT",
    "given by the others too, who read theirs": f"@!P0 {READ}@P0 R2UR UR4, R12\n@P0 R2UR UR5, R13\n@P0 {READ}EXIT",
    "written for all before all read": f"@!P0 {READ}UMOV UR4, 0x1\nUMOV UR5, 0x2\n{READ}EXIT",
    "read in another block": f"@P1 BRA =other\nEXIT\nother:\n@!P0 {READ}EXIT",
    "beside another that all read": f"IADD3 R2, R2, UR6, RZ\n@!P0 {READ}EXIT",
    "in a loop": f"again:\n@!P0 {READ}@P1 BRA =again\nEXIT",
    "behind a call that reads others": f"CALL.REL.NOINC =callee\nUMOV UR4, 0x1\nUMOV UR5, 0x2\n{READ}EXIT\ncallee:\n"
    "UMOV UR6, 0x1\nRET.REL.NODEC R20, 0x0",
}
SEEN = {
    "read by all": f"{READ}EXIT",
    "read by the others": f"@P0 {READ}EXIT",
    "read under another predicate": f"@!P1 {READ}EXIT",
    "read under the predicate's next value": f"ISETP.NE.AND P0, PT, R1, 0x3, PT\n@!P0 {READ}EXIT",
    "read by all in another block": f"@P1 BRA =other\nEXIT\nother:\n{READ}EXIT",
    "read where a uniform predicate does not jump": f"BRA.U UP0, =other\n{READ}EXIT\nother:\nEXIT",
    "read on the next turn of a loop": f"again:\n@!P0 {READ}@P1 BRA =again\n{READ}EXIT",
    "read by a callee": f"CALL.REL.NOINC =callee\nEXIT\ncallee:\n{READ}RET.REL.NODEC R20, 0x0",
    "read behind a call": f"CALL.REL.NOINC =callee\n{READ}EXIT\ncallee:\nRET.REL.NODEC R20, 0x0",
    "read as part of a wider one": "IMAD.WIDE R2, R0, R1, UR4\nEXIT",
    "followed by a call of who knows what": f"CALL.ABS.NOINC R2\n@!P0 {READ}EXIT",
}


def wide(text: str) -> list[bool]:
    """For each guarded R2UR, whether it became an operation of the whole warp."""
    sass = kernel(GIVEN + text)
    own = own_moves(sass.instructions, closed=True)
    moves = [i for i in sass.instructions if i.mnemonic == "R2UR"]
    assert all(i.guard is not None for i in moves) and len(moves) >= 2
    return [effect_of(warp_wide(i, own)) is Effect.LANES for i in moves]


@pytest.mark.parametrize("name", OWN)
def test_of_their_own(name: str) -> None:
    assert not any(wide(OWN[name]))


@pytest.mark.parametrize("name", SEEN)
def test_seen_by_the_warp(name: str) -> None:
    assert wide(SEEN[name])[0]


def test_who_returns_to_unknown_callers_gives_to_all() -> None:
    sass = kernel(GIVEN + f"@!P0 {READ}RET.REL.NODEC R20, 0x0")
    assert not own_moves(sass.instructions, closed=False)
    assert len(own_moves(sass.instructions, closed=True)) == 2


def test_the_lifter_reads_the_code_so() -> None:
    for text, moves in ((OWN["read by those lanes"], True), (SEEN["read by all"], False)):
        code = Code.of(kernel(GIVEN + text))
        found = [i for i in code.instructions.values() if i.mnemonic == "R2UR"]
        assert [i.guard is not None for i in found] == [moves, moves]
