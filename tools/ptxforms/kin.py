"""Forms that nobody recorded and that compute what a recorded one does: a cache policy, an order or a hint apart.

What PTX calls a performance hint may not change a result, nor may order and scope on memory that one lane has to
itself (PTX ISA 9.0 §9.7.9.2 cache eviction priorities, §9.7.9.8 ld). So the recording of the one stands for the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from tools.ptxforms import every
from tools.ptxforms.known import recorded_names
from tools.ptxforms.probes import POLICY, Probe
from tools.ptxforms.recorded import recording
from tools.ptxforms.selection import all_probes


def plain(probe: Probe) -> tuple[str, ...]:
    """The probe's body with its family in the form's place, and no cache policy."""
    before, register = POLICY
    name, family = probe.name, every.family(probe.name)
    kept = (line for line in probe.body if line != before)
    return tuple(line.replace(f"{name} ", f"{family} ").replace(f", {register};", ";") for line in kept)


def kin(probes: Iterable[Probe] | None = None) -> Iterator[tuple[Probe, NDArray[np.uint32]]]:
    """Each of the probes (None: all of today) that is not recorded, with what the GPU gave for one that computes the
    same: uint32 [KEPT_LANES, words]."""
    recorded = recording()
    known = {probe.name for probe in recorded.probes}
    number_of = {(probe.seed, plain(probe)): number for number, probe in enumerate(recorded.probes)}
    for probe in all_probes(recorded_names()) if probes is None else probes:
        number = number_of.get((probe.seed, plain(probe)))
        if probe.name not in known and number is not None:
            yield probe, recorded.results[number]
