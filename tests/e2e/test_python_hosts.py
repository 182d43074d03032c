"""Programs whose host part is Python: the interpreter runs under cass-run like any other program."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.e2e.conftest import Run

SCRIPT = Path(__file__).parents[2] / "examples" / "python" / "driver_api.py"


def test_ctypes_and_the_driver_api(cass_run: Run) -> None:
    done = cass_run(Path(sys.executable), str(SCRIPT))
    assert done.stdout == "driver_api: 1000 of 1000 right, the last is 2497.5\n", done.stderr
    assert done.returncode == 0
