"""Record what the examples or the samples print on a real NVIDIA GPU.

Run on a machine with an NVIDIA GPU and nvcc: `python3 tools/record_examples.py [--samples] OUT.json` builds every
program for that GPU (`-arch=native`), in parallel, and runs each twice; `python3 tools/record_examples.py --unpack
OUT.json` writes the outputs as `expected/NAME.txt` below `examples/` (or `samples/`: `expected/DOMAIN/NAME.txt`) and
the machine as `expected/RECORDED.json`, beside what was recorded before. A program that does not build, does not end,
fails or prints something else the second time is named and skipped. Standard library only.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
BUILD_S, RUN_S = 120, 30


class Skipped(Exception):
    """Why nothing was recorded for one program, in one line."""


def output_of(*command: str) -> str:
    """Standard output of a command, stripped."""
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def machine() -> dict[str, str]:
    """GPU, driver and toolkit that the outputs come from."""
    query = "--query-gpu=name,driver_version,compute_cap"
    name, driver, capability = output_of("nvidia-smi", query, "--format=csv,noheader").splitlines()[0].split(", ")
    toolkit = output_of("nvcc", "--version").splitlines()[-2].split(", ")[-1]
    return {"gpu": name, "driver": driver, "compute_capability": capability, "nvcc": toolkit}


def sources(suite: str) -> dict[str, Path]:
    """Name (`DOMAIN/NAME` for samples) → source."""
    folder = ROOT / suite
    found = sorted(folder.glob("*/*.cu" if suite == "samples" else "*.cu"))
    return {str(path.relative_to(folder).with_suffix("")): path for path in found}


def limited(command: list[str], seconds: int) -> subprocess.CompletedProcess[str]:
    """Run with a time limit; raises Skipped when it is over."""
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=False)
    except subprocess.TimeoutExpired:
        raise Skipped(f"{Path(command[0]).name}: no end after {seconds} s") from None


def record(source: Path, program: Path) -> dict[str, object]:
    """Build and run one program twice; the two outputs must agree. Raises Skipped."""
    program.parent.mkdir(parents=True, exist_ok=True)
    built = limited(["nvcc", "-std=c++17", "-arch=native", "-o", str(program), str(source)], BUILD_S)
    if built.returncode:
        raise Skipped(f"does not build: {(built.stderr + built.stdout).strip()[:400]}")
    first, second = (limited([str(program)], RUN_S) for _ in range(2))
    if (first.stdout, first.returncode) != (second.stdout, second.returncode):
        raise Skipped("two runs differ; the program is not deterministic")
    if first.returncode:
        raise Skipped(f"exit status {first.returncode}: {first.stdout.strip()[-400:]}")
    return {"stdout": first.stdout, "exit_code": first.returncode}


def record_all(suite: str, workers: int) -> dict[str, object]:
    """The document: machine, outputs by program, and what was skipped, with the reason."""
    recorded: dict[str, object] = {}
    skipped: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(workers) as pool:
        jobs = {name: pool.submit(record, source, Path(folder) / name) for name, source in sources(suite).items()}
        for name, job in jobs.items():
            try:
                recorded[name] = job.result()
            except Skipped as why:
                skipped[name] = str(why)
                print(f"skipped {name}: {why}", flush=True)
    print(f"{len(recorded)} recorded, {len(skipped)} skipped")
    return {"machine": machine(), suite: recorded, "skipped": skipped}


def unpack(path: Path) -> None:
    """Write the outputs of a recorded document where the tests look for them, beside those recorded before."""
    document = json.loads(path.read_text())
    suite = "samples" if "samples" in document else "examples"
    folder = ROOT / suite / "expected"
    for name, run in document[suite].items():
        target = folder / f"{name}.txt"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(run["stdout"])
    place = folder / "RECORDED.json"
    held = json.loads(place.read_text()) if place.exists() else {"exit_codes": {}}
    summary = summary_of(held, document, {name: run["exit_code"] for name, run in document[suite].items()})
    place.write_text(json.dumps(summary, indent=1, sort_keys=True) + "\n")


def summary_of(held: dict[str, Any], document: dict[str, Any], codes: dict[str, int]) -> dict[str, Any]:
    """RECORDED.json after these programs. others: programs that ran on another machine than most, with it."""
    kept = {name: code for name, code in held["exit_codes"].items() if name not in codes}
    others = {name: where for name, where in held.get("others", {}).items() if name in kept}
    machine = held["machine"] if kept else document["machine"]
    if document["machine"] != machine:
        others |= dict.fromkeys(codes, document["machine"])
    skipped = {name: why for name, why in held.get("skipped", {}).items() if name in kept} | document["skipped"]
    summary = {"machine": machine, "exit_codes": kept | codes, "skipped": skipped}
    return summary | ({"others": others} if others else {})


def main(arguments: list[str]) -> int:
    """Record into a JSON file, or unpack one. Exit status 1 when a program was skipped."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", action="store_true", help="the programs of samples/ instead of examples/")
    parser.add_argument("--unpack", action="store_true", help="write expected/ from a recorded file")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 2)
    parser.add_argument("file", type=Path, metavar="OUT.json")
    options = parser.parse_args(arguments)
    if options.unpack:
        unpack(options.file)
        return 0
    document = record_all("samples" if options.samples else "examples", options.jobs)
    options.file.write_text(json.dumps(document, indent=1) + "\n")
    return 1 if document["skipped"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
