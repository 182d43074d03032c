"""Programs whose host part is Python: the interpreter runs under cass-run like any other program."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

from tests.e2e.conftest import Run

SCRIPTS = Path(__file__).parents[2] / "examples" / "python"


def test_ctypes_and_the_driver_api(cass_run: Run) -> None:
    done = cass_run(Path(sys.executable), str(SCRIPTS / "driver_api.py"))
    assert done.stdout == "driver_api: 1000 of 1000 right, the last is 2497.5\n", done.stderr
    assert done.returncode == 0


@pytest.mark.slow
@pytest.mark.parametrize(("script", "package"), [("numba_saxpy", "numba_cuda"), ("cupy_raw_kernel", "cupy")])
def test_kernels_that_python_compiles(cass_run: Run, script: str, package: str) -> None:
    if importlib.util.find_spec(package) is None:
        pytest.skip(f"no {package}: see the head of examples/python/{script}.py")
    done = cass_run(Path(sys.executable), str(SCRIPTS / f"{script}.py"), timeout_s=300)
    assert f"{script}: 1000 of 1000 right" in done.stdout, done.stdout + done.stderr
    assert done.returncode == 0
