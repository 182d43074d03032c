"""The README's five minutes, typed as written."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from cass_shim.native.build import BUILD

ROOT = Path(__file__).parents[2]
# What a line must print, by its beginning; every line of the block needs an entry.
SAYS = {
    "source .venv/bin/activate": "",
    "export PATH=": "",
    "cass doctor": "device",
    "cass inspect examples/prebuilt/vector_add_static": "vector_add(float const*",
    "cass-run examples/prebuilt/vector_add_static": "vector_add: PASS",
    "cass-run --explain examples/prebuilt/vector_add_static": "route      lift, evidence E1",
    "cass view examples/prebuilt/vector_add_static": "vector_add_static.html",
    "cass selftest": None,  # takes minutes; tests/cli/test_selftest.py has its parts
    "CASS_TRANSLATORS=ptx-hip cass-run examples/prebuilt/mandelbrot_shared": "mandelbrot: PASS",
}


def typed_lines() -> list[str]:
    """The commands of the block, without what is remarked on them."""
    found = re.search(r"## Five minutes\n```\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    assert found
    return [line.split("  #")[0].strip() for line in found[1].splitlines()]


def said_of(line: str) -> str | None:
    """What the line must print; the longest beginning counts."""
    return SAYS[max((start for start in SAYS if line.startswith(start)), key=len)]


@pytest.mark.slow
@pytest.mark.skipif(
    not (ROOT / ".venv" / "bin" / "activate").exists(), reason="no .venv: `python3 -m tools demo` makes it"
)
@pytest.mark.skipif(not (BUILD / "cass-run").exists(), reason="the native parts are not built")
def test_five_minutes_work_as_typed(tmp_path: Path) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    (tmp_path / ".venv").symlink_to(ROOT / ".venv")
    (tmp_path / "cass_shim").symlink_to(ROOT / "cass_shim")
    own = {"CASS_CACHE_DIR": str(tmp_path / "cache"), "CASS_RUNTIME_DIR": str(tmp_path / "run"), "CASS_IDLE": "5"}
    env = {**os.environ, **own, "CASS_DEVICE": "emulated", "PYTHONPATH": str(ROOT)}
    lines = [line for line in typed_lines() if said_of(line) is not None]
    assert len(lines) == len(SAYS) - 1
    script = "set -e\n" + "\n".join(f"echo '@@@'\n{line} 2>&1" for line in lines)
    done = subprocess.run(
        ["bash", "-c", script], cwd=tmp_path, env=env, capture_output=True, text=True, check=False, timeout=300
    )
    parts = done.stdout.split("@@@\n")[1:]
    assert done.returncode == 0, f"after {lines[len(parts) - 1]}: {parts[-1:]}{done.stderr}"
    for line, printed in zip(lines, parts, strict=True):
        assert str(said_of(line)) in printed, line
