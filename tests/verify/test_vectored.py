"""The index of hardware-vectored forms claims no more than what the recorded data shows."""

from __future__ import annotations

from cass_shim.model.artifacts import CubinKernel, SassKernel
from cass_shim.model.instruction import Instruction
from cass_shim.model.kernel_abi import KernelAbi
from cass_shim.verify.vectored import index, unvectored_forms
from tests.verify.vector_index import forms


def test_index_claims_no_more_than_the_vectors_show() -> None:
    assert index() <= set(forms())  # python -m tests.verify.vector_index adds what has become true
    assert "IADD3" in index() and "FFMA.FTZ" in index()


def test_a_form_without_vectors_is_named() -> None:
    code = (
        Instruction(0, "IADD3"),
        Instruction(16, "UIADD3"),
        Instruction(32, "IMAD", ("MOV", "U32")),
        Instruction(48, "TEX", ("LL",)),
        Instruction(64, "EXIT"),
    )
    kernel = SassKernel(CubinKernel("k", 90, KernelAbi(), b""), code)
    assert unvectored_forms(kernel) == ["TEX.LL"]
