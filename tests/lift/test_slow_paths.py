"""The slow paths of division, reciprocal and square root in code that ptxas made with and without optimisation."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest

from cass_shim.assemble.llvm import assemble_llvm
from cass_shim.extract.cubin import read_cubin
from cass_shim.lift import lift_kernel
from cass_shim.lift.code import Code, Function, find_functions
from cass_shim.lift.helpers import find_shortcut
from cass_shim.lift.layout import COPY_BUDGET, SMALL, choose_once
from cass_shim.model.artifacts import Evidence, SassKernel
from cass_shim.verify import verify_kernel
from tests.lift.support import built, emulated
from tests.lift.test_exact import operands

BUILDS = [["-arch=sm_80"], ["-arch=sm_90"], ["-arch=sm_80", "-G"]]
BUILDS += [[f"-arch=sm_{sm}", "-Xcicc", "-O0", "-Xptxas", "-O0"] for sm in (80, 90)]
OPERATIONS = ["fdiv", "rcp", "sqrt"]


def on_device(sass: SassKernel, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    code = assemble_llvm(lift_kernel(sass), sass.abi)
    with emulated() as device:
        out, given = device.buffer(np.zeros(3 * len(a), np.float32)), device.buffer(np.concatenate([a, b]))
        table = device.buffer(np.zeros(8, np.uint64))
        kernarg = bytearray(code.bindings_offset + 8)
        struct.pack_into("<QQI", kernarg, 0, out.address, given.address, len(a))
        struct.pack_into("<Q", kernarg, code.bindings_offset, table.address)
        device.load(code.elf).function(sass.name).launch((len(a) // 256,), (256,), bytes(kernarg))
        device.synchronize()
        return np.asarray(out.read()).reshape(3, len(a))


@pytest.mark.nvcc
@pytest.mark.parametrize("options", BUILDS, ids=" ".join)
def test_a_slow_path_is_known_and_its_place_gives_what_ieee_says(options: list[str], tmp_path: Path) -> None:
    sass = next(iter(built("slow_paths.cu", options, tmp_path).values()))
    code = Code.of(sass)
    functions = find_functions(code)
    found = {s.operation for f in functions.values() if (s := find_shortcut(code, f)) is not None}
    assert sorted(found) == OPERATIONS
    a, b = operands()
    with np.errstate(all="ignore"):
        expected = np.stack([a / b, np.float32(1) / b, np.sqrt(a)])
    results = on_device(sass, a, b)
    wrong = (results.view(np.uint32) != expected.view(np.uint32)) & ~(np.isnan(results) & np.isnan(expected))
    assert not wrong.any(), np.argwhere(wrong)[:4]


@pytest.mark.nvcc
def test_a_slow_path_that_looks_at_the_dividend_first_divides_the_right_way_round(tmp_path: Path) -> None:
    """ptxas schedules each copy anew: which operand's exponent it takes first tells nothing."""
    sass = built("quotient.cu", ["-arch=sm_80"], tmp_path)["quotient"]
    code = Code.of(sass)
    found = [s for f in find_functions(code).values() if (s := find_shortcut(code, f)) is not None]
    assert sorted(one.operation for one in found) == ["fdiv", "sqrt"]
    cubin = read_cubin((tmp_path / "built.cubin").read_bytes())
    assert verify_kernel(assemble_llvm(lift_kernel(sass), sass.abi), sass, cubin).evidence >= Evidence.E1U


def test_small_callees_are_copied_however_long_the_kernel_is() -> None:
    """A call costs some of what they do; larger ones become functions, or are shared where lanes run apart."""
    sites = {16 * n: (1,) for n in range(100)}
    root = Function(0, calls={**sites, 1600: (2,), 1616: (2,)}, size=COPY_BUDGET)
    functions = {0: root, 1: Function(1, size=SMALL), 2: Function(2, size=SMALL + 1)}
    assert choose_once(functions, 0) == (set(), {2})
    assert choose_once(functions, 0, apart=True) == ({2}, set())
