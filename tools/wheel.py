"""`python3 -m tools wheel [DIR]`: build a wheel into DIR (default dist/), install it in a fresh environment, try it.

`python3 -m tools wheel --twice [DIR]` builds it a second time, from another folder, at another time, under another
umask, and compares: every file that differs is named, and is a failure. `--runners` tries it by `pipx run` and `uvx`
too, where they are installed; both fetch the requirements into caches of their own.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import venv
import zipfile
from pathlib import Path

from tools import environment

# How programs of a wheel are run without installing it.
RUNNERS = {"pipx": ("pipx", "run", "--spec"), "uvx": ("uvx", "--from")}


def build(source: Path, python: str, target: Path) -> Path:
    """One wheel of the sources in `target`."""
    environment.run([python, "-m", "pip", "wheel", "-q", "--no-deps", "-w", str(target), str(source)])
    (built,) = target.glob("*.whl")
    return built


def differences(first: Path, second: Path) -> list[str]:
    """What two wheels do not share: members, their bytes, times and modes; their names."""
    found = [] if first.name == second.name else [f"{first.name} and {second.name}"]
    with zipfile.ZipFile(first) as one, zipfile.ZipFile(second) as other:
        ours, theirs = ({entry.filename: entry for entry in archive.infolist()} for archive in (one, other))
        found += [f"{name}: in one only" for name in sorted(ours.keys() ^ theirs.keys())]
        for name in sorted(ours.keys() & theirs.keys()):
            if one.read(name) != other.read(name):
                found.append(f"{name}: content")
            for part in ("date_time", "external_attr"):
                if getattr(ours[name], part) != getattr(theirs[name], part):
                    found.append(f"{name}: {part}")
    if not found and first.read_bytes() != second.read_bytes():
        found.append("the archive's own order or compression")
    return found


def disguised(source: Path) -> Path:
    """A copy of the sources given other times and modes."""
    for number, path in enumerate(sorted(source.rglob("*"))):
        os.utime(path, (1_000_000_000 + number, 1_000_000_000 + number))
        if path.is_file():
            path.chmod(path.stat().st_mode | 0o060)
    return source


def build_again(source: Path, python: str, target: Path) -> Path:
    """A wheel under another umask."""
    before = os.umask(0o002)
    try:
        return build(source, python, target)
    finally:
        os.umask(before)


def try_runners(wheel: Path, folder: Path) -> None:
    """The wheel's programs by each runner that is installed, from an empty folder; the first failure stops."""
    program = environment.ROOT / "examples" / "prebuilt" / "vector_add_static"
    own = {"CASS_CACHE_DIR": str(folder / "cache"), "CASS_RUNTIME_DIR": str(folder / "run"), "CASS_IDLE": "5"}
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("CASS_", "PYTHON"))}
    for name, command in RUNNERS.items():
        if shutil.which(name) is None:
            print(f"left out: {name} is not installed")
            continue
        for what in (["cass", "doctor"], ["cass-run", str(program)]):
            done = subprocess.run(
                [*command, str(wheel), *what], cwd=folder, env={**kept, **own, "CASS_DEVICE": "emulated"},
                capture_output=True, text=True, check=False,
            )  # fmt: skip
            if done.returncode or (what[0] == "cass-run" and "vector_add: PASS" not in done.stdout):
                raise SystemExit(f"FAILED  {name}: {what[0]}\n{done.stdout}{done.stderr}")
            print(f"ok      {name}: {what[0]}", flush=True)


def main(arguments: list[str]) -> int:
    """Build, compare where asked to, install, try; the first failure stops."""
    twice, runners = "--twice" in arguments, "--runners" in arguments
    arguments = [one for one in arguments if one not in ("--twice", "--runners")]
    target = Path(arguments[0] if arguments else environment.ROOT / "dist").resolve()
    with tempfile.TemporaryDirectory(prefix="cass-wheel-") as name:
        folder, fresh = Path(name), Path(name, "venv")
        venv.create(fresh, with_pip=True)
        python = str(fresh / "bin" / "python")
        sources = _copy_of_the_sources(folder / "source")
        others = disguised(_copy_of_the_sources(folder / "another" / "place")) if twice else sources
        built = build(sources, python, folder / "first")
        target.mkdir(parents=True, exist_ok=True)
        wheel = Path(shutil.copy2(built, target))
        print(wheel, hashlib.sha256(wheel.read_bytes()).hexdigest(), flush=True)
        if twice:
            found = differences(built, build_again(others, python, folder / "second"))
            print("\n".join(found) or "the second wheel has the same bytes", flush=True)
            if found:
                return 1
        environment.run([python, "-m", "pip", "install", "-q", str(wheel)])
        environment.run([python, str(Path(__file__).with_name("try_wheel.py"))], quiet=False)
        if runners:
            (folder / "empty").mkdir()
            try_runners(wheel, folder / "empty")
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
