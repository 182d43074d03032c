"""What makes two kernels the same for training: duplicates, and likeness to kernels that a model is judged by.

In: lines of SASS fields. Out: a key without registers, labels and immediates, and the share of eight-instruction runs
that also stand in a set of reference kernels.
"""

from __future__ import annotations

import hashlib
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from cass_shim.decode import decode_kernel
from cass_shim.extract.cubin import read_cubin
from cass_shim.model.errors import CassError
from cass_shim.translate.cass.fields import Line, source_lines

GRAM = 8
LIMIT = 0.5  # share of known runs from which on a kernel counts as a near duplicate


def shape(lines: Iterable[Line]) -> list[str]:
    """Instructions with their numbers taken out."""
    return [" ".join(token for token in line if not token.startswith("#")) for line in lines]


def key(lines: Iterable[Line]) -> str:
    """The same for kernels that differ in registers, labels and immediates only."""
    return hashlib.sha256("\n".join(shape(lines)).encode()).hexdigest()[:24]


def grams(lines: Sequence[Line]) -> set[str]:
    """Runs of eight instructions; the whole of a shorter kernel."""
    made = shape(lines)[1:]
    return {"\n".join(made[at : at + GRAM]) for at in range(max(1, len(made) - GRAM + 1))}


def likeness(lines: Sequence[Line], known: set[str]) -> float:
    """Share of a kernel's runs that are known."""
    own = grams(lines)
    return len(own & known) / len(own)


def compile_cubin(source: Path, folder: Path) -> bytes:
    """nvcc's sm_80 cubin of one file. Raises CalledProcessError with its messages."""
    made = folder / "unit.cubin"
    command = ["nvcc", "-w", "-cubin", "-arch=sm_80", "-o", str(made), str(source)]
    subprocess.run(command, check=True, capture_output=True, text=True)
    return made.read_bytes()


def reference_grams(files: Iterable[Path]) -> set[str]:
    """The runs of all kernels in some .cu files; a file or kernel that cannot be read counts for nothing."""
    known: set[str] = set()
    with tempfile.TemporaryDirectory() as folder:
        for file in files:
            try:
                cubin = read_cubin(compile_cubin(file, Path(folder)))
            except (CassError, subprocess.CalledProcessError):
                continue
            for one in cubin.kernels.values():
                try:
                    known |= grams(source_lines(decode_kernel(one, cubin)))
                except CassError:
                    continue
    return known
