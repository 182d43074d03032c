"""Record an answer for every example kernel: `python3 -m tools.cass_answers.make OUT`.

Needs nvcc. Each kernel's prompt comes from its cubin for each SM, the answer from clang's HIP assembly of the same
source. Kernels that print or call through tables need functions beside the kernel: their answers cannot be right, and
show that the contract rejects them and the next translator serves.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from cass_shim.extract.cubin import read_cubin
from tools.cass_answers.compile import compile_kernel, kernels_of
from tools.record_cass_answer import conversation, record

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
REJECTED = {
    "greet": "it calls AMD's device library to print",
    "formats": "it calls AMD's device library to print",
    "measure": "it calls through a table of functions that it does not hold",
}
NOTE = (
    "Not from a model: clang {version}'s HIP assembly of {kernel} in examples/{file}.cu, recorded in place of one. "
    "Checked by running, not line by line: {checked}"
)
CHECKED = (
    "arguments against .nv.info, results against the reference interpreter of the SASS on the emulated device, and "
    "the example's output against what the GPU printed."
)


def main(arguments: list[str]) -> int:
    """Returns the number of answers that could not be made."""
    out, missing = Path(arguments[0]), 0
    with tempfile.TemporaryDirectory() as folder:
        for source in sorted(EXAMPLES.glob("*.cu")):
            for sm in (80, 89):
                cubin = Path(folder) / f"{source.stem}.{sm}.cubin"
                command = ["nvcc", "-cubin", f"-arch=sm_{sm}", "-o", str(cubin), str(source)]
                subprocess.run(command, check=True)
                missing += record_file(source, cubin.read_bytes(), out)
    return missing


def record_file(source: Path, cubin: bytes, out: Path) -> int:
    """All kernels of one file for one cubin."""
    names = read_cubin(cubin).kernels
    for kernel in kernels_of(source.read_text()):
        full = next(name for name in names if f"{len(kernel)}{kernel}" in name or name == kernel)
        checked = f"rejected by the contract, as it must be: {REJECTED[kernel]}." if kernel in REJECTED else CHECKED
        note = NOTE.format(version="22", kernel=kernel, file=source.stem, checked=checked)
        record(out, conversation(cubin, full), full, compile_kernel(source, kernel), note)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
