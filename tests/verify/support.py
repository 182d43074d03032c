"""A stand-in for the device: runs a (possibly mutated) SASS kernel by the interpreter, as a candidate would run.

It lets the verifier's judgement be tested without a GPU or an emulator: what it is told of memory and prints is
exactly what `agreement.Candidate` would read back.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cass_shim.model.artifacts import Cubin, SassKernel
from cass_shim.model.errors import DeviceFailed, Rejected
from cass_shim.verify import mufu
from cass_shim.verify.agreement import Judge, judge_input
from cass_shim.verify.inputs import Input, first_roles, scenarios
from cass_shim.verify.kernel import run_reference
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
            outcome = self.judge.run(given, BASE, self.order)
        except Fault as fault:
            raise DeviceFailed("hipDeviceSynchronize", 700, str(fault)) from None
        return outcome.arena.content, outcome.printed


def campaign(
    kernel: SassKernel, candidate: SassKernel, cubin: Cubin | None, seed: int = 1, limit: int = 12_000
) -> dict[str, Any]:
    """The verifier's search, with the interpreter of `candidate` as the device. Raises Rejected."""
    found = survey(kernel)
    roles = first_roles(kernel, found)
    judge = Judge(kernel, cubin, found, mufu.nearest, limit)
    fake: Any = FakeCandidate(candidate, cubin)
    agreed, skipped, executed, compared, undefined = 0, [], None, 0, 0
    for scenario in scenarios(kernel, found, seed):
        made = run_reference(judge, roles, scenario, BASE)
        if isinstance(made, Fault):
            skipped.append(str(made))
            continue
        given, reference = made
        if reference.first.undefined_reads:
            skipped.append("undefined shared memory")
            continue
        result = judge_input(judge, fake, given, roles, reference)
        agreed += 1
        compared += result.compared
        undefined += result.undefined
        executed = reference.first.executed if executed is None else executed | reference.first.executed
    covered = 0 if executed is None else int(executed.sum())
    return {
        "agreed": agreed,
        "skipped": skipped,
        "covered": covered,
        "compared": compared,
        "undefined": undefined,
        "roles": roles,
    }


def is_rejected(kernel: SassKernel, mutant: SassKernel, cubin: Cubin | None, seed: int = 1) -> bool:
    try:
        campaign(kernel, mutant, cubin, seed)
    except Rejected:
        return True
    return False
