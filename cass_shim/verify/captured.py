"""Evidence E3: a candidate judged on a launch that a real program made.

In: a code object, its kernel, a device and a `CapturedLaunch`. Out: a `Replayed`, or `Rejected` with the first
difference. The reference runs first, a part of a large grid at a time; what it cannot run, or not in time, is no
evidence and no rejection. A difference of which the time does not tell whether it is a fault is said to be undecided:
what that means for the launch is the policy's business (`pipeline`).
"""

from __future__ import annotations

import contextlib
import time
from dataclasses import dataclass, replace

import numpy as np

from cass_shim.device import Device
from cass_shim.model.artifacts import CodeObject, Cubin, SassKernel
from cass_shim.model.captured import CapturedLaunch
from cass_shim.model.errors import Rejected, Unsupported
from cass_shim.verify import mufu as mufu_models
from cass_shim.verify.agreement import Judge, judge_input, raced, timed_out
from cass_shim.verify.candidate import Candidate
from cass_shim.verify.compare import Comparison, Reference
from cass_shim.verify.inputs import Input, Roles
from cass_shim.verify.memory import Fault
from cass_shim.verify.placement import captured_input, plan
from cass_shim.verify.search import LONG_STEPS
from cass_shim.verify.state import Mufu
from cass_shim.verify.survey import Survey

PART_LANES = 1 << 14  # of a grid at a time: registers and local memory of more would not fit
MAX_STEPS = 50_000_000  # time decides


@dataclass(frozen=True, slots=True)
class Replayed:
    """verdict: agrees, none or undecided (then `reason`). executed: per instruction, whether the launch ran it."""

    verdict: str
    launch: str
    reason: str = ""
    compared: int = 0
    undefined: int = 0
    approximate: int = 0
    printed: int = 0
    moved: int = 0
    executed: np.ndarray | None = None
    seconds: float = 0.0
    freed: int = 0

    def report(self) -> dict[str, object]:
        """For the record."""
        told: dict[str, object] = {"verdict": self.verdict, "launch": self.launch, "seconds": round(self.seconds, 3)}
        if self.reason:
            return {**told, "reason": self.reason}
        ran = int(self.executed.sum()) if self.executed is not None else 0
        counts = {"bytes_compared": self.compared, "bytes_undefined": self.undefined, "records_printed": self.printed}
        counts |= {"bytes_within_spread": self.approximate, "addresses_moved": self.moved, "instructions_run": ran}
        counts |= {"blocks_freed": self.freed} if self.freed else {}
        return {**told, **counts}


@dataclass(frozen=True)
class Captured:
    """A launch to judge by, and how long that may take. mufu: the approximate functions of the device.

    decided_s: the time in all where a difference showed: who lets one pass because it came late launches what may well
    be wrong.
    """

    launch: CapturedLaunch
    budget_s: float
    mufu: Mufu = mufu_models.nearest
    decided_s: float = 0.0


def replay(
    code: CodeObject, sass: SassKernel, cubin: Cubin | None, found: Survey, device: Device, captured: Captured
) -> Replayed:
    """Run reference and candidate on the captured launch. Raises Rejected where they differ.

    found: the kernel's survey.
    """
    started, launch = time.monotonic(), captured.launch
    placed = plan(launch, found)
    try:
        candidate = Candidate(code, sass, cubin, device, placed.size)
    except Unsupported as error:
        return Replayed("none", launch.describe(), str(error))
    candidate.launch_seconds = captured.budget_s
    judge = Judge(sass, cubin, found, captured.mufu, MAX_STEPS, captured.budget_s / 2, started + captured.budget_s)
    judge.part_lanes = 0 if launch.cooperative or found.grid_sync else PART_LANES
    with contextlib.closing(candidate):
        try:
            given, moved = captured_input(sass, cubin, launch, placed, candidate.base)
            outcome = _judge(judge, candidate, given, started + captured.decided_s)
        except (Fault, Unsupported) as error:
            return Replayed("none", launch.describe(), str(error), seconds=time.monotonic() - started)
    seconds = time.monotonic() - started
    if isinstance(outcome, Replayed):
        return replace(outcome, launch=launch.describe(), seconds=seconds)
    reference, result = outcome
    printed = len(reference.first.printed)
    freed = len(reference.first.freed)
    if not result.compared and not printed and not freed:
        return Replayed("none", launch.describe(), "the launch wrote nothing that is defined", seconds=seconds)
    return Replayed(
        "agrees",
        launch.describe(),
        "",
        result.compared,
        result.undefined,
        result.approximate,
        printed,
        moved,
        reference.first.executed,
        seconds,
        freed,
    )


def _open(reason: str, verdict: str = "none") -> Replayed:
    return Replayed(verdict, "", reason)


def _judge(judge: Judge, candidate: Candidate, given: Input, decided: float) -> tuple[Reference, Comparison] | Replayed:
    """The reference's run and how the candidate compared with it, or why nothing follows from it. Raises Rejected.

    decided: until when, on the monotonic clock, it may be told whether a difference is one.
    """
    reference = Reference([judge.run(given, candidate.base, 0)])
    if reference.first.textures or reference.first.surfaces:
        return _open("it uses textures or surfaces, whose contents are not captured")
    try:
        return reference, judge_input(judge, candidate, given, Roles(), reference)
    except Rejected as rejection:
        why = timed_out(rejection)
        if why and (candidate.stuck or not judge.found.brief or reference.first.steps >= LONG_STEPS):
            return _open(f"the device was too slow for it: {why}")
        if time.monotonic() <= judge.until:
            if why := raced(judge, given, candidate.base):
                return _open(why)
            raise
        late = rejection
    judge.until = max(judge.until, decided)
    return _decide(judge, candidate, given, reference, late)


def _decide(
    judge: Judge, candidate: Candidate, given: Input, reference: Reference, late: Rejected
) -> tuple[Reference, Comparison] | Replayed:
    """What a difference is that came when the time was up: nothing, open for a reason, or a fault (raises Rejected)."""
    found = judge.found
    if found.atomics or found.approximate or found.heap:
        try:  # the order of warps and the device's functions may explain it
            return reference, judge_input(judge, candidate, given, Roles(), reference)
        except Rejected as rejection:
            late = rejection
    why = raced(judge, given, candidate.base)  # without a race no order of the warps gives anything else
    if not why and time.monotonic() <= judge.until:
        raise late
    return _open(why) if why else _open(f"not enough time to tell whether a difference is a fault: {late}", "undecided")
