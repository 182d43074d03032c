"""The short form of `python3 -m tools.forks`: children of a busy parent, and that a wrong one is seen."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools import samples
from tools.forks.__main__ import build, run

pytestmark = [
    pytest.mark.slow,
    pytest.mark.nvcc,
    pytest.mark.skipif(bool(samples.can_build()), reason=samples.can_build() or ""),
]


def test_forks_at_bad_moments(tmp_path: Path) -> None:
    commands = build(tmp_path)
    for mode in ("launching", "callback", "vfork", "graph", "capture", "driver", "host"):
        assert run(commands[mode], tmp_path / "cache", {}) == "", mode
    broken = run(commands["early"], tmp_path / "cache", {"CASS_EMU_DEVICES": "0"})
    assert broken.startswith("exit status 1") and "early fork: a child ended with status 1" in broken
