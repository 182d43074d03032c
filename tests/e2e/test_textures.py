"""Programs with textures and surfaces, by both routes: what a real NVIDIA GPU printed, and nothing rejected."""

from __future__ import annotations

from pathlib import Path

import pytest

from cass_shim.compat import suite
from cass_shim.compat.build import VARIANTS, build, can_build
from cass_shim.compat.runner import Job, Limits, run_one
from cass_shim.native.build import BUILD

ROOT = Path(__file__).parents[2]
RECORDED = [
    sample
    for sample in suite.samples(ROOT)
    if sample.golden.is_file() and any(f.startswith(("texture", "surface")) for f in sample.features)
]


def test_there_are_programs() -> None:
    assert len(RECORDED) >= 9


@pytest.mark.slow
@pytest.mark.nvcc
@pytest.mark.skipif(bool(can_build()), reason=can_build())
@pytest.mark.parametrize(("variant", "route"), [("static-sm80", "lift"), ("ptx-only", "ptx-hip")])
@pytest.mark.parametrize("sample", RECORDED, ids=lambda sample: sample.title)
def test_prints_what_the_gpu_printed(
    sample: suite.SuiteProgram, variant: str, route: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CASS_DEVICE", "emulated")
    binary = build(sample, VARIANTS[variant], ROOT / "build" / "suite")
    job = Job(binary, sample.golden, sample.exit_code, sample.title, sample.domain, variant)
    outcome = run_one(job, BUILD / "cass-run", route, Limits(seconds=120), tmp_path)
    assert outcome.right, outcome
    assert {kernel.route for kernel in outcome.kernels} == {route}
