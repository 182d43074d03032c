"""The model first, on whole programs: who translated each kernel, with what evidence, and whether the output is right.

    python3 -m tools.modelruns [EXAMPLE ...]      # needs torch for the shipped model; CASS_MODEL names another

Each example (static build with PTX) runs under `CASS_TRANSLATORS=cass,lift,ptx-hip` with an empty cache, and again with
what that left: the second run must translate nothing. Exit status 1 unless both print what an NVIDIA GPU printed,
everything that the model serves is E1u or better, and whatever it does not serve has a reason on record.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from cass_shim.model.artifacts import Evidence
from tools import environment, examples, samples

CHAIN = "cass,lift,ptx-hip"
VARIANT = "static-fat"
KERNEL_S = "600"  # half of it for the model
LIMIT_S = 3600.0  # of one program: on a processor an answer takes seconds, and samples many


def run(program: Path, name: str, settings: Mapping[str, str]) -> tuple[str, float]:
    """What differs from the GPU's output ("" when nothing does), and the seconds."""
    begun = time.monotonic()
    done = subprocess.run(
        [str(environment.launcher()), str(program)],
        capture_output=True, text=True, timeout=LIMIT_S, env={**os.environ, **settings}, check=False,
    )  # fmt: skip
    expected = (examples.EXPECTED / f"{name}.txt").read_text()
    return examples.difference(expected, examples.exit_codes()[name], done), time.monotonic() - begun


def kernels_of(program: Path, settings: Mapping[str, str]) -> list[dict[str, Any]]:
    """What the cache holds of the program, a row a kernel."""
    command = [sys.executable, "-m", "cass_shim.cli.main", "inspect", str(program), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env={**os.environ, **settings})
    rows: list[dict[str, Any]] = json.loads(done.stdout)["kernels"]
    return [row for row in rows if row["cache"] == "ready"]


def served(row: Mapping[str, Any]) -> tuple[str, bool]:
    """One kernel in a line, and whether that is as promised."""
    record, route = row["record"], row["route"]
    if route == "cass":
        facts = record["provenance"]
        right = Evidence.of(row["evidence"]) >= Evidence.E1U and bool(facts.get("model"))
        return f"cass {row['evidence']}, {facts.get('decoding', 'no decoding on record')}", right
    reason = record["passed_over"].get("cass", "")
    return f"{route} {row['evidence']}; cass: {reason[:160] or 'no reason on record'}", bool(reason)


def try_one(name: str, program: Path, place: Path) -> tuple[list[str], int, int]:
    """The lines of one example, how many kernels the model serves, and how many things are not as promised."""
    settings = {"CASS_TRANSLATORS": CHAIN, "CASS_CACHE_DIR": str(place / "cache"), "CASS_DEVICE": "emulated"}
    settings |= {"CASS_RUNTIME_DIR": str(place / "run"), "CASS_BEHIND": "0"}
    settings["CASS_KERNEL_TIMEOUT"] = os.environ.get("CASS_KERNEL_TIMEOUT", KERNEL_S)
    settings["CASS_TIMEOUT"] = f"{LIMIT_S:g}"  # of a request to the daemon: several kernels may wait for one model
    (place / "run").mkdir(mode=0o700, parents=True)
    first, cold = run(program, name, settings)
    rows = kernels_of(program, settings)
    records = sorted((place / "cache").rglob("records/**/*.json"))
    second, warm = run(program, name, settings)
    made = len(sorted((place / "cache").rglob("records/**/*.json"))) - len(records)
    lines = [
        f"{name}: {first or 'right'} in {cold:.1f} s, again {second or 'right'} in {warm:.1f} s, {made} translated"
    ]
    wrong = bool(first) + bool(second) + bool(made) + (not rows)
    for row in rows:
        line, good = served(row)
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
