"""Approximate functions: results within what PTX leaves open agree, others do not."""

from __future__ import annotations

import pytest

from cass_shim.assemble.llvm import assemble_llvm
from cass_shim.lift import lift_kernel
from cass_shim.model.artifacts import Evidence, Verified
from cass_shim.model.errors import Rejected, ToolFailed
from cass_shim.native.locate import emulated_hip
from cass_shim.verify.kernel import open_device, verify_kernel
from tests.lift.support import HEAD, kernel

# 1 / sqrt(x / w + e), as ptxas makes it of div.approx, add and rsqrt.approx; R8: a loaded word.
ROOT = (
    HEAD
    + """
    LDG.E R8, [R4.64]
    MOV R9, {divisor}
    MUFU.RCP R9, R9
    MOV R11, 0x3727c5ac
    {sum}
    MUFU.RSQ R10, R10
    STG.E [R2.64], R10
    EXIT
    """
)
FUSED = "FFMA.FTZ R10, |R8|, R9, R11"
PLAIN = "FMUL.FTZ R10, |R8|, R9\nFADD.FTZ R10, R10, R11"
WRONG = "FMUL.FTZ R10, |R8|, R9\nFADD.FTZ R10, R10, R9"


def verified(candidate: str, divisor: str) -> Verified:
    try:
        emulated_hip()
    except ToolFailed as missing:
        pytest.skip(str(missing))
    sass, other = (kernel(ROOT.format(sum=one, divisor=divisor)) for one in (FUSED, candidate))
    return verify_kernel(assemble_llvm(lift_kernel(other), sass.abi), sass, None, open_device("emulated"))


@pytest.mark.parametrize("divisor", ["0x42240000", "0x42e80000", "0x40400000", "0x449ca000"])
def test_a_division_may_be_rounded_before_it_is_added_to(divisor: str) -> None:
    """A word that few perturbed runs happen to leave where it is was taken for an exact one."""
    found = verified(PLAIN, divisor)
    assert found.evidence is Evidence.E1
    assert found.report["bytes_within_spread"] > 0


def test_another_summand_is_not_within_the_spread() -> None:
    with pytest.raises(Rejected):
        verified(WRONG, "0x42240000")
