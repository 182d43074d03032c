"""pytest plugin: runs tinygrad's `test/amd/hw` suite on our interpreter instead of tinygrad's.

Use, with TINYGRAD_REPO naming a checkout:
`python -m pytest -p tests.native.tinygrad_suite $TINYGRAD_REPO/test/amd/hw -k "not cdna and not rdna4 and not mfma"`.
The suite's constants were validated on RDNA3 hardware by its authors; it is not on PyPI. `rdna3_facts` holds them as
rows of our own, and names the three tests that cannot pass on a gfx1100.
"""

from __future__ import annotations

import importlib
import os
import sys
import types
from pathlib import Path

import pytest

from cass_shim.native import bindings
from tests.native.emulator_core_support import STATUS, library


def run_asm(
    lib: int,
    lib_sz: int,
    gx: int,
    gy: int,
    gz: int,
    lx: int,
    ly: int,
    lz: int,
    args_ptr: int,
    rsrc2: int = 0x19C,
    scratch_size: int = 0,
    arch: str = "rdna3",
    user_data: list[int] | None = None,
) -> int:
    """tinygrad's entry point, on libamdhip64.so; RuntimeError with the fault's text when the program faults."""
    if arch != "rdna3":
        pytest.skip(f"{arch} is not gfx1100")
    if user_data:
        pytest.skip("initial user SGPRs beyond the argument pointer")
    ffi, emulator = bindings.interface(), bindings.hip(library()._name)
    code = ffi.cast("void *", lib)
    status = emulator.run_asm(code, lib_sz, gx, gy, gz, lx, ly, lz, args_ptr, rsrc2, max(scratch_size, 65536))
    if status:
        raise RuntimeError(f"{STATUS[status]}: {ffi.string(emulator.cass_emu_last_error()).decode()}")
    return 0


def pytest_configure(config: pytest.Config) -> None:
    """Puts our entry point under the suite before it is collected."""
    checkout = os.environ.get("TINYGRAD_REPO")
    if not checkout:
        raise pytest.UsageError("set TINYGRAD_REPO to a tinygrad checkout")
    sys.path.insert(0, checkout)
    # Python has a package of this name, which would win over a folder without __init__.py.
    package = types.ModuleType("test")
    package.__path__ = [str(Path(checkout) / "test")]
    sys.modules["test"] = package
    try:
        emulator = importlib.import_module("test.mockgpu.amd.emu")
    except ImportError as error:
        raise pytest.UsageError(f"{checkout} does not hold tinygrad's test/mockgpu/amd/emu.py: {error}") from error
    emulator.__dict__["run_asm"] = run_asm
