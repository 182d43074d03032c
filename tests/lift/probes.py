"""The recorded single instructions as both lift tests use them."""

from __future__ import annotations

import numpy as np

from cass_shim.selftest.probes import OUTPUTS, Probe, difference, instruction, recorded, write_probe

__all__ = ["OUTPUTS", "PROBES", "check", "instruction", "write_probe"]
PROBES = recorded().probes


def check(probe: Probe, found: np.ndarray) -> None:
    """found: LANES rows of OUTPUTS words, which must be the recorded ones."""
    where = difference(probe, found)
    assert not where, where
