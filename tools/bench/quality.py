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
from dataclasses import dataclass
from pathlib import Path

from cass_shim.cache.local import LocalTier
from tools import environment, samples
from tools.bench import Figure
from tools.examples import ANSWERS

ROUTES = ("lift", "ptx-hip")
# gfx1100 in wave32: registers a SIMD has for vectors, the step they are given out in, the most waves. Source: LLVM,
# AMDGPUBaseInfo (getTotalNumVGPRs, getVGPRAllocGranule, getMaxWavesPerEU).
VGPRS, VGPR_STEP, WAVES = 1536, 24, 16
_LIMIT = 1.1  # of a kernel's ratio, beyond which a reason is given
REASONS = {
    "saxpy_double": "nvcc unrolls the loop by four, behind a 64-bit division that costs more than the few turns of "
    "this launch; clang does not unroll it",
    "mandelbrot": "nvcc turns the loop round, so that it has two ends in its middle for lanes to leave by, each with "
    "its masks",
    "struct_params": "nvcc tests the divisor for -1 before each remainder, and keeps a structure in local memory for a "
    "function that is called; clang inlines both",
}


@dataclass(frozen=True)
class Run:
    """One kernel's run: wave-instructions executed, the route that served it, its vector registers."""

    instructions: int
    route: str
    vgprs: int

    @property
    def waves(self) -> int:
        """How many waves a SIMD holds, as far as vector registers go."""
        return min(WAVES, VGPRS // max(VGPR_STEP, -(-self.vgprs // VGPR_STEP) * VGPR_STEP))


def counts(program: Path, route: str, folder: Path) -> dict[str, Run]:
    """Kernel → its run. The first run of the program translates; the second is counted."""
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
    served = {one.kernel: one for one in LocalTier(cache).records()}
    found = {}
    for row in map(json.loads, file.read_text().splitlines()):
        record = served.get(row["kernel"])
        contract = record.report.get("contract") if record else None
        vgprs = int(contract.get("vgprs", 0)) if isinstance(contract, dict) else 0
        found[row["kernel"]] = Run(row["wave_instructions"], record.route if record else "", vgprs)
    return found


def figure(program: str, kernel: str, ours: Run, rival: Run) -> Figure:
    """A kernel's figure, with registers and waves of both, and the reason where it is far off."""
    note = f"VGPRs {ours.vgprs} / {rival.vgprs}, waves {ours.waves} / {rival.waves}"
    if ours.instructions > _LIMIT * rival.instructions and program in REASONS:
        note += f"; {REASONS[program]}"
    name = f"{program} {kernel[:24]} {ours.route}"
    return Figure(name, ours.instructions, rival.instructions, "wi", "clang's HIP", note)


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
                for kernel, ours in counts(program, route, Path(scratch)).items():
                    rival = native.get(kernel)
                    if rival is not None and ours.route == route and rival.route == "cass":
                        figures.append(figure(name, kernel, ours, rival))
                        ratios[route].append(ours.instructions / rival.instructions)
    for route, found in ratios.items():
        figures.append(
            Figure(f"{route}: geometric mean over {len(found)} kernels", geometric_mean(found), 1, "", "HIP")
        )
    return figures
