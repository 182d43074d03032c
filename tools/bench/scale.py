"""How time and memory grow with the size of a program: each measured at a quarter, a half and the whole of a size.

The exponent e of `time ~ size^e` is fitted through the three; 1 is growth with the work, more than 1.2 a finding.
Kernels are copies of one that nvcc made (`scale_cubin.py`), and a program written by hand registers and launches them
(`scale_program.c`). Best of several rounds, and processor time, since other programs must not count; except where a
first run is the subject, whose time passes in the daemon.
"""

from __future__ import annotations

import math
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from tools import environment
from tools.bench import Figure
from tools.bench.scale_cubin import cubin, entry_head, region, region_head

HERE = Path(__file__).resolve().parent
TEMPLATE = HERE / "scale_kernel.sm_80.cubin"  # nvcc -cubin -arch=sm_80 scale_kernel.cu, CUDA 13.0
LIMIT = 1.2
ROUNDS = 3
DISTINCT = 20  # kernels that differ in their code; the others share translations, as two programs with one kernel do
KERNELS = (1250, 2500, 5000)
LAUNCHES = (2500, 5000, 10_000)
USED = (125, 250, 500)
MEGABYTES = (125, 250, 500)
PROGRAMS = (16, 32, 64)
EXTRACT = """
import sys, time
from cass_shim.model.manifest import pack_manifest
from cass_shim.module import load_module, module_manifest
content = open(sys.argv[1], "rb").read()
peak = lambda: next(int(one.split()[1]) for one in open("/proc/self/status") if one.startswith("VmHWM"))
base = peak()
began = time.process_time()
module = load_module(content)
pack_manifest(module_manifest(module, "gfx1100"))
print(time.process_time() - began, peak() - base, len(module.kernels))
"""


@dataclass(frozen=True)
class Sample:
    """Seconds and KiB at one size."""

    seconds: float
    memory: float


def exponent(sizes: Sequence[int], values: Sequence[float]) -> float:
    """The slope of the line through (log size, log value)."""
    x, y = [math.log(one) for one in sizes], [math.log(max(one, 1e-9)) for one in values]
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    spread = sum((one - mean_x) ** 2 for one in x)
    return sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True)) / spread


def figures(what: str, sizes: Sequence[int], measure: Callable[[int], Sample], rounds: int = ROUNDS) -> list[Figure]:
    """The best of some rounds at each size."""
    best: list[Sample] = []
    for size in sizes:
        found = [measure(size) for _ in range(rounds)]
        best.append(min(found, key=lambda one: one.seconds))
    return shown(what, sizes, best)


def shown(what: str, sizes: Sequence[int], samples: Sequence[Sample]) -> list[Figure]:
    """Time and memory at the whole size, and both exponents."""
    return [
        Figure(f"{what}: {sizes[-1]}", samples[-1].seconds * 1e3, 0, "ms", ""),
        Figure(f"{what}: {sizes[-1]}", samples[-1].memory / 1024, 0, "MiB", ""),
        Figure(f"{what}: exponent of time", exponent(sizes, [one.seconds for one in samples]), LIMIT, "", "limit"),
        Figure(f"{what}: exponent of memory", exponent(sizes, [one.memory for one in samples]), LIMIT, "", "limit"),
    ]


@dataclass(frozen=True)
class Bed:
    """A folder with the program, a cache and a daemon of its own."""

    folder: Path

    @property
    def settings(self) -> dict[str, str]:
        return {
            **os.environ,
            "CASS_CACHE_DIR": str(self.folder / "cache"),
            "CASS_RUNTIME_DIR": str(self.folder / "run"),
            "CASS_DEVICE": "emulated",
            "CASS_TIMEOUT": "3600",
            "PYTHONPATH": str(environment.ROOT),
        }

    def fatbin(self, count: int) -> Path:
        """A fatbinary with `count` kernels; made once."""
        path = self.folder / f"kernels{count}"
        if not path.exists():
            path.write_bytes(region(cubin(TEMPLATE.read_bytes(), count, DISTINCT)))
        return path

    def run(self, path: Path, kernels: int, used: int, launches: int) -> dict[str, float]:
        """What the program printed."""
        words = [str(environment.launcher()), str(self.folder / "program"), str(path)]
        command = [*words, str(kernels), str(used), str(launches), str(DISTINCT)]
        done = subprocess.run(command, env=self.settings, capture_output=True, text=True, check=False, timeout=3600)
        if done.returncode:
            raise RuntimeError(f"{' '.join(command)}: {done.stderr}")
        said = done.stdout.split()
        return {name: float(value) for name, value in zip(said[:-1:2], said[1::2], strict=False)}


def build(folder: Path) -> Bed:
    """Compile the program."""
    library = environment.ROOT / "cass_shim" / "native" / "_build" / "libcudart.so.12"
    program = ["cc", "-O1", "-o", str(folder / "program"), str(HERE / "scale_program.c"), str(library)]
    subprocess.run(program, check=True, timeout=300)
    return Bed(folder)


def cold(bed: Bed) -> list[Figure]:
    """The first launches of kernels that nobody has translated: each size adds those that the one before left."""
    found, passed = [], 0.0
    for used in USED:
        began = time.monotonic()
        memory = bed.run(bed.fatbin(KERNELS[-1]), KERNELS[-1], used, 0)["memory"]
        passed += time.monotonic() - began
        found.append(Sample(passed, memory))
    return shown("translation of kernels at their first launch", USED, found)


def extraction(bed: Bed) -> list[Figure]:
    """From a fatbinary's bytes to its manifest, in a process of its own."""

    def measure(count: int) -> Sample:
        command = [str(environment.python()), "-c", EXTRACT, str(bed.fatbin(count))]
        done = subprocess.run(command, env=bed.settings, capture_output=True, text=True, check=True, timeout=3600)
        seconds, memory, found = done.stdout.split()
        assert int(found) == count
        return Sample(float(seconds), float(memory))

    return figures("extraction of a binary's kernels", KERNELS, measure)


def warm_start(bed: Bed) -> list[Figure]:
    """Registration of all kernels and the first launch of a tenth of them, everything cached."""

    def measure(count: int) -> Sample:
        found = bed.run(bed.fatbin(count), count, count // 10, 0)
        return Sample((found["register"] + found["first"]) / 1e3, found["memory"])

    return figures("warm start of a binary with as many kernels", KERNELS, measure)


def launches(bed: Bed) -> list[Figure]:
    """Launches in turn of as many kernels as a twentieth of them."""
    used = dict(zip(LAUNCHES, USED, strict=True))

    def measure(count: int) -> Sample:
        found = bed.run(bed.fatbin(KERNELS[-1]), KERNELS[-1], used[count], count)
        return Sample(found["launches"] / 1e3, found["memory"])

    return figures("launches of 125, 250 and 500 kernels", LAUNCHES, measure)


def large_fatbinary(bed: Bed) -> list[Figure]:
    """The start of a program whose fatbinary has that many megabytes, in entries of 5 MB for other generations."""
    own = bed.fatbin(KERNELS[0]).read_bytes()[16:]
    payload = 5_000_000 - 64

    def measure(megabytes: int) -> Sample:
        path = bed.folder / "large"
        with path.open("wb") as file:  # zeros are holes: only headers take room on the disk
            size = megabytes * 1_000_000
            file.write(region_head(size + len(own)))
            for at in range(0, size, payload + 64):
                file.seek(16 + at)
                file.write(entry_head(75, payload))
            file.seek(16 + size)
            file.write(own)
        found = bed.run(path, KERNELS[0], 1, 0)
        return Sample((found["register"] + found["first"]) / 1e3, found["memory"])

    return figures("start with a fatbinary of MB", MEGABYTES, measure)


def programs_at_once(bed: Bed) -> list[Figure]:
    """That many programs started together, everything cached; memory is that of all of them."""
    command = [str(environment.launcher()), str(bed.folder / "program"), str(bed.fatbin(KERNELS[0])), "1250", "20", "0"]
    command.append(str(DISTINCT))

    def measure(count: int) -> Sample:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        running = [subprocess.Popen(command, env=bed.settings, stdout=subprocess.PIPE, text=True) for _ in range(count)]
        said = [one.communicate(timeout=3600)[0].split() for one in running]
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        assert all(one.returncode == 0 for one in running)
        return Sample(seconds, sum(float(words[7]) for words in said))

    return figures("programs at once", PROGRAMS, measure)


def measure() -> list[Figure]:
    """All of them."""
    if shutil.which("cc") is None:
        print("scale: needs a C compiler as cc", file=sys.stderr)
        return []
    with tempfile.TemporaryDirectory(prefix="cass-scale-") as name:
        bed = build(Path(name))
        try:
            parts = (cold, extraction, warm_start, launches, large_fatbinary, programs_at_once)
            return [figure for part in parts for figure in part(bed)]
        finally:
            with suppress(OSError):
                stop = [str(environment.python()), "-m", "cass_shim.cli.main", "daemon", "stop"]
                subprocess.run(stop, env=bed.settings, check=False, capture_output=True, timeout=60)
