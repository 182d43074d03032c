"""The verifier: contract first (E0), then agreement with the reference on generated inputs (E1 or E1u), then E2 to E4.

In: a candidate code object and the kernel it claims to be. Out: `Verified` with its evidence and a report, or
`Rejected` with a witness. Nobody else makes a `Verified`.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

from cass_shim.device import Device
from cass_shim.model.artifacts import CodeObject, Cubin, Evidence, SassKernel, Verified, is_disputed
from cass_shim.model.errors import DeviceFailed, Rejected, Unsupported
from cass_shim.verify import mufu as mufu_models
from cass_shim.verify.agreement import Judge
from cass_shim.verify.candidate import EMULATED_LIMIT, INTERPRETED, LATE_RESULTS, Candidate
from cass_shim.verify.captured import Captured, Replayed, replay
from cass_shim.verify.contract import check_contract
from cass_shim.verify.cost import Against, Cost, compare_cost
from cass_shim.verify.inputs import first_roles
from cass_shim.verify.known_runs import KnownRuns
from cass_shim.verify.search import MAX_STEPS, Campaign, begin, search
from cass_shim.verify.second import Case, Derive, Opinion, second_opinion
from cass_shim.verify.state import Mufu
from cass_shim.verify.survey import is_padding, survey, uncovered
from cass_shim.verify.vectored import lacking

if TYPE_CHECKING:
    from cass_shim.verify.proof import Proof

_NONE: Mapping[str, int] = {}
ReadsLanes: TypeAlias = Literal["", "candidate", "second"]


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
    reads_lanes: ReadsLanes = "",
    lane_reads: Mapping[str, int] = _NONE,
    generated: bool = True,
) -> Verified:
    """Accept or reject a candidate.

    sass None (a PTX-only module): the contract alone, E0. device: None opens the process's own; without any, E0.
    budget_s: when to stop trying further inputs; five times as long goes into finding a first one. mufu: the
    approximate functions of the device. prove_s: seconds for a proof (E4) of what agreed, 0 for none; blocks: the block
    shapes it is about, by default those that agreed. second: what derives the kernel's code in another way, and the
    seconds for comparing with it (E2). captured: a launch of the program's own (E3). enough: evidence after which no
    more is tried. known: keeps reference runs, where many candidates of one kernel are judged. against: what serves,
    than which it has to cost less. generated: try generated inputs; else what is captured alone. reads_lanes: who is
    made of PTX; lane_reads: how many of its instructions read other lanes, by machine instruction. Where the SASS has
    fewer ptxas folded some away, and what the PTX gives for part of a warp is undefined. Raises Rejected, Malformed,
    DeviceFailed.
    """
    started = time.monotonic()
    contract = check_contract(code, sass.abi if sass is not None else None)
    report: dict[str, object] = {"contract": contract, "seed": seed}
    if sass is None:
        return _uncompared(code, report, "no SASS to compare with")
    judge = Judge(sass, cubin, survey(sass), mufu, MAX_STEPS, known=known)
    fewer = any(judge.found.exchanges[name] < count for name, count in lane_reads.items())
    folded = reads_lanes if fewer else ""
    judge.found.whole_warps = folded == "candidate"
    candidate = _loaded(judge, code, device)
    if isinstance(candidate, str):
        return _uncompared(code, report, candidate)
    asked = _Asked(seed, generated, second, folded == "second", captured, against, prove_s, blocks, enough)
    campaign = begin(judge, candidate, first_roles(sass, judge.found), budget_s)
    try:
        further = _run(campaign, asked)
    finally:
        campaign.candidate.close()
    report.update(_report(campaign, sass, time.monotonic() - started))
    return _conclude(code, sass, campaign, further, report)


def _loaded(judge: Judge, code: CodeObject, device: Device | None) -> Candidate | str:
    """The candidate on the device, by default the process's own; or why it cannot be compared."""
    if device is None:
        try:
            device = open_device()
        except DeviceFailed as failure:
            return f"no device to run on: {failure}"
    try:
        return judge.load(code, device)
    except Unsupported as error:
        return str(error)


def _uncompared(code: CodeObject, report: dict[str, object], why: str) -> Verified:
    return Verified(code, Evidence.E0, {**report, "reference": why})


@dataclass(frozen=True)
class _Asked:
    """What to try, as for `verify_kernel`; second_whole: the second opinion is about whole warps only."""

    seed: int
    generated: bool
    second: tuple[Derive, float] | None
    second_whole: bool
    captured: Captured | None
    against: Against | None
    prove_s: float
    blocks: Sequence[tuple[int, int, int]]
    enough: Evidence


@dataclass
class _Further:
    """What was found beside agreement on generated inputs; None: not tried."""

    opinion: Opinion | None = None
    replayed: Replayed | None = None
    proof: Proof | None = None
    cost: Cost | None = None


def _run(campaign: Campaign, asked: _Asked) -> _Further:
    """Everything that runs the candidate: inputs, the second opinion, the captured launch, the proof."""
    judge, further = campaign.judge, _Further()
    try:
        if asked.generated:
            _search(campaign, asked.seed)
        candidate = campaign.candidate
        case = Case(judge, candidate, campaign.roles, campaign.agreed, asked.seed)
        if asked.against is not None and campaign.agreed:
            further.cost = compare_cost(case, asked.against)
        common = [one for one in campaign.agreed if one.shape.is_whole or not asked.second_whole]
        if asked.second is not None and common:
            further.opinion = second_opinion(replace(case, agreed=common), *asked.second)
            if further.opinion.verdict == "agrees" and asked.enough <= Evidence.E2:
                return further
        if asked.captured is not None:
            code, device = candidate.code, candidate.device
            further.replayed = replay(code, judge.kernel, judge.cubin, judge.found, device, asked.captured)
            if further.replayed.executed is not None:
                ran = further.replayed.executed
                campaign.executed = ran | campaign.executed if len(campaign.executed) else ran
                if asked.enough <= Evidence.E3:
                    return further
        if asked.prove_s and campaign.agreed:
            further.proof = _prove(campaign, asked.prove_s, asked.blocks)
    except Unsupported as error:
        campaign.skipped.append(str(error))
    return further


def _search(campaign: Campaign, seed: int) -> None:
    """The search for inputs. One that ends early leaves what it found, unless the device is of no more use."""
    try:
        search(campaign, seed)
    except Unsupported as error:
        if campaign.candidate.stuck:
            raise
        campaign.skipped.append(str(error))


def _conclude(
    code: CodeObject, sass: SassKernel, campaign: Campaign, further: _Further, report: dict[str, object]
) -> Verified:
    """The evidence that a finished campaign amounts to. Raises the Rejected that nothing speaks against."""
    replayed = further.replayed is not None and further.replayed.verdict == "agrees"
    if further.replayed is not None:
        report["captured launch"] = further.replayed.report()
    if not campaign.agreed and not replayed and campaign.doubt is not None:
        raise campaign.doubt
    if is_disputed(report):  # a difference that is known is more than inputs that agreed
        return Verified(code, Evidence.E0, report)
    if not replayed and not campaign.tells:
        if campaign.agreed and campaign.doubt is not None:
            report["doubt"] = str(campaign.doubt)
        return Verified(code, Evidence.E0, report)
    seen = lacking(sass)
    report["unvectored"] = missing = list(seen.missing)
    if seen.indirect:
        report["indirect"] = list(seen.indirect)
    if further.proof is not None:
        report["proof"] = further.proof.report()
    if further.cost is not None:
        report["cost"] = further.cost.report()
    if further.opinion is not None:
        report["second opinion"] = further.opinion.report()
    if missing:  # proofs and captured launches rest on the meanings, and some have not been seen on NVIDIA hardware
        return Verified(code, Evidence.E1U, report)
    if further.proof is not None and further.proof.verdict == "proved":
        return Verified(code, Evidence.E4, report)
    agrees = further.opinion is not None and further.opinion.verdict == "agrees"
    return Verified(code, Evidence.E3 if replayed else Evidence.E2 if agrees else Evidence.E1, report)


def _prove(campaign: Campaign, prove_s: float, blocks: Sequence[tuple[int, int, int]]) -> Proof:
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


def open_device(kind: str = "auto") -> Device:
    """A device for verification: the emulated one stops candidates that run away, and loads come late there. Raises
    DeviceFailed."""
    for name, value in (EMULATED_LIMIT, INTERPRETED, LATE_RESULTS):
        os.environ.setdefault(name, value)
    return Device.open(kind)


def _report(campaign: Campaign, sass: SassKernel, seconds: float) -> dict[str, object]:
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
