"""Stripped programs of every recorded static runtime: `python3 -m tools.stripped WHEEL...`.

In: wheels of the CUDA runtime. For each that holds libcudart_static.a, `examples/vector_add.cu` is linked with that
archive, stripped and run under cass-run on the emulated device; its output must be what an NVIDIA GPU gave. One line a
wheel; exit status 1 when a release is not recognised or gives another output.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from tools import environment, samples

ARCHIVE = "/libcudart_static.a"
EXPECTED = samples.EXAMPLES / "expected" / "vector_add.txt"


def build(wheel: zipfile.ZipFile, member: str, folder: Path) -> Path:
    """The stripped program, linked with the wheel's runtime."""
    wheel.extract(member, folder)
    program = folder / "vector_add"
    flags = ("-cudart", "none", str(folder / member), "-lpthread", "-ldl", "-lrt", "-Xlinker", "--strip-all")
    samples.nvcc(samples.EXAMPLES / "vector_add.cu", program, ("-gencode", "arch=compute_80,code=sm_80", *flags))
    return program


def judge(path: Path) -> str:
    """Why a wheel's runtime does not work stripped; empty when it does or has no archive."""
    with zipfile.ZipFile(path) as wheel, tempfile.TemporaryDirectory() as name:
        members = [one for one in wheel.namelist() if one.endswith(ARCHIVE)]
        if not members:
            print(f"{path.name}: no libcudart_static.a")
            return ""
        program = build(wheel, members[0], Path(name))
        environ = {**os.environ, "CASS_DEVICE": "emulated"}
        command = [str(environment.launcher()), str(program)]
        done = subprocess.run(command, env=environ, capture_output=True, text=True, timeout=300, check=False)
    if done.returncode or done.stdout != EXPECTED.read_text():
        return f"exit status {done.returncode}: {(done.stderr or done.stdout).strip()[:300]}"
    print(f"{path.name}: stripped, recognised, right")
    return ""


def main() -> int:
    """One line a wheel."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("wheels", nargs="+", type=Path)
    if why := samples.can_build():
        print(f"tools.stripped: {why}", file=sys.stderr)
        return 2
    failed = 0
    for path in parser.parse_args().wheels:
        if why := judge(path):
            print(f"{path.name}: {why}")
            failed = 1
    return failed


if __name__ == "__main__":
    sys.exit(main())
