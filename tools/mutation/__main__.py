"""`python -m tools.mutation [--count N] [--seeds N] [--prove S] [--json FILE] [--jobs J] [EXAMPLE…]`: its score.

From the lifter's assembly of every kernel of the examples (sm_80), different mutants in equal shares: each is assembled
and verified. One that survives is verified again with other seeds: rejected then means missed, accepted each time means
that no input showed a difference ("alike"); `python3 -m tools.mutation.survivors FILE` runs these on 10,000 inputs
more. With --prove those are given to the prover: "equal" where it proves them so, missed where it shows a difference.
Score: rejected at once over rejected and missed; waits and barriers are scored apart. FILE is rewritten as it goes, and
a later call with the same --count goes on. Run in the project's virtual environment.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import functools
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

from tools import samples
from tools.mutation.rows import Row, read, write
from tools.mutation.spread import Spread
from tools.mutation.subjects import instructions, names, program, score
from tools.mutation.verdicts import MORE_SEEDS, Options, Part, campaign

PART = 12  # mutants of one kernel that a process judges


def parts(kernels: list[str], count: int) -> list[Part]:
    """All kernels' mutants, the longest kernels first, so that no process is left with one of them at the end."""
    number = -(-count // PART)
    sizes = {name: instructions(name) for name in kernels}
    shares = [count // number + (at < count % number) for at in range(number)]
    ordered = sorted(kernels, key=lambda name: -sizes[name])
    return [Part(name, at, number, shares[at]) for name in ordered for at in range(number)]


class Score:
    """The rows so far, in a file when there is one, and the parts that are not whole."""

    def __init__(self, path: Path | None, wanted: list[Part]) -> None:
        self.path, self.wanted = path, wanted
        self.rows: list[Row] = read(path) if path is not None and path.exists() else []
        self.barren: set[str] = set()  # parts that gave less than their share: the kernel has no more

    def pending(self) -> Iterator[Part]:
        """Parts with mutants that are not judged, each with those that are."""
        done: dict[tuple[object, object], set[tuple[int, str]]] = defaultdict(set)
        for row in self.rows:
            done[row["kernel"], row["part"]].add((int(row["line"]), str(row["text"])))
        for part in self.wanted:
            have = done[part.kernel, part.part]
            if len(have) < part.count and part.name not in self.barren:
                yield Part(part.kernel, part.part, part.of, part.count, frozenset(have))

    def keep(self, part: Part, result: tuple[list[Row], float]) -> None:
        """What became of a part's mutants."""
        found, seconds = result
        self.barren.add(part.name)
        self.rows += found
        print(f"{part.name}: {dict(Counter(str(row['verdict']) for row in found))} {seconds:.0f} s", flush=True)
        for row in found:
            if row["verdict"] == "missed":
                print(f"  missed: {row['kind']}: {row['change']}: {row['why']}")
        if self.path is not None:
            write(self.path, self.rows)


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(prog="python -m tools.mutation", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="EXAMPLE")
    parser.add_argument("--count", type=int, default=100, help="mutants a kernel (default: %(default)s)")
    parser.add_argument("--json", type=Path, help="every mutant; those that are in it already are left out")
    more = "more seeds for those that the first let pass (default: %(default)s)"
    parser.add_argument("--seeds", type=int, default=MORE_SEEDS, help=more)
    seconds = "seconds a proof of those that look alike"
    parser.add_argument("--prove", type=float, default=0.0, metavar="S", help=seconds)
    parser.add_argument("--minutes", type=float, default=600.0, help="on the clock (default: %(default)s)")
    parser.add_argument("--jobs", type=int, default=1, help="parts of kernels at once (default: %(default)s)")
    options = parser.parse_args()
    until = time.monotonic() + 60 * options.minutes
    examples = options.names or samples.names()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:  # built once, not by each process
        list(pool.map(program, examples))
    done = Score(options.json, parts([name for example in examples for name in names(example)], options.count))
    work = functools.partial(campaign, options=Options(options.seeds, options.prove, until))
    Spread(done.pending, work, done.keep).run(options.jobs, until)
    wanted = sum(part.count for part in done.wanted)
    print(
        f"{len(done.rows)} mutants; {max(0, wanted - len(done.rows))} more were asked for (some kernels have too few)"
    )
    print(f"all but waits and barriers: {score(done.rows, False)}\nwaits and barriers: {score(done.rows, True)}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
