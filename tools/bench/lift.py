"""SASS to code object: decode, lift and compile, milliseconds of processor time a kernel, in one warm process.

Over every kernel of the examples built for sm_80 (those built by `python3 -m tools examples`, else the prebuilt
samples). The rival of decoding is nvdisasm on the same bytes; the limit of the whole is 50 ms.
"""

from __future__ import annotations

import statistics
import subprocess

from tools import environment, samples
from tools.bench import Figure

MEASURE = """
import sys, time
from cass_shim.assemble.llvm import assemble_llvm
from cass_shim.decode import decode_kernel
from cass_shim.decode.nvdisasm import _run
from cass_shim.isa.encoding.decoder import forget
from cass_shim.extract.cubin import read_cubin
from cass_shim.extract.fatbin import read_fatbins
from cass_shim.lift import lift_kernel
from cass_shim.model.artifacts import EntryKind
kernels = []
for program in sys.argv[1:]:
    for fatbin in read_fatbins(open(program, "rb").read(), program):
        for entry in fatbin.entries:
            if entry.kind == EntryKind.ELF:
                cubin = read_cubin(entry.payload, program)
                kernels += [(kernel, cubin) for kernel in cubin.kernels.values()]
for warm in (True, False):
    forget()
    for kernel, cubin in kernels:
        t = [time.process_time()]
        sass = decode_kernel(kernel, cubin)
        t.append(time.process_time())
        module = lift_kernel(sass)
        t.append(time.process_time())
        assemble_llvm(module, kernel.abi)
        t.append(time.process_time())
        if not warm:
            print(*(f"{1e3 * (b - a):.4f}" for a, b in zip(t, t[1:])), len(sass.instructions))
for kernel, _ in kernels[:5]:
    begin = time.perf_counter()
    _run(kernel.code, kernel.sm)
    print("nvdisasm", 1e3 * (time.perf_counter() - begin))
"""


def programs() -> list[str]:
    """The sm_80 builds of the examples, else the prebuilt samples."""
    built = environment.ROOT / "build" / "examples" / "static-sm80"
    found = [path for path in built.iterdir() if path.suffix == ""] if built.is_dir() else []
    found = found or [path for path in samples.PREBUILT.iterdir() if path.suffix == ""]
    return [str(path) for path in sorted(found)]


def measure() -> list[Figure]:
    """Medians and the 95th percentile."""
    command = [str(environment.python()), "-c", MEASURE, *programs()]
    output = subprocess.run(command, capture_output=True, text=True, check=True, cwd=environment.ROOT).stdout
    rows = [[float(x) for x in line.split()] for line in output.splitlines() if not line.startswith("nvdisasm")]
    rival = statistics.median(float(line.split()[1]) for line in output.splitlines() if line.startswith("nvdisasm"))
    whole = sorted(sum(row[:3]) for row in rows)
    return [
        Figure("decode a kernel, median", statistics.median(row[0] for row in rows), rival, "ms", "nvdisasm"),
        Figure("lift a kernel, median", statistics.median(row[1] for row in rows), 0.0, "ms", ""),
        Figure("compile a kernel, median", statistics.median(row[2] for row in rows), 0.0, "ms", ""),
        Figure("decoding's share of the three", 100 * sum(row[0] for row in rows) / sum(whole), 5.0, "%", "limit"),
        Figure("decode + lift + compile, median", statistics.median(whole), 50.0, "ms", "limit"),
        Figure("decode + lift + compile, 95th percentile", whole[int(0.95 * (len(whole) - 1))], 500.0, "ms", "limit"),
    ]
