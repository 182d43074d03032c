"""The programs in which calls are made to fail: a prebuilt one, others that nvcc builds, and one in Python.

Each checks what every CUDA call says and what it computed, so that it prints a message or the right thing.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

from tools import environment, samples

HERE = Path(__file__).parent
EXAMPLES = environment.ROOT / "examples"
VECTOR_ADD = (str(EXAMPLES / "prebuilt" / "vector_add_static"),)
TARGET = ("-gencode", "arch=compute_80,code=sm_80")


def _vector_add(folder: Path) -> tuple[str, ...]:
    return VECTOR_ADD


def _built(source: Path, *flags: str) -> Callable[[Path], tuple[str, ...]]:
    def build(folder: Path) -> tuple[str, ...]:
        samples.nvcc(source, folder / source.stem, (*TARGET, *flags))
        return (str(folder / source.stem),)

    return build


def link_driver(folder: Path) -> tuple[str, ...]:
    """Flags that link with our own libcuda, which is there without a driver of NVIDIA's."""
    libraries = folder / "libraries"
    libraries.mkdir(exist_ok=True)
    if not (libraries / "libcuda.so").exists():
        (libraries / "libcuda.so").symlink_to(environment.launcher().parent / "libcuda.so.1")
    return (f"-L{libraries}", "-lcuda", "-Xlinker", "--allow-shlib-undefined")


def _driver(folder: Path) -> tuple[str, ...]:
    return _built(HERE / "driver.cu", *link_driver(folder))(folder)


def _python(folder: Path) -> tuple[str, ...]:
    return (str(environment.python()), str(EXAMPLES / "python" / "driver_api.py"))


PROGRAMS: dict[str, Callable[[Path], tuple[str, ...]]] = {
    "vector_add": _vector_add,
    "streams": _built(EXAMPLES / "streams_events.cu"),
    "driver": _driver,
    "threads": _built(HERE / "threads.cu"),
    "graphs": _built(HERE / "graphs.cu"),
    "python": _python,
}


def why_not(name: str) -> str:
    """Why a program cannot be made here, or nothing."""
    return "" if name in ("vector_add", "python") or shutil.which("nvcc") else samples.can_build()
