"""The project's virtual environment: made, filled and native parts built, once per change of pyproject.toml.

Standard library only: this is what runs on a machine that has nothing but Python with venv.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
os.environ.setdefault("CASS_BEHIND", "0")  # what is measured here is what programs wait for
ENVIRONMENT = Path(os.environ.get("CASS_VENV", ROOT / ".venv"))


def python() -> Path:
    """The environment's interpreter."""
    return ENVIRONMENT / "bin" / "python"


def run(command: list[str], *, env: dict[str, str] | None = None, quiet: bool = True) -> None:
    """Run a set-up step; on failure print everything it said and stop."""
    done = subprocess.run(command, cwd=ROOT, env=env, text=True, check=False, capture_output=quiet)
    if done.returncode:
        sys.stderr.write((done.stdout or "") + (done.stderr or ""))
        raise SystemExit(f"failed ({done.returncode}): {' '.join(command)}")


def prepare(extras: tuple[str, ...] = ()) -> None:
    """Make the environment hold the package (editable), `extras`, and current native parts."""
    if not python().exists():
        print(f"creating the virtual environment {ENVIRONMENT.name}/", flush=True)
        try:
            venv.create(ENVIRONMENT, with_pip=True)
        except subprocess.CalledProcessError:
            raise SystemExit(
                "python3 has no working venv (Debian and Ubuntu: install the package python3-venv)"
            ) from None
    wanted = hashlib.sha256((ROOT / "pyproject.toml").read_bytes() + repr(sorted(extras)).encode()).hexdigest()
    stamp = ENVIRONMENT / f"cass-{'-'.join(sorted(extras)) or 'base'}.stamp"
    if not stamp.exists() or stamp.read_text() != wanted:
        print("installing the package and its requirements from PyPI", flush=True)
        target = f".[{','.join(extras)}]" if extras else "."
        run([str(python()), "-m", "pip", "install", "--disable-pip-version-check", "-q", "-e", target])
        stamp.write_text(wanted)
    print("building the native parts", flush=True)
    run([str(python()), "-m", "cass_shim.native.build"])


def launcher() -> Path:
    """The built `cass-run`."""
    return ROOT / "cass_shim" / "native" / "_build" / "cass-run"
