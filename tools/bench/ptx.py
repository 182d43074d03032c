"""PTX to HIP source: processor seconds for a module of 10,000 lines."""

from __future__ import annotations

import itertools
import time

from cass_shim.isa.ptx import load_all
from cass_shim.model.artifacts import PtxModule
from cass_shim.translate.ptx_hip.parser import parse_module
from cass_shim.translate.ptx_hip.program import write_program
from cass_shim.translate.ptx_hip.translate import kernel_abi, parsed
from tools.bench import Figure
from tools.sassvectors.forms import HEADER, all_forms, kernel

LINES = 10_000
LIMIT_S = 1.0


def text() -> tuple[str, int]:
    """A module of LINES lines, kernels of every form in turn; how many."""
    parts, lines = [HEADER.format(sm=90)], 3
    for number, form in enumerate(itertools.cycle(all_forms())):
        parts.append(kernel(number, *form))
        lines += parts[-1].count("\n")
        if lines >= LINES:
            return "".join(parts), number + 1
    raise AssertionError


def measure() -> list[Figure]:
    """Processor time, best of three: the machine's other work does not count."""
    load_all()
    source, kernels = text()
    module = PtxModule(source, 90)
    reading, writing = [], []
    for _ in range(3):
        start = time.process_time()
        tree = parse_module(source)
        reading.append(time.process_time() - start)
        parsed.cache_clear()
        abis = [kernel_abi(module, f"t{number}") for number in range(kernels)]
        start = time.process_time()
        for number, abi in enumerate(abis):
            write_program(tree, f"t{number}", abi, {})
        writing.append(time.process_time() - start)
    read, write = min(reading), min(writing)
    return [
        Figure("parse 10,000 lines", read, 0.0, "s", ""),
        Figure(f"emit its {kernels} kernels, a HIP source each", write, 0.0, "s", ""),
        Figure("parse + emit", read + write, LIMIT_S, "s", "limit"),
    ]
