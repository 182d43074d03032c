"""Build the examples with nvcc, and the small prebuilt binaries that the demo and the tests use.

`python3 -m tools.samples prebuilt` rewrites `examples/prebuilt/` (binaries, PREBUILT.json with build line and SHA-256).
"""

from __future__ import annotations

import concurrent.futures
import hashlib
import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "examples"
PREBUILT = EXAMPLES / "prebuilt"

# The host part carries its own C++ runtime, so that the binaries need glibc only.
HOST = ("-Xcompiler", "-static-libstdc++,-static-libgcc", "-std=c++17", "-diag-suppress", "186")
FAT = ("-gencode", "arch=compute_80,code=sm_80", "-gencode", "arch=compute_89,code=[sm_89,compute_89]")


@dataclass(frozen=True)
class Variant:
    """One way to build an example. has_ptx: whether the PTX route has anything to work on."""

    name: str
    flags: tuple[str, ...]
    has_ptx: bool


VARIANTS = (
    Variant("static-fat", FAT, True),
    Variant("static-sm80", ("-gencode", "arch=compute_80,code=sm_80"), False),
    Variant("static-sm89", ("-gencode", "arch=compute_89,code=sm_89"), False),
    Variant("shared-fat", ("-cudart", "shared", *FAT), True),
)

PREBUILT_SAMPLES = {
    "vector_add_static": ("vector_add", ("-gencode", "arch=compute_80,code=[sm_80,compute_80]")),
    "matmul_tiled_static_sass": ("matmul_tiled", ("-gencode", "arch=compute_80,code=sm_80")),
    "mandelbrot_shared": (
        "mandelbrot",
        ("-cudart", "shared", "-gencode", "arch=compute_80,code=[sm_80,compute_80]"),
    ),
    "symbols_shared_sass": ("symbols", ("-cudart", "shared", "-gencode", "arch=compute_89,code=sm_89")),
}


def names() -> list[str]:
    """The examples, in alphabetical order."""
    return sorted(path.stem for path in EXAMPLES.glob("*.cu"))


def can_build() -> str:
    """Why nvcc cannot build here, or an empty string."""
    missing = [tool for tool in ("nvcc", "gcc", "g++") if not shutil.which(tool)]
    return f"no {', '.join(missing)} on PATH" if missing else ""


def nvcc(source: Path, output: Path, flags: tuple[str, ...]) -> None:
    """Run nvcc; skipped when the output was built from the same source by the same command."""
    command = ["nvcc", *HOST, *flags, "-o", str(output), str(source)]
    beside = output.with_name(f"{output.name}.{os.getpid()}")  # a program that runs cannot be written to
    inputs = source.read_bytes() + (EXAMPLES / "common.h").read_bytes()
    stamp = hashlib.sha256(" ".join(command).encode() + inputs).hexdigest()
    mark = output.with_name(output.name + ".stamp")
    if output.exists() and mark.exists() and mark.read_text() == stamp:
        return
    output.parent.mkdir(parents=True, exist_ok=True)
    building = [str(beside) if word == str(output) else word for word in command]
    done = subprocess.run(building, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(building)}\n{done.stderr}{done.stdout}")
    os.replace(beside, output)
    mark.write_text(stamp)


def build(example: str, variant: Variant, folder: Path = ROOT / "build" / "examples") -> Path:
    """One example in one variant; returns the program."""
    output = folder / variant.name / example
    nvcc(EXAMPLES / f"{example}.cu", output, variant.flags)
    return output


def build_all(chosen: list[str] | None = None) -> dict[tuple[str, str], Path]:
    """Every example in every variant, in parallel; (example, variant name) → program."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 2) as pool:
        jobs = {
            (name, variant.name): pool.submit(build, name, variant)
            for name in chosen or names()
            for variant in VARIANTS
        }
        return {key: job.result() for key, job in jobs.items()}


def write_prebuilt() -> None:
    """Rebuild `examples/prebuilt/`."""
    PREBUILT.mkdir(exist_ok=True)
    version = subprocess.run(["nvcc", "--version"], capture_output=True, text=True, check=True).stdout.split("\n")[-3:]
    samples = {}
    for output, (example, flags) in PREBUILT_SAMPLES.items():
        target = PREBUILT / output
        command = [
            "nvcc",
            *HOST,
            *flags,
            "-Xlinker",
            "--gc-sections",
            "-o",
            str(target),
            str(EXAMPLES / f"{example}.cu"),
        ]
        subprocess.run(command, check=True)
        subprocess.run(["objcopy", "--strip-debug", str(target)], check=True)
        line = " ".join(command).replace(str(ROOT) + "/", "")
        samples[output] = {
            "example": example,
            "build": line,
            "sha256": hashlib.sha256(target.read_bytes()).hexdigest(),
        }
    document = {"compiler": " ".join(version).strip(), "samples": samples}
    (PREBUILT / "PREBUILT.json").write_text(json.dumps(document, indent=1) + "\n")


if __name__ == "__main__":
    if sys.argv[1:] != ["prebuilt"]:
        sys.exit("usage: python3 -m tools.samples prebuilt")
    write_prebuilt()
