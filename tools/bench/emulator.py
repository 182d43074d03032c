"""The interpreter against the CPU: six workloads, the same source for gfx1100 and for this processor.

Both sides must compute the same bits. The rivals: clang -O3 of the same source over as many threads; tinygrad's
emulator where `TINYGRAD_REPO` names a checkout (its emulator is not on PyPI). Also: translated code
(`CASS_EMU_NATIVE`) against both, millions of wave-instructions a second, two threads against one, and the builds for
older processors (`CASS_EMU_CPU`). One thread is processor time, several are wall time.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from tools import environment
from tools.bench import Figure

HERE = Path(__file__).resolve().parent
KERNELS = HERE / "emulator_kernels.h"
ROUNDS = 5
WORKER = HERE / "emulator_worker.py"
TINYGRAD = HERE / "emulator_tinygrad.py"


@dataclass(frozen=True)
class Run:
    """One workload on one side. instructions: of waves; 0 on the CPU."""

    seconds: float
    checksum: int
    instructions: int = 0


def workloads(named: str = "WORKLOADS") -> list[tuple[str, int, int, int]]:
    """The rows of one list of the header: name, groups x, groups y, last argument."""
    (text,) = re.findall(rf"#define {named}\(X\)((?:.*\\\n)*.*)", KERNELS.read_text())
    rows = re.findall(r"X\((\w+), (\d+), (\d+), (\d+)(?: << (\d+))?\)", text)
    return [(name, int(x), int(y), int(n) << int(shift or 0)) for name, x, y, n, shift in rows]


def parse(output: str) -> dict[str, Run]:
    """Lines `name seconds checksum [instructions]`."""
    rows = (line.split() for line in output.splitlines() if line)
    return {row[0]: Run(float(row[1]), int(row[2]), *map(int, row[3:])) for row in rows}


def on_emulator(named: str = "WORKLOADS", rounds: int = ROUNDS, **settings: str) -> dict[str, Run]:
    """A list's workloads on the emulated device in a process of its own."""
    arguments = [str(KERNELS), str(rounds), json.dumps(workloads(named))]
    command = [str(environment.python()), str(WORKER), *arguments]
    changed = {**os.environ, **settings}
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, env=changed, check=True)
    return parse(done.stdout)


def on_cpu(threads: int, folder: Path, named: str = "WORKLOADS", rounds: int = ROUNDS) -> dict[str, Run]:
    """A list's workloads compiled for this processor; the program stays in the folder."""
    program = folder / f"cpu-{named}"
    if not program.exists():
        build = [str(environment.python()), "-m", "ziglang", "c++", "-O3", "-march=native", "-ffp-contract=off", "-w"]
        source = [f"-DWORKLOAD_SET={named}", str(HERE / "emulator_cpu.cc"), "-o", str(program)]
        subprocess.run([*build, *source], check=True, cwd=HERE)
    done = subprocess.run([str(program), str(threads), str(rounds)], capture_output=True, text=True, check=True)
    return parse(done.stdout)


def on_tinygrad() -> dict[str, Run]:
    """All workloads on tinygrad's emulator, one thread; none where TINYGRAD_REPO names no checkout."""
    if not os.environ.get("TINYGRAD_REPO"):
        return {}
    command = [str(environment.python()), str(TINYGRAD), str(KERNELS), json.dumps(workloads())]
    path = os.pathsep.join(filter(None, (str(environment.ROOT), os.environ.get("PYTHONPATH", ""))))
    changed = {**os.environ, "PYTHONPATH": path}
    return parse(subprocess.run(command, stdout=subprocess.PIPE, text=True, env=changed, check=True).stdout)


def tinygrad_figures(name: str, single: Run, theirs: Run | None) -> list[Figure]:
    """One thread of ours against tinygrad's emulator, where it ran the workload."""
    if theirs is None:
        return []
    note = "" if theirs.checksum == single.checksum else "tinygrad's result is wrong"
    return [Figure(f"{name}: one thread", single.seconds * 1e3, theirs.seconds * 1e3, "ms", "tinygrad", note)]


def translated_figures(title: str, translated: Run, interpreted: Run, cpu: Run) -> list[Figure]:
    """Translated code on one thread against the interpreter and against clang -O3."""
    if (translated.checksum, translated.instructions) != (cpu.checksum, interpreted.instructions):
        raise SystemExit(f"{title}: not what the interpreter does")
    rivals = (("interpreter", interpreted), ("clang -O3", cpu))
    return [Figure(title, translated.seconds * 1e3, run.seconds * 1e3, "ms", name) for name, run in rivals]


def measure() -> list[Figure]:
    """Ratios per workload; an output that differs from the CPU's is an error."""
    threads = os.cpu_count() or 1
    with tempfile.TemporaryDirectory() as folder:
        cpu, cpu_single = on_cpu(threads, Path(folder)), on_cpu(1, Path(folder))
    plain = {"CASS_EMU_NATIVE": "0"}
    ours = on_emulator(CASS_EMU_THREADS=str(threads), **plain)
    single = on_emulator(CASS_EMU_THREADS="1", **plain)
    translated = on_emulator(CASS_EMU_THREADS="1", CASS_EMU_NATIVE="wait")
    older = {build: on_emulator(CASS_EMU_THREADS="1", CASS_EMU_CPU=build, **plain) for build in ("v2", "v3")}
    tinygrad = on_tinygrad()
    figures = []
    for name, run in ours.items():
        if run.checksum != cpu[name].checksum:
            raise SystemExit(f"{name}: the emulated device computed other bits than this CPU")
        figures.append(
            Figure(f"{name}: {threads} threads", run.seconds * 1e3, cpu[name].seconds * 1e3, "ms", "clang -O3")
        )
        rate = single[name].instructions / single[name].seconds / 1e6
        figures.append(Figure(f"{name}: million wave-instructions/s, one thread", rate, 0, "M/s", ""))
        figures.append(Figure(f"{name}: threads", run.seconds * 1e3, single[name].seconds * 1e3, "ms", "one thread"))
        figures += translated_figures(
            f"{name}: translated, one thread", translated[name], single[name], cpu_single[name]
        )
        figures += tinygrad_figures(name, single[name], tinygrad.get(name))
        for build, runs in older.items():
            rival = runs[name].seconds * 1e3
            figures.append(Figure(f"{name}: best build, one thread", single[name].seconds * 1e3, rival, "ms", build))
    return figures
