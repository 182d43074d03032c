"""Whose kernels `bench lift` and `bench verify` measure: the examples', or with `--suite N` those of N programs of the
compatibility suite as well, drawn with a fixed seed and built as cubins for sm_80 (needs nvcc with a host gcc).
"""

from __future__ import annotations

import concurrent.futures
import os
import random
import subprocess
import sys
from pathlib import Path

from cass_shim.compat.build import HOST
from cass_shim.compat.suite import SuiteProgram
from cass_shim.compat.suite import programs as suite_programs
from tools import environment, samples

SEED = 11
FOLDER = environment.ROOT / "build" / "bench" / "suite"
# What a measuring process begins with: (kernel, cubin) of the files in sys.argv, each kernel's code once.
READ = """
import sys, time
from cass_shim.extract.cubin import read_cubin
from cass_shim.extract.fatbin import read_fatbins
from cass_shim.model.artifacts import EntryKind
from cass_shim.model.errors import CassError
def read_kernels():
    kernels = {}
    for program in sys.argv[1:]:
        for fatbin in read_fatbins(open(program, "rb").read(), program):
            for entry in fatbin.entries:
                if entry.kind == EntryKind.ELF:
                    cubin = read_cubin(entry.payload, program)
                    for kernel in cubin.kernels.values():
                        kernels.setdefault((kernel.name, kernel.code), (kernel, cubin))
    return list(kernels.values())
"""


def files(suite: int) -> list[str]:
    """Programs and cubins to measure. suite: how many programs of the suite beside the examples; 0 for none."""
    return [*(_cubins(suite) if suite else []), *_examples()]


def _examples() -> list[str]:
    """The sm_80 builds of the examples (`python3 -m tools examples`), else the prebuilt samples."""
    built = environment.ROOT / "build" / "examples" / "static-sm80"
    found = [path for path in built.iterdir() if path.suffix == ""] if built.is_dir() else []
    found = found or [path for path in samples.PREBUILT.iterdir() if path.suffix == ""]
    return [str(path) for path in sorted(found)]


def chosen(count: int) -> list[SuiteProgram]:
    """The programs of the suite that a sample of this size holds; a larger one holds those of a smaller one."""
    known = sorted(suite_programs(environment.ROOT), key=lambda program: program.title)
    random.Random(SEED).shuffle(known)
    return known[:count]


def _cubins(count: int) -> list[str]:
    FOLDER.mkdir(parents=True, exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 2) as pool:
        made = list(pool.map(_cubin, chosen(count)))
    return [str(path) for path in made if path is not None]


def _cubin(program: SuiteProgram) -> Path | None:
    """The program's machine code; None, said on stderr, where nvcc makes none."""
    target = FOLDER / f"{program.domain}.{program.name}.cubin"
    if not target.exists():
        command = ["nvcc", *HOST, "-arch=sm_80", "-cubin", "-o", str(target), str(program.source)]
        done = subprocess.run(command, capture_output=True, text=True, cwd=program.source.parent)
        if done.returncode:
            print(f"{program.title}: {done.stderr.strip()[-300:]}", file=sys.stderr)
            return None
    return target


def late(values: list[float]) -> float:
    """The 95th percentile."""
    return sorted(values)[int(0.95 * (len(values) - 1))]
