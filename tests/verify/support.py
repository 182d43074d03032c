"""A stand-in for the device: runs a (possibly mutated) SASS kernel by the interpreter, as a candidate would run.

It lets the verifier's judgement be tested without a GPU or an emulator: what it is told of memory and prints is
exactly what `agreement.Candidate` would read back.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy as np

from cass_shim.model.artifacts import CodeObject, Cubin, HipSource, SassKernel
from cass_shim.model.errors import DeviceFailed, Rejected
from cass_shim.pipeline import Work, assemble, translate_source
from cass_shim.verify import mufu
from cass_shim.verify import search as searching
from cass_shim.verify.agreement import Judge
from cass_shim.verify.inputs import Input, first_roles
from cass_shim.verify.memory import Fault
from cass_shim.verify.survey import survey

BASE = 0x7F00_0000_0000


class FakeCandidate:
    """Same surface as `agreement.Candidate`: base, bank3, run."""

    base = BASE
    bank3 = -1

    def __init__(self, kernel: SassKernel, cubin: Cubin | None, order: int = 99) -> None:
        self.judge = Judge(kernel, cubin, survey(kernel), mufu.nearest, 40_000)
        self.order = order

    def run(self, given: Input, bank3_offset: int) -> tuple[np.ndarray, list[bytes]]:
        try:
            outcome = self.judge.run(given, BASE, self.order, patience=10)
        except Fault as fault:
            raise DeviceFailed("hipDeviceSynchronize", 700, str(fault)) from None
        return outcome.arena.content, outcome.printed


def from_ptx(work: Work, old: str = "", new: str = "") -> CodeObject:
    """A kernel's code by the route of its PTX, perhaps from a source in which `old`, which must be there, is `new`."""
    source = translate_source(work, "ptx-hip")
    assert isinstance(source, HipSource) and old in source.text
    return assemble(replace(source, text=source.text.replace(old, new) if old else source.text), work.abi)


def campaign(
    kernel: SassKernel, candidate: SassKernel, cubin: Cubin | None, seed: int = 1, budget_s: float = 20.0
) -> searching.Campaign:
    """The verifier's search, with the interpreter of `candidate` as the device. Raises Rejected."""
    found = survey(kernel)
    judge = Judge(kernel, cubin, found, mufu.nearest, searching.MAX_STEPS)
    fake: Any = FakeCandidate(candidate, cubin)
    end = time.process_time() + budget_s
    tried = searching.Campaign(judge, fake, first_roles(kernel, found), end, end, end, end, np.zeros(0, bool))
    searching.search(tried, seed)
    return tried


def is_rejected(kernel: SassKernel, mutant: SassKernel, cubin: Cubin | None, seed: int = 1) -> bool:
    try:
        campaign(kernel, mutant, cubin, seed)
    except Rejected:
        return True
    return False
