"""Command line of the kernel generator."""

from __future__ import annotations

import argparse
import sys

from tools.kernelgen.program import unit


def main() -> None:
    """Print one translation unit."""
    parser = argparse.ArgumentParser(
        prog="python3 -m tools.kernelgen", description="Print a program of random CUDA kernels."
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first kernel (default 0)")
    parser.add_argument("--count", type=int, default=200, help="kernels in the unit (default 200)")
    options = parser.parse_args()
    sys.stdout.write(unit(options.seed, options.first, options.count))


if __name__ == "__main__":
    main()
