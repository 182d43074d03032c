"""Lanes and warps that meet: barriers, shared memory, locks; on the emulated device."""

from __future__ import annotations

import numpy as np
import pytest

from tests.lift.support import CRITICAL, HEAD, LOCK, NAMED, WORDS, kernel, run


@pytest.mark.parametrize("sm", [80, 90])
def test_a_block_wide_count(sm: int) -> None:
    head = HEAD if sm == 80 else HEAD.replace("[0x160]", "[0x210]").replace("[0x168]", "[0x218]")
    sass = kernel(
        head
        + """
        LOP3.LUT P0, RZ, R0, 0x3, RZ, 0xc0, !PT
        BAR.RED.POPC.DEFER_BLOCKING 0x0, !P0
        B2R.RESULT R8
        STG.E [R2.64], R8
        EXIT
        """,
        sm,
    )
    assert run(sass, np.zeros(128, np.uint32), 128, block=(128,)).tolist() == [32] * 128


@pytest.mark.parametrize("sm", [80, 90])
def test_warps_hand_over_through_named_barriers(sm: int) -> None:
    text = NAMED if sm == 80 else NAMED.replace("[0x160]", "[0x210]").replace("[0x168]", "[0x218]")
    if sm == 90:
        text = text.replace("[R8]\n", "[R8+0x400]\n").replace("STS [R9]", "STS [R9+0x400]")
    sass = kernel(text, sm, shared_bytes=0x400 * (sm == 90) + 128)
    found = run(sass, np.zeros(64, np.uint32), 64, block=(64,))
    assert found.tolist() == [3 * (n + 32) for n in range(32)] + [4 * n for n in range(32)]


def test_threads_meet_at_an_mbarrier_twice() -> None:
    """Initialised and waited for as ptxas writes cuda::barrier for sm_80; two phases."""
    turn = """
    MEMBAR.ALL.CTA
    ATOMS.ARRIVE.64 R10, [URZ]
    wait{n}:
    YIELD
    LDS R12, [0x4]
    LOP3.LUT P0, RZ, R12, 0x80000000, R11, 0x48, !PT
    @!P0 BRA =wait{n}
    """
    text = (
        HEAD
        + """
    ISETP.NE.AND P0, PT, R0, RZ, PT
    MOV R8, 0x3fffffc0
    MOV R9, 0x7fffffc0
    @!P0 STS.64 [RZ], R8
    BAR.SYNC.DEFER_BLOCKING 0x0
    IMAD R13, R0, 0x4, RZ
    STS [R13+0x8], R0
    """
        + turn.format(n=1)
        + """
    LOP3.LUT R14, R13, 0x80, RZ, 0x3c, !PT
    LDS R15, [R14+0x8]
    """
        + turn.format(n=2)
        + """
    IADD3 R16, R15, 0x1, RZ
    STS [R13+0x8], R16
    """
        + turn.format(n=3)
        + """
    LDS R15, [R14+0x8]
    STG.E [R2.64], R15
    EXIT
    """
    )
    found = run(kernel(text, shared_bytes=8 + 256), np.zeros(64, np.uint32), 64, block=(64,))
    assert found.tolist() == [n + 1 for n in range(64)]


ELECTED = """
    LOP3.LUT R3, R0, 0xf, RZ, 0xc0, !PT
    IMAD R3, R3, 0x8, RZ
    IADD3 R3, R3, 0x400, RZ
    R2UR UR6, R3
    IMAD R13, R0, 0x4, RZ
    STS [R13+0x400], R0
    UMOV UR4, 0x11
    UMOV UR5, 0x22
    ISETP.GE.U32.AND P1, PT, R0, 0x2, PT
    VOTEU.ALL UP0, P1
    PLOP3.LUT P0, PT, PT, PT, PT, 0x80, 0x0
    PLOP3.LUT P2, PT, P1, PT, PT, 0x8, 0x0
    again:
    PLOP3.LUT P0, PT, P0, P2, PT, 0xa2, 0x0
    @P2 R2UR P0, UR6, R3
    @P2 PLOP3.LUT P2, PT, P0, PT, PT, 0x80, 0x0
    PLOP3.LUT P0, PT, PT, PT, PT, 0x80, 0x0
    @!UP0 SYNCS.EXCH.64 URZ, [UR6], UR4
    @P2 BRA.U.ANY =again
    LDS R10, [R13+0x400]
    STG.E [R8.64], R10
    EXIT
"""


def test_lanes_that_set_mbarriers_set_no_others() -> None:
    """`if (t < 2) init(&barriers[t], n)` on sm_90: a uniform instruction runs once for each lane that is chosen."""
    head = HEAD.replace("[0x160]", "[0x210]").replace("[0x168]", "[0x218]")
    sass = kernel(head + "MOV R8, R2\nMOV R9, R3\n" + ELECTED, 90, shared_bytes=0x400 + 128)
    assert run(sass, WORDS, 32).tolist() == [0x11, 0x22, 0x11, 0x22, *range(4, 32)]


def test_shared_memory_read_backwards() -> None:
    """LLVM folds the constant into the instruction's offset and leaves a negative base: the sum wraps at 32 bits."""
    sass = kernel(
        HEAD
        + """
        IADD3 R9, -R0, 0x1f, RZ
        STS [R0.X4+0x40], R0
        BAR.SYNC.DEFER_BLOCKING 0x0
        LDS R10, [R9.X4+0x40]
        STG.E [R2.64], R10
        EXIT
        """,
        shared_bytes=0x40 + 128,
    )
    assert run(sass, WORDS, 32).tolist() == list(range(31, -1, -1))


def test_stores_before_a_syncwarp_are_seen_after_it() -> None:
    """NOP is all that ptxas leaves of __syncwarp() in converged code."""
    sass = kernel(
        HEAD
        + """
        IMAD R8, R0, 0x4, RZ
        IADD3 R9, R0, 0x1, RZ
        LOP3.LUT R9, R9, 0x1f, RZ, 0xc0, !PT
        STS [R0.X4], R0
        NOP
        LDS R10, [R9.X4]
        NOP
        IMAD R10, R10, 0x3, RZ
        STS [R0.X4], R10
        NOP
        LDS R11, [R9.X4]
        STG.E [R2.64], R11
        EXIT
        """,
        shared_bytes=128,
    )
    assert run(sass, WORDS, 32).tolist() == [3 * ((n + 2) % 32) for n in range(32)]


def test_a_lock_that_its_loop_releases_serves_every_lane() -> None:
    sass = kernel(LOCK.format(critical=CRITICAL, after=""))
    assert sorted(run(sass, np.zeros(2, np.uint32), 32).tolist()) == list(range(1, 33))


def test_a_lock_released_behind_its_loop_serves_every_lane() -> None:
    """As ptxas writes it for sm_120."""
    sass = kernel(LOCK.format(critical="", after=CRITICAL))
    assert sorted(run(sass, np.zeros(2, np.uint32), 32).tolist()) == list(range(1, 33))


def test_a_lock_released_through_another_register_serves_every_lane() -> None:
    elsewhere = CRITICAL.replace("ATOMG.E.EXCH", "MOV R16, R4\n    MOV R17, R5\n    ATOMG.E.EXCH").replace(
        "PT, RZ, [R4.64]", "PT, RZ, [R16.64]"
    )
    sass = kernel(LOCK.format(critical="", after=elsewhere))
    assert sorted(run(sass, np.zeros(2, np.uint32), 32).tolist()) == list(range(1, 33))


def test_one_lane_may_wait_for_a_lock() -> None:
    sass = kernel(LOCK.format(critical="", after=CRITICAL))
    assert run(sass, np.zeros(2, np.uint32), 1, block=(1,)).tolist() == [1]


MASKED_VOTE = (
    HEAD
    + """
    MOV R8, 0xff
    LOP3.LUT R9, R0, {groups}, RZ, 0xc0, !PT
    SHF.L.U32 R9, R8, R9, RZ
    ISETP.EQ.U32.AND P0, PT, R0, 0x9, PT
    REDUX.OR UR4, R9
    R2UR P1, URZ, R9
    @!P1 BRA.DIV UR4, =slow
    VOTE.ANY R10, PT, P0
    LOP3.LUT R10, R10, 0xf0000000, RZ, 0xfc, !PT
    BRA =end
    slow:
    WARPSYNC R9
    VOTE.ANY R10, PT, P0
    LOP3.LUT R10, R10, R9, RZ, 0xc0, !PT
    end:
    STG.E [R2.64], R10
    EXIT
    """
)


def test_lanes_with_masks_of_their_own_leave_the_fast_path() -> None:
    """R2UR's predicate is false where the masks differ; nvcc's __any_sync(0xff << (lane & 24), p) relies on it."""
    out = np.zeros(32, np.uint32)
    assert run(kernel(MASKED_VOTE.format(groups="0x18")), out, 32).tolist() == [0] * 8 + [1 << 9] * 8 + [0] * 16
    assert run(kernel(MASKED_VOTE.format(groups="0x0")), out, 32).tolist() == [0xF0000200] * 32


@pytest.mark.parametrize(("operation", "expected"), [(".SUM", 32 * 5), (".XOR", 0), (".OR", 5)])
def test_a_warp_wide_reduction_of_a_constant(operation: str, expected: int) -> None:
    """LLVM 22 folds the reduction of a constant to the constant; CUDA adds (or cancels) all 32 lanes."""
    sass = kernel(
        HEAD
        + f"""
        MOV R8, 0x5
        REDUX{operation} UR4, R8
        MOV R9, UR4
        STG.E [R2.64], R9
        EXIT
        """
    )
    assert run(sass, np.zeros(32, np.uint32), 32, block=(32,)).tolist() == [expected] * 32
