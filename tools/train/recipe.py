"""The whole way to a checkpoint in one command: pairs, token set, training, the curve over training pairs, its plot.

    python3 -m tools.train.recipe PLACE --minutes 7 --jobs 16      # on a machine with a GPU and nvcc
    python3 -m tools.train.recipe PLACE --minutes 7 --jobs 64 --gpus 4      # four shares at a time, a GPU each
    python3 -m tools.train.recipe PLACE --rehearse                 # the same steps with 1 % of the pairs, no GPU

PLACE holds everything: `pairs/`, `set/`, one checkpoint and one `eval.json` for each share of the training pairs, and
`curve.json` with the command that measures each point again. What is there is kept, so the same command goes on where
it stopped. `curve.svg` is drawn from `curve.json`: `python3 -m tools.train.recipe PLACE --plot`.
"""

from __future__ import annotations

import argparse
import json
import os
import queue
import shlex
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

SHARES = (0.125, 0.25, 0.5, 1.0)
PAIRS, HELD_OUT = 60_000, 300
REHEARSED = 0.01


@dataclass(frozen=True)
class Step:
    """One command. done: the file that is there, and says no other, once it has ended well. model: its CASS_MODEL.

    share: of the training pairs, whose steps need a GPU and those before them; 0 for what all shares need.
    """

    arguments: tuple[str, ...]
    done: Path
    model: Path | None = None
    share: float = 0.0

    @property
    def text(self) -> str:
        """As one types it."""
        name = f"CASS_MODEL={self.model} " if self.model is not None else ""
        return name + shlex.join(("python3", "-m", *self.arguments))

    def run(self, environment: Mapping[str, str] = MappingProxyType({})) -> None:
        """environment: besides this process's. Raises CalledProcessError."""
        if is_finished(self.done):
            print(f"there already: {self.text}", flush=True)
            return
        print(self.text, flush=True)
        given: Mapping[str, str] = {"CASS_MODEL": str(self.model)} if self.model is not None else {}
        subprocess.run([sys.executable, "-m", *self.arguments], check=True, env={**os.environ, **given, **environment})
        assert is_finished(self.done), f"{self.text} left no {self.done}"


def is_finished(done: Path) -> bool:
    """Whether the file is there; one of `cass eval`, which writes after every kernel, must say that it is all."""
    if done.suffix != ".json":
        return done.exists()
    try:
        return json.loads(done.read_text()).get("finished") is True
    except (OSError, ValueError, AttributeError):
        return False


def checkpoint(place: Path, share: float) -> Path:
    """The folder of a share's checkpoint."""
    return place / f"share-{share:g}"


def plan(options: argparse.Namespace) -> list[Step]:
    """The steps in order."""
    place, small = options.place, REHEARSED if options.rehearse else 1.0
    pairs, made = place / "pairs", place / "set"
    amounts = ("--first", str(options.first)) if options.first else ()
    amounts += ("--count", str(int(options.count * small)), "--held-out", str(max(10, int(options.held_out * small))))
    jobs = ("--jobs", str(options.jobs))
    steps = [
        Step(("tools.pairs", "generate", str(pairs), *amounts, *jobs, "--finished", "done"), pairs / "done"),
        Step(("tools.pairs", "pack", str(pairs), str(made), *jobs), made / "families.npz"),
    ]
    training = ["--minutes", f"{options.minutes:g}", *(["--rehearse"] if options.rehearse else ["--compile"])]
    if not options.rehearse:
        training += ["--batch", "131072"]
    for share in options.shares:
        out = checkpoint(place, share)
        command = ("tools.train", str(made), str(out), "--share", f"{share:g}", *training, "--finished", "done")
        steps += [Step(command, out / "done", share=share), measure(options, share)]
    if options.measure:
        return [step for step in steps if step.model is not None and (step.model / "cass_contract.json").is_file()]
    return steps


def run_all(steps: Sequence[Step], gpus: int) -> list[Step]:
    """What all shares need, one after the other; then so many shares at a time, a GPU each. The steps that failed."""
    common, chains = (
        [one for one in steps if not one.share],
        [
            [one for one in steps if one.share == share]
            for share in dict.fromkeys(one.share for one in steps if one.share)
        ],
    )
    if failed := run_chain(common, None):
        return failed
    free: queue.SimpleQueue[int] = queue.SimpleQueue()
    for gpu in range(gpus):
        free.put(gpu)

    def run(chain: Sequence[Step]) -> list[Step]:
        gpu = free.get()
        try:
            return run_chain(chain, gpu if gpus > 1 else None)
        finally:
            free.put(gpu)

    with ThreadPoolExecutor(gpus) as pool:
        return [step for failed in pool.map(run, chains) for step in failed]


def run_chain(steps: Iterable[Step], gpu: int | None) -> list[Step]:
    """One after the other, on one GPU; the step that failed, behind which none is begun."""
    for step in steps:
        try:
            step.run({} if gpu is None else {"CUDA_VISIBLE_DEVICES": str(gpu)})
        except subprocess.CalledProcessError as error:
            print(f"failed with {error.returncode}: {step.text}; the same command goes on from here", flush=True)
            return [step]
    return []


def measure(options: argparse.Namespace, share: float) -> Step:
    """One point of the curve: what anyone runs to measure it again."""
    place, out = options.place, checkpoint(options.place, share)
    held = (str(place / "pairs" / "seeds"), str(place / "pairs" / "families"))
    bounds = ("--limit", str(options.limit), "--samples", str(options.samples), "--repairs", str(options.repairs))
    jobs = ("--jobs", str(max(1, options.jobs // options.gpus))) if options.jobs > 1 else ()
    written = ("--json", str(out / "eval.json"))
    return Step(("cass_shim.cli.main", "eval", *held, *bounds, *jobs, *written), out / "eval.json", out, share)


def collect(options: argparse.Namespace) -> list[dict[str, Any]]:
    """The points that are there, for `curve.json`."""
    points = []
    for share in options.shares:
        out = checkpoint(options.place, share)
        if not is_finished(out / "eval.json"):
            continue
        summary = json.loads((out / "eval.json").read_text())["summary"]
        facts = json.loads((out / "cass_contract.json").read_text())
        groups = {one["group"].removesuffix(", all"): one for one in summary if one["group"].endswith(", all")}
        command = measure(options, share).text
        points.append({"share": share, "pairs": facts.get("pairs", 0), "command": command, "groups": groups})
    return points


def svg(points: Sequence[Mapping[str, Any]]) -> str:
    """Verified greedily, with its interval, over training pairs (logarithmic), one line for each held-out set."""
    from math import log2

    width, height, left, bottom = 640, 400, 60, 50
    most, least = max(one["pairs"] for one in points), min(one["pairs"] for one in points)
    span = max(log2(most / max(least, 1)), 1e-9)

    def x(pairs: int) -> float:
        return left + (width - 2 * left) * (log2(max(pairs, 1) / max(least, 1)) / span if most > least else 0.5)

    def y(share: float) -> float:
        return height - bottom - share * (height - 2 * bottom)

    drawn = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" '
        'font-size="12"><rect width="100%" height="100%" fill="white"/>'
    ]
    for tenth in range(0, 11, 2):
        drawn.append(f'<line x1="{left}" x2="{width - left}" y1="{y(tenth / 10)}" y2="{y(tenth / 10)}" stroke="#ddd"/>')
        drawn.append(f'<text x="{left - 8}" y="{y(tenth / 10) + 4}" text-anchor="end">{10 * tenth} %</text>')
    for one in points:
        place = f'x="{x(one["pairs"]):.1f}" y="{height - bottom + 18}"'
        drawn.append(f'<text {place} text-anchor="middle">{one["pairs"]:,}</text>')
    for number, (group, colour) in enumerate((("seeds", "#1f77b4"), ("families", "#d62728"))):
        found = [(x(one["pairs"]), one["groups"][group]["verified"]) for one in points if group in one["groups"]]
        path = " ".join(f"{at:.1f},{y(share['share']):.1f}" for at, share in found)
        drawn.append(f'<polyline points="{path}" fill="none" stroke="{colour}"/>')
        for at, share in found:
            ends = f'y1="{y(share["low"]):.1f}" y2="{y(share["high"]):.1f}"'
            drawn.append(f'<line x1="{at:.1f}" x2="{at:.1f}" {ends} stroke="{colour}"/>')
            drawn.append(f'<circle cx="{at:.1f}" cy="{y(share["share"]):.1f}" r="3" fill="{colour}"/>')
        drawn.append(f'<text x="{left + 10}" y="{bottom + 16 * number}" fill="{colour}">held out: {group}</text>')
    drawn.append(f'<text x="{width / 2}" y="{height - 8}" text-anchor="middle">training pairs</text></svg>')
    return "\n".join(drawn) + "\n"


def options_of(arguments: list[str]) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python3 -m tools.train.recipe", description="From nothing to a checkpoint.")
    parser.add_argument("place", type=Path, help="folder for everything; goes on with what it holds")
    parser.add_argument("--minutes", type=float, default=7.0, help="of training, for each share")
    parser.add_argument("--count", type=int, default=PAIRS, help="training kernels (default: %(default)s)")
    parser.add_argument("--first", type=int, default=0, help="number of the first training kernel")
    parser.add_argument("--held-out", type=int, default=HELD_OUT, help="kernels of each held-out set")
    parser.add_argument("--jobs", type=int, default=1, help="processes that make pairs and measure")
    parser.add_argument("--gpus", type=int, default=1, help="shares that are trained side by side, a GPU each")
    parser.add_argument("--shares", type=float, nargs="+", default=list(SHARES), help="of the training pairs")
    parser.add_argument("--samples", type=int, default=10, help="for pass@k")
    parser.add_argument("--repairs", type=int, default=2, help="second looks")
    parser.add_argument("--limit", type=int, default=0, help="held-out kernels of each set that are measured (0: all)")
    parser.add_argument("--rehearse", action="store_true", help="1 %% of the pairs and a tiny network, no GPU")
    parser.add_argument("--measure", action="store_true", help="only measure the checkpoints that are there, and draw")
    parser.add_argument("--plot", action="store_true", help="only draw curve.json again")
    return parser.parse_args(arguments)


def main(arguments: list[str]) -> int:
    """Returns the exit status."""
    options = options_of(arguments)
    curve = options.place / "curve.json"
    if not options.plot:
        options.place.mkdir(parents=True, exist_ok=True)
        if run_all(plan(options), options.gpus):
            return 1
        points = collect(options)
        curve.write_text(json.dumps(points, indent=1) + "\n")
    (options.place / "curve.svg").write_text(svg(json.loads(curve.read_text())))
    print(f"{curve} and {options.place / 'curve.svg'} are written")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
