"""SASS to code object: decode, lift and compile, milliseconds of processor time a kernel, in one warm process.

Over the kernels of `tools.bench.kernels`. The rival of decoding is nvdisasm on the same bytes; the limit of the whole
is a median of 50 ms.
"""

from __future__ import annotations

import statistics
import subprocess

from tools import environment
from tools.bench import Figure
from tools.bench.kernels import READ, files, late

MEASURE = (
    READ
    + """
from cass_shim.assemble.llvm import assemble_llvm
from cass_shim.decode import decode_kernel
from cass_shim.decode.nvdisasm import _run
from cass_shim.isa.encoding.decoder import forget
from cass_shim.lift import lift_kernel
kernels = read_kernels()
for warm in (True, False):
    forget()
    for kernel, cubin in kernels[:20] if warm else kernels:
        t = [time.process_time()]
        try:
            sass = decode_kernel(kernel, cubin)
            t.append(time.process_time())
            module = lift_kernel(sass)
            t.append(time.process_time())
            assemble_llvm(module, kernel.abi)
        except CassError as error:
            if not warm:
                print("refused", str(error).replace(chr(10), " ")[:300])
            continue
        t.append(time.process_time())
        if not warm:
            print(*(f"{1e3 * (b - a):.4f}" for a, b in zip(t, t[1:])), len(sass.instructions))
for kernel, _ in kernels[:5]:
    begin = time.perf_counter()
    _run(kernel.code, kernel.sm)
    print("nvdisasm", 1e3 * (time.perf_counter() - begin))
"""
)


def measure(suite: int = 0) -> list[Figure]:
    """Medians and the 95th percentile. suite: how many programs of the suite beside the examples."""
    command = [str(environment.python()), "-c", MEASURE, *files(suite)]
    output = subprocess.run(command, capture_output=True, text=True, check=True, cwd=environment.ROOT).stdout
    lines = [line.split() for line in output.splitlines()]
    refused = [" ".join(line[1:]) for line in lines if line[0] == "refused"]
    rows = [[float(x) for x in line] for line in lines if line[0] not in ("nvdisasm", "refused")]
    rival = statistics.median(float(line[1]) for line in lines if line[0] == "nvdisasm")
    whole = [sum(row[:3]) for row in rows]
    return [
        Figure("kernels", len(rows), 0.0, "", ""),
        Figure("kernels refused", len(refused), 0.0, "", "", "; ".join(refused)),
        Figure("instructions a kernel, median", statistics.median(row[3] for row in rows), 0.0, "", ""),
        Figure("decode a kernel, median", statistics.median(row[0] for row in rows), rival, "ms", "nvdisasm"),
        Figure("lift a kernel, median", statistics.median(row[1] for row in rows), 0.0, "ms", ""),
        Figure("compile a kernel, median", statistics.median(row[2] for row in rows), 0.0, "ms", ""),
        Figure("decoding's share of the three", 100 * sum(row[0] for row in rows) / sum(whole), 5.0, "%", "limit"),
        Figure("decode + lift + compile, median", statistics.median(whole), 50.0, "ms", "limit"),
        Figure("decode + lift + compile, 95th percentile", late(whole), 500.0, "ms", "limit"),
    ]
