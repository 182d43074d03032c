"""`python3 -m tools bench [--page FILE.md] [--suite N] [NAME…]`: figures as ratios to a named rival of the same run.

With --suite N `lift` and `verify` measure the kernels of N programs of the compatibility suite too. Each module has
`measure() -> list[Figure]`. Results are printed and written to `build/bench.json`, and with --page as Markdown
(`docs/bench.md` is such a page).
"""

from __future__ import annotations

import datetime
import importlib
import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

from tools import environment

BENCHES = {
    "startup": "warm cass-run of a program against the bare process",
    "api": "CUDA calls through the shim against the same HIP calls made directly, and start-up",
    "lift": "SASS to code object, milliseconds a kernel",
    "quality": "instructions executed by translated kernels against the same source compiled as HIP",
    "emulator": "the interpreter against tinygrad's emulator and the CPU",
    "threads": "the emulated device with more and more threads: how much it gains, against clang's code",
    "scale": "growth of time and memory with the size of a program: the exponent, 1 where it grows with the work",
    "ptx": "PTX to HIP source, processor seconds for a module of 10,000 lines",
    "verify": "cost of E0 and E1 a kernel",
    "cache": "a hit of each tier against 200 microseconds and against the same store's raw GET",
}

OVER_SUITE = ("lift", "verify")  # those that --suite is about

_HEAD = ("| | ours | rival | ratio |", "|---|---|---|---|")


@dataclass(frozen=True)
class Figure:
    """One result: ours and the rival's value in `unit`, and their ratio (ours / rival; 0 when there is no rival).

    note: what else is to be said, a column of its own.
    """

    name: str
    ours: float
    rival: float
    unit: str
    rival_name: str
    note: str = ""

    @property
    def ratio(self) -> float:
        return self.ours / self.rival if self.rival else 0.0


def processor() -> str:
    """The CPU's name and number of cores."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    name = next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), "unknown processor")
    return f"{name}, {os.cpu_count()} cores"


def page(results: dict[str, list[Figure]]) -> str:
    """The figures as Markdown: a section and a table a bench."""
    lines = [
        "# Measured",
        f"By `python3 -m tools bench --page docs/bench.md` on {datetime.date.today()}, {processor()}. "
        "Ratio: ours divided by the rival's value; both in the same run.",
    ]
    for name, figures in results.items():
        noted = any(one.note for one in figures)
        head = ("| | ours | rival | ratio | |", "|---|---|---|---|---|") if noted else _HEAD
        lines += ["", f"## {name}: {BENCHES[name]}", *head]
        for one in figures:
            rival = f"{one.rival_name} {one.rival:.4g} {one.unit}" if one.rival else ""
            ratio = f"{one.ratio:.3f}" if one.rival else ""
            note = f" {one.note} |" if noted else ""
            lines.append(f"| {one.name} | {one.ours:.4g} {one.unit} | {rival} | {ratio} |{note}")
    return "\n".join(lines) + "\n"


def show(figure: Figure) -> None:
    """One line on standard output."""
    against = f"{figure.rival_name} {figure.rival:.4g} {figure.unit}, ratio {figure.ratio:.3f}" if figure.rival else ""
    print(f"{figure.name:<44} {figure.ours:10.4g} {figure.unit:<4} {against}", flush=True)


def main(arguments: list[str]) -> int:
    """Run the named benches (all when none is named)."""
    target = ""
    if "--page" in arguments[:-1]:
        at = arguments.index("--page")
        target, arguments = arguments[at + 1], arguments[:at] + arguments[at + 2 :]
    suite = 0
    if "--suite" in arguments[:-1]:
        at = arguments.index("--suite")
        suite, arguments = int(arguments[at + 1]), arguments[:at] + arguments[at + 2 :]
    unknown = [name for name in arguments if name not in BENCHES and name != "all"]
    if unknown:
        print("usage: python3 -m tools bench [--page FILE.md] [--suite N] [NAME…]\n")
        for name, purpose in BENCHES.items():
            print(f"  {name:<9} {purpose}")
        return 0 if unknown == ["--help"] else 2
    results: dict[str, list[Figure]] = {}
    for name in BENCHES if not arguments or arguments == ["all"] else arguments:
        measured = importlib.import_module(f"tools.bench.{name}").measure
        results[name] = measured(suite) if suite and name in OVER_SUITE else measured()
        for figure in results[name]:
            show(figure)
    output = environment.ROOT / "build" / "bench.json"
    output.parent.mkdir(exist_ok=True)
    rows = {name: [asdict(one) | {"ratio": one.ratio} for one in found] for name, found in results.items()}
    output.write_text(json.dumps(rows, indent=1) + "\n")
    if target:
        Path(target).write_text(page(results))
    return 0
