"""What the shim adds to a call: CUDA calls through it against the HIP calls they become, made directly.

Both sides use one libamdhip64.so and are compiled with -O2. On `instant` (its launches, copies and waits return at
once) the difference is the shim's own cost and that of nvcc's stub of the kernel; on the emulated device both sides
also pay for its queue, which a host function holds while calls put work into a stream of their own: 100 rounds of
2,000 calls, the best of them. The two programs alternate; with two threads, processor time. Start-up is the least
processor time of 31 warm runs of a program with one launch, minus that of the bare process, which ends at its first
CUDA call.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from tools import environment, samples
from tools.bench import Figure

HERE = Path(__file__).resolve().parent
STARTS, ROUNDS = 31, 7
NAMES = {
    "launch": "launch of a kernel with 3 parameters",
    "launch_stream": "the same into a stream",
    "launch_waited": "launch and cudaDeviceSynchronize",
    "copy": "cudaMemcpyAsync",
    "record": "cudaEventRecord",
    "wait": "cudaStreamSynchronize, idle",
    "last_error": "cudaGetLastError",
}
LIMITS = {"launch": 100.0, "launch_stream": 100.0, "copy": 50.0}
LIBRARY = environment.ROOT / "cass_shim" / "native" / "_build" / "emulated" / "libamdhip64.so"
TRANSLATE = """
import sys
from cass_shim.assemble.llvm import assemble_llvm
from cass_shim.decode import decode_kernel
from cass_shim.extract.cubin import read_cubin
from cass_shim.extract.fatbin import read_fatbins
from cass_shim.lift import lift_kernel
program, output = sys.argv[1:]
for fatbin in read_fatbins(open(program, "rb").read(), program):
    for entry in fatbin.entries:
        cubin = read_cubin(entry.payload, program)
        for kernel in cubin.kernels.values():
            code = assemble_llvm(lift_kernel(decode_kernel(kernel, cubin)), kernel.abi)
            open(output, "wb").write(code.elf)
            print(code.symbol, code.bindings_offset + 8, code.bindings_offset)
"""
START = """
#include <cuda_runtime.h>
__global__ void one(int *p) { *p = 1; }
int main() { int *p; if (cudaMalloc(&p, 4)) return 1; one<<<1, 1>>>(p); return cudaDeviceSynchronize() != cudaSuccess; }
"""


def timed(command: list[str], env: dict[str, str]) -> dict[str, float]:
    """name → nanoseconds of one program."""
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=True, timeout=300)
    return {name: float(value) for name, value in (line.split() for line in done.stdout.splitlines())}


def least(rounds: list[dict[str, float]]) -> dict[str, float]:
    return {name: min(one[name] for one in rounds) for name in rounds[0]}


def compare(program: Path, straight: list[str], env: dict[str, str], where: str) -> list[Figure]:
    """The figures of one library; the programs alternate."""
    alone = [] if where == "instant" else ["one thread"]
    through = [str(environment.launcher()), str(program), *alone]
    pairs = [(timed(through, env), timed(straight, env)) for _ in range(ROUNDS)]
    ours, direct = (least(list(side)) for side in zip(*pairs, strict=True))
    figures = [Figure(f"{text}, {where}", ours[name], direct[name], "ns", "HIP") for name, text in NAMES.items()]
    for name, limit in LIMITS.items():
        figures.append(
            Figure(f"cost of the shim, {where}: {NAMES[name]}", ours[name] - direct[name], limit, "ns", "limit")
        )
    if where == "instant":
        figures += traced(through, env, ours["launch"])
    if "threads_2" in ours:
        name = "a launch, two threads at once"
        figures.append(Figure(name, ours["threads_2"], ours["threads_1"], "ns", "one thread"))
    return figures


def traced(through: list[str], env: dict[str, str], plain: float) -> list[Figure]:
    """A launch while calls are counted (--trace=stats) or logged (--trace, to a file); a `<<<>>>` is four calls."""
    figures = []
    for option, settings in (
        ("--trace=stats", {"CASS_TRACE": "stats"}),
        ("--trace", {"CASS_TRACE": "calls", "CASS_TRACE_FILE": "/dev/null"}),
    ):
        found = timed(through, env | settings)["launch"]
        figures.append(Figure(f"a launch under {option}", found, plain, "ns", "untraced"))
    return figures


def make_instant(library: Path) -> None:
    """The library that returns at once, over the emulated device's, which it finds beside itself by its SONAME."""
    (library.parent / "libamdhip64.so.7").symlink_to(LIBRARY)
    link = ["cc", "-O2", "-shared", "-fPIC", "-o", str(library), str(HERE / "instant.c")]
    subprocess.run([*link, "-Wl,--no-as-needed", str(LIBRARY), f"-Wl,-rpath,{library.parent}"], check=True)


def processor_ms(command: list[str], env: dict[str, str]) -> float:
    """User and system time of one run."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1e3


def start_up(folder: Path, env: dict[str, str]) -> Figure:
    """What cass-run adds to a warm start."""
    source, program = folder / "start.cu", folder / "start"
    source.write_text(START)
    samples.nvcc(source, program, ("-gencode", "arch=compute_80,code=sm_80"))
    warm = [str(environment.launcher()), str(program)]
    for _ in range(2):
        subprocess.run(warm, env=env, check=True, timeout=300)
    pairs = [(processor_ms(warm, env), processor_ms([str(program)], env)) for _ in range(STARTS)]
    ours, bare = (min(column) for column in zip(*pairs, strict=True))
    return Figure("cost of the shim: warm start-up, CPU time", ours - bare, 5.0, "ms", "limit")


def measure() -> list[Figure]:
    """Nanoseconds a call on both libraries, and start-up."""
    if why := samples.can_build():
        print(f"api: {why}", file=sys.stderr)
        return []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        program, direct, code, instant = (folder / one for one in ("api", "direct", "three.hsaco", "libinstant.so"))
        samples.nvcc(HERE / "api.cu", program, ("-O2", "-gencode", "arch=compute_80,code=sm_80"))
        subprocess.run(["cc", "-O2", "-o", str(direct), str(HERE / "api_direct.c"), "-ldl"], check=True)
        make_instant(instant)
        command = [str(environment.python()), "-c", TRANSLATE, str(program), str(code)]
        facts = subprocess.run(command, capture_output=True, text=True, check=True, cwd=environment.ROOT).stdout.split()
        env = {**os.environ, "CASS_CACHE_DIR": str(folder / "cache"), "CASS_DEVICE": "emulated"}
        figures = []
        for where, library in (("instant", instant), ("emulated", LIBRARY)):
            straight = [str(direct), str(library), str(code), *facts]
            figures += compare(program, straight, env | {"CASS_HIP_LIBRARY": str(library)}, where)
        return [*figures, start_up(folder, env)]
