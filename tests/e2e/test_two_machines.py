"""`tools.two_machines`, once: two network namespaces where they are allowed, else two homes on one network."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from cass_shim.native.build import build_all
from tests.cache.servers import program
from tests.cli.conftest import ROOT
from tools.two_machines import FAILURES, LIMIT_S


@pytest.mark.slow
def test_one_translates_and_the_other_does_not_and_a_bad_server_delays_nobody(tmp_path: Path) -> None:
    program("nginx", "nginx-light")
    build_all()
    found = tmp_path / "rows.json"
    command = [sys.executable, "-m", "tools.two_machines", "--programs", "1", "--runs", "7"]
    command += ["--ratio", "1.5", "--slack", "0.5", "--json", str(found)]  # the machine may be busy
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=280, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    rows: dict[str, float] = json.loads(found.read_text())
    assert rows["A, empty cache: translations"] == 1
    assert rows["B, empty cache: translations"] == 0
    assert rows["B, empty cache: kernels from the team"] == 1
    assert rows["B, outputs that differ from A's"] == 0
    assert rows["B's warm start divided by A's, median of three rounds"] < 1.5, "the same files; the rest is noise"
    waits = [seconds for text, seconds in rows.items() if text.startswith("    seconds that programs waited")]
    assert all(one <= min(FAILURES, 1) * LIMIT_S + 0.5 for one in waits)
    assert len([text for text in rows if "empty cache, the" in text]) >= 3
