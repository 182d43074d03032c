"""A second opinion (E2): agreement with code derived from PTX, and what is said where there is none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from cass_shim.device import Device
from cass_shim.model.artifacts import CodeObject, Evidence, HipSource, PtxModule, Verified
from cass_shim.model.config import Config
from cass_shim.model.errors import Rejected
from cass_shim.module import Module, load_module
from cass_shim.pipeline import Translation, Work, assemble, translate, translate_source, verify
from cass_shim.verify import verify_kernel

PREBUILT = Path(__file__).parents[2] / "examples" / "prebuilt"
KERNEL = "_Z10vector_addPKfS0_Pfi"


@pytest.fixture(scope="module")
def work() -> Work:
    return Work(load_module((PREBUILT / "vector_add_static").read_bytes()), KERNEL, Config(second="20"))


def judged(work: Work, device: Device, derive: Callable[[], CodeObject], seconds: float = 20) -> Verified:
    code = assemble(translate_source(work, "lift"), work.abi)
    return verify_kernel(code, work.sass, work.module.cubin, device, budget_s=0.5, second=(derive, seconds))


def from_ptx(work: Work, change: Callable[[str], str] = lambda text: text) -> CodeObject:
    """The other derivation's code object, perhaps from a changed source."""
    source = translate_source(work, "ptx-hip")
    assert isinstance(source, HipSource)
    changed = replace(source, text=change(source.text))
    return assemble(changed, work.abi)


def test_two_derivations_that_agree_are_e2(work: Work, device: Device) -> None:
    verified = judged(work, device, lambda: from_ptx(work))
    opinion = verified.report["second opinion"]
    assert verified.evidence is Evidence.E2
    assert isinstance(opinion, dict) and opinion["inputs"] > len(verified.report["inputs"])  # type: ignore[arg-type]


def test_another_derivation_that_differs_is_reported_with_its_witness(work: Work, device: Device) -> None:
    def swapped(text: str) -> str:
        body = text.rindex(KERNEL)
        assert "+" in text[body:]
        return text[:body] + text[body:].replace("ptx_add", "ptx_sub").replace(" + ", " - ")

    verified = judged(work, device, lambda: from_ptx(work, swapped))
    opinion = verified.report["second opinion"]
    assert verified.evidence is Evidence.E1
    assert isinstance(opinion, dict) and opinion["verdict"] == "differs" and "instead of" in opinion["reason"], opinion


def test_no_time_and_no_ptx_are_no_opinion(work: Work, device: Device) -> None:
    late = judged(work, device, lambda: from_ptx(work), seconds=0)
    assert late.evidence is Evidence.E1
    count = len(late.report["inputs"])  # type: ignore[arg-type]
    assert late.report["second opinion"] == {
        "verdict": "none",
        "inputs": 0,
        "reason": f"0 of {count} inputs in the 0 s it may take",
    }
    alone = Work(replace_ptx(work.module, None), KERNEL, work.config)
    verified = verify(alone, assemble(translate_source(alone, "lift"), alone.abi))
    assert verified.evidence is Evidence.E1 and "no PTX" in str(verified.report["second opinion"])


def replace_ptx(module: Module, ptx: PtxModule | None) -> Module:
    return Module(module.digest, module.sm, module.cubin, ptx, module.ptx_version)


def test_the_policy_asks_for_it_and_refuses_less(work: Work) -> None:
    config = Config(translators="lift", min_evidence="E2")
    made = translate(work.module, KERNEL, config)
    assert isinstance(made, Translation) and made.record.evidence == "E2"
    with pytest.raises(Exception, match=r"below CASS_MIN_EVIDENCE=E2 .second opinion none.*no PTX"):
        translate(replace_ptx(work.module, None), KERNEL, replace(config, kernel_timeout="0.002"))  # no proof


def test_where_there_is_no_ptx_a_proof_will_do(work: Work) -> None:
    pytest.importorskip("z3", reason="no z3-solver")
    config = Config(translators="lift", min_evidence="E2")
    assert translate(replace_ptx(work.module, None), KERNEL, config).record.evidence == "E4"


def test_a_translation_from_ptx_is_compared_with_the_lifted_code(work: Work) -> None:
    verified = verify(work, from_ptx(work), route="ptx-hip")
    assert verified.evidence is Evidence.E2
    with pytest.raises(Rejected):
        verify(
            work, from_ptx(work, lambda text: text.replace(" + ", " - ").replace("ptx_add", "ptx_sub")), route="ptx-hip"
        )
