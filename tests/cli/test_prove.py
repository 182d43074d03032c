"""Proofs from the command line: `cass verify --prove`, and a bar that only a proof reaches."""

from __future__ import annotations

import json

import pytest

from tests.cli.conftest import SAMPLES, Shell

pytest.importorskip("z3", reason="z3-solver is not installed")

EMULATED = {"CASS_HIP_LIBRARY": ""}  # the shell of these tests has no device unless it is told to look
PROGRAM = SAMPLES / "vector_add_static"
KERNEL = "_Z10vector_addPKfS0_Pfi"


@pytest.fixture
def object_file(shell: Shell) -> str:
    """The lifter's code object of vector_add, in the shell's folder."""
    for command in (("translate", PROGRAM), ("assemble", f"{KERNEL}.lift.ll")):
        done = shell.cass(*command)
        assert done.returncode == 0, done.stderr
    return f"{KERNEL}.lift.hsaco"


def test_verify_proves(shell: Shell, object_file: str) -> None:
    done = shell.cass("verify", object_file, "--against", PROGRAM, "--prove", **EMULATED)
    assert done.returncode == 0, done.stderr
    label, _, report = done.stdout.partition("\n")
    proof = json.loads(report)["proof"]
    assert label == "E4" and proof["verdict"] == "proved" and proof["assumptions"]
    assert proof["bounds"] == ["every block (n, 1, 1) with n <= 1024, every grid up to (2147483647, 65535, 65535)"]


def test_verify_proves_the_block_that_is_named(shell: Shell, object_file: str) -> None:
    done = shell.cass("verify", object_file, "--against", PROGRAM, "--prove", "--block", "48", **EMULATED)
    assert done.stdout.startswith("E4\n"), done.stdout + done.stderr
    assert "block (48, 1, 1)" in done.stdout


@pytest.mark.parametrize("block", ["0", "a,b", "33,33", "1,2,3,4"])
def test_a_block_that_is_none_is_refused(shell: Shell, object_file: str, block: str) -> None:
    done = shell.cass("verify", object_file, "--against", PROGRAM, "--prove", "--block", block)
    assert done.returncode == 2 and "is no block shape; write for example 32,8,1" in done.stderr


def test_a_bar_that_only_a_proof_reaches(shell: Shell) -> None:
    done = shell.cass("precompile", PROGRAM, CASS_MIN_EVIDENCE="E4", CASS_TRANSLATORS="lift", **EMULATED)
    assert done.returncode == 0, done.stdout + done.stderr
    (kernel,) = json.loads(shell.cass("inspect", PROGRAM, "--json", CASS_MIN_EVIDENCE="E4", **EMULATED).stdout)[
        "kernels"
    ]
    assert kernel["evidence"] == "E4"


def test_the_bar_says_why_a_proof_was_none(shell: Shell) -> None:
    changes = {"CASS_MIN_EVIDENCE": "E4", "CASS_PROVE": "1e-6", "CASS_TRANSLATORS": "lift", **EMULATED}
    done = shell.cass("precompile", PROGRAM, **changes)
    assert done.returncode != 0
    assert "below CASS_MIN_EVIDENCE=E4 (proof unknown: the time budget is spent)" in done.stdout + done.stderr
