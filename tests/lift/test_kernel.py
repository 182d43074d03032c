"""Whole small kernels: control flow, calls, lanes and barriers, run on the emulated device against plain Python."""

from __future__ import annotations

import numpy as np
import pytest

from cass_shim.lift import lift_kernel
from cass_shim.model.errors import DeviceFailed, Unsupported
from tests.lift.support import kernel, run

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


def test_a_loop_whose_count_differs_by_lane() -> None:
    sass = kernel(
        HEAD
        + """
        MOV R8, RZ
        MOV R9, RZ
        again:
        ISETP.GE.U32.AND P0, PT, R9, R0, PT
        @P0 BRA =out
        IADD3 R8, R8, R9, 0x1
        IADD3 R9, R9, 0x1, RZ
        BRA =again
        out:
        STG.E [R2.64], R8
        EXIT
        """
    )
    found = run(sass, WORDS, 32)
    assert found.tolist() == [sum(k + 1 for k in range(lane)) for lane in range(32)]


def test_guarded_instructions_keep_the_old_value_elsewhere() -> None:
    sass = kernel(
        HEAD
        + """
        MOV R8, 0x5
        ISETP.LT.AND P0, PT, R0, 0x10, PT
        @P0 IADD3 R8, R0, 0x64, RZ
        @!P0 LDG.E R8, [R4.64]
        ISETP.EQ.AND P1, PT, R0, 0x3, PT
        @P1 EXIT
        STG.E [R2.64], R8
        EXIT
        """
    )
    expected = [lane + 100 if lane < 16 else int(WORDS[lane]) for lane in range(32)]
    expected[3] = 0
    assert run(sass, WORDS, 32).tolist() == expected


CALLS = (
    HEAD
    + """
    LDG.E R8, [R4.64]
    MOV R20, =first
    MOV R21, 0x0
    CALL.REL.NOINC =function
    first:
    MOV R20, =second
    MOV R21, 0x0
    CALL.REL.NOINC =function
    second:
    STG.E [R2.64], R8
    EXIT
    function:
    IMAD R8, R8, 0x3, R0
    RET.REL.NODEC R20, 0x0
    """
)
FUNCTION = {"k": 0, "function": 16 * (7 + 9)}


def test_a_function_called_from_two_places() -> None:
    found = run(kernel(CALLS, symbols=FUNCTION), WORDS, 32)
    assert found.tolist() == [3 * (3 * int(w) + n) + n for n, w in enumerate(WORDS)]


def test_a_return_to_somewhere_else_traps_instead_of_going_on() -> None:
    wrong = CALLS.replace("MOV R20, =second", "MOV R20, 0x30")
    with pytest.raises(DeviceFailed, match="trap"):
        run(kernel(wrong, symbols=FUNCTION), WORDS, 32)


def test_a_called_function_may_vote() -> None:
    """Two diverged call sites: each sees only its own lanes, so the copies must not be merged."""
    sass = kernel(
        HEAD
        + """
        ISETP.LT.AND P0, PT, R0, 0x8, PT
        @P0 BRA =low
        MOV R20, =joined
        CALL.REL.NOINC =function
        BRA =joined
        low:
        MOV R20, =joined
        CALL.REL.NOINC =function
        joined:
        STG.E [R2.64], R8
        EXIT
        function:
        VOTE.ANY R8, PT, PT
        RET.REL.NODEC R20, 0x0
        """.replace("MOV R20, =joined\n        CALL.REL.NOINC =function\n        BRA", "MOV R20, =after\n"
                    "        CALL.REL.NOINC =function\n        after:\n        BRA"),
        symbols={"k": 0, "function": 16 * (7 + 9)},
    )  # fmt: skip
    assert run(sass, WORDS, 32).tolist() == [0xFF] * 8 + [0xFFFFFF00] * 24


def test_recursion_uses_the_stack() -> None:
    """sum(n) = n + sum(n - 1), with the return address and n saved in local memory."""
    sass = kernel(
        HEAD
        + """
        MOV R8, R0
        MOV R20, =done
        CALL.REL.NOINC =sum
        done:
        STG.E [R2.64], R8
        EXIT
        sum:
        ISETP.EQ.AND P0, PT, R8, RZ, PT
        @P0 RET.REL.NODEC R20, 0x0
        IADD3 R1, R1, -0x8, RZ
        STL [R1], R8
        STL [R1+0x4], R20
        IADD3 R8, R8, -0x1, RZ
        MOV R20, =back
        CALL.REL.NOINC =sum
        back:
        LDL R9, [R1]
        LDL R20, [R1+0x4]
        IADD3 R1, R1, 0x8, RZ
        IADD3 R8, R8, R9, RZ
        RET.REL.NODEC R20, 0x0
        """,
        symbols={"k": 0, "sum": 16 * (7 + 5)},
    )
    assert run(sass, WORDS, 32).tolist() == [n * (n + 1) // 2 for n in range(32)]


def test_a_function_pointer_goes_through_the_table_in_bank_2() -> None:
    body = (
        HEAD
        + """
        LOP3.LUT R8, R0, 0x1, RZ, 0xc0, !PT
        IMAD R8, R8, 0x8, RZ
        LDC.64 R8, c[0x2][R8+0x8]
        MOV R20, =after
        CALL.REL.NOINC R8, 0x0
        after:
        STG.E [R2.64], R10
        EXIT
        even:
        MOV R10, 0x64
        RET.REL.NODEC R20, 0x0
        odd:
        IADD3 R10, R0, 0xc8, RZ
        RET.REL.NODEC R20, 0x0
        """
    )
    even, odd = 16 * (7 + 7), 16 * (7 + 9)
    table = b"".join(v.to_bytes(8, "little") for v in (1, even, odd))
    sass = kernel(body, symbols={"k": 0, "even": even, "odd": odd}, constants={2: table})
    assert run(sass, WORDS, 32).tolist() == [n + 200 if n % 2 else 100 for n in range(32)]


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


def test_a_lock_that_its_loop_releases_serves_every_lane() -> None:
    sass = kernel(LOCK.format(critical=CRITICAL, after=""))
    assert sorted(run(sass, np.zeros(2, np.uint32), 32).tolist()) == list(range(1, 33))


def test_lanes_that_would_wait_for_each_other_trap() -> None:
    sass = kernel(LOCK.format(critical="", after=CRITICAL))
    with pytest.raises(DeviceFailed, match="trap"):
        run(sass, np.zeros(2, np.uint32), 32)


def test_one_lane_may_wait_for_a_lock() -> None:
    sass = kernel(LOCK.format(critical="", after=CRITICAL))
    assert run(sass, np.zeros(2, np.uint32), 1, block=(1,)).tolist() == [1]


@pytest.mark.parametrize(
    ("line", "feature"),
    [
        ("HGMMA.64x8x16.F32 R24, gdesc[UR4], R24", "HGMMA.64x8x16.F32"),
        ("IADD3.SOMEHOW R8, R8, R8, RZ", "IADD3.SOMEHOW"),
        ("BAR.SYNC 0x0, 0x40", "BAR.SYNC"),
        ("SHFL.IDX PT, R8, R8, 0x0, 0x1f", ""),
    ],
)
def test_what_is_not_understood_is_named_with_its_address(line: str, feature: str) -> None:
    if not feature:
        assert lift_kernel(kernel(f"{HEAD}\n{line}\nEXIT")).text
        return
    with pytest.raises(Unsupported) as error:
        lift_kernel(kernel(f"{HEAD}\n{line}\nEXIT"))
    if "gdesc" not in line:
        assert (error.value.feature, error.value.address) == (feature, 0x70)
        assert error.value.kernel == "k"
