"""Compiles HIP kernels for the tests and calls hip-python with errors as exceptions."""

from __future__ import annotations

import functools
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from cass_shim.device import open_library

FLAGS = (
    "-x", "hip", "--offload-arch=gfx1100", "--cuda-device-only", "-nogpuinc", "-nogpulib", "-O2",
    "-target", "x86_64-linux-gnu",
)  # fmt: skip
PREFIX = """
#define KERNEL extern "C" __attribute__((global)) void
#define DEVICE __attribute__((device))
#define SHARED __attribute__((shared))
#define TID __builtin_amdgcn_workitem_id_x()
#define BID __builtin_amdgcn_workgroup_id_x()
"""


def zig(*arguments: str, cwd: Path) -> None:
    """Run one tool of the ziglang package."""
    subprocess.run([sys.executable, "-m", "ziglang", *arguments], cwd=cwd, check=True, capture_output=True)


@functools.cache
def compile_hip(source: str, version: int = 5) -> bytes:
    """A gfx1100 code object from HIP text without headers."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "k.hip").write_text(PREFIX + source)
        zig("clang", *FLAGS, f"-mcode-object-version={version}", "-S", "k.hip", "-o", "k.s", cwd=folder)
        target = ("-target", "amdgcn-amd-amdhsa", "-mcpu=gfx1100", f"-mcode-object-version={version}")
        zig("clang", *target, "-x", "assembler", "-c", "k.s", "-o", "k.o", cwd=folder)
        zig("ld.lld", "-shared", "k.o", "-o", "k.hsaco", cwd=folder)
        return (folder / "k.hsaco").read_bytes()


class HipError(Exception):
    """A HIP call that failed; `code` is the hipError_t."""

    def __init__(self, name: str, code: int) -> None:
        super().__init__(f"{name}: {code}: {library().reason()}")
        self.code = code


@functools.cache
def library() -> Any:
    """The emulated device, opened once."""
    return open_library("emulated")


def call(name: str, *arguments: Any) -> Any:
    """One hip-python call: its results, or HipError."""
    error, *results = getattr(library().hip, name)(*arguments)
    if int(error):
        raise HipError(name, int(error))
    return results[0] if len(results) == 1 else tuple(results)


def code_of(name: str, *arguments: Any) -> int:
    """The hipError_t of a call."""
    return int(getattr(library().hip, name)(*arguments)[0])


def run_python(script: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """A script in a process of its own, for what cannot be undone in this one."""
    return subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=120, env={**os.environ, **environment}
    )
