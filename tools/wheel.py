"""`python3 -m tools wheel [DIR]`: build a wheel into DIR (default dist/), install it in a fresh environment, try it."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

from tools import environment


def main(arguments: list[str]) -> int:
    """Build, install, try; the first failure stops."""
    target = Path(arguments[0] if arguments else environment.ROOT / "dist").resolve()
    with tempfile.TemporaryDirectory(prefix="cass-wheel-") as name:
        folder, fresh = Path(name), Path(name, "venv")
        venv.create(fresh, with_pip=True)
        python = str(fresh / "bin" / "python")
        source = _copy_of_the_sources(folder / "source")
        environment.run([python, "-m", "pip", "wheel", "-q", "--no-deps", "-w", str(folder), str(source)])
        (built,) = folder.glob("*.whl")
        target.mkdir(parents=True, exist_ok=True)
        wheel = Path(shutil.copy2(built, target))
        print(wheel, flush=True)
        environment.run([python, "-m", "pip", "install", "-q", str(wheel)])
        environment.run([python, str(Path(__file__).with_name("try_wheel.py"))], quiet=False)
    return 0


def _copy_of_the_sources(target: Path) -> Path:
    """What git knows of: a build in the checkout would leave native parts behind that look for an installed package."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=environment.ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    for name in filter(None, listed.stdout.split("\0")):
        if (environment.ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(environment.ROOT / name, target / name)
    return target


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
