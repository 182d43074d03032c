"""Running programs: facts, goldens, time limits."""

from __future__ import annotations

from pathlib import Path

from cass_shim.compat.runner import Job, Limits, run_one
from cass_shim.native.build import BUILD

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_a_cuda_program_and_its_golden(tmp_path: Path) -> None:
    job = Job(EXAMPLES / "prebuilt" / "symbols_shared_sass", EXAMPLES / "expected" / "symbols.txt", name="symbols")
    outcome = run_one(job, BUILD / "cass-run", "lift", Limits(), tmp_path)
    assert outcome.golden == "same", outcome
    assert [kernel.route for kernel in outcome.kernels] == ["lift"]
    assert outcome.rating == "verified"


def test_a_golden_that_differs_is_told(tmp_path: Path) -> None:
    golden = tmp_path / "golden.txt"
    golden.write_text("something else\n")
    outcome = run_one(Job(Path("/bin/echo"), golden), BUILD / "cass-run", "lift", Limits(), tmp_path)
    assert outcome.golden == "differs"
    assert outcome.difference.startswith("line 1")


def test_a_program_that_does_not_end_is_stopped(tmp_path: Path) -> None:
    script = tmp_path / "slow"
    script.write_text("#!/bin/sh\nexec sleep 100\n")
    script.chmod(0o755)
    outcome = run_one(Job(script), BUILD / "cass-run", "lift", Limits(seconds=0.5), tmp_path)
    assert outcome.exit_code == 124
    assert outcome.difference == "no end after 0.5 s"
    assert outcome.rating == "fails"
