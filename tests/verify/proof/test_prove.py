"""Proofs end to end: right translations are proved, planted bugs are found and shown by a run.

The bugs are changes of the lifter's assembly: a wrong bound, a wrong register, a dropped guard, a dropped barrier.
"""

from __future__ import annotations

import re

import pytest

from cass_shim.device import Device
from cass_shim.model.artifacts import Evidence
from cass_shim.model.errors import Rejected
from cass_shim.verify import verify_kernel
from cass_shim.verify.proof.classify import classify
from cass_shim.verify.proof.prove import DIFFERENT, PROVED, UNKNOWN, Proof
from tests.verify.proof.subjects import Subject, built, prebuilt

pytest.importorskip("z3", reason="z3-solver is not installed")

pytestmark = pytest.mark.timeout(120)
BUDGET = 60.0
VECTOR_ADD = "vector_add_static"


def judged(subject: Subject, device: Device, *changes: tuple[str, str]) -> Proof:
    return classify(subject.code(*changes), subject.kernel, subject.cubin, device, budget_s=BUDGET)


def shown(proof: Proof) -> bool:
    """Whether a counterexample was run: it names a launch and two values."""
    return proof.verdict == DIFFERENT and bool(
        re.search(r"grid \(\d+, \d+, \d+\) block .*(0x[0-9a-f]+ instead of 0x[0-9a-f]+|launch failed)", proof.reason)
    )


def test_an_element_wise_kernel_is_proved_for_every_block(device: Device) -> None:
    proof = judged(prebuilt(VECTOR_ADD), device)
    assert proof.verdict == PROVED, proof.reason
    assert proof.bounds == ("every block (n, 1, 1) with n <= 1024, every grid up to (2147483647, 65535, 65535)",)
    assert proof.claims == 32 and not proof.looped


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("v_cmpx_gt_i32_e64 $a, $b", "v_cmpx_ge_i32_e64 $a, $b"),
        ("v_cmpx_gt_i32_e64 $a, $b", "v_cmpx_gt_u32_e64 $a, $b"),
        ("v_cmpx_gt_i32_e64 $a, $b", "s_nop 0"),
        ("v_add_f32_e32 $a, $b, $c", "v_add_f32_e32 $a, $b, $b"),
        ("s_load_b128 $a, $b, 0x0", "s_load_b128 $a, $b, 0x8"),
        ("v_lshlrev_b64 $a, 2, $b", "v_lshlrev_b64 $a, 3, $b"),
        ("s_cbranch_execz", "s_cbranch_execnz"),
    ],
)
def test_bugs_in_an_element_wise_kernel_are_shown(old: str, new: str, device: Device) -> None:
    proof = judged(prebuilt(VECTOR_ADD), device, (old, new))
    assert shown(proof), (proof.verdict, proof.reason)


def test_operands_of_a_sum_may_be_swapped(device: Device) -> None:
    proof = judged(prebuilt(VECTOR_ADD), device, ("v_add_f32_e32 $a, $b, $c", "v_add_f32_e32 $a, $c, $b"))
    assert proof.verdict == PROVED, proof.reason


def test_what_only_z3_saw_is_no_difference(device: Device) -> None:
    """A wrong sign extension needs an index beyond 2^31, which no launch of a few blocks reaches."""
    proof = judged(prebuilt(VECTOR_ADD), device, ("v_ashrrev_i32_e32 $a, 31, $b", "v_mov_b32_e32 $a, 0"))
    assert proof.verdict == UNKNOWN
    assert "no small run showed it" in proof.reason and "in block" in proof.reason


def test_a_fixed_stencil_is_proved_for_its_block(device: Device) -> None:
    proof = judged(built("stencil_2d"), device)
    assert proof.verdict == PROVED, proof.reason
    assert proof.bounds == ("block (32, 8, 1), every grid up to (2147483647, 65535, 65535)",)
    assert proof.claims >= 256


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("v_cmp_gt_i32_e64 $a, 1, $b", "v_cmp_gt_i32_e64 $a, 2, $b"),
        ("ds_store_b32 $a, $b offset:140", "ds_store_b32 $a, $b offset:136"),
        ("s_barrier", "s_nop 0"),
        ("v_add_f32_e32 $a, $b, $a", "v_add_f32_e32 $a, $b, $b"),
        ("s_and_b32 $a, $b, vcc_lo", "s_or_b32 $a, $b, vcc_lo"),
    ],
)
def test_bugs_in_a_fixed_stencil_are_shown(old: str, new: str, device: Device) -> None:
    proof = judged(built("stencil_2d"), device, (old, new))
    assert shown(proof), (proof.verdict, proof.reason)


def reduced(device: Device, *changes: tuple[str, str]) -> Proof:
    """Two warps: shuffles, shared memory between them, one atomic operation a block."""
    subject = built("block_reduce")
    return classify(subject.code(*changes), subject.kernel, subject.cubin, device, budget_s=BUDGET, blocks=[(64, 1, 1)])


def test_a_shuffle_reduction_is_proved_for_its_block(device: Device) -> None:
    proof = reduced(device)
    assert proof.verdict == PROVED, proof.reason
    assert proof.looped and proof.report()["loops"] == "each runs at most 3 times"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("v_cmpx_gt_i32_e64 $a, $b", "v_cmpx_ge_i32_e64 $a, $b"),
        ("v_cmp_le_i32_e32 vcc_lo, $a, $b", "v_cmp_lt_i32_e32 vcc_lo, $a, $b"),
        ("v_xor_b32_e32 $a, 64, $b", "v_xor_b32_e32 $a, 32, $b"),
        ("v_add_nc_u32_e32 $A, $B, $A", "v_add_nc_u32_e32 $A, $B, $B"),
        ("s_and_b32 exec_lo, exec_lo, vcc_lo\n\ts_cbranch_execz", "s_nop 0\n\ts_cbranch_execz"),
    ],
)
def test_bugs_in_a_shuffle_reduction_are_shown(old: str, new: str, device: Device) -> None:
    proof = reduced(device, (old, new))
    assert shown(proof), (proof.verdict, proof.reason)


def test_a_budget_that_is_spent_is_unknown(device: Device) -> None:
    subject = prebuilt(VECTOR_ADD)
    proof = classify(
        subject.code(("v_cmpx_gt_i32_e64 $a, $b", "s_nop 0")), subject.kernel, subject.cubin, device, budget_s=0.0
    )
    assert proof.verdict == UNKNOWN and "time budget" in proof.reason


def test_a_kernel_that_is_too_much_ends_with_its_budget(device: Device) -> None:
    subject = prebuilt("mandelbrot_shared")
    proof = classify(subject.code(), subject.kernel, subject.cubin, device, budget_s=3.0)
    assert proof.verdict == UNKNOWN and "time budget" in proof.reason
    assert proof.seconds < 30


def test_verification_grants_e4(device: Device) -> None:
    subject = prebuilt(VECTOR_ADD)
    verified = verify_kernel(subject.code(), subject.kernel, subject.cubin, device, budget_s=0.5, prove_s=BUDGET)
    assert verified.evidence is Evidence.E4
    proof = verified.report["proof"]
    assert isinstance(proof, dict) and proof["verdict"] == PROVED and proof["assumptions"]
    without = verify_kernel(subject.code(), subject.kernel, subject.cubin, device, budget_s=0.5)
    assert without.evidence is Evidence.E1 and "proof" not in without.report


def test_a_wrong_translation_is_rejected_whatever_is_asked(device: Device) -> None:
    subject = prebuilt(VECTOR_ADD)
    with pytest.raises(Rejected):
        wrong = subject.code(("v_cmpx_gt_i32_e64 $a, $b", "v_cmpx_ge_i32_e64 $a, $b"))
        verify_kernel(wrong, subject.kernel, subject.cubin, device, budget_s=0.5, prove_s=BUDGET)
