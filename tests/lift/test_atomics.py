"""Atomics that RDNA3 has no instruction for, with lanes and waves that meet at one cell."""

from __future__ import annotations

import numpy as np
import pytest

from tests.lift.support import HEAD, kernel, run

# Sixteen bytes of %out behind the results are the cell; each thread exchanges its own number, four times over, with it.
BLOCKS, THREADS = 3, 96
CELL = f"""
    MOV R8, c[0x0][0x160]
    MOV R9, c[0x0][0x164]
    IADD3 R8, P0, R8, {16 * BLOCKS * THREADS:#x}, RZ
    IADD3.X R9, R9, RZ, RZ, P0, !PT
    IADD3 R12, R0, 0x1, RZ
    MOV R13, R12
    MOV R14, R12
    MOV R15, R12
    MOV R7, 0x10
    IMAD.WIDE R2, R0, R7, c[0x0][0x160]
"""
STORE = "STG.E.128 [R2.64], R16\nEXIT\n"
EXCHANGE = f"{HEAD}{CELL}ATOMG.E.EXCH.128.STRONG.GPU PT, R16, [R8.64], R12\n{STORE}"
SWAP = f"""{HEAD}{CELL}
    MOV R20, RZ
    MOV R21, RZ
    MOV R22, RZ
    MOV R23, RZ
    MOV R24, R12
    MOV R25, R12
    MOV R26, R12
    MOV R27, R12
    ATOMG.E.CAS.128.STRONG.GPU PT, R16, [R8], R20, R24
    {STORE}"""


def found(text: str) -> tuple[np.ndarray, np.ndarray]:
    """What each thread found in the cell, and what is left in it."""
    count = BLOCKS * THREADS
    words = run(kernel(text), np.zeros(1, np.uint32), 4 * count + 4, grid=(BLOCKS,), block=(THREADS,))
    cells = words.reshape(count + 1, 4)
    assert (cells == cells[:, :1]).all(), "half of one exchange and half of another"
    return cells[:-1, 0], cells[-1]


def test_an_exchange_of_sixteen_bytes_is_one_step() -> None:
    """Every number is found once, but for the one that is left; somebody finds the zeros of the beginning."""
    before, left = found(EXCHANGE)
    assert sorted([*before.tolist(), int(left[0])]) == list(range(BLOCKS * THREADS + 1))


def test_one_compare_and_swap_of_sixteen_bytes_succeeds() -> None:
    before, left = found(SWAP)
    winner = int(left[0])
    assert np.flatnonzero(before == 0).tolist() == [winner - 1]
    assert set(before.tolist()) == {0, winner}


@pytest.mark.parametrize("operation", ["MIN", "MAX"])
def test_packed_extremes_of_many_lanes(operation: str) -> None:
    """All lanes at one cell of two halves: the extreme of each half, and of a sum of four cells each its own."""
    values = np.random.default_rng(7).normal(size=(32, 2)).astype(np.float16)
    text = f"{HEAD}LDG.E R9, [R4.64]\nMOV R2, c[0x0][0x160]\nMOV R3, c[0x0][0x164]\n"
    text += f"REDG.E.{operation}.F16x2.RN.STRONG.GPU [R2.64], R9\nEXIT\n"
    left = run(kernel(text), np.ascontiguousarray(values).view(np.uint32).reshape(-1), 1).view(np.float16)
    both = np.concatenate([values, np.zeros((1, 2), np.float16)])
    assert left.tolist() == (both.min(axis=0) if operation == "MIN" else both.max(axis=0)).tolist()


def test_compare_and_store_through_the_window_of_shared_memory() -> None:
    """What ptxas makes of atomicAdd of floats on a generic address: a loop around ATOM.CAST.SPIN, which says 1 or 0."""
    text = f"""{HEAD}
    ISETP.NE.AND P0, PT, R0, RZ, PT
    @!P0 STS [RZ], RZ
    BAR.SYNC.DEFER_BLOCKING 0x0
    MOV R10, RZ
    MOV R11, c[0x0][0x1c]
    QSPC.E.D P2, RZ, [R10]
    again:
    LD.E R12, [R10.64]
    IADD3 R13, R12, 0x3, RZ
    ATOM.E.CAST.SPIN PT, R14, [R10], R12, R13
    ISETP.EQ.U32.AND P1, PT, R14, 0x1, PT
    @!P1 BRA =again
    BAR.SYNC.DEFER_BLOCKING 0x0
    LDS R15, [RZ]
    SEL R15, R15, RZ, P2
    STG.E [R2.64], R15
    EXIT
    """
    assert run(kernel(text, shared_bytes=16), np.zeros(64, np.uint32), 64, block=(64,)).tolist() == [192] * 64
