"""`python3 -m tools demo`: from nothing to a real CUDA binary on the emulated gfx1100, saying what happened."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time

from tools import environment

PREBUILT = environment.ROOT / "examples" / "prebuilt"


def show_run(name: str, expected: str, exit_code: int) -> bool:
    """Run one prebuilt binary under cass-run; print its output and whether it is what the NVIDIA GPU printed."""
    program = PREBUILT / name
    command = [str(environment.launcher()), str(program)]
    print(f"\n$ cass-run {program.relative_to(environment.ROOT)}", flush=True)
    begin = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300, env=dict(os.environ))
    seconds = time.monotonic() - begin
    sys.stdout.write(done.stdout)
    sys.stderr.write(done.stderr)
    same = done.stdout == expected and done.returncode == exit_code
    verdict = "identical to" if same else "NOT what was recorded"
    print(f"[{seconds:.2f} s, exit {done.returncode}; output {verdict} what a real NVIDIA GPU printed]")
    return same


def main(arguments: list[str]) -> int:
    """Set up, run the prebuilt samples, explain. Exit status 1 when an output differs."""
    if arguments:
        print("usage: python3 -m tools demo")
        return 2
    environment.prepare()
    samples = json.loads((PREBUILT / "PREBUILT.json").read_text())["samples"]
    recorded = json.loads((PREBUILT.parent / "expected" / "RECORDED.json").read_text())
    machine = recorded["machine"]
    print(
        f"\nThese binaries were built by NVIDIA's nvcc; their outputs were recorded on {machine['gpu']}"
        f" (driver {machine['driver']})."
    )
    good = True
    for name, sample in samples.items():
        expected = (PREBUILT.parent / "expected" / f"{sample['example']}.txt").read_text()
        good &= show_run(name, expected, recorded["exit_codes"][sample["example"]])
    print(
        "\nWhat happened: the program's CUDA calls went to a library preloaded by cass-run; its NVIDIA machine code was"
        "\ndecoded, translated to AMD RDNA3 (gfx1100) code, checked against an interpreter of the original, cached, and"
        "\nlaunched through HIP. Run it again: the second run translates nothing."
    )
    subprocess.run(
        [
            str(environment.python()),
            "-m",
            "cass_shim.cli.main",
            "inspect",
            str(PREBUILT / next(iter(samples))),
        ],
        check=False,
    )
    return 0 if good else 1
