"""The reference interpreter's control flow: divergence, convergence barriers, block barriers, calls, faults."""

from __future__ import annotations

import pytest

from cass_shim.verify.control import RUN
from cass_shim.verify.memory import Fault
from tests.verify.text import kernel, run

POLICIES = ["lowest", "random", "blocks", "blocks reversed", "warps", "warps reversed"]

STORE = """
    IMAD.WIDE R2, R0, 0x4, c[0x0][0x160]
    STG.E [R2.64], R5
    EXIT
"""

DIVERGE = """
    S2R R0, SR_TID.X
    BSSY B0, join
    LOP3.LUT R4, R0, 0x1, RZ, 0xc0, !PT
    ISETP.NE.AND P0, PT, R4, RZ, PT
    @P0 BRA odd
    MOV R5, 0x64
    BRA meet
odd:
    MOV R5, 0xc8
meet:
    BSYNC B0
join:
    VOTE.ANY R6, PT, PT
    IADD3 R5, R5, R6, RZ
"""


@pytest.mark.parametrize("policy", POLICIES)
def test_lanes_reconverge_before_a_vote(policy: str) -> None:
    """After BSYNC the whole warp votes together, whichever side ran first."""
    words, _ = run(kernel(DIVERGE + STORE), policy=policy)
    expected = [(100 if lane % 2 == 0 else 200) + 0xFFFF_FFFF & 0xFFFF_FFFF for lane in range(32)]
    assert words[:32].tolist() == expected


LOOP_WITH_BREAK = """
    S2R R0, SR_TID.X
    MOV R5, RZ
    BSSY B0, out
loop:
    ISETP.GE.AND P0, PT, R5, R0, PT
    @P0 BREAK B0
    @P0 BRA after
    IADD3 R5, R5, 0x1, RZ
    ISETP.LT.AND P1, PT, R5, c[0x0][0x168], PT
    @P1 BRA loop
    BSYNC B0
out:
    IADD3 R5, R5, 0x3e8, RZ
after:
"""


@pytest.mark.parametrize("policy", POLICIES)
def test_break_takes_lanes_out_of_the_barrier(policy: str) -> None:
    """Lanes that break do not wait at BSYNC, and nobody waits for them."""
    words, _ = run(kernel(LOOP_WITH_BREAK + STORE), number=10, policy=policy)
    assert words[:32].tolist() == [n if n < 10 else 1010 for n in range(32)]


NESTED = """
    S2R R0, SR_TID.X
    MOV R5, RZ
    BSSY B0, outer
    ISETP.GE.AND P0, PT, R0, 0x10, PT
    @P0 BRA meet0
    BSSY B1, inner
    ISETP.GE.AND P1, PT, R0, 0x8, PT
    @P1 BRA meet1
    IADD3 R5, R5, 0x1, RZ
meet1:
    BSYNC B1
inner:
    VOTE.ANY R6, PT, PT
    IADD3 R5, R5, R6, RZ
meet0:
    BSYNC B0
outer:
    VOTE.ANY R7, PT, PT
    POPC R7, R7
    IMAD R5, R7, 0x1000000, R5
"""


@pytest.mark.parametrize("policy", POLICIES)
def test_nested_barriers_wait_for_their_own_lanes(policy: str) -> None:
    """A lane at BSYNC B0 does not count as one at BSYNC B1."""
    words, _ = run(kernel(NESTED + STORE), policy=policy)
    inner = [0xFFFF + (1 if n < 8 else 0) if n < 16 else 0 for n in range(32)]
    assert words[:32].tolist() == [(32 << 24) + v & 0xFFFF_FFFF for v in inner]


REVERSE_THROUGH_SHARED = """
    S2R R0, SR_TID.X
    STS [R0.X4], R0
    BAR.SYNC.DEFER_BLOCKING 0x0
    IADD3 R4, -R0, c[0x0][0x168], RZ
    LDS R5, [R4.X4+-0x4]
"""


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("block", [32, 70, 128])
def test_block_barrier_orders_shared_memory(policy: str, block: int) -> None:
    sass = kernel(REVERSE_THROUGH_SHARED + STORE, shared=4 * block)
    words, outcome = run(sass, block=block, number=block, policy=policy)
    assert words[:block].tolist() == list(range(block - 1, -1, -1)) and not outcome.undefined_reads


def test_reading_shared_memory_that_nobody_wrote_is_noted() -> None:
    sass = kernel("S2R R0, SR_TID.X\n LDS R5, [R0.X4]\n" + STORE, shared=128)
    first, outcome = run(sass, seed=1)
    second, _ = run(sass, seed=2)
    assert outcome.undefined_reads and (first[:32] != second[:32]).all()


CALLS = """
    S2R R0, SR_TID.X
    MOV R5, R0
    MOV R20, back
    MOV R21, RZ
    LOP3.LUT R4, R0, 0x1, RZ, 0xc0, !PT
    ISETP.NE.AND P0, PT, R4, RZ, PT
    @P0 BRA other
    CALL.REL.NOINC double
other:
    CALL.REL.NOINC square
back:
    IMAD.WIDE R2, R0, 0x4, c[0x0][0x160]
    STG.E [R2.64], R5
    EXIT
double:
    IADD3 R5, R5, R5, RZ
    RET.REL.NODEC R20, 0x0
square:
    IMAD R5, R5, R5, RZ
    RET.REL.NODEC R20, 0x0
"""


@pytest.mark.parametrize("policy", POLICIES)
def test_divergent_calls_return_to_their_callers(policy: str) -> None:
    words, _ = run(kernel(CALLS), policy=policy)
    assert words[:32].tolist() == [n * n if n % 2 else 2 * n for n in range(32)]


ATOMIC = """
    S2R R0, SR_TID.X
    MOV R2, c[0x0][0x160]
    MOV R3, c[0x0][0x164]
    MOV R4, 0x1
    ATOMG.E.ADD.STRONG.GPU PT, R5, [R2.64], R4
    IMAD.WIDE R2, R0, 0x4, c[0x0][0x160]
    STG.E [R2.64+0x4], R5
    EXIT
"""


def test_atomics_count_everyone_and_their_order_varies() -> None:
    runs = [run(kernel(ATOMIC), block=64, policy=policy, seed=n) for n, policy in enumerate(POLICIES)]
    for words, outcome in runs:
        assert words[0] == 64 and sorted(words[1:65].tolist()) == list(range(64)) and outcome.contended
    assert len({tuple(words[1:65].tolist()) for words, _ in runs}) > 2


SPIN = """
    S2R R0, SR_TID.X
    MOV R2, c[0x0][0x160]
    MOV R3, c[0x0][0x164]
wait:
    LDG.E.STRONG.GPU R5, [R2.64]
    ISETP.EQ.AND P0, PT, R5, R0, PT
    @!P0 BRA wait
    IADD3 R5, R5, 0x1, RZ
    STG.E.STRONG.GPU [R2.64], R5
    EXIT
"""


@pytest.mark.parametrize("policy", ["lowest", "random"])
def test_lanes_that_wait_for_each_other_make_progress(policy: str) -> None:
    """Independent thread scheduling: each lane waits for the one before it in its own warp."""
    words, _ = run(kernel(SPIN), block=8, policy=policy)
    assert words[0] == 8


def test_faults_name_the_instruction_and_the_thread() -> None:
    beyond = "S2R R0, SR_TID.X\n IMAD.WIDE R2, R0, 0x400, c[0x0][0x160]\n STG.E [R2.64], R0\n EXIT"
    with pytest.raises(Fault, match="out of range") as caught:
        run(kernel(beyond))
    assert (caught.value.address, caught.value.lane) == (0x20, 1)
    odd = "S2R R0, SR_TID.X\n MOV R2, c[0x0][0x160]\n MOV R3, c[0x0][0x164]\n LDG.E R4, [R2.64+0x2]\n EXIT"
    with pytest.raises(Fault, match="misaligned") as caught:
        run(kernel(odd))
    assert caught.value.address == 0x30
    with pytest.raises(Fault, match="not finished") as caught:
        run(kernel("here:\n BRA here"), max_steps=500)
    assert caught.value.address == 0
    stuck = "S2R R0, SR_TID.X\n ISETP.NE.AND P0, PT, R0, RZ, PT\n @P0 BAR.SYNC 0x1, 0x40\n EXIT"
    with pytest.raises(Fault, match="deadlock"):
        run(kernel(stuck), block=32)


def test_lanes_that_wait_at_two_barriers_for_each_other_go_on() -> None:
    """As where callees restore masks (BMOV) that still name lanes which went on; the lifter opens them alike."""
    two = """
    S2R R0, SR_TID.X
    BSSY B6, six
    BSSY B7, seven
    ISETP.LT.AND P0, PT, R0, 0x10, PT
    @P0 BRA six
    seven:
    BSYNC B7
    BRA end
    six:
    BSYNC B6
    end:
    MOV R5, 0x7
    """
    words, _ = run(kernel(two + STORE), block=32)
    assert words[:32].tolist() == [7] * 32


def test_exited_threads_do_not_hold_up_a_barrier() -> None:
    early = "S2R R0, SR_TID.X\n ISETP.GE.AND P0, PT, R0, 0x8, PT\n @P0 EXIT\n BAR.SYNC 0x0\n MOV R5, 0x7\n"
    words, outcome = run(kernel(early + STORE), block=64)
    assert words[:64].tolist() == [7] * 8 + [0] * 56 and outcome.executed.all()


def test_guarded_off_instructions_change_nothing() -> None:
    text = "S2R R0, SR_TID.X\n MOV R5, 0x1\n @!PT MOV R5, 0x2\n @!PT STG.E [RZ.64], R5\n"
    words, _ = run(kernel(text + STORE))
    assert words[:32].tolist() == [1] * 32 and RUN == 0
