"""What the tests of the CUDA bodies share: CUDA programs built once, run under cass-run on the emulated device."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
from pathlib import Path

from cass_shim.native.build import BUILD, build_all

CONFORMANCE = Path(__file__).resolve().parent / "conformance"
NEED_NVCC = "" if shutil.which("nvcc") and shutil.which("gcc") else "needs nvcc and a host gcc"
GENERATE = ("-gencode", "arch=compute_80,code=[sm_80,compute_80]")


def build_program(source: Path, folder: Path, *flags: str) -> Path:
    """Compile a CUDA program for sm_80 and PTX."""
    target = folder / source.stem
    subprocess.run(["nvcc", *GENERATE, *flags, str(source), "-o", str(target)], check=True)
    return target


@functools.cache
def built() -> Path:
    """The folder of the launcher and the libraries, brought up to date once; of the emulated device, as it is."""
    build_all(["libcass_shim", "libcu", "libnv", "cass-run"])
    if not (BUILD / "emulated" / "libamdhip64.so").exists():
        build_all(["emulated"])
    return BUILD


def run_emulated(program: Path, timeout: float = 300, **settings: str) -> subprocess.CompletedProcess[str]:
    """Run it under cass-run on the emulated device."""
    environment = {**os.environ, "CASS_DEVICE": "emulated", **settings}
    command = [str(built() / "cass-run"), str(program)]
    return subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=timeout, check=False, cwd=program.parent
    )
