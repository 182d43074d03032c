"""`tools.corpus` judges kernels by translated code, and says when it was not."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tools.environment import ROOT

KERNEL = ROOT / "tools" / "bench" / "scale_kernel.sm_80.cubin"
SCRIPT = """
import sys
from pathlib import Path
from tools import corpus
corpus.cubin = lambda source, sm, folder: b"" if source.name == "none" else source.read_bytes()
sys.exit(corpus.main(sys.argv[1:]))
"""


def run(native: str, cache: Path, *files: Path) -> list[str]:
    """The lines of a run in a process of its own: settings are read once. Its status is 0."""
    env = {**os.environ, "CASS_EMU_NATIVE": native, "CASS_CACHE_DIR": str(cache)}
    command = [sys.executable, "-c", SCRIPT, "--budget", "0.2", *map(str, files)]
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=280, check=True)
    return done.stdout.splitlines()


def test_translated_and_interpreted(tmp_path: Path) -> None:
    for native in ("wait", "0"):
        kernel, summary = run(native, tmp_path, KERNEL, tmp_path / "none")
        what, translated, executed = kernel.split(": ")[1].split(",")[0], *kernel.split(", ")[-1].split(" of ")
        assert what in ("E1", "E1U") and int(executed) > 0
        assert int(translated) == (int(executed) if native == "wait" else 0)
        assert f"1 {what}, 1 not built" in summary and f"{translated} of {executed}" in summary
