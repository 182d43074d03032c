"""`python3 -m tools bench [NAME…]`: every figure is a ratio to a named rival, measured in the same run.

Each module has `measure() -> list[Figure]`. Results are printed and written to `build/bench.json`.
"""

from __future__ import annotations

import importlib
import json
from dataclasses import asdict, dataclass

from tools import environment

BENCHES = {
    "startup": "warm cass-run of a program against the bare process",
    "launch": "a kernel launch through the shim against the same launch made directly on libamdhip64.so",
    "lift": "SASS to code object, milliseconds a kernel",
    "quality": "instructions executed by translated kernels against the same source compiled as HIP",
    "emulator": "the interpreter against tinygrad's emulator and the CPU",
    "verify": "cost of E0 and E1 a kernel",
}


@dataclass(frozen=True)
class Figure:
    """One result: ours and the rival's value in `unit`, and their ratio (ours / rival; 0 when there is no rival)."""

    name: str
    ours: float
    rival: float
    unit: str
    rival_name: str

    @property
    def ratio(self) -> float:
        return self.ours / self.rival if self.rival else 0.0


def main(arguments: list[str]) -> int:
    """Run the named benches (all that exist when none is named)."""
    unknown = [name for name in arguments if name not in BENCHES and name != "all"]
    if unknown or "--help" in arguments:
        print("usage: python3 -m tools bench [NAME…]\n")
        for name, purpose in BENCHES.items():
            print(f"  {name:<9} {purpose}")
        return 2 if unknown else 0
    results: dict[str, list[dict[str, object]]] = {}
    for name in BENCHES if not arguments or arguments == ["all"] else arguments:
        try:
            module = importlib.import_module(f"tools.bench.{name}")
        except ModuleNotFoundError:
            print(f"{name}: not measured yet")
            continue
        figures: list[Figure] = module.measure()
        for figure in figures:
            against = (
                f"{figure.rival_name} {figure.rival:.4g} {figure.unit}, ratio {figure.ratio:.3f}"
                if figure.rival
                else ""
            )
            print(f"{figure.name:<44} {figure.ours:10.4g} {figure.unit:<4} {against}", flush=True)
        results[name] = [asdict(figure) | {"ratio": figure.ratio} for figure in figures]
    output = environment.ROOT / "build" / "bench.json"
    output.parent.mkdir(exist_ok=True)
    output.write_text(json.dumps(results, indent=1) + "\n")
    return 0
