"""A folder that runs every campaign on another Linux machine: no compiler, no environment of ours, no network.

It holds the C targets (glibc 2.34 and newer), the package without its native parts, wheels for Python 3.12 of what the
targets in Python import, the corpora, and `run.sh`, which runs `python3 -m tools.fuzz run` with its arguments and
leaves a `result.json` a target below `$OUT`, where a later run with `--more` goes on. Here `python3 -m tools.fuzz page
$OUT` writes them into docs/hardening.md, and `merge TARGET… --out $OUT` thins what was found into the corpora.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

from tools.environment import ROOT
from tools.fuzz import native_build

VERSION = "3.12"
# Not numpy and llvmlite, which are large: the machine's own are used where it has them.
PLATFORMS = ("manylinux_2_28_x86_64", "manylinux_2_27_x86_64", "manylinux_2_17_x86_64", "manylinux2014_x86_64")
PACKAGES = ("pyelftools", "msgpack", "lz4", "zstandard", "cryptography", "cffi", "pycparser", "click", "diskcache",
            "hip-python", "rocm-bindings-hip", "rocm-bindings-core")  # fmt: skip
RUN = """#!/bin/bash
# usage: OUT=FOLDER ./run.sh TARGET… [--cases N] [--split PROCESSES] [--minutes M] [--more] [--seconds N] [--jobs J]
set -u
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$OUT" && OUT=$(cd "$OUT" && pwd) || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tar -xJf "$here/bin.tar.xz" -C "$work"
cp -r "$here/src" "$work/src"
mkdir -p "$work/src/build/fuzz" && mv "$work/bin" "$work/src/build/fuzz/bin"
# what is there already (numpy, llvmlite) stays; the rest lies in a folder of its own
python3 -m pip install -q --no-index --no-deps --no-compile --target "$work/site" "$here"/wheels/*.whl || exit 1
cd "$work/src"
PYTHONPATH=$work/src:$work/site CASS_FUZZ_PREBUILT=1 python3 -m tools.fuzz run "$@" --out "$OUT"
status=$?
find "$OUT" -name current -delete  # scratch
exit $status
"""


def _sources(out: Path) -> None:
    """The package, this tool and the corpora."""
    skip = shutil.ignore_patterns("__pycache__", "native", "checkpoint", "*.so")
    shutil.copytree(ROOT / "cass_shim", out / "src" / "cass_shim", ignore=skip)
    native = out / "src" / "cass_shim" / "native"
    native.mkdir(parents=True)
    for path in (ROOT / "cass_shim" / "native").glob("*.py"):  # what the package imports of its native half
        shutil.copyfile(path, native / path.name)
    shutil.copytree(ROOT / "tools" / "fuzz", out / "src" / "tools" / "fuzz", ignore=skip)
    for name in ("__init__.py", "dated_rows.py", "environment.py"):
        shutil.copyfile(ROOT / "tools" / name, out / "src" / "tools" / name)
    shutil.copytree(ROOT / "tests" / "fuzz" / "corpus", out / "src" / "tests" / "fuzz" / "corpus")


def build(out: Path) -> int:
    """Make the folder anew."""
    if why := native_build.why_not():
        print(f"the C targets cannot be built here: {why}")
        return 2
    programs = native_build.build(list(native_build.TARGETS))
    shutil.rmtree(out / "src", ignore_errors=True)
    _sources(out)
    with tarfile.open(out / "bin.tar.xz", "w:xz", preset=3) as archive:
        for name, path in programs.items():
            archive.add(path, f"bin/{name}")
    wheels = out / "wheels"
    wheels.mkdir(exist_ok=True)
    command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary=:all:", "-d", str(wheels)]
    command += ["--python-version", VERSION, *(word for one in PLATFORMS for word in ("--platform", one))]
    for package in PACKAGES:
        subprocess.run([*command, package], check=True, timeout=300)
    (out / "run.sh").write_text(RUN)
    (out / "run.sh").chmod(0o755)
    print(f"{out}: {sum(path.stat().st_size for path in out.rglob('*') if path.is_file()) >> 20} MiB")
    return 0
