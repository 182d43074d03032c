"""A kernel launch through the shim against the same launch made directly on the same libamdhip64.so.

Both sides launch the same translated code object of an empty kernel with one block of 32 threads: `queued` launches
20,000 times and waits once, `waited` waits after each. Best of five rounds each; the two programs alternate.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tools import environment, samples
from tools.bench import Figure

HERE = Path(__file__).resolve().parent
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


def measure() -> list[Figure]:
    """Nanoseconds a launch, ours and direct."""
    if why := samples.can_build():
        print(f"launch: {why}", file=sys.stderr)
        return []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        program, direct, code = folder / "launch", folder / "direct", folder / "empty.hsaco"
        samples.nvcc(HERE / "launch.cu", program, ("-gencode", "arch=compute_80,code=sm_80"))
        subprocess.run(["cc", "-O2", "-o", str(direct), str(HERE / "launch_direct.c"), "-ldl"], check=True)
        command = [str(environment.python()), "-c", TRANSLATE, str(program), str(code)]
        facts = subprocess.run(command, capture_output=True, text=True, check=True, cwd=environment.ROOT).stdout.split()
        env = {
            **os.environ,
            "CASS_CACHE_DIR": str(folder / "cache"),
            "CASS_DEVICE": "emulated",
            "CASS_EMU_THREADS": "1",
        }
        through = [str(environment.launcher()), str(program)]
        straight = [str(direct), str(LIBRARY), str(code), *facts]
        best = [[1e18, 1e18], [1e18, 1e18]]
        for _ in range(4):
            for side, line in enumerate((through, straight)):
                done = subprocess.run(line, capture_output=True, text=True, env=env, check=True, timeout=300)
                best[side] = [min(a, float(b)) for a, b in zip(best[side], done.stdout.split(), strict=True)]
    figures = []
    for index, kind in enumerate(("queued", "waited")):
        figures.append(Figure(f"launch of an empty kernel, {kind}", best[0][index], best[1][index], "ns", "direct HIP"))
    figures.append(Figure("cost of the shim, queued", best[0][0] - best[1][0], 100.0, "ns", "limit"))
    return figures
