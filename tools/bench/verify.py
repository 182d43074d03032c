"""Cost of verification, milliseconds of processor time a kernel, in one warm process: E0 and E1.

Over the kernels of `tools.bench.kernels`. The rival is the limit that the project sets itself: a median of 150 ms a
kernel, and of 200 ms from SASS to what has been verified.
"""

from __future__ import annotations

import statistics
import subprocess

from tools import environment
from tools.bench import Figure
from tools.bench.kernels import READ, files, late

LIMIT_MS, WHOLE_LIMIT_MS = 150, 200
MEASURE = (
    READ
    + """
from cass_shim.assemble.llvm import assemble_llvm
from cass_shim.decode import decode_kernel
from cass_shim.lift import lift_kernel
from cass_shim.model.errors import Rejected
from cass_shim.verify import verify_kernel
from cass_shim.verify.contract import check_contract
from cass_shim.verify.kernel import open_device
device = open_device("emulated")
warm = False
for kernel, cubin in read_kernels():
    try:
        sass = decode_kernel(kernel, cubin)
        code = assemble_llvm(lift_kernel(sass), kernel.abi)
    except CassError:
        continue  # `bench lift` counts and names them
    if not warm:
        verify_kernel(code, sass, cubin, device)
        warm = True
    began = time.process_time()
    assemble_llvm(lift_kernel(decode_kernel(kernel, cubin)), kernel.abi)
    begin = time.process_time()
    check_contract(code, kernel.abi)
    middle = time.process_time()
    try:
        evidence = verify_kernel(code, sass, cubin, device).evidence.name
    except Rejected as rejection:
        evidence = "rejected"
        print(kernel.name, rejection, file=sys.stderr)
    done = time.process_time()
    print(*(f"{1e3 * (b - a):.3f}" for a, b in ((begin, middle), (middle, done), (began, done))), evidence, flush=True)
"""
)


def measure(suite: int = 0) -> list[Figure]:
    """Medians and the 95th percentile, and how many kernels reached which level. suite: as for `bench lift`."""
    command = [str(environment.python()), "-c", MEASURE, *files(suite)]
    output = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, cwd=environment.ROOT).stdout
    rows = [line.split() for line in output.splitlines()]
    contract, checked, whole = ([float(row[column]) for row in rows] for column in (0, 1, 2))
    levels = [row[3] for row in rows]
    return [
        Figure("E0: median", statistics.median(contract), 0, "ms", ""),
        Figure("E0 and E1: median", statistics.median(checked), LIMIT_MS, "ms", "limit"),
        Figure("E0 and E1: 95th percentile", late(checked), 0, "ms", ""),
        Figure("SASS to verified code: median", statistics.median(whole), WHOLE_LIMIT_MS, "ms", "limit"),
        Figure("SASS to verified code: 95th percentile", late(whole), 0, "ms", ""),
        *(Figure(f"kernels at {name}", levels.count(name), len(levels), "", "all") for name in sorted(set(levels))),
    ]
