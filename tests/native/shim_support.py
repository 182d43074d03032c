"""What the interception tests share: the built libraries, a compiler for small programs, runs under cass-run."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from cass_shim.native.build import BUILD, build_all

HERE = Path(__file__).resolve().parent
NEED_NVCC = "" if shutil.which("nvcc") and shutil.which("gcc") else "needs nvcc and a host gcc"
NEED_GCC = "" if shutil.which("gcc") else "needs gcc"
TOOLKITS = (
    os.environ.get("CUDA_HOME", ""),
    "/usr/local/cuda",
    Path(shutil.which("nvcc") or "/").resolve().parent.parent,
)
TOOLKIT = next((Path(one) for one in TOOLKITS if one and (Path(one) / "include" / "cuda.h").exists()), Path("/nowhere"))

VECTOR_ADD = r"""
#include <cstdio>
#include <cuda_runtime.h>
__global__ void add(const float *a, float *b) { b[threadIdx.x] += a[threadIdx.x]; }
extern "C" int run_it(void) {
    float *a = nullptr, *b = nullptr;
    cudaError_t error = cudaMalloc(&a, 128);
    cudaMalloc(&b, 128);
    add<<<1, 32>>>(a, b);
    cudaDeviceSynchronize();
    cudaFree(a);
    return (int)error;
}
"""
# No device: calls fail by name at once, and reaching our bodies is what is tested here.
QUICK = {"CASS_DEVICE": "hip", "CASS_DAEMON": "0", "CASS_TIMEOUT": "20"}
MAIN = "\nint main() { run_it(); return 42; }\n"


@functools.cache
def built() -> Path:
    """The folder of the built libraries and the launcher."""
    build_all(["libcass_shim", "libcuda", "cass-run"])
    return BUILD


def compile_c(source: str, target: Path, *flags: str) -> Path:
    """Compile C text with gcc."""
    text = target.with_suffix(".c")
    text.write_text(source)
    subprocess.run(["gcc", "-O1", str(text), "-o", str(target), *flags], check=True)
    return target


def compile_cuda(source: str, target: Path, *flags: str) -> Path:
    """Compile CUDA text with nvcc for sm_80."""
    text = target.with_suffix(".cu")
    text.write_text(source)
    subprocess.run(["nvcc", "-arch=sm_80", str(text), "-o", str(target), *flags], check=True)
    return target


def cass_run(
    *command: str | Path, environment: Mapping[str, str] | None = None, timeout: float = 60
) -> subprocess.CompletedProcess[str]:
    """Run a command under the launcher, without a daemon and without a device."""
    merged = {**os.environ, **QUICK, **(environment or {})}
    arguments: Sequence[str] = [str(built() / "cass-run"), *map(str, command)]
    return subprocess.run(arguments, env=merged, capture_output=True, text=True, timeout=timeout, check=False)


def traced_calls(text: str) -> list[str]:
    """The names of the calls in a trace, in order."""
    return [line.split("] ", 1)[1].split("(", 1)[0] for line in text.splitlines() if line.startswith("[")]
