"""`python3 -m tools docs`: build the documentation site into site/; a broken link or a page outside the nav fails."""

from __future__ import annotations

import subprocess

from tools import environment


def main(arguments: list[str]) -> int:
    """Build strictly; further arguments go to mkdocs (`--site-dir DIR`)."""
    environment.prepare(("docs",))
    command = [str(environment.python()), "-m", "mkdocs", "build", "--strict", "--quiet", *arguments]
    done = subprocess.run(command, cwd=environment.ROOT, check=False)
    if done.returncode == 0:
        print("site/index.html")
    return done.returncode
