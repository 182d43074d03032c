"""`python -m tools.mutation [--count N] [--seeds N] [--prove S] [--json FILE] [--jobs J] [EXAMPLE…]`: its score.

From the lifter's assembly of every kernel of the examples (sm_80), mutants in equal shares: each is assembled and
verified. One that survives is verified again with other seeds: rejected then means missed, accepted each time means
that no input showed a difference ("alike"); `python3 -m tools.mutation.survivors FILE` runs these on 10,000 inputs
more. With --prove those are given to the prover: "equal" where it proves them so, missed where it shows a difference.
Score: rejected at once over rejected and missed; waits and barriers are scored apart. Run in the project's virtual
environment.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import json
import multiprocessing
from collections import Counter
from pathlib import Path

from tools import samples
from tools.mutation.subjects import names, score
from tools.mutation.verdicts import MORE_SEEDS, Options, Row, campaign


def _tell(name: str, found: list[Row], seconds: float) -> None:
    print(f"{name}: {dict(Counter(str(row['verdict']) for row in found))} {seconds:.0f} s", flush=True)
    for row in found:
        if row["verdict"] == "missed":
            print(f"  missed: {row['kind']}: {row['change']}: {row['why']}")


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(prog="python -m tools.mutation", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="EXAMPLE")
    parser.add_argument("--count", type=int, default=100, help="mutants a kernel (default: %(default)s)")
    parser.add_argument("--json", type=Path, help="every mutant; kernels that are in it already are left out")
    more = "more seeds for those that the first let pass (default: %(default)s)"
    parser.add_argument("--seeds", type=int, default=MORE_SEEDS, help=more)
    seconds = "seconds a proof of those that look alike"
    parser.add_argument("--prove", type=float, default=0.0, metavar="S", help=seconds)
    parser.add_argument("--jobs", type=int, default=1, help="kernels at once (default: %(default)s)")
    options = parser.parse_args()
    wanted = Options(options.count, options.seeds, options.prove)
    rows: list[Row] = []
    if options.json and options.json.exists():
        rows = json.loads(options.json.read_text())
    done = {row["kernel"] for row in rows}
    kernels = [name for example in options.names or samples.names() for name in names(example) if name not in done]
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(options.jobs, context, max_tasks_per_child=1) as pool:
        running = {pool.submit(campaign, name, wanted): name for name in kernels}
        for one in concurrent.futures.as_completed(running):
            found, took = one.result()
            rows += found
            _tell(running[one], found, took)
            if options.json:
                options.json.write_text(json.dumps(rows, indent=1) + "\n")
    print(f"all but waits and barriers: {score(rows, False)}\nwaits and barriers: {score(rows, True)}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
