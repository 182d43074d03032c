"""What a code object costs against another of the same kernel, on inputs that both have passed.

In: a finished campaign's inputs, the other code object. Out: `Cost`. On the emulated device a launch costs the
instructions that its waves run, on hardware time: there the least of several rounds counts, the two alternating.
"""

from __future__ import annotations

from dataclasses import dataclass

from cass_shim.model.artifacts import CodeObject
from cass_shim.model.errors import Rejected
from cass_shim.verify.agreement import judge_input
from cass_shim.verify.candidate import Candidate
from cass_shim.verify.compare import Reference
from cass_shim.verify.inputs import make_input
from cass_shim.verify.second import Case

INPUTS, ROUNDS = 3, 7


@dataclass(frozen=True, slots=True)
class Against:
    """A code object that serves, and the share of its cost that another one has to save to be of interest."""

    code: CodeObject
    least: float


@dataclass(frozen=True, slots=True)
class Cost:
    """Of launches of this code object and of the other one, in instructions or seconds."""

    own: float
    other: float

    @property
    def gain(self) -> float:
        """The share of the other one's cost that this one saves; below 0 when it costs more."""
        return 1 - self.own / self.other if self.other > 0 else 0.0

    def report(self) -> dict[str, object]:
        """For the record."""
        return {"own": self.own, "other": self.other, "gain": round(self.gain, 4)}


def compare_cost(case: Case, against: Against) -> Cost:
    """Launch both on inputs that agreed. Raises Rejected where too little is saved or either is wrong, Unsupported."""
    own, judge = case.candidate, case.judge
    other = Candidate(against.code, judge.kernel, judge.cubin, own.device, base=own.base)
    sums = [0.0, 0.0]
    try:
        for scenario in case.agreed[:INPUTS]:
            given = make_input(judge.kernel, judge.cubin, judge.found, case.roles, scenario, own.base)
            reference = Reference([judge.run(given, own.base, 0)])
            rounds: list[list[float]] = [[], []]
            for _ in range(1 if own.device.emulated else ROUNDS):
                for number, one in enumerate((own, other)):
                    judge_input(judge, one, given, case.roles, reference)
                    rounds[number].append(one.spent)
            sums = [total + min(each) for total, each in zip(sums, rounds, strict=True)]
    finally:
        other.close()
    cost = Cost(*sums)
    if cost.gain < against.least:
        wanted = f"saves {cost.gain:.0%} of what serves costs, {against.least:.0%} are wanted"
        raise Rejected(wanted, kernel=judge.kernel.name)
    return cost
