"""Code quality: wave-instructions that translated kernels execute, against the same source compiled as HIP.

Each example runs by `lift`, by `ptx-hip` and with the recorded answers of the `cass` route, which are the HIP assembly
that clang 22 makes of the example's own source. All three run on the emulated device, which counts. A ratio above 1
means that the translation executes more. Kernels whose recorded answer is rejected have no rival and are left out.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import tempfile
from pathlib import Path

from tools import environment, samples
from tools.bench import Figure
from tools.examples import ANSWERS

ROUTES = ("lift", "ptx-hip")


def counts(program: Path, route: str, folder: Path) -> dict[str, tuple[int, str]]:
    """Kernel → (wave-instructions, route that served it). The first run translates; the second is counted."""
    cache, file = folder / f"cache-{program.name}-{route}", folder / f"{program.name}-{route}.jsonl"
    settings = {
        **os.environ,
        "CASS_TRANSLATORS": f"{route},lift",
        "CASS_CACHE_DIR": str(cache),
        "CASS_MODEL": str(ANSWERS),
    }
    command = [str(environment.launcher()), str(program)]
    subprocess.run(command, env=settings, capture_output=True, check=True)
    subprocess.run(command, env=settings | {"CASS_EMU_COUNT": str(file)}, capture_output=True, check=True)
    inspect = [str(environment.python()), "-m", "cass_shim.cli.main", "inspect", str(program), "--json"]
    told = subprocess.run(inspect, env=settings, capture_output=True, text=True, check=True, cwd=environment.ROOT)
    served = {row["kernel"]: row["route"] for row in json.loads(told.stdout)["kernels"]}
    rows = map(json.loads, file.read_text().splitlines())
    return {row["kernel"]: (row["wave_instructions"], served.get(row["kernel"], "")) for row in rows}


def geometric_mean(ratios: list[float]) -> float:
    """1 of nothing."""
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else 1.0


def measure() -> list[Figure]:
    """A figure a kernel and route, then the geometric means."""
    variant = next(one for one in samples.VARIANTS if one.name == "static-fat")
    figures: list[Figure] = []
    ratios: dict[str, list[float]] = {route: [] for route in ROUTES}
    with tempfile.TemporaryDirectory(prefix="cass-quality-") as scratch:
        for name in samples.names():
            program = samples.build(name, variant)
            native = counts(program, "cass", Path(scratch))
            for route in ROUTES:
                for kernel, (ours, served) in counts(program, route, Path(scratch)).items():
                    rival, by = native.get(kernel, (0, ""))
                    if served == route and by == "cass":
                        figures.append(Figure(f"{name} {kernel[:24]} {route}", ours, rival, "wi", "clang's HIP"))
                        ratios[route].append(ours / rival)
    for route, found in ratios.items():
        figures.append(
            Figure(f"{route}: geometric mean over {len(found)} kernels", geometric_mean(found), 1, "", "HIP")
        )
    return figures
