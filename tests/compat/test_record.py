"""Goldens are recorded from programs that say the same twice, by NVIDIA's driver alone."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from cass_shim.cli.compat import compat_command
from cass_shim.compat.jobs import jobs_below
from cass_shim.compat.record import native_environment

SMI = '#!/bin/sh\necho "NVIDIA H200, 570.1, 9.0"\n'


@pytest.fixture
def nvidia(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine whose nvidia-smi answers; programs are this system's, which need no GPU."""
    tools = tmp_path / "bin"
    tools.mkdir()
    (tools / "nvidia-smi").write_text(SMI)
    (tools / "nvidia-smi").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}:/usr/bin:/bin")
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    return tmp_path


def programs(folder: Path, *names: str) -> Path:
    """Copies of programs of this system in a folder of their own."""
    target = folder / "programs"
    target.mkdir()
    for name in names:
        found = shutil.which(name)
        if found is None:
            pytest.skip(f"no {name}")
        shutil.copy2(found, target / name)
    return target


def test_outputs_and_exit_codes_are_recorded_and_compared_with(nvidia: Path) -> None:
    folder = programs(nvidia, "echo", "false")
    done = CliRunner().invoke(compat_command, ["record", str(folder), "--golden", str(nvidia / "golden")])
    assert done.exit_code == 0, done.output
    assert (nvidia / "golden" / "echo.txt").read_text() == "\n"
    recorded = json.loads((nvidia / "golden" / "RECORDED.json").read_text())
    assert recorded["exit_codes"] == {"echo": 0, "false": 1}
    assert recorded["machine"]["gpu"] == "NVIDIA H200"
    jobs = {job.name: job for job in jobs_below([folder], nvidia / "golden")}
    assert jobs["false"].exit_code == 1
    assert jobs["echo"].golden == nvidia / "golden" / "echo.txt"


def test_a_program_that_says_something_else_every_time_gets_no_golden(nvidia: Path) -> None:
    folder = programs(nvidia, "mktemp")
    done = CliRunner().invoke(compat_command, ["record", str(folder), "--golden", str(nvidia / "golden")])
    assert done.exit_code == 1
    assert "two runs differ" in done.output
    assert not (nvidia / "golden" / "mktemp.txt").exists()


def test_without_an_nvidia_gpu_nothing_is_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    done = CliRunner().invoke(compat_command, ["record", "/bin/echo", "--golden", str(tmp_path / "golden")])
    assert "on a machine with an NVIDIA GPU" in str(done.exception)
    assert not (tmp_path / "golden").exists()


def test_a_recorded_program_meets_nothing_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LD_PRELOAD", "/x/libcass_shim.so:/y/other.so")
    monkeypatch.setenv("CASS_DEVICE", "emulated")
    env = native_environment()
    assert env["LD_PRELOAD"] == "/y/other.so"
    assert not any(name.startswith("CASS_") for name in env)
