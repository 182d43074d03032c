"""`python3 -m tools test [pytest options]`: set up what the tests need and run them all."""

from __future__ import annotations

import os
import subprocess

from tools import environment


def main(arguments: list[str]) -> int:
    """Run pytest over tests/ on all cores; the exit status is pytest's."""
    environment.prepare(("dev",))
    jobs = [] if any(option.startswith("-n") for option in arguments) else ["-n", str(os.cpu_count() or 2)]
    command = [str(environment.python()), "-m", "pytest", *jobs, "--dist", "loadgroup", *arguments]
    return subprocess.run(command, cwd=environment.ROOT, check=False).returncode
