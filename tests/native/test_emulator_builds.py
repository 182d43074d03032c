"""The interpreter is built for three levels of x86-64; each must compute the same bits.

The tests of its arithmetic run again under the builds that this processor would not choose.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent


@pytest.mark.slow
@pytest.mark.parametrize("build", ["v2", "v3"])
def test_arithmetic_under_a_build_for_older_processors(build: str) -> None:
    files = [str(HERE / name) for name in ("test_emulator_core.py", "test_emulator_core_float.py")]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:xdist", "-p", "no:cacheprovider", *files]
    environment = {**os.environ, "CASS_EMU_CPU": build}
    done = subprocess.run(
        command, env=environment, cwd=HERE.parents[1], capture_output=True, text=True, timeout=280, check=False
    )
    assert done.returncode == 0, done.stdout[-3000:]
