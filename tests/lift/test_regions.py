"""Regions of WARPSYNC.EXCLUSIVE: lanes with one mask after those with another, whatever is in the region."""

from __future__ import annotations

import struct

import numpy as np
import pytest

from cass_shim.lift import layout, lift_kernel
from cass_shim.model.artifacts import SassKernel
from cass_shim.model.errors import Unsupported
from cass_shim.verify import mufu
from cass_shim.verify.interpreter import Interpreter, Launch
from cass_shim.verify.memory import Arena
from cass_shim.verify.program import prepare
from cass_shim.verify.state import Geometry
from tests.lift.support import CRITICAL, HEAD, LOCK, STEP, WORDS, kernel, run
from tests.verify.text import BASE


def interpreted(sass: SassKernel, given: np.ndarray) -> list[int]:
    """What `run` gives, by the interpreter."""
    content = np.concatenate([np.zeros(32, np.uint32), given.view(np.uint32)]).view(np.uint8)
    arena = Arena(BASE, content, np.ones(len(content), bool))
    launch = Launch(Geometry((1, 1, 1), (32, 1, 1)), struct.pack("<QQI", BASE, BASE + 128, len(given)))
    Interpreter(prepare(sass, {}, b""), sass.abi, launch, arena, seed=1, mufu=mufu.nearest).run()
    found: list[int] = arena.content.view(np.uint32)[:32].tolist()
    return found


def test_an_exclusive_region_serves_one_mask_after_the_other() -> None:
    """Quads reduce among themselves although all lanes reach the region together."""
    sass = kernel(
        HEAD
        + """
        LOP3.LUT R8, R0, 0x1c, RZ, 0xc0, !PT
        MOV R9, 0xf
        SHF.L.U32 R9, R9, R8, RZ
        BSSY B0, =end
        WARPSYNC.EXCLUSIVE R9
        REDUX.SUM.S32 UR4, R0
        IMAD.U32 R10, RZ, RZ, UR4
        BSYNC B0
        end:
        STG.E [R2.64], R10
        EXIT
        """
    )
    assert run(sass, WORDS, 32).tolist() == [sum(range(n & 28, (n & 28) + 4)) for n in range(32)]


def test_an_exclusive_region_behind_a_meeting_where_lanes_are_scheduled_apart() -> None:
    """CUB's look-back on sm_90: the region begins behind a BSYNC, where no block began before."""
    after = """
        BSSY B1, =met
        BSYNC B1
        met:
        LOP3.LUT R8, R0, 0x1c, RZ, 0xc0, !PT
        MOV R9, 0xf
        SHF.L.U32 R9, R9, R8, RZ
        BSSY B0, =over
        WARPSYNC.EXCLUSIVE R9
        REDUX.SUM.S32 UR4, R0
        IMAD.U32 R10, RZ, RZ, UR4
        BSYNC B0
        over:
        STG.E [R2.64], R10
    """
    sass = kernel(LOCK.format(critical=CRITICAL, after=after))
    found = run(sass, np.zeros(32, np.uint32), 32)
    assert found.tolist() == [sum(range(n & 28, (n & 28) + 4)) for n in range(32)]


BRANCHING_REGION = """
    LOP3.LUT R8, R0, 0x1c, RZ, 0xc0, !PT
    MOV R9, 0xf
    SHF.L.U32 R9, R9, R8, RZ
    LOP3.LUT P2, RZ, R0, 0x1, RZ, 0xc0, !PT
    WARPSYNC 0xffffffff
    BSSY B0, =behind
    WARPSYNC.EXCLUSIVE R9
    BRA =sums
    sums:
    REDUX.SUM.S32 UR4, R0
    IMAD.U32 R10, RZ, RZ, UR4
    @P2 BRA =odd
    IADD3 R10, R10, 0x1000, RZ
    BRA =joins
    odd:
    IADD3 R10, R10, 0x2000, RZ
    joins:
    BRA =meets
    meets:
    BSYNC B0
    behind:
    REDUX.SUM.S32 UR5, R0
    IMAD.U32 R11, RZ, RZ, UR5
    IADD3 R10, R10, R11, RZ
"""
IN_QUADS = [sum(range(n & 28, (n & 28) + 4)) + 0x1000 * (1 + n % 2) + 496 for n in range(32)]


def test_an_exclusive_region_may_branch() -> None:
    """Debug builds do in `__reduce_add_sync` and the like; behind the region all lanes are together again."""
    sass = kernel(HEAD + BRANCHING_REGION + "STG.E [R2.64], R10\nEXIT")
    assert run(sass, WORDS, 32).tolist() == IN_QUADS


def test_an_exclusive_region_may_branch_where_lanes_are_scheduled_apart() -> None:
    sass = kernel(LOCK.format(critical="", after=CRITICAL + BRANCHING_REGION + "STG.E [R2.64], R10"))
    assert run(sass, np.zeros(2, np.uint32), 32).tolist() == IN_QUADS


QUADS = """
    LOP3.LUT R8, R0, 0x1c, RZ, 0xc0, !PT
    MOV R9, 0xf
    SHF.L.U32 R9, R9, R8, RZ
    LOP3.LUT P2, RZ, R0, 0x1, RZ, 0xc0, !PT
    WARPSYNC 0xffffffff
    BSSY B0, =behind
    WARPSYNC.EXCLUSIVE R9
    {inside}
    REDUX.SUM.S32 UR4, R10
    IMAD.U32 R10, RZ, RZ, UR4
    BSYNC B0
    behind:
    VOTE.ANY R12, PT, PT
    IADD3 R12, R12, 0x1, RZ
    IADD3 R10, R10, R12, RZ
"""
OWN_BARRIER = """
    IADD3 R10, R0, 0x64, RZ
    BSSY B1, =met
    @P2 BRA =meets
    VOTE.ANY R11, PT, PT
    IMAD R10, R10, 0x2, R11
    meets:
    BSYNC B1
    met:
    NOP
"""
CALLING = """
    MOV R20, =called
    CALL.REL.NOINC =function
    called:
    NOP
"""
FUNCTION = """
    function:
    IADD3 R10, R0, 0x64, RZ
    BSSY B1, =returns
    @P2 BRA =joins
    VOTE.ANY R11, PT, PT
    IMAD R10, R10, 0x2, R11
    joins:
    BSYNC B1
    returns:
    RET.REL.NODEC R20, 0x0
"""
PAIRS = """
    IADD3 R10, R0, 0x64, RZ
    LOP3.LUT R13, R0, 0x1e, RZ, 0xc0, !PT
    MOV R14, 0x3
    SHF.L.U32 R14, R14, R13, RZ
    BSSY B1, =paired
    WARPSYNC.EXCLUSIVE R14
    REDUX.SUM.S32 UR5, R10
    IMAD.U32 R10, RZ, RZ, UR5
    BSYNC B1
    paired:
    NOP
"""


def in_quads(values: list[int]) -> list[int]:
    return [sum(values[n & 28 : (n & 28) + 4]) & 0xFFFF_FFFF for n in range(32)]


VOTED = in_quads([n + 100 if n % 2 else 2 * (n + 100) + (5 << (n & 28)) for n in range(32)])
REGIONS = {
    "a barrier of its own": (OWN_BARRIER, "", VOTED),
    "a call": (CALLING, FUNCTION, VOTED),
    "a region within": (PAIRS, "", in_quads([sum(m + 100 for m in (n & 30, n | 1)) for n in range(32)])),
}


def region(inside: str, function: str, around: str = HEAD + "{quads}STG.E [R2.64], R10\nEXIT") -> SassKernel:
    text = around.replace("{quads}", QUADS.format(inside=inside)) + function
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    ahead = lines[: lines.index("function:")] if function else []
    at = STEP * sum(not line.endswith(":") for line in ahead)
    return kernel(text, symbols={"k": 0, "function": at} if function else None)


@pytest.mark.parametrize("what", REGIONS)
@pytest.mark.parametrize("copied", [True, False])
def test_an_exclusive_region_may_have(what: str, copied: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lanes of a quad go on together behind it, and behind the region all lanes do."""
    inside, function, want = REGIONS[what]
    if not copied:
        monkeypatch.setattr(layout, "COPY_BUDGET", 0)
        monkeypatch.setattr(layout, "SMALL", 0)
    sass = region(inside, function)
    assert run(sass, WORDS, 32).tolist() == want
    assert interpreted(sass, WORDS) == want


@pytest.mark.parametrize("what", REGIONS)
def test_where_lanes_are_scheduled_apart_a_region_may_have(what: str) -> None:
    inside, function, want = REGIONS[what]
    around = LOCK.format(critical="", after=CRITICAL + "{quads}STG.E [R2.64], R10")
    assert run(region(inside, function, around), np.zeros(2, np.uint32), 32).tolist() == want


def test_lanes_of_several_regions_meet_at_a_barrier_of_the_block() -> None:
    """Whoever comes first waits there for lanes of other masks, whose turn in the region has not come yet."""
    inside = """
        STS [R15], R0
        BAR.SYNC.DEFER_BLOCKING 0x0
        LDS R10, [R16]
    """
    head = f"{HEAD}IMAD R15, R0, 0x4, RZ\nLOP3.LUT R16, R15, 0x7c, RZ, 0x3c, !PT\n"
    text = head + QUADS.format(inside=inside) + "STG.E [R2.64], R10\nEXIT"
    sass = kernel(text, shared_bytes=128)
    want = in_quads([31 - n for n in range(32)])
    assert run(sass, WORDS, 32).tolist() == want
    assert interpreted(sass, WORDS) == want


@pytest.mark.parametrize(
    ("inside", "why"),
    [
        ("@P0 BSSY B1, =end\nBSYNC B1", "BSSY of some lanes"),
        ("@P0 BRA =other\nBSSY B1, =end\nother:\nNOP", "same on all ways"),
        ("BAR.SYNC 0x1, 0x20", "BAR.SYNC"),
        ("@P0 BRA =other\nBSYNC B0\nBRA =end\nother:", "several places"),
        ("EXIT", "no end"),
        ("WARPSYNC.COLLECTIVE R0, =end", "WARPSYNC"),
        ("@P0 RET.REL.NODEC R20, 0x0", "RET"),
        ("inside:\nNOP\nNOP", "entered from elsewhere"),
    ],
)
def test_what_an_exclusive_region_may_not_have(inside: str, why: str) -> None:
    enter = "@P0 BRA =inside" if "inside:" in inside else "NOP"
    text = f"{enter}\nBSSY B0, =end\nWARPSYNC.EXCLUSIVE R0\n{inside}\nBSYNC B0\nend:\nEXIT"
    with pytest.raises(Unsupported, match=why):
        lift_kernel(kernel(HEAD + text))
