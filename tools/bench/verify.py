"""Cost of verification: E0 and E1 of every kernel of the examples built for sm_80, in one warm process.

The rival is the limit that the project sets itself: a median of 150 ms a kernel on two cores.
"""

from __future__ import annotations

import statistics
import subprocess

from tools import environment
from tools.bench import Figure
from tools.bench.lift import programs

LIMIT_MS = 150
MEASURE = """
import sys, time
from cass_shim.assemble.llvm import assemble_llvm
from cass_shim.decode import decode_kernel
from cass_shim.extract.cubin import read_cubin
from cass_shim.extract.fatbin import read_fatbins
from cass_shim.lift import lift_kernel
from cass_shim.model.artifacts import EntryKind
from cass_shim.verify import verify_kernel
from cass_shim.verify.contract import check_contract
from cass_shim.verify.kernel import open_device
device = open_device("emulated")
warm = False
for program in sys.argv[1:]:
    for fatbin in read_fatbins(open(program, "rb").read(), program):
        for entry in fatbin.entries:
            if entry.kind != EntryKind.ELF:
                continue
            cubin = read_cubin(entry.payload, program)
            for kernel in cubin.kernels.values():
                sass = decode_kernel(kernel, cubin)
                code = assemble_llvm(lift_kernel(sass), kernel.abi)
                if not warm:
                    verify_kernel(code, sass, cubin, device)
                    warm = True
                begin = time.perf_counter()
                check_contract(code, kernel.abi)
                middle = time.perf_counter()
                evidence = verify_kernel(code, sass, cubin, device).evidence.name
                print(f"{1e3 * (middle - begin):.3f} {1e3 * (time.perf_counter() - middle):.3f} {evidence}")
"""


def measure() -> list[Figure]:
    """Medians and the 95th percentile, and how many kernels reached which level."""
    command = [str(environment.python()), "-c", MEASURE, *programs()]
    output = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, cwd=environment.ROOT).stdout
    rows = [line.split() for line in output.splitlines()]
    contract, whole = (sorted(float(row[column]) for row in rows) for column in (0, 1))
    late = whole[min(len(whole) - 1, int(0.95 * len(whole)))]
    figures = [
        Figure("E0: median", statistics.median(contract), 0, "ms", ""),
        Figure("E0 and E1: median", statistics.median(whole), LIMIT_MS, "ms", "limit"),
        Figure("E0 and E1: 95th percentile", late, 0, "ms", ""),
    ]
    levels = [row[2] for row in rows]
    return figures + [
        Figure(f"kernels at {name}", levels.count(name), len(levels), "", "all") for name in sorted(set(levels))
    ]
