"""The model first, on whole programs: who translated each kernel, with what evidence, and whether the output is right.

    python3 -m tools.modelruns [EXAMPLE ...]      # needs torch for the shipped model; CASS_MODEL names another

Each example (static build with PTX) runs under `CASS_TRANSLATORS=cass,lift,ptx-hip` with an empty cache, and again with
what that left: the second run must translate nothing. Exit status 1 unless both print what an NVIDIA GPU printed,
everything that the model serves is E1 or better (E1u where `lift`'s code of it is no more), and whatever it does not
serve has a reason on record.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from cass_shim.model.artifacts import Evidence
from tools import examples, samples

CHAIN = "cass,lift,ptx-hip"
VARIANT = "static-fat"
KERNEL_S = "600"  # half of it for the model
LIMIT_S = 3600.0  # of one program: on a processor an answer takes seconds, and samples many


def kernels_of(program: Path, route: str, cache: Path) -> list[dict[str, Any]]:
    """What the cache holds of the program, a row a kernel."""
    command = [sys.executable, "-m", "cass_shim.cli.main", "inspect", str(program), "--json"]
    settings = {"CASS_TRANSLATORS": route, "CASS_CACHE_DIR": str(cache)}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env={**os.environ, **settings})
    rows: list[dict[str, Any]] = json.loads(done.stdout)["kernels"]
    return [row for row in rows if row["cache"] == "ready"]


def records(cache: Path) -> int:
    """How many translations a cache holds."""
    return sum(1 for _ in cache.rglob("records/**/*.json"))


def served(row: Mapping[str, Any], lifted: Mapping[str, str]) -> tuple[str, bool]:
    """One kernel in a line, and whether that is as promised. lifted: the evidence that `lift`'s code gets."""
    record, route = row["record"], row["route"]
    if route == "cass":
        facts, evidence = record["provenance"], Evidence.of(row["evidence"])
        enough = min(Evidence.E1, Evidence.of(lifted.get(row["kernel"], "E1")))  # forms without a vector: E1u for both
        return f"cass {row['evidence']}, {facts.get('decoding', 'no decoding on record')}", (
            evidence >= max(enough, Evidence.E1U) and bool(facts.get("model"))
        )
    reason = record["passed_over"].get("cass", "")
    return f"{route} {row['evidence']}; cass: {reason[:160] or 'no reason on record'}", bool(reason)


def try_one(name: str, program: Path, place: Path) -> tuple[list[str], int, int]:
    """The lines of one example, how many kernels the model serves, and how many things are not as promised."""
    cache, plain = place / "cache", place / "lift"
    more = {"CASS_RUNTIME_DIR": str(place / "run"), "CASS_BEHIND": "0", "CASS_MODEL": os.environ.get("CASS_MODEL", "")}
    more["CASS_KERNEL_TIMEOUT"] = os.environ.get("CASS_KERNEL_TIMEOUT", KERNEL_S)
    more["CASS_TIMEOUT"] = f"{LIMIT_S:g}"  # of a request to the daemon: several kernels may wait for one model
    (place / "run").mkdir(mode=0o700, parents=True)
    first = examples.run(program, name, VARIANT, CHAIN, cache, more, LIMIT_S)
    rows = kernels_of(program, CHAIN, cache)
    before = records(cache)
    second = examples.run(program, name, VARIANT, CHAIN, cache, more, LIMIT_S)
    made = records(cache) - before
    examples.run(program, name, VARIANT, "lift", plain, {"CASS_BEHIND": "0"})
    lifted = {row["kernel"]: row["evidence"] for row in kernels_of(program, "lift", plain)}
    again = f"again {second.detail or 'right'} in {second.seconds:.1f} s, {made} translated"
    lines = [f"{name}: {first.detail or 'right'} in {first.seconds:.1f} s, {again}"]
    wrong = bool(first.detail) + bool(second.detail) + bool(made) + (not rows)
    for row in rows:
        line, good = served(row, lifted)
        wrong += not good
        lines.append(f"  {row['name'].split('(')[0]}: {line}")
    return lines, sum(row["route"] == "cass" for row in rows), wrong


def main(arguments: Sequence[str]) -> int:
    """Returns the exit status."""
    parser = argparse.ArgumentParser(prog="python3 -m tools.modelruns", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="EXAMPLE", help="default: all")
    options = parser.parse_args(arguments)
    if why := samples.can_build():
        print(f"the examples cannot be built here: {why}")
        return 2
    if unknown := set(options.names) - set(samples.names()):
        print(f"no example called {', '.join(sorted(unknown))}; there are: {', '.join(samples.names())}")
        return 2
    variant = next(one for one in samples.VARIANTS if one.name == VARIANT)
    own = kernels = wrong = 0
    for name in options.names or samples.names():
        with tempfile.TemporaryDirectory(prefix="cass-model-") as folder:
            lines, of_model, failed = try_one(name, samples.build(name, variant), Path(folder))
        print("\n".join(lines), flush=True)
        own, kernels, wrong = own + of_model, kernels + len(lines) - 1, wrong + failed
    print(f"{kernels} kernels, {own} of them the model's; {wrong} things not as promised")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
