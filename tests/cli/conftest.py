"""The command line as a user runs it, with a cache and a socket of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "examples" / "prebuilt"


@dataclass
class Shell:
    """Runs `cass ARGUMENTS`."""

    folder: Path
    environment: dict[str, str]

    def cass(self, *arguments: str | Path, **changes: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "cass_shim.cli.main", *arguments],
            env={**self.environment, **changes},
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )


@pytest.fixture
def shell(tmp_path: Path) -> Iterator[Shell]:
    one = Shell(
        tmp_path,
        {
            "PATH": os.environ["PATH"],
            "HOME": os.environ["HOME"],
            "PYTHONPATH": str(ROOT),
            "CASS_CACHE_DIR": str(tmp_path / "cache"),
            "CASS_RUNTIME_DIR": str(tmp_path / "run"),
            "CASS_HIP_LIBRARY": "/nonexistent",
            "CASS_IDLE": "30",
            "CASS_BEHIND": "0",
        },
    )
    yield one
    one.cass("daemon", "stop")
