"""The second run of a program: no daemon, no Python, nothing translated."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.e2e.conftest import Run
from tools import environment, samples


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
