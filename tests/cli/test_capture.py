"""`cass capture`, `cass replay`, and a bar that only a program's own launch reaches."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from cass_shim.native.build import BUILD
from tests.cli.conftest import ROOT, SAMPLES, Shell

EMULATED = {"CASS_HIP_LIBRARY": "", "CASS_DEVICE": "emulated", "CASS_TRANSLATORS": "lift"}
PROGRAM = SAMPLES / "vector_add_static"
EXPECTED = (SAMPLES.parent / "expected" / "vector_add.txt").read_text()
SECRET = "Look for secrets before you pass it on."


def run(shell: Shell, **changes: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [BUILD / "cass-run", PROGRAM],
        env={**shell.environment, **EMULATED, **changes},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def evidence(shell: Shell, **changes: str) -> str:
    """Of the program's kernel, in the cache."""
    (kernel,) = json.loads(shell.cass("inspect", PROGRAM, "--json", **EMULATED, **changes).stdout)["kernels"]
    return str(kernel["evidence"])


@pytest.fixture
def captured(shell: Shell) -> Path:
    """The file that `cass capture` makes of the program."""
    done = shell.cass("capture", "--out", "bugs", PROGRAM, **EMULATED)
    assert (done.returncode, done.stdout) == (0, EXPECTED), done.stderr
    (path,) = (shell.folder / "bugs").iterdir()
    assert str(path.name) in done.stderr and SECRET in done.stderr
    return path


def test_capture_and_replay(shell: Shell, captured: Path) -> None:
    assert captured.stat().st_mode & 0o777 == 0o600, "it holds the program's memory"
    assert SECRET.encode() in captured.read_bytes()
    done = shell.cass("replay", captured, **EMULATED)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "lift: agrees: 40028 bytes written alike" in done.stdout
    assert evidence(shell) == "E3"


def test_replay_of_wrong_code_names_the_first_difference(shell: Shell, captured: Path) -> None:
    assert shell.cass("translate", PROGRAM, **EMULATED).returncode == 0
    source = shell.folder / "_Z10vector_addPKfS0_Pfi.lift.ll"
    source.write_text(source.read_text().replace("fadd float", "fsub float"))
    assert shell.cass("assemble", source, **EMULATED).returncode == 0
    done = shell.cass("replay", captured, "--code", source.with_suffix(".hsaco").name, **EMULATED)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "the buffer of the parameter at 0x10 (" in done.stdout and "instead of" in done.stdout


def test_a_program_in_the_folder_it_is_called_in(shell: Shell) -> None:
    """`./NAME` is no name on PATH."""
    (shell.folder / "here").symlink_to(PROGRAM)
    done = shell.cass("capture", "./here", **EMULATED)
    assert (done.returncode, done.stdout) == (0, EXPECTED), done.stderr
    assert shell.cass("capture", "here", **EMULATED).returncode == 127


def test_a_file_of_another_machine(shell: Shell) -> None:
    file = ROOT / "tests" / "verify" / "launches" / "pitched_copies.accumulate.casscap"
    done = shell.cass("replay", file, **EMULATED)
    assert done.returncode == 0 and "lift: agrees" in done.stdout, done.stdout + done.stderr
    (shell.folder / "cut").write_bytes(file.read_bytes()[:-20])
    broken = shell.cass("replay", "cut", **EMULATED)
    assert broken.returncode == 125 and "cannot be unpacked" in broken.stderr


def test_a_bar_that_only_a_launch_reaches(shell: Shell) -> None:
    bar = {"CASS_MIN_EVIDENCE": "E3"}
    first = run(shell, **bar)
    assert (first.returncode, first.stdout) == (0, EXPECTED), first.stderr
    assert evidence(shell, **bar) == "E3"
    shell.cass("daemon", "stop", **EMULATED)
    again = run(shell, CASS_PYTHON="/bin/false", **bar)
    assert (again.returncode, again.stdout) == (0, EXPECTED), "the second run needs neither daemon nor capture"


def test_a_launch_that_is_too_large(shell: Shell) -> None:
    small = {"CASS_CAPTURE": "1", "CASS_CAPTURE_LIMIT": "0.01"}
    done = run(shell, **small)
    assert (done.returncode, done.stdout) == (0, EXPECTED)
    assert "reaches more memory than CASS_CAPTURE_LIMIT allows; it is not captured" in done.stderr
    refused = run(shell, CASS_MIN_EVIDENCE="E3", CASS_PROVE="1e-6", **small)
    assert refused.returncode != 0 and "below CASS_MIN_EVIDENCE=E3" in refused.stderr


def test_capture_says_when_there_was_nothing(shell: Shell) -> None:
    done = shell.cass("capture", "/bin/true", **EMULATED)
    assert done.returncode != 0 and "nothing was captured" in done.stderr
