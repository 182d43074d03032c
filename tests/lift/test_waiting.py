"""Lanes of a warp that wait for each other: which kernels have them, and that these end as the interpreter says."""

from __future__ import annotations

import struct
import time
from pathlib import Path

import numpy as np
import pytest

from cass_shim.assemble.llvm import assemble_llvm
from cass_shim.lift import lift_kernel
from cass_shim.lift.code import Code, find_functions
from cass_shim.lift.waiting import lanes_wait
from cass_shim.model.artifacts import SassKernel
from cass_shim.model.errors import DeviceFailed
from tests.lift.support import CRITICAL, HEAD, LOCK, built, emulated, kernel, run
from tests.verify import text

LANES = list(range(32))
WORDS = 256

SPIN = """
    wait:
    YIELD
    LDG.E.STRONG.SYS R8, [R4.64]
    ISETP.NE.AND P0, PT, R8, RZ, PT
    @!P0 BRA =wait
"""
STORE = "STG.E [R2.64], R0\n"


def waits(body: str) -> bool:
    code = Code.of(kernel(HEAD + body + "EXIT\n"))
    return lanes_wait(code, find_functions(code))


def test_a_flag_that_a_sibling_may_set_is_waited_for() -> None:
    assert waits(SPIN + STORE)
    assert waits("ISETP.NE.AND P1, PT, R0, RZ, PT\n@P1 BRA =past\n" + SPIN + "EXIT\npast:\n" + STORE)
    assert waits(LOCK.replace(HEAD, "").replace("EXIT\n", "").format(critical=CRITICAL, after=""))


def test_what_no_sibling_can_write_is_not_waited_for() -> None:
    assert not waits(STORE + SPIN)  # all lanes have stored by then
    assert not waits(SPIN + "BAR.SYNC.DEFER_BLOCKING 0x0\n" + STORE)  # nobody goes on before all have come
    assert not waits(SPIN)


def test_polling_many_places_is_waiting() -> None:
    """The address changes from turn to turn, and the loop still ends by what is read only."""
    moved = SPIN.replace("YIELD", "YIELD\nIADD3 R4, R4, 0x4, RZ\nLOP3.LUT R4, R4, 0xff, RZ, 0xc0, !PT")
    assert waits(moved + STORE)


def test_a_consumer_that_counts_what_it_got_waits() -> None:
    assert waits(
        """
        MOV R9, RZ
        again:
        ISETP.GE.AND P1, PT, R9, 0x8, PT
        @P1 BRA =out
        LDG.E.STRONG.SYS R8, [R4.64]
        ISETP.NE.AND P0, PT, R8, R9, PT
        @P0 BRA =again
        IADD3 R9, R9, 0x1, RZ
        BRA =again
        out:
        """
        + STORE
    )


@pytest.mark.parametrize(
    "loop",
    [
        "IADD3 R9, R9, 0x1, RZ\nLDG.E.STRONG.SYS R8, [R4.64]\nISETP.LT.AND P0, PT, R9, R8, PT",
        "LDG.E.STRONG.SYS R8, [R4.64]\nMEMBAR.SC.GPU\nFADD R9, R10, R8\nATOMG.E.CAS.STRONG.GPU PT, R11, [R4], R10, R9\n"
        "ISETP.NE.AND P0, PT, R11, R10, PT\nMOV R10, R11",
        "ATOMG.E.ADD.STRONG.GPU PT, R8, [R4.64], R7\nISETP.LT.AND P0, PT, R8, 0x64, PT",
        "IMAD.WIDE R12, R9, R7, R4\nATOMG.E.CAS.STRONG.GPU PT, R8, [R12], RZ, R0\nIADD3 R9, R9, 0x1, RZ\n"
        "ISETP.NE.AND P0, PT, R8, RZ, PT",
    ],
    ids=["bounded", "compare and swap", "work queue", "open addressing"],
)
def test_loops_that_end_by_themselves(loop: str) -> None:
    assert not waits(f"MOV R9, RZ\nMOV R10, RZ\nagain:\nYIELD\n{loop}\n@P0 BRA =again\n{STORE}")


FIRST = "ISETP.NE.AND P1, PT, R0, RZ, PT\n@P1 BRA =ready\n" + SPIN + "ready:\nBAR.SYNC.DEFER_BLOCKING 0x0\nEXIT\n"
TURNS = (
    "MOV R9, RZ\nup:\nIADD3 R9, R9, 0x1, RZ\nISETP.LT.AND P1, PT, R9, {0}, PT\n@P1 BRA =up\n"
    "ISETP.EQ.AND P2, PT, R9, 0x3, PT"
)
CHOSEN = "MOV R9, 0x1\nISETP.EQ.AND P1, PT, {0}, RZ, PT\n@P1 MOV R9, RZ\nISETP.EQ.AND P2, PT, R9, RZ, PT"
PARTED = "MOV R9, RZ\nISETP.EQ.AND P1, PT, R0, RZ, PT\n@P1 BRA =on\nMOV R9, 0x1\non:\nISETP.EQ.AND P2, PT, R9, RZ, PT"
SAME = {  # what P2 is made of; whether all lanes have one value
    "the block's number": ("ISETP.EQ.AND P2, PT, R6, RZ, PT", True),
    "the lane's number": ("ISETP.EQ.AND P2, PT, R0, 0x5, PT", False),
    "a parameter": ("MOV R9, c[0x0][0x168]\nISETP.EQ.AND P2, PT, R9, RZ, PT", True),
    "one place of shared memory": ("LDS R9, [0x10]\nISETP.EQ.AND P2, PT, R9, RZ, PT", True),
    "a place of each lane": ("LDS R9, [R0]\nISETP.EQ.AND P2, PT, R9, RZ, PT", False),
    "what others may change": ("LDG.E.STRONG.GPU R9, [R12]\nISETP.EQ.AND P2, PT, R9, RZ, PT", False),
    "a ticket": ("ATOMS.ADD R9, [0x10], R7\nISETP.EQ.AND P2, PT, R9, RZ, PT", False),
    "a vote": ("VOTE.ANY P2, P1", True),
    "chosen by all": (CHOSEN.format("R6"), True),
    "chosen by each": (CHOSEN.format("R0"), False),
    "where lanes have parted": (PARTED, False),
    "turns of each lane": (TURNS.format("R0"), False),
    "turns of all": (TURNS.format("R6"), True),
    "half of a pair": ("IMAD.WIDE R8, R0, R7, RZ\nISETP.EQ.AND P2, PT, R9, RZ, PT", False),
    "an upper half": ("MOV R8, RZ\nMOV R9, R0\nI2F.U64 R10, R8\nFSETP.GT.AND P2, PT, R10, RZ, PT", False),
    "a carry": ("IADD3 R9, P2, R0, R0, RZ", False),
    "a matrix product": ("HMMA.16816.F32 R8, R8, R12, R8\nISETP.EQ.AND P2, PT, R11, RZ, PT", False),
    "predicates from a register": ("R2P PR, R0, 0x7f", False),
}


@pytest.mark.parametrize("values", SAME.values(), ids=list(SAME))
def test_a_way_past_the_loop_is_taken_by_all_lanes_or_by_none(values: tuple[str, bool]) -> None:
    """As Marlin's slices are served: one thread of a block polls, blocks with one slice go on and store."""
    made, same = values
    assert waits(f"{made}\n@P2 BRA =past\n{FIRST}past:\n{STORE}") is not same


def test_lanes_that_met_before_the_loop_do_not_write_behind_each_other() -> None:
    branch = "ISETP.LT.AND P1, PT, R0, 0x5, PT\n@P1 BRA ={0}\n" + STORE + "{0}:\n"
    assert not waits(branch.format("met") + SPIN)
    assert waits("ISETP.LT.AND P1, PT, R0, 0x5, PT\n@P1 BRA =other\n" + SPIN + "EXIT\nother:\n" + STORE)


QUEUE = """
    take:
    {first}
    ISETP.NE.AND P1, PT, R0, RZ, PT
    @P1 BRA =got
    ATOMG.E.ADD.STRONG.GPU PT, R8, [R4.64], R7
    STS [0x10], R8
    got:
    {second}
    {end}
    STG.E [R2.64], R9
    @!P2 BRA =take
"""
BARRIER = "BAR.SYNC.DEFER_BLOCKING 0x0"
SHARED = "LDS R9, [0x10]\nISETP.GE.AND P2, PT, R9, c[0x0][0x168], PT"
OWN = "LDG.E.STRONG.SYS R9, [R4.64]\nISETP.GE.AND P2, PT, R9, c[0x0][0x168], PT"


def test_lanes_that_meet_at_a_barrier_each_turn_do_not_wait_for_each_other_in_the_loop() -> None:
    """As dynamic queues of tiles are served (Thrust, gpu4pyscf)."""
    assert not waits(QUEUE.format(first=BARRIER, second=BARRIER, end=SHARED) + STORE)
    assert waits(QUEUE.format(first="YIELD", second="YIELD", end=OWN) + STORE)
    assert waits(QUEUE.format(first=BARRIER, second=BARRIER, end=OWN) + STORE)  # who has left stores before it ends


def test_one_that_polls_within_a_turn_is_found() -> None:
    inner = "ISETP.NE.AND P3, PT, R0, 0x1, PT\n@P3 BRA =other\n" + SPIN + "BRA =both\nother:\n" + STORE + "both:"
    assert waits(QUEUE.format(first=BARRIER, second=f"{inner}\n{BARRIER}", end=SHARED))


def test_a_loop_of_a_thousand_branches_is_looked_at_in_time() -> None:
    """gpu4pyscf's md_j_4dm_kernel: a turn with a YIELD, barriers and hundreds of branches took ten seconds."""
    ways = "".join(
        f"LDG.E R9, [R2.64]\nISETP.GT.AND P3, PT, R9, {n}, PT\n@P3 BRA =way{n:03}\nIADD3 R9, R9, 0x1, RZ\nway{n:03}:\n"
        for n in range(300)
    )
    begin = time.process_time()
    assert not waits(QUEUE.format(first=f"YIELD\n{BARRIER}", second=f"{ways}{BARRIER}", end=SHARED) + STORE)
    assert time.process_time() - begin < 5


def test_lanes_of_which_none_can_ever_go_on_stop_the_kernel() -> None:
    """Lane 0 waits for lane 1, which waits for the whole block."""
    sass = kernel(
        HEAD
        + """
        ISETP.NE.AND P1, PT, R0, RZ, PT
        @P1 BRA =other
        WARPSYNC 0x3
        EXIT
        other:
        BAR.SYNC.DEFER_BLOCKING 0x0
        """
        + SPIN
        + STORE
        + "EXIT\n"
    )
    with pytest.raises(DeviceFailed, match="trap"):
        run(sass, np.zeros(2, np.uint32), 32)


def test_lanes_at_two_barriers_go_on_while_others_poll_for_what_they_do() -> None:
    """Half of the warp waits at one BSYNC and half at another, each for all; lane 0 polls for lane 16's store.

    As where callees restore masks that still name lanes which went on (BMOV); seen in libcu++'s barriers with -G.
    """
    sass = kernel(
        HEAD
        + """
        BSSY B6, =six
        BSSY B7, =seven
        ISETP.EQ.AND P1, PT, R0, RZ, PT
        @P1 BRA =wait
        ISETP.LT.AND P1, PT, R0, 0x10, PT
        @P1 BRA =six
        seven:
        BSYNC B7
        ISETP.EQ.AND P1, PT, R0, 0x10, PT
        MOV R12, c[0x0][0x168]
        MOV R13, c[0x0][0x16c]
        @P1 STG.E.STRONG.SYS [R12.64], R7
        BRA =end
        six:
        BSYNC B6
        BRA =end
        """
        + SPIN
        + "end:\n"
        + STORE
        + "EXIT\n",
    )
    assert run(sass, np.zeros(32, np.uint32), 32).tolist() == LANES


def on_device(sass: SassKernel, number: int, block: int = 32) -> list[int]:
    code = assemble_llvm(lift_kernel(sass), sass.abi)
    with emulated() as device:
        words = device.buffer(np.zeros(WORDS, np.uint32))
        table = device.buffer(np.zeros(8, np.uint64))
        kernarg = bytearray(code.bindings_offset + 8)
        struct.pack_into("<QI", kernarg, 0, words.address, number)
        struct.pack_into("<Q", kernarg, code.bindings_offset, table.address)
        device.load(code.elf).function(sass.name).launch((1,), (block,), bytes(kernarg))
        device.synchronize()
        return np.asarray(words.read()).tolist()


def turns_from(first: int) -> list[int]:
    total, found = 0, [0] * 32
    for lane in range(first, -1, -1):
        total = total * 3 + lane & 0xFFFF_FFFF
        found[lane] = total
    return found


EXPECTED = {
    "flag": (5, [1000 if lane == 5 else 7 + lane for lane in LANES]),
    "turns": (31, turns_from(31)),
    "tickets": (3, [3 * k for k in LANES]),
    "bit_lock": (9, [9 * k for k in LANES]),
    "pipeline": (6, [(6 * k + 1 if k else 0) + ((k ^ 1) << 16) + ((3 if k & 1 else 16) << 24) for k in LANES]),
    "chain": (4, [4 + lane for lane in LANES]),
}


@pytest.mark.nvcc
@pytest.mark.parametrize("options", [["-arch=sm_80"], ["-arch=sm_90"], ["-arch=sm_80", "-G"]], ids=" ".join)
def test_waiting_lanes_end_as_the_interpreter_says(options: list[str], tmp_path: Path) -> None:
    kernels = built("waiting.cu", options, tmp_path)
    assert set(kernels) == set(EXPECTED)
    for name, (number, expected) in EXPECTED.items():
        if "-G" in options and name in ("tickets", "chain"):  # three seconds each of the interpreter
            continue
        sass = kernels[name]
        code = Code.of(sass)
        assert lanes_wait(code, find_functions(code)), name
        assert on_device(sass, number)[64:96] == expected, name
        reference, _ = text.run(sass, number=number, words=WORDS, max_steps=400_000)
        assert reference[64:96].tolist() == expected, name


def exchanged(rounds: int) -> list[int]:
    mine = list(range(128))
    for _ in range(rounds):
        mine = [value + mine[(thread + 33) % 128] & 0xFFFF_FFFF for thread, value in enumerate(mine)]
    return mine


MBARRIERS = {
    "phases": (11, exchanged(11)),
    "dropping": (40, [sum(range(40)) if thread < 40 else 1 for thread in range(128)]),
    "copies": (5, [5 * (127 - thread) for thread in range(128)]),
    "counts": (9, [77 + thread for thread in range(128)]),
}


@pytest.mark.nvcc
def test_barriers_of_sm90_end_as_the_interpreter_says(tmp_path: Path) -> None:
    """What they give follows from the PTX ISA's description of mbarrier."""
    kernels = built("mbarrier.cu", ["-arch=sm_90"], tmp_path)
    assert set(kernels) == set(MBARRIERS)
    for name, (number, expected) in MBARRIERS.items():
        assert on_device(kernels[name], number, 128)[64:192] == expected, name
        reference, _ = text.run(kernels[name], number=number, words=WORDS, block=128, max_steps=400_000)
        assert reference[64:192].tolist() == expected, name


SAVED = f"""{HEAD}
    LOP3.LUT R8, R0, 0x3, RZ, 0xc0, !PT
    MOV R10, RZ
    MOV R20, =back
    CALL.REL.NOINC =function
    back:
    WARPSYNC.ALL
    VOTE.ANY R9, PT, PT
    IADD3 R9, R9, R10, RZ
    STG.E [R2.64], R9
    EXIT
    function:
    BMOV.32.CLEAR R22, B6
    IADD3 R1, R1, -0x10, RZ
    STL [R1], R20
    STL [R1+0x4], R22
    BSSY B6, =left
    ISETP.EQ.AND P1, PT, R8, RZ, PT
    @P1 BRA =leave
    IADD3 R8, R8, -0x1, RZ
    MOV R20, =inside
    CALL.REL.NOINC =function
    inside:
    IADD3 R10, R10, 0x1, RZ
    leave:
    BSYNC B6
    left:
    LDL R20, [R1]
    LDL R22, [R1+0x4]
    BMOV.32 B6, R22
    IADD3 R1, R1, 0x10, RZ
    RET.REL.NODEC R20, 0x0
"""


def test_a_callee_that_saves_a_barrier_does_not_open_its_callers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Siblings wait at the caller's barrier in the register that the callee uses: as `search_tree` for sm_100 does."""
    function = [line for line in SAVED.split("\n") if line.strip() and ":" not in line].index(
        "    BMOV.32.CLEAR R22, B6"
    )
    sass = kernel(SAVED, symbols={"k": 0, "function": 16 * function})
    expected = [0xFFFF_FFFF + lane % 4 & 0xFFFF_FFFF for lane in LANES]
    reference, _ = text.run(sass, words=WORDS)
    assert reference[:32].tolist() == expected
    monkeypatch.setattr("cass_shim.lift.kernel.lanes_wait", lambda code, functions: True)
    assert run(sass, np.zeros(32, np.uint32), 32).tolist() == expected
