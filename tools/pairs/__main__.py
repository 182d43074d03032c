"""Command line: `generate` and `pack`."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from tools import samples


def generate(options: argparse.Namespace) -> int:
    """Held-out splits first, so that they are there whenever training stops being generated."""
    from tools.pairs.generate import VERIFIED_SHARE, Generator

    if why := samples.can_build():
        print(f"pairs cannot be made here: {why}")
        return 2
    generator, started = (
        Generator(options.out, options.jobs, share=VERIFIED_SHARE if options.verified is None else options.verified),
        time.monotonic(),
    )
    amounts = {"seeds": options.held_out, "families": options.held_out, "train": options.first + options.count}
    for line in generator.run(amounts, options.first):
        print(f"{line}, {time.monotonic() - started:.0f} s", flush=True)
        if time.monotonic() - started > 60 * options.minutes:
            print("stopped by --minutes; the same command goes on from here")
            return 0
    if options.finished:
        (options.out / options.finished).touch()
    return 0


def pack(options: argparse.Namespace) -> int:
    """Tokenise what is there."""
    from tools.pairs.pack import pack_all

    print(pack_all(options.pairs, options.set, options.jobs, options.vocabulary))
    return 0


def main(arguments: list[str]) -> int:
    """Returns the exit status."""
    parser = argparse.ArgumentParser(prog="python3 -m tools.pairs", description="Training pairs SASS to RDNA3.")
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser("generate", help="make pairs; goes on where it stopped")
    command.add_argument("out", type=Path)
    command.add_argument("--count", type=int, default=60_000, help="training kernels (default: %(default)s)")
    command.add_argument("--first", type=int, default=0, help="number of the first training kernel")
    command.add_argument("--held-out", type=int, default=300, help="kernels of each held-out split")
    command.add_argument("--jobs", type=int, default=1, help="processes (default: %(default)s)")
    command.add_argument("--verified", type=float, help="share of training pairs to verify (default: one in 12)")
    command.add_argument("--minutes", type=float, default=1e9, help="stop after the unit in which this time is over")
    command.add_argument("--finished", default="", help="name of an empty file in OUT that says that all are there")
    command.set_defaults(run=generate)
    command = commands.add_parser("pack", help="tokens, vocabulary and lengths for tools/train")
    command.add_argument("pairs", type=Path)
    command.add_argument("set", type=Path)
    command.add_argument("--vocabulary", type=Path, help="folder of the checkpoint whose vocabulary to keep")
    command.add_argument("--jobs", type=int, default=1, help="processes (default: %(default)s)")
    command.set_defaults(run=pack)
    options = parser.parse_args(arguments)
    return int(options.run(options))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
