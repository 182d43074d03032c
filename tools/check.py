"""`python3 -m tools check`: everything that must be green at every landing, without the slow tests."""

from __future__ import annotations

import os
import subprocess

from cass_shim.native.build import warnings
from tools import environment


def c_sources() -> list[str]:
    """Handwritten C of the project."""
    native = environment.ROOT / "cass_shim" / "native"
    found = (path for pattern in ("*.c", "*.h") for path in native.rglob(pattern))
    return sorted(str(path) for path in found if "_build" not in path.parts)


def no_warnings() -> bool:
    """Whether the compiler took the native parts, which `environment.prepare` has built, without a word."""
    said = warnings()
    print(f"{said}{'FAILED' if said else 'ok    '} C warnings", flush=True)
    return not said


def main(arguments: list[str]) -> int:
    """Run each check (--static: not the tests), print a line for each, and fail if any failed."""
    static = "--static" in arguments
    arguments = [option for option in arguments if option != "--static"]
    environment.prepare(("dev",))
    binaries = environment.ENVIRONMENT / "bin"
    steps = [
        ("ruff format", [str(binaries / "ruff"), "format", "--check", "."]),
        ("ruff", [str(binaries / "ruff"), "check", "."]),
        ("mypy", [str(binaries / "mypy")]),
        ("import-linter", [str(binaries / "lint-imports")]),
        ("tests import", [str(binaries / "pytest"), "--collect-only", "-q", "-p", "no:xdist"]),
        ("clang-format", [str(binaries / "clang-format"), "--dry-run", "--Werror", *c_sources()]),
        (
            "fast tests",
            [str(binaries / "pytest"), "-n", str(os.cpu_count() or 2), "-m", "not slow", *arguments],
        ),
    ]
    failed = [] if no_warnings() else ["C warnings"]
    for name, command in steps[: -1 if static else None]:
        # a collection prints every test there is: only a failed one is worth reading
        quiet = subprocess.PIPE if name == "tests import" else None
        done = subprocess.run(command, cwd=environment.ROOT, check=False, stdout=quiet, text=True)
        code = done.returncode
        if code and done.stdout:
            print(done.stdout[-4000:])
        print(f"{'ok    ' if code == 0 else 'FAILED'} {name}", flush=True)
        if code:
            failed.append(name)
    return 1 if failed else 0
