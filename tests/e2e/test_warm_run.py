"""The second run of a program: no daemon, no Python, nothing translated."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.e2e.conftest import Run
from tools import environment, samples


def traced(log: Path, calls: str, tmp_path: Path, program: Path) -> str:
    """What strace saw of `calls` in a run and in everything that it started."""
    env = {**os.environ, "CASS_DEVICE": "emulated", "CASS_CACHE_DIR": str(tmp_path / "cache")}
    env |= {"CASS_RUNTIME_DIR": str(tmp_path / "run"), "CASS_DAEMON": "0"}
    command = ["strace", "-f", "-e", f"trace={calls}", "-o", str(log), str(environment.launcher()), str(program)]
    done = subprocess.run(command, capture_output=True, text=True, env=env, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return log.read_text()


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("strace") is None, reason="no strace")
def test_nothing_leaves_the_machine(tmp_path: Path) -> None:
    """A first run, translation and verification included: sockets are Unix sockets, and nothing is sent elsewhere."""
    seen = traced(tmp_path / "trace", "socket,connect,sendto", tmp_path, samples.PREBUILT / "vector_add_static")
    sockets = [line for line in seen.splitlines() if "socket(" in line]
    assert [line for line in sockets if "AF_UNIX" not in line] == []
    assert "AF_INET" not in seen
    assert any((tmp_path / "cache").rglob("*.ccode")), "it was translated, by a process that strace followed"


@pytest.mark.parametrize("sample", ["vector_add_static", "symbols_shared_sass"])
@pytest.mark.skipif(shutil.which("strace") is None, reason="no strace")
def test_second_run_starts_nothing(cass_run: Run, tmp_path: Path, sample: str) -> None:
    program = samples.PREBUILT / sample
    assert cass_run(program).returncode == 0
    log = tmp_path / "trace"
    env = {**os.environ, "CASS_DEVICE": "emulated", "CASS_CACHE_DIR": str(tmp_path / "cache")}
    command = [
        "strace",
        "-f",
        "-e",
        "trace=execve,connect,fork,vfork",
        "-o",
        str(log),
        str(environment.launcher()),
        str(program),
    ]
    done = subprocess.run(command, capture_output=True, text=True, env=env, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    calls = log.read_text()
    assert calls.count("execve(") == 2, calls  # cass-run, then the program itself
    assert "python" not in calls
    assert "connect(" not in calls
