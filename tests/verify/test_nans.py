"""A NaN is as good as another where the kernel computed it, and nowhere else."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from cass_shim.verify.compare import compare
from cass_shim.verify.interpreter import Outcome
from cass_shim.verify.memory import Arena
from tests.verify import text

NAN = 0x7FC0_0000  # of f32
HIGH = 0x7FF8_0000  # of an f64 NaN
SIZE = 4096  # bytes of memory


def padded(words: list[int]) -> NDArray[np.uint8]:
    return np.array(words + [0] * (SIZE // 4 - len(words)), np.uint32).view(np.uint8)


def outcome(words: list[int], written: list[bool]) -> Outcome:
    """A run of the reference that left these words behind."""
    arena = Arena(0, padded(words), np.ones(SIZE, bool))
    arena.touched[: 4 * len(words)] = np.repeat(np.array(written), 4)
    return Outcome(arena, np.ones(1, bool))


@pytest.mark.parametrize(
    ("device", "words", "written", "nans", "bad"),
    [
        ([NAN + 1, 0], [NAN, 0], [True, False], True, []),  # another NaN, computed
        ([NAN + 1, 0], [NAN, 0], [False, True], True, [0]),  # one that nobody computed
        ([0xFFFF_FFFE, 0], [0xFFFF_FFFF, 0], [True, False], False, [0]),  # -2 for -1
        ([5, HIGH], [7, HIGH], [True, True], True, []),  # an f64 NaN
        ([5, HIGH], [7, HIGH], [True, False], True, [0]),  # a word beside something that looks like half of one
        ([5, HIGH], [7, HIGH], [True, True], False, [0]),
    ],
)
def test_what_may_be_another_nan(
    device: list[int], words: list[int], written: list[bool], nans: bool, bad: list[int]
) -> None:
    assert compare(padded(device), [outcome(words, written)], False, nans=nans).bad.tolist() == bad


@pytest.mark.parametrize(
    ("device", "word", "bad"),
    [
        (0x7E00_3C00, 0x7FFF_3C00, []),  # f16, computed; the other half is 1
        (0xFE00_7E01, 0x7FFF_FFFF, []),
        (0x3C00_3C00, 0x7FFF_3C00, [0]),  # a number
        (0x7FC0_0000, 0x7F80_0000, [0]),  # an f32 NaN for an infinity, whose upper half is a NaN as f16
        (0x7E00_3C01, 0x7FFF_3C00, [0]),  # the half beside it
    ],
)
def test_what_may_be_another_nan_in_halves(device: int, word: int, bad: list[int]) -> None:
    """NaNs as NVIDIA's arithmetic gives them; rows of matrices passed with an infinity times 0 before."""
    assert compare(padded([device]), [outcome([word], [True])], True).bad.tolist() == bad


def test_a_maximum_of_the_bits_of_a_nan_is_seen_to_be_open() -> None:
    """`atomicMax` of a float's bits: runs whose NaNs have one sign alone agree, and the device's may have the other."""
    code = """
        MOV R2, c[0x0][0x160]
        MOV R3, c[0x0][0x164]
        LDG.E R4, [R2]
        FADD R4, R4, R4
        MOV R5, 0x80000000
        IMNMX.U32 R4, R4, R5, !PT
        STG.E [R2], R4
        EXIT
    """
    quiet = np.array([NAN] + 255 * [0], np.uint32)
    policies = ("lowest", "random", "blocks")
    results = [int(text.run(text.kernel(code), block=1, data=quiet, policy=policy)[0][0]) for policy in policies]
    assert len(set(results)) == 2 and results[0] == 0x8000_0000
