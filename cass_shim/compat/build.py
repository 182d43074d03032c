"""Builds the suite's programs with nvcc, in the variants that programs in the wild come in.

In: `SuiteProgram`s. Out: programs under a build folder, rebuilt when source, headers or command change.
"""

from __future__ import annotations

import concurrent.futures
import hashlib
import importlib.util
import os
import shutil
import subprocess
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from cass_shim.compat.suite import SuiteProgram
from cass_shim.model.errors import ToolFailed, Unsupported

# The host part carries its own C++ runtime, so that the binaries need glibc only.
HOST = ("-Xcompiler", "-static-libstdc++,-static-libgcc", "-std=c++17", "-diag-suppress", "186")
FAT = ("-gencode", "arch=compute_80,code=sm_80", "-gencode", "arch=compute_89,code=[sm_89,compute_89]")

# The host part of CUDA 12: its headers and its runtime, from PyPI. There is no nvcc of CUDA 12 on PyPI, so the
# installed one compiles; its own internal headers (crt/) have to match it and stay.
CUDA12_NEEDS = {"runtime": "nvidia.cuda_runtime", "cccl": "nvidia.cuda_cccl"}
PACKAGES = {"nvidia.cuda_runtime": "nvidia-cuda-runtime-cu12", "nvidia.cuda_cccl": "nvidia-cuda-cccl-cu12"}
CUDA12 = ("-I", "{runtime}/include", "-I", "{cccl}/include", *FAT)
CUDA12_LIBRARIES = ("-cudart", "none", "-L", "{runtime}/lib")
SYSTEM = ("-lrt", "-ldl", "-lpthread")


def sass_only(sm: int) -> tuple[str, ...]:
    """Flags for machine code of one generation and no PTX."""
    return ("-gencode", f"arch=compute_{sm},code=sm_{sm}")


@dataclass(frozen=True)
class Variant:
    """One way to build a program. link: flags of linking only. has_ptx, has_sass: what a route has to work on.

    needs: packages whose folders `{NAME}` in the flags stands for; without them the variant is left out, by name.
    """

    name: str
    compile: tuple[str, ...]
    has_ptx: bool
    has_sass: bool = True
    link: tuple[str, ...] = ()
    needs: Mapping[str, str] = field(default_factory=dict)

    @property
    def flags(self) -> tuple[str, ...]:
        """Those of a build in one step."""
        return (*self.compile, *self.link)

    def missing(self) -> str:
        """Why this variant cannot be built here, or an empty string."""
        absent = [PACKAGES[module] for module in self.needs.values() if folder_of(module) is None]
        return f"variant {self.name} needs: pip install {' '.join(absent)}" if absent else ""

    def filled(self, flags: tuple[str, ...]) -> tuple[str, ...]:
        """Flags with the packages' folders in place."""
        folders = {name: folder_of(module) for name, module in self.needs.items()}
        return tuple(flag.format(**folders) for flag in flags) if folders else flags

    def serves(self, translators: str) -> bool:
        """Whether any of the comma-separated translators can do something with it."""
        return any(self.has_ptx if route == "ptx-hip" else self.has_sass for route in translators.split(","))


VARIANTS = {
    variant.name: variant
    for variant in (
        Variant("static-fat", FAT, True),
        Variant("static-sm80", sass_only(80), False),
        Variant("static-sm86", sass_only(86), False),
        Variant("static-sm89", sass_only(89), False),
        Variant("static-sm90", sass_only(90), False),
        Variant("static-sm100", sass_only(100), False),
        Variant("static-sm120", sass_only(120), False),
        Variant("shared-fat", FAT, True, link=("-cudart", "shared")),
        Variant("ptx-only", ("-gencode", "arch=compute_80,code=compute_80"), True, has_sass=False),
        Variant("stripped", FAT, True, link=("-Xlinker", "--strip-all")),
        Variant("rdc", ("-rdc=true", *FAT), False),  # nvlink joins machine code, and keeps no PTX
        Variant("debug", ("-G", *sass_only(80)), False),
        Variant("unoptimised", ("-Xcompiler", "-O0", "-Xptxas", "-O0", *sass_only(80)), False),
        Variant("fast-math", ("--use_fast_math", *FAT), True),
        Variant(
            "cuda12-static", CUDA12, True, link=(*CUDA12_LIBRARIES, "-lcudart_static", *SYSTEM), needs=CUDA12_NEEDS
        ),
        Variant("cuda12-shared", CUDA12, True, link=(*CUDA12_LIBRARIES, "-l:libcudart.so.12"), needs=CUDA12_NEEDS),
    )
}
DEFAULT_VARIANTS = ("static-fat", "static-sm80")


def folder_of(module: str) -> Path | None:
    """Where an installed package lies, None where it is not installed."""
    try:
        spec = importlib.util.find_spec(module)
    except ModuleNotFoundError:  # its parent is not there
        return None
    places = list(spec.submodule_search_locations or ()) if spec is not None else []
    return Path(places[0]) if places else None


def can_build() -> str:
    """Why nvcc cannot build here, or an empty string."""
    missing = [tool for tool in ("nvcc", "gcc", "g++") if not shutil.which(tool)]
    return f"no {', '.join(missing)} on PATH" if missing else ""


def headers(source: Path) -> list[Path]:
    """The `common.h` files that a program of the suite may include."""
    root = source.resolve().parents[1]
    found = [root / "examples" / "common.h", source.parent / "common.h"]
    found += [root / "common.h", root.parent / "examples" / "common.h"]
    return [path for path in found if path.is_file()]


def nvcc(source: Path, output: Path, flags: tuple[str, ...]) -> None:
    """Run nvcc; skipped when the output was made from the same inputs with the same flags. Raises ToolFailed.

    Where the files lie is no part of the comparison: a checkout may move.
    """
    mine = f"{os.getpid()}-{threading.get_ident()}"  # variants share objects, so two threads may make the same one
    beside = output.with_name(f"{output.name}.{mine}")  # a program that runs cannot be written to
    command = ["nvcc", *HOST, "-o", str(beside), str(source), *flags]
    inputs = b"".join(path.read_bytes() for path in (source, *headers(source)))
    stamp = hashlib.sha256(" ".join((*HOST, *flags, source.name, "")).encode() + inputs).hexdigest()
    mark = output.with_name(output.name + ".stamp")
    if output.exists() and mark.exists() and mark.read_text() == stamp:
        return
    output.parent.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ToolFailed("nvcc", command=" ".join(command), stderr=f"{source.name}: {done.stderr}{done.stdout}")
    os.replace(beside, output)
    mark.write_text(stamp)


def build(program: SuiteProgram, variant: Variant, folder: Path) -> Path:
    """One program in one variant; returns the path of the binary. Variants that differ in linking share an object."""
    output = folder / variant.name / program.domain / program.name
    compiled = hashlib.sha256(" ".join(variant.compile).encode()).hexdigest()[:12]
    object_file = folder / "objects" / compiled / program.domain / f"{program.name}.o"
    nvcc(program.source, object_file, ("-c", *variant.filled(variant.compile)))
    nvcc(object_file, output, variant.filled(variant.flags))
    return output


def build_all(
    chosen: list[SuiteProgram], variants: list[Variant], folder: Path, workers: int
) -> dict[tuple[str, str], Path]:
    """Every program in every variant it tolerates, in parallel: (title, variant name) → binary. Raises Unsupported."""
    if why := can_build():
        raise Unsupported("building the suite", why=f"{why}; name programs that are already built instead")
    if why := "; ".join(filter(None, (variant.missing() for variant in variants))):
        raise Unsupported("building the suite", why=why)
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        jobs = {
            (program.title, variant.name): pool.submit(build, program, variant, folder)
            for program in chosen
            for variant in variants
            if variant.name not in program.not_with
        }
        return {key: job.result() for key, job in jobs.items()}
