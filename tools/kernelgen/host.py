"""Generated kernels on the host: what they should give, by g++ and the CUDA manuals, without NVIDIA's compiler.

`python3 -m tools.kernelgen.host --seed 2 --count 100` prints the digests that an NVIDIA GPU should print; `--check`
compares those of seed 1 with the recorded ones. 2026-11-22: of 10,000 all but three are equal. NVIDIA's compiler takes
`ceil` of a constant of 2⁶³ or more for -2⁶³, and so does this (`cuda_runtime.h`), but the two do not know the same
expressions to be constant (1462, 2359). In 2819 ptxas makes a rotation of `x + x + (x >> 63)`: machine code and PTX
differ there, and the H200 did what ptxas says.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from tools.kernelgen.program import unit

HEADER = Path(__file__).parent / "host"
# Nothing is folded under another rounding mode or contracted; signed sums wrap, as they do on the device.
COMPILE = ("g++", "-w", "-O1", "-std=c++17", "-frounding-math", "-ffp-contract=off", "-fwrapv", f"-I{HEADER}")
LAUNCH = "row.kernel<<<blocks, threads>>>("
UNIT = 50  # kernels a compilation


def digests(seed: int, first: int, count: int) -> dict[tuple[int, int], str]:
    """(kernel, input seed) → digest. Raises CalledProcessError where g++ fails."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        source, program = Path(folder) / "unit.cpp", Path(folder) / "unit"
        text = unit(seed, first, count)
        assert LAUNCH in text
        source.write_text(text.replace(LAUNCH, "launch(row.kernel, blocks, threads, "))
        subprocess.run([*COMPILE, "-o", str(program), str(source)], check=True)
        done = subprocess.run([str(program)], capture_output=True, text=True, check=True)
    for line in re.finditer(r"^k(\d+) s(\d) ([0-9a-f]{16})$", done.stdout, re.MULTILINE):
        found[int(line[1]), int(line[2])] = line[3]
    return found


def main(arguments: list[str]) -> int:
    """Command line; exit status 1 where a checked digest differs."""
    parser = argparse.ArgumentParser(prog="python3 -m tools.kernelgen.host", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--check", action="store_true", help="compare with what an H200 gave")
    options = parser.parse_args(arguments)
    wrong = 0
    end = options.first + options.count
    for first in range(options.first, end, UNIT):
        for (kernel, s), digest in sorted(digests(options.seed, first, min(UNIT, end - first)).items()):
            if not options.check:
                print(f"k{kernel} s{s} {digest}")
                continue
            from tools.campaign import recorded

            wanted = recorded(options.seed)[2 * kernel + s]
            if wanted and digest != f"{wanted:016x}":
                wrong += 1
                print(f"k{kernel} s{s} {digest} instead of {wanted:016x}")
    if options.check:
        print(f"{options.count} kernels, {wrong} digests differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
