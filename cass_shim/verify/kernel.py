"""The verifier: contract first (E0), then agreement with the reference on generated inputs (E1 or E1u), then E2 to E4.

In: a candidate code object and the kernel it claims to be. Out: `Verified` with its evidence and a report, or
`Rejected` with a witness. Nobody else makes a `Verified`.
"""

from __future__ import annotations

import contextlib
import math
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from cass_shim.device import Device
from cass_shim.model.artifacts import CodeObject, Cubin, Evidence, SassKernel, Verified
from cass_shim.model.errors import DeviceFailed, Rejected, Unsupported
from cass_shim.verify import mufu as mufu_models
from cass_shim.verify.agreement import PATIENCE, Judge, judge_input, raced, run_reference
from cass_shim.verify.candidate import EMULATED_LIMIT, INTERPRETED, Candidate
from cass_shim.verify.captured import Captured, Replayed, replay
from cass_shim.verify.contract import check_contract
from cass_shim.verify.cost import Against, Cost, compare_cost
from cass_shim.verify.inputs import (
    Roles,
    Scenario,
    Shape,
    edges,
    first_roles,
    make_input,
    probes,
    readings,
    scenarios,
    variation,
)
from cass_shim.verify.known_runs import KnownRuns
from cass_shim.verify.memory import Fault
from cass_shim.verify.second import Case, Derive, Opinion, second_opinion
from cass_shim.verify.state import Mufu
from cass_shim.verify.survey import immediates, is_padding, prints, survey, uncovered
from cass_shim.verify.values import CHAINS
from cass_shim.verify.vectored import unvectored_forms

if TYPE_CHECKING:
    from cass_shim.verify.proof import Proof

MAX_STEPS = 12_000  # of one reference run: about a third of a second
COVERED = 0.95  # share of the instructions after which no more inputs are looked for
EXPLORATION = 12  # random inputs in a row that reach nothing new end the search
BUSY = 4  # times its CPU time, the time on the clock after which the search for inputs ends
EXPLORED = 0.25  # of the budget, for that search
SMALL = 4  # sizes that are tried where the usual ones fail
FEW = (8, 1)  # threads of a block, where none of the usual sizes works
ENOUGH = 6  # inputs that agreed, after which coverage that no longer rises ends the search


@dataclass
class _Campaign:
    """The search over inputs for one kernel. Its times are this process's CPU time, in seconds: a busy machine takes
    longer and finds the same."""

    judge: Judge
    candidate: Candidate
    roles: Roles
    deadline: float
    explore_until: float  # when to stop looking for inputs that reach more code
    give_up: float  # when to stop looking for a first input that works
    executed: np.ndarray
    agreed: list[Scenario] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    compared: int = 0
    undefined: int = 0
    approximate: int = 0
    doubt: Rejected | None = None  # the first difference on an input that races
    opinion: Opinion | None = None
    replayed: Replayed | None = None
    proof: Proof | None = None
    cost: Cost | None = None


def verify_kernel(
    code: CodeObject,
    sass: SassKernel | None,
    cubin: Cubin | None,
    device: Device | None = None,
    *,
    budget_s: float = 2.0,
    seed: int = 1,
    mufu: Mufu = mufu_models.nearest,
    prove_s: float = 0.0,
    blocks: Sequence[tuple[int, int, int]] = (),
    second: tuple[Derive, float] | None = None,
    captured: Captured | None = None,
    enough: Evidence = Evidence.E4,
    known: KnownRuns | None = None,
    against: Against | None = None,
    reads_lanes: bool = False,
) -> Verified:
    """Accept or reject a candidate.

    sass None (a PTX-only module): the contract alone, E0. device: None opens the process's own; without any, E0.
    budget_s: when to stop trying further inputs; five times as long goes into finding a first one. mufu: the
    approximate functions of the device. prove_s: seconds for a proof (E4) of what agreed, 0 for none; blocks: the block
    shapes it is about, by default those that agreed. second: what derives the kernel's code in another way, and the
    seconds for comparing with it (E2). captured: a launch of the program's own (E3). enough: evidence after which no
    more is tried. known: keeps reference runs, where many candidates of one kernel are judged. against: what serves,
    than which it has to cost less. reads_lanes: PTX takes part that reads other lanes; where the SASS does not, ptxas
    folded that away, and what the PTX gives for part of a warp is undefined. Raises Rejected, Malformed, DeviceFailed.
    """
    started = time.monotonic()
    contract = check_contract(code, sass.abi if sass is not None else None)
    report: dict[str, object] = {"contract": contract, "seed": seed}
    if sass is None:
        return _uncompared(code, report, "no SASS to compare with")
    if device is None:
        try:
            device = open_device()
        except DeviceFailed as failure:
            return _uncompared(code, report, f"no device to run on: {failure}")
    judge = Judge(sass, cubin, survey(sass), mufu, MAX_STEPS, known=known)
    judge.found.whole_warps = reads_lanes and not judge.found.exchanges
    try:
        candidate = judge.load(code, device)
    except Unsupported as error:
        return _uncompared(code, report, str(error))
    campaign = _begin(judge, candidate, first_roles(sass, judge.found), budget_s)
    with contextlib.closing(candidate):
        _run(campaign, seed, second, captured, _Proving(prove_s, blocks, enough), against)
    report.update(_report(campaign, sass, time.monotonic() - started))
    return _conclude(code, sass, campaign, report)


def _uncompared(code: CodeObject, report: dict[str, object], why: str) -> Verified:
    return Verified(code, Evidence.E0, {**report, "reference": why})


@dataclass(frozen=True)
class _Proving:
    """Whether and what to prove: as for `verify_kernel`."""

    seconds: float
    blocks: Sequence[tuple[int, int, int]]
    enough: Evidence


def _run(
    campaign: _Campaign,
    seed: int,
    second: tuple[Derive, float] | None,
    captured: Captured | None,
    proving: _Proving,
    against: Against | None,
) -> None:
    """Everything that runs the candidate: inputs, the second opinion, the captured launch, the proof."""
    judge, candidate = campaign.judge, campaign.candidate
    try:
        campaign.judge.until = time.monotonic() + BUSY * (campaign.give_up - time.process_time())
        _search(campaign, seed)
        campaign.judge.until = math.inf
        case = Case(judge, candidate, campaign.roles, campaign.agreed, seed)
        if against is not None and campaign.agreed:
            campaign.cost = compare_cost(case, against)
        if second is not None and campaign.agreed:
            campaign.opinion = second_opinion(case, *second)
            if campaign.opinion.verdict == "agrees" and proving.enough <= Evidence.E2:
                return
        if captured is not None:
            code, device = candidate.code, candidate.device
            campaign.replayed = replay(code, judge.kernel, judge.cubin, judge.found, device, captured)
            if campaign.replayed.executed is not None:
                ran = campaign.replayed.executed
                campaign.executed = ran | campaign.executed if len(campaign.executed) else ran
                if proving.enough <= Evidence.E3:
                    return
        if proving.seconds and campaign.agreed:
            campaign.proof = _prove(campaign, proving.seconds, proving.blocks)
    except Unsupported as error:
        campaign.skipped.append(str(error))


def _conclude(code: CodeObject, sass: SassKernel, campaign: _Campaign, report: dict[str, object]) -> Verified:
    """The evidence that a finished campaign amounts to. Raises the Rejected that nothing speaks against."""
    replayed = campaign.replayed is not None and campaign.replayed.verdict == "agrees"
    if campaign.replayed is not None:
        report["captured launch"] = campaign.replayed.report()
    if not campaign.agreed and not replayed and campaign.doubt is not None:
        raise campaign.doubt
    if not replayed and (not campaign.agreed or (not campaign.compared and not prints(sass))):
        return Verified(code, Evidence.E0, report)
    missing = unvectored_forms(sass)
    report["unvectored"] = missing
    if campaign.proof is not None:
        report["proof"] = campaign.proof.report()
    if campaign.cost is not None:
        report["cost"] = campaign.cost.report()
    if campaign.opinion is not None:
        report["second opinion"] = campaign.opinion.report()
    if missing:  # proofs and captured launches rest on the meanings, and some have not been seen on NVIDIA hardware
        return Verified(code, Evidence.E1U, report)
    if campaign.proof is not None and campaign.proof.verdict == "proved":
        return Verified(code, Evidence.E4, report)
    agrees = campaign.opinion is not None and campaign.opinion.verdict == "agrees"
    return Verified(code, Evidence.E3 if replayed else Evidence.E2 if agrees else Evidence.E1, report)


def _prove(campaign: _Campaign, prove_s: float, blocks: Sequence[tuple[int, int, int]]) -> Proof:
    """Try the proof. Raises Rejected for a difference that a run showed."""
    from cass_shim.verify.proof import Replay, candidate_blocks, prove_kernel

    judge = campaign.judge
    replay = Replay(judge, campaign.candidate, campaign.roles, campaign.agreed[0].shape.dynamic_shared)
    agreed = blocks or [scenario.shape.block for scenario in campaign.agreed]
    chosen = candidate_blocks(judge.kernel, judge.found.dimensions, agreed) if not blocks else list(blocks)
    proof = prove_kernel(campaign.candidate.code, judge.kernel, chosen, replay, budget_s=prove_s)
    if proof.verdict == "different":
        raise Rejected("a proof found a difference", kernel=judge.kernel.name, witness=proof.reason)
    return proof


def _begin(judge: Judge, candidate: Candidate, roles: Roles, budget_s: float) -> _Campaign:
    """A campaign in which nothing has been tried yet."""
    started = time.process_time()
    explore_until, give_up = started + EXPLORED * budget_s, started + 5 * budget_s
    return _Campaign(judge, candidate, roles, started + budget_s, explore_until, give_up, np.zeros(0, bool))


def open_device(kind: str = "auto") -> Device:
    """A device for verification: the emulated one stops candidates that run away. Raises DeviceFailed."""
    os.environ.setdefault(*EMULATED_LIMIT)
    os.environ.setdefault(*INTERPRETED)
    return Device.open(kind)


def _search(campaign: _Campaign, seed: int) -> None:
    """Find a launch the kernel was made for, then vary it until inputs agree without covering more code.

    Inputs that the reference cannot run are retried smaller. Inputs that make the kernel read shared memory it has
    not written (a block it was not made for) count only when there is nothing better.
    """
    kernel, found = campaign.judge.kernel, campaign.judge.found
    first = probes(kernel, found, seed)
    smaller = [replace(s, values="zero", size=4, seed=s.seed + 7) for s in first]
    main = _first_reading(campaign, first, smaller)
    strict = main is not None
    if main is None:
        one_warp = replace(first[0], shape=replace(first[0].shape, grid=(1, 1, 1), block=(32, 1, 1)), size=4)
        main = _few_threads(campaign, one_warp)
        strict = main is not None
        main = main or _first_success(campaign, [*first, one_warp], strict=False) or _slow(campaign, one_warp)
    if main is None:
        return
    for scenario in scenarios(kernel, found, main.shape, seed):
        if _late(campaign):
            break
        covered = int(campaign.executed.sum())
        if main.values == "zero" or main.size <= SMALL:  # larger ones failed
            scenario = replace(scenario, size=main.size)
        elif main.values in CHAINS:
            scenario = replace(scenario, values=main.values)
        agreed = _try(campaign, scenario, strict=strict)
        if agreed and _saturated(campaign, covered):
            break
    _try_edges(campaign, main.shape, strict, seed)
    _explore(campaign, main.shape, strict, seed)


def _try_edges(campaign: _Campaign, main: Shape, strict: bool, seed: int) -> None:
    """Bounds of 0, which end soon or never."""
    judge = campaign.judge
    most, judge.max_steps = judge.max_steps, judge.max_steps // 20
    for scenario in edges(judge.found, campaign.roles, main, seed):
        if not _late(campaign):
            _try(campaign, scenario, strict=strict)
    judge.max_steps = most


def _first_reading(campaign: _Campaign, first: list[Scenario], smaller: list[Scenario]) -> Scenario | None:
    """The first input that works, under the likeliest reading of the parameters that has one."""
    kernel, found = campaign.judge.kernel, campaign.judge.found
    chains = [replace(first[0], values=values) for values in CHAINS]
    few = [replace(first[0], size=size) for size in (1, 2)]  # a switch, or one of two colours
    for campaign.judge.found, campaign.roles in readings(kernel, found):
        for plan in (first, chains, few, smaller):
            if main := _first_success(campaign, plan, strict=True):
                return main
        if campaign.agreed or "not finished" in " ".join(campaign.skipped[-1:]):
            break  # another reading would not write more, or be faster
    campaign.judge.found, campaign.roles = found, first_roles(kernel, found)
    return None


def _first_success(campaign: _Campaign, plan: list[Scenario], *, strict: bool) -> Scenario | None:
    for scenario in plan:
        if _over(campaign, campaign.give_up):
            return None
        before = campaign.compared
        if _try(campaign, scenario, strict=strict) and (campaign.compared > before or prints(campaign.judge.kernel)):
            return scenario
        if campaign.skipped and "not finished" in campaign.skipped[-1]:
            return None  # another block is no faster
    return None


def _few_threads(campaign: _Campaign, scenario: Scenario) -> Scenario | None:
    """For kernels whose work grows fast with the thread's number, recursion for example."""
    sizes = () if campaign.judge.found.whole_warps else FEW
    few = [replace(scenario, shape=replace(scenario.shape, block=(n, 1, 1)), size=2) for n in sizes]
    return next((one for one in few if _first_success(campaign, [one], strict=True)), None)


def _slow(campaign: _Campaign, scenario: Scenario) -> Scenario | None:
    """The last resort for long kernels: one warp, and all the time that is left."""
    judge = campaign.judge
    judge.max_steps, judge.run_seconds = judge.max_steps * PATIENCE, judge.run_seconds * PATIENCE
    return scenario if _try(campaign, scenario, strict=False) else None


def _explore(campaign: _Campaign, main: Shape, strict: bool, seed: int) -> None:
    """Random inputs while much of the code has not run and there is time; those that reach more of it are judged."""
    judge, roles = campaign.judge, campaign.roles
    bounds = sorted(immediates(judge.kernel))
    random = np.random.default_rng((seed, 3))
    real = np.array([not is_padding(i) for i in judge.kernel.instructions])
    failures = 0
    while failures < EXPLORATION and not _over(campaign, campaign.explore_until):
        if campaign.executed[: len(real)][real].mean() >= COVERED:
            return
        scenario = variation(judge.kernel, judge.found, main, bounds, random)
        failures += 1
        given = make_input(judge.kernel, judge.cubin, judge.found, roles, scenario, campaign.candidate.base)
        try:
            outcome = judge.run(given, campaign.candidate.base, 0)
        except Fault:
            continue
        if (outcome.executed & ~campaign.executed).any() and _try(campaign, scenario, strict=strict):
            failures = 0


def _saturated(campaign: _Campaign, covered: int) -> bool:
    return len(campaign.agreed) >= ENOUGH and int(campaign.executed.sum()) == covered


def _late(campaign: _Campaign) -> bool:
    return bool(campaign.agreed) and _over(campaign, campaign.deadline)


def _over(campaign: _Campaign, deadline: float) -> bool:
    """Whether a time of the campaign's has come, or the machine is so busy that it has to end."""
    return time.process_time() > deadline or time.monotonic() > campaign.judge.until


def _try(campaign: _Campaign, scenario: Scenario, *, strict: bool) -> bool:
    """One input: False when the reference itself cannot run it. Raises Rejected.

    strict: refuse inputs on which the kernel reads shared memory that nobody wrote, or a lane that is not there.
    """
    judge, roles, base = campaign.judge, campaign.roles, campaign.candidate.base
    made = run_reference(judge, roles, scenario, base)
    if isinstance(made, Fault):
        campaign.skipped.append(f"{scenario.values}/{scenario.shape.block}: {made}")
        return False
    given, reference = made
    if strict and reference.first.undefined_reads:
        campaign.skipped.append(f"{scenario.values}/{scenario.shape.block}: reads what nobody wrote")
        return False
    try:
        result = judge_input(judge, campaign.candidate, given, roles, reference)
    except Rejected as rejection:
        why = raced(judge, given, base)
        if not why:
            raise
        campaign.skipped.append(f"{scenario.values}/{scenario.shape.block}: {why}")
        campaign.doubt = campaign.doubt or rejection
        return False
    campaign.compared += result.compared
    campaign.undefined += result.undefined
    campaign.approximate += result.approximate
    executed = reference.first.executed
    campaign.executed = executed | campaign.executed if len(campaign.executed) else executed
    campaign.agreed.append(scenario)
    return True


def _report(campaign: _Campaign, sass: SassKernel, seconds: float) -> dict[str, object]:
    real = [n for n, i in enumerate(sass.instructions) if not is_padding(i)]
    ran = int(campaign.executed[real].sum()) if len(campaign.executed) else 0
    return {
        "inputs": [f"{s.values} grid {s.shape.grid} block {s.shape.block} size {s.size}" for s in campaign.agreed],
        "skipped": campaign.skipped,
        "bytes_compared": campaign.compared,
        "bytes_undefined": campaign.undefined,
        "bytes_within_spread": campaign.approximate,
        "instructions_covered": [ran, len(real)],
        "not_covered": uncovered(sass, campaign.executed),
        "nan": "any NaN equals any other where the kernel computed one",
        "seconds": round(seconds, 4),
    }
