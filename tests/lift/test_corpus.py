"""Every kernel of the corpus, built by the machine's own nvcc, lifts and compiles for gfx1100.

What does not is listed by name: an entry that starts to lift fails the test until it is taken off the list.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from cass_shim.assemble.llvm import generate_object
from cass_shim.decode import decode_kernel
from cass_shim.extract.cubin import read_cubin
from cass_shim.lift import lift_kernel
from cass_shim.model.errors import Unsupported

CORPUS = Path(__file__).resolve().parents[1] / "corpus"
SOURCES = sorted(path.name for path in CORPUS.glob("*.cu"))
UNSUPPORTED: dict[int, set[str]] = {
    80: set(),
    90: {"bulk", "cluster"},  # TMA, clusters
}

pytestmark = [
    pytest.mark.slow,
    pytest.mark.nvcc,
    pytest.mark.skipif(shutil.which("nvcc") is None or shutil.which("gcc") is None, reason="needs nvcc and gcc"),
]


@pytest.mark.parametrize("sm", sorted(UNSUPPORTED))
@pytest.mark.parametrize("source", SOURCES)
def test_lifts_and_compiles(source: str, sm: int, tmp_path: Path) -> None:
    target = tmp_path / "k.cubin"
    command = ["nvcc", "-std=c++17", f"-arch=sm_{sm}", "-cubin", "-w", "-o", str(target), str(CORPUS / source)]
    built = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    if built.returncode:
        pytest.skip(f"nvcc does not build it: {built.stderr.splitlines()[:1]}")
    cubin = read_cubin(target.read_bytes())
    for kernel in cubin.kernels.values():
        sass = decode_kernel(kernel, cubin)
        if kernel.name in UNSUPPORTED[sm]:
            with pytest.raises(Unsupported):
                lift_kernel(sass)
            continue
        assert generate_object(lift_kernel(sass).text)[:4] == b"\x7fELF"
