"""Command line: `generate` and `pack`."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from tools import samples


def generate(options: argparse.Namespace) -> int:
    """Held-out splits first, so that they are there whenever training stops being generated."""
    from tools.pairs.generate import Generator, How
    from tools.pairs.kernels import FAMILIES, HELD_OUT_FAMILIES

    if why := samples.can_build():
        print(f"pairs cannot be made here: {why}")
        return 2
    given = {name: share for name in ("verified", "parts") if (share := getattr(options, name)) is not None}
    how = How(**given, only=tuple(one for one in options.only.split(",") if one))
    trained = [one for one in FAMILIES if one not in HELD_OUT_FAMILIES]
    if unknown := set(how.only) - set(trained):
        print(f"no such families to train on: {', '.join(sorted(unknown))}; there are {', '.join(trained)}")
        return 2
    generator, started = Generator(options.out, options.jobs, options.unit, how), time.monotonic()
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

    print(
        pack_all(
            options.pairs, options.set, options.jobs, options.vocabulary, options.extend, options.splits.split(",")
        )
    )
    return 0


def clang(options: argparse.Namespace) -> int:
    """Pairs of the second kind, counted apart."""
    from tools.pairs.clang import count

    for line, amount in count(options.out, options.first, options.count).items():
        print(f"{amount} {line}")
    return 0


def sample(options: argparse.Namespace) -> int:
    """One round of rejection sampling."""
    from tools.pairs.sample import Sampler

    sampler = Sampler.of(options.out, options.samples, options.temperature, options.jobs)
    for line in sampler.run(options.first, options.count):
        print(line, flush=True)
    return 0


def main(arguments: list[str]) -> int:
    """Returns the exit status."""
    parser = argparse.ArgumentParser(prog="python3 -m tools.pairs", description="Training pairs SASS to RDNA3.")
    commands = parser.add_subparsers(required=True)
    _generating(commands.add_parser("generate", help="make pairs; goes on where it stopped"))
    _packing(commands.add_parser("pack", help="tokens, vocabulary and lengths for tools/train"))
    command = commands.add_parser("clang", help="pairs with clang's code of the ptx-hip translation, and their count")
    command.set_defaults(run=clang)
    _numbers(command, 100)
    command = commands.add_parser("sample", help="right answers of a model (CASS_MODEL) to new kernels, as pairs")
    command.set_defaults(run=sample)
    _numbers(command, 1000)
    command.add_argument("--samples", type=int, default=8, help="a kernel, besides the greedy answer")
    command.add_argument("--temperature", type=float, default=0.8, help="of the samples")
    command.add_argument("--jobs", type=int, default=1, help="processes that verify (default: %(default)s)")
    options = parser.parse_args(arguments)
    return int(options.run(options))


def _numbers(command: argparse.ArgumentParser, count: int) -> None:
    command.add_argument("out", type=Path)
    command.add_argument("--first", type=int, default=0, help="number of the first training kernel")
    command.add_argument("--count", type=int, default=count, help="training kernels (default: %(default)s)")


def _generating(command: argparse.ArgumentParser) -> None:
    _numbers(command, 60_000)
    command.add_argument("--held-out", type=int, default=300, help="kernels of each held-out split")
    command.add_argument("--jobs", type=int, default=1, help="processes (default: %(default)s)")
    command.add_argument("--unit", type=int, default=100, help="kernels a compiler call (default: %(default)s)")
    command.add_argument("--verified", type=float, help="share of training pairs to verify (default: all)")
    command.add_argument("--parts", type=float, help="share of training kernels that are cut too (default: 0.2)")
    command.add_argument("--only", default="", help="families to train on, with commas between (default: all)")
    command.add_argument("--minutes", type=float, default=1e9, help="stop after the unit in which this time is over")
    command.add_argument("--finished", default="", help="name of an empty file in OUT that says that all are there")
    command.set_defaults(run=generate)


def _packing(command: argparse.ArgumentParser) -> None:
    command.add_argument("pairs", type=Path)
    command.add_argument("set", type=Path)
    command.add_argument("--vocabulary", type=Path, help="folder of the checkpoint whose vocabulary to keep")
    command.add_argument("--splits", default="train,seeds,families", help="which to pack (default: %(default)s)")
    command.add_argument("--extend", action="store_true", help="with words that it lacks, in new rows")
    command.add_argument("--jobs", type=int, default=1, help="processes (default: %(default)s)")
    command.set_defaults(run=pack)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
