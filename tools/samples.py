"""Build the examples with nvcc, and the small prebuilt binaries that the demo and the tests use.

`python3 -m tools.samples prebuilt` rewrites `examples/prebuilt/` (binaries, PREBUILT.json with build line and SHA-256).
"""

from __future__ import annotations

import concurrent.futures
import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

from cass_shim.compat.build import HOST, Variant, can_build, nvcc
from cass_shim.compat.build import VARIANTS as build_variants

__all__ = ["Variant", "build", "build_all", "can_build", "names", "nvcc", "write_prebuilt"]

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "examples"
PREBUILT = EXAMPLES / "prebuilt"

# The ways to build the examples that `python3 -m tools examples` compares; the compatibility suite has more.
VARIANTS = tuple(build_variants[name] for name in ("static-fat", "static-sm80", "static-sm89", "shared-fat"))

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
