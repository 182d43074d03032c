"""Every recorded single instruction, compiled for gfx1100 and run on the emulated device, against the NVIDIA GPU.

It covers what the host cannot run: lanes, dot products, matrices. The program is `cass selftest`'s own. MUFU is an
approximation on both sides and has its own test; matrix products differ in the order of additions and are compared
to a tolerance.
"""

from __future__ import annotations

import numpy as np
import pytest

from cass_shim.device import Device
from cass_shim.model.errors import ToolFailed
from cass_shim.native.locate import emulated_hip
from cass_shim.selftest.probes import Probe
from cass_shim.selftest.vectors import run_probes, supported
from tests.lift.probes import check

PROBES = supported()


@pytest.fixture(scope="module")
def results() -> dict[str, np.ndarray]:
    """Outputs of every probe by text; one module, one load."""
    try:
        emulated_hip()
    except ToolFailed as missing:
        pytest.skip(str(missing))
    return {probe["text"]: found for probe, found in run_probes(Device.open("emulated"), PROBES)}


@pytest.mark.slow
@pytest.mark.parametrize("probe", [p for p, _ in PROBES], ids=[p["text"] for p, _ in PROBES])
def test_agrees_with_the_gpu(results: dict[str, np.ndarray], probe: Probe) -> None:
    if probe["text"].startswith("MUFU"):
        pytest.skip("approximate: see test_mufu")
    check(probe, results[probe["text"]])


@pytest.mark.slow
@pytest.mark.parametrize("mnemonic", ["IADD3", "HMMA"])
def test_a_wrong_result_is_seen(results: dict[str, np.ndarray], mnemonic: str) -> None:
    """One bit that is an exponent's in a float."""
    found = next(p for p, _ in PROBES if p["text"].startswith(mnemonic) and p["registers"])
    wrong = results[found["text"]].copy()
    wrong[:, found["registers"][0]] ^= 0x00800000
    with pytest.raises(AssertionError, match="lanes differ"):
        check(found, wrong)
