"""A second opinion (E2): code of another derivation, the kernel's PTX, judged on the inputs that the candidate passed.

In: a finished campaign's inputs and the other route's code object. Out: an `Opinion`. Lifter and interpreter share the
meaning of single instructions, so a wrong meaning makes both wrong alike; PTX knows nothing of it. A code object that
differs is no proof against the candidate, which agreed with the reference: it is reported, and there is no E2.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from cass_shim.model.artifacts import CodeObject
from cass_shim.model.errors import CassError, DeviceFailed, Rejected, Unsupported
from cass_shim.verify.agreement import Judge, judge_input, raced
from cass_shim.verify.candidate import Candidate
from cass_shim.verify.compare import Reference
from cass_shim.verify.contract import check_contract
from cass_shim.verify.inputs import Roles, Scenario, make_input
from cass_shim.verify.memory import Fault
from cass_shim.verify.plan import variation
from cass_shim.verify.search import LONG_STEPS
from cass_shim.verify.survey import immediates

FRESH = 8  # inputs that the candidate has not met either

Derive = Callable[[], CodeObject]


@dataclass(frozen=True, slots=True)
class Opinion:
    """verdict: agrees, differs or none. inputs: on how many both were judged. reason: why not, with the witness."""

    verdict: str
    inputs: int
    reason: str = ""

    def report(self) -> dict[str, object]:
        """For the record."""
        return {"verdict": self.verdict, "inputs": self.inputs, **({"reason": self.reason} if self.reason else {})}


@dataclass
class Case:
    """What the two are judged on. agreed: inputs that the candidate has passed."""

    judge: Judge
    candidate: Candidate
    roles: Roles
    agreed: Sequence[Scenario]
    seed: int


def second_opinion(case: Case, derive: Derive, budget_s: float) -> Opinion:
    """Derive the other code object and judge it, and both on fresh inputs. Raises Rejected for the candidate only.

    budget_s: of judging; deriving is not counted.
    """
    kernel = case.judge.kernel
    try:
        code = derive()
        check_contract(code, kernel.abi)
        own = case.candidate
        other = Candidate(code, kernel, case.judge.cubin, own.device, base=own.base)
    except CassError as error:
        return Opinion("none", 0, f"no other derivation: {' '.join(str(error).split())}")
    judged, until = 0, time.monotonic() + budget_s
    try:
        for number, scenario in enumerate(_plan(case)):
            if time.monotonic() > until:
                break
            fresh = number >= len(case.agreed)
            judged += _judge_both(case, other, scenario, fresh=fresh)
    except _Differs as difference:
        return Opinion("differs", judged, str(difference))
    except (DeviceFailed, Unsupported) as failure:
        return Opinion("none", judged, str(failure))
    finally:
        other.close()
    if judged < len(case.agreed):
        return Opinion("none", judged, f"{judged} of {len(case.agreed)} inputs in the {budget_s:g} s it may take")
    return Opinion("agrees", judged)


class _Differs(Exception):
    """The other derivation's code is not what the reference computes."""


def _plan(case: Case) -> Iterator[Scenario]:
    yield from case.agreed
    judge, random = case.judge, np.random.default_rng((case.seed, 11))
    bounds = sorted(immediates(judge.kernel))
    for _ in range(FRESH):
        wanted = variation(judge.kernel, judge.found, case.agreed[0].shape, bounds, random)
        yield replace(wanted, shape=case.agreed[0].shape)


def _judge_both(case: Case, other: Candidate, scenario: Scenario, *, fresh: bool) -> bool:
    """Whether there was something to judge: the reference must be able to run the input, without races.

    Fresh inputs that may be too long for the device are left out: nothing would follow from them.
    """
    judge, base = case.judge, case.candidate.base
    given = make_input(judge.kernel, judge.cubin, judge.found, case.roles, scenario, base)
    try:
        reference = Reference([judge.run(given, base, 0)])
    except Fault:
        return False
    first = reference.first
    if fresh and (first.undefined_reads or first.steps >= LONG_STEPS or raced(judge, given, base)):
        return False
    if fresh:
        judge_input(judge, case.candidate, given, case.roles, reference)
    try:
        judge_input(judge, other, given, case.roles, reference)
    except Rejected as rejection:
        raise _Differs(" ".join(str(rejection).split())) from None
    return True
