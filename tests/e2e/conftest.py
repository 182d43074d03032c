"""Shared by the end-to-end tests: run the launcher with a cache of the test's own."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tools import environment

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def cass_run(tmp_path: Path) -> Run:
    """Run `cass-run ARGUMENTS` with extra environment; text output, one minute at most unless told."""

    def run(*arguments: str | Path, timeout_s: float = 120, **settings: str) -> subprocess.CompletedProcess[str]:
        env = {**os.environ, "CASS_DEVICE": "emulated", "CASS_CACHE_DIR": str(tmp_path / "cache"), **settings}
        command = [str(environment.launcher()), *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, timeout=timeout_s, env=env, check=False)

    return run
