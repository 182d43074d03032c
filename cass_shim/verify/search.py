"""The search for inputs on which a candidate and the reference can be compared (E1).

In: a `Judge`, a loaded candidate, a seed. Out: the `Campaign` that ran: inputs that agreed, what was left out and why,
and which instructions they reached. Raises Rejected for the first difference, Unsupported where inputs are too long for
the device again and again, which ends the search.
"""

from __future__ import annotations

import contextlib
import math
import time
from dataclasses import dataclass, field, replace

import numpy as np

from cass_shim.model.errors import DeviceFailed, Rejected, Unsupported
from cass_shim.model.kernel_abi import WARP
from cass_shim.verify.agreement import PATIENCE, Judge, judge_input, raced, run_reference, timed_out
from cass_shim.verify.candidate import A_STEP, MOST_INSTRUCTIONS, Candidate
from cass_shim.verify.compare import telling
from cass_shim.verify.inputs import Roles, Scenario, Shape, first_roles, make_input, readings
from cass_shim.verify.memory import Fault
from cass_shim.verify.plan import BELOW, corners, edges, probes, scenarios, shapes, variation
from cass_shim.verify.survey import immediates, is_padding, prints
from cass_shim.verify.values import CHAINS

MAX_STEPS = 12_000  # of one reference run: about a third of a second
# Of the reference, in all: from here on a right translation may be stopped for its length.
LONG_STEPS = MOST_INSTRUCTIONS // A_STEP
STOPPED = 2  # of such inputs: each took the device a second or two
COVERED = 0.95  # share of the instructions after which no more inputs are looked for
EXPLORATION = 12  # random inputs in a row that reach nothing new end the search
BUSY = 4  # times its CPU time, the time on the clock after which the search for inputs ends
EXPLORED = 0.25  # of the budget, for that search
VALUES = ("mixed", "negative", "whole", "wide")  # classes that count for themselves, in whatever launch
# Budgets for a first input. Of 334 kernels of the suite all that an input fitted had one after 4.8 s, or by `_slow`;
# those that wait for other blocks took 11 s each for none (2026-11-25, budget 2 s).
FIRST, WAITING = 5.0, 2.5
HURRIED = 0.25  # of a run's time, under further readings of a kernel that took too long under the first
SMALL = 4  # sizes that are tried where the usual ones fail
FEW = (8, 1)  # threads of a block, where none of the usual sizes works
ENOUGH = 9  # inputs that agreed, after which coverage that no longer rises ends the search


@dataclass
class Campaign:
    """The search over inputs for one kernel. Its times are this process's CPU time, in seconds: a busy machine takes
    longer and finds the same."""

    judge: Judge
    candidate: Candidate
    roles: Roles
    deadline: float
    explore_until: float  # when to stop looking for inputs that reach more code
    give_up: float  # when to stop looking for a first input that works
    waiting_until: float  # the same where one has taken too long; `_slow` comes all the same
    executed: np.ndarray
    agreed: list[Scenario] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    compared: int = 0
    undefined: int = 0
    approximate: int = 0
    told: set[int] = field(default_factory=set)  # instructions whose results inputs that agreed have shown
    doubt: Rejected | None = None  # the first difference on an input that races
    doubted: set[int] = field(default_factory=set)  # whose results such inputs would have shown
    stopped: int = 0  # inputs that were too long for the device
    # those that agreed on what the kernel wrote, which was there already
    quiet: list[Scenario] = field(default_factory=list)

    @property
    def tells(self) -> bool:
        """Whether agreement says anything: results were seen in memory, and all those that an input would have shown
        on which the candidate differs, if only where it races."""
        return bool(self.agreed and (self.told or prints(self.judge.kernel)) and self.doubted <= self.told)

    def begin_anew(self) -> None:
        """Reset the device, which stopped a launch, and load the candidate again. Raises Unsupported while it runs."""
        judge, old = self.judge, self.candidate
        if old.stuck:
            raise Unsupported("more inputs", kernel=judge.kernel.name, why="the device still runs one")
        with contextlib.suppress(DeviceFailed):
            old.device.call("hipDeviceSynchronize")
        old.device.reset()
        if judge.known is not None:
            judge.known.lose()
        self.candidate = judge.load(old.code, old.device)


def begin(judge: Judge, candidate: Candidate, roles: Roles, budget_s: float) -> Campaign:
    """A campaign in which nothing has been tried yet."""
    started = time.process_time()
    explore_until, give_up, waiting_until = (started + times * budget_s for times in (EXPLORED, FIRST, WAITING))
    deadline = started + budget_s
    return Campaign(judge, candidate, roles, deadline, explore_until, give_up, waiting_until, np.zeros(0, bool))


def search(campaign: Campaign, seed: int) -> None:
    """Find a launch the kernel was made for, then vary it until inputs agree without covering more code.

    Inputs that the reference cannot run are retried smaller. Inputs that make the kernel read shared memory it has
    not written (a block it was not made for) count only when there is nothing better.
    """
    campaign.judge.until = time.monotonic() + BUSY * (campaign.give_up - time.process_time())
    try:
        _from_first_to_last(campaign, seed)
    finally:
        campaign.judge.until = math.inf


def _from_first_to_last(campaign: Campaign, seed: int) -> None:
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
    for scenario in scenarios(kernel, campaign.judge.found, main.shape, seed):
        if _late(campaign):
            break
        covered = int(campaign.executed.sum())
        if main.values == "zero" or main.size <= SMALL:  # larger ones failed
            scenario = replace(scenario, size=main.size)
        elif main.values in CHAINS:
            scenario = replace(scenario, values=main.values)
        agreed = _try(campaign, scenario, strict=strict)
        if not agreed and not _late(campaign) and (other := _instead(campaign, scenario, main.shape)) is not None:
            agreed = _try(campaign, other, strict=strict)
        if agreed and _saturated(campaign, covered):
            break
    _try_edges(campaign, main.shape, strict, seed)
    _try_alone(campaign, main.shape, strict, seed)
    _explore(campaign, main.shape, strict, seed)


def _instead(campaign: Campaign, failed: Scenario, main: Shape) -> Scenario | None:
    """The values of an input that failed in another launch: of few threads where it took too long, since each lane that
    goes its own way takes steps of its own; else of a block that fits, where another was tried."""
    if "not finished" in campaign.skipped[-1]:
        threads = WARP if campaign.judge.found.whole_warps else FEW[0]
        few = (min(threads, math.prod(main.block)), 1, 1)
        return replace(failed, shape=replace(main, grid=(1, 1, 1), block=few))
    return replace(failed, shape=main) if failed.shape.block != main.block and failed.values in VALUES else None


def _try_edges(campaign: Campaign, main: Shape, strict: bool, seed: int) -> None:
    """Sizes and shapes at the edge; bounds of 0 end soon or never."""
    judge = campaign.judge
    for scenario in corners(judge.kernel, judge.found, main, seed) if strict else ():
        if not _late(campaign):
            _try(campaign, scenario, strict=strict)
    most, judge.max_steps = judge.max_steps, judge.max_steps // 20
    for scenario in edges(judge.found, campaign.roles, main, seed):
        if not _late(campaign):
            _try(campaign, scenario, strict=strict)
    judge.max_steps = most


def _try_alone(campaign: Campaign, main: Shape, strict: bool, seed: int) -> None:
    """One warp, where the candidate differed on inputs that race: nobody is left to race with. A kernel made for 32
    threads, whose arrays lie one behind the other in a structure, is seen to work so only."""
    abi = campaign.judge.kernel.abi
    if campaign.doubt is None or abi.required_block is not None or (abi.max_threads or WARP) < WARP:
        return
    alone = replace(main, grid=(1, 1, 1), block=(WARP, 1, 1))
    plain = "whole" if campaign.judge.found.float_atomics else "random"
    for values, size in ((plain, WARP), ("small", WARP + BELOW)):
        if not _late(campaign):
            _try(campaign, Scenario(alone, values, size, seed + 24), strict=strict)


def _first_reading(campaign: Campaign, first: list[Scenario], smaller: list[Scenario]) -> Scenario | None:
    """The first input that works, under the likeliest reading of the parameters that has one.

    first, smaller: for a kernel with static shared memory, tried once more with dynamic one too where it reads beyond.
    """
    main = _reading(campaign, first, smaller)
    if main is None and _beyond_static(campaign):
        found = campaign.judge.found = replace(campaign.judge.found, both_shared=True)
        size = shapes(campaign.judge.kernel, found)[0].dynamic_shared
        with_both = [
            [replace(one, shape=replace(one.shape, dynamic_shared=size)) for one in plan] for plan in (first, smaller)
        ]
        main = _reading(campaign, *with_both)
    return main


def _turned(tried: list[Scenario]) -> list[Scenario]:
    """Sizes that fall where those tried rise, or the reverse; numbers of which something is left when they are
    shifted."""
    return [*(replace(one, seed=one.seed + 1) for one in tried), replace(tried[0], values="wide")]


def _beyond_static(campaign: Campaign) -> bool:
    """Whether an input failed by an access beyond the kernel's static shared memory."""
    failed = any("shared access" in why and "out of range" in why for why in campaign.skipped)
    return failed and not campaign.judge.kernel.abi.spilled and not campaign.judge.found.both_shared


def _reading(campaign: Campaign, first: list[Scenario], smaller: list[Scenario]) -> Scenario | None:
    kernel, found = campaign.judge.kernel, campaign.judge.found
    chains = [replace(first[0], values=values) for values in CHAINS]
    few = [replace(first[0], size=size) for size in (1, 2)]  # a switch, or one of two colours
    for number, (campaign.judge.found, campaign.roles) in enumerate(readings(kernel, found)):
        for plan in (first, None, chains, few, smaller):
            if plan is None:
                if _not_finished(campaign):
                    continue  # who waits for others does so whatever the sizes
                plan = _turned(campaign.quiet or first[:1])
            hurried = (number or found.both_shared) and _not_finished(campaign)
            if main := _first_success(campaign, plan, strict=True, seconds=HURRIED if hurried else 1.0):
                return main
        if campaign.quiet:
            return campaign.quiet[0]
        if campaign.agreed or "not finished" in " ".join(campaign.skipped[-1:]):
            break  # another reading would not write more, or be faster
    campaign.judge.found, campaign.roles = found, first_roles(kernel, found)
    return None


def _not_finished(campaign: Campaign) -> bool:
    """Whether an input has taken too long under an earlier reading: most that do so wait for another block, which they
    do under the next one too, and the program's first launch has to tell."""
    return any("not finished" in why for why in campaign.skipped)


def _first_success(campaign: Campaign, plan: list[Scenario], *, strict: bool, seconds: float = 1.0) -> Scenario | None:
    """The first of these that works. seconds: times the usual ones that a reference run may take."""
    usual = campaign.judge.run_seconds
    campaign.judge.run_seconds = seconds * usual
    try:
        return _first_of(campaign, plan, strict=strict)
    finally:
        campaign.judge.run_seconds = usual


def _first_of(campaign: Campaign, plan: list[Scenario], *, strict: bool) -> Scenario | None:
    for scenario in plan:
        if _over(campaign, campaign.waiting_until if _not_finished(campaign) else campaign.give_up):
            return None
        if _tells(campaign, scenario, strict=strict):
            return scenario
        if campaign.skipped and "not finished" in campaign.skipped[-1]:
            return None  # another block is no faster
    return None


def _tells(campaign: Campaign, scenario: Scenario, *, strict: bool, again: bool = True) -> bool:
    """Whether an input works and shows a result. One that teaches what memory holds is made again with that, once:
    products of doubles whose halves were taken for small integers change nothing."""
    before, kinds, compared = campaign.told, dict(campaign.roles.kinds), campaign.compared
    campaign.told = set()
    agreed = _try(campaign, scenario, strict=strict)
    told = bool(campaign.told) or prints(campaign.judge.kernel)
    campaign.told |= before
    if again and agreed and not told and campaign.roles.kinds != kinds:
        return _tells(campaign, replace(scenario, seed=scenario.seed + 2), strict=strict, again=False)
    if agreed and not told and campaign.compared > compared:
        campaign.quiet.append(scenario)
    return agreed and told


def _few_threads(campaign: Campaign, scenario: Scenario) -> Scenario | None:
    """For kernels whose work grows fast with the thread's number, recursion for example."""
    sizes = () if campaign.judge.found.whole_warps else FEW
    few = [replace(scenario, shape=replace(scenario.shape, block=(n, 1, 1)), size=2) for n in sizes]
    return next((one for one in few if _first_success(campaign, [one], strict=True)), None)


def _slow(campaign: Campaign, scenario: Scenario) -> Scenario | None:
    """The last resort for long kernels: one warp, and all the time that is left."""
    judge = campaign.judge
    judge.max_steps, judge.run_seconds = judge.max_steps * PATIENCE, judge.run_seconds * PATIENCE
    return scenario if _try(campaign, scenario, strict=False) else None


def _explore(campaign: Campaign, main: Shape, strict: bool, seed: int) -> None:
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


def _saturated(campaign: Campaign, covered: int) -> bool:
    return len(campaign.agreed) >= ENOUGH and int(campaign.executed.sum()) == covered


def _late(campaign: Campaign) -> bool:
    return bool(campaign.agreed) and _over(campaign, campaign.deadline)


def _over(campaign: Campaign, deadline: float) -> bool:
    """Whether a time of the campaign's has come, or the machine is so busy that it has to end."""
    return time.process_time() > deadline or time.monotonic() > campaign.judge.until


def _try(campaign: Campaign, scenario: Scenario, *, strict: bool) -> bool:
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
        with judge.deciding():
            result = judge_input(judge, campaign.candidate, given, roles, reference)
    except Rejected as rejection:
        steps = reference.first.steps
        if steps >= LONG_STEPS and (late := timed_out(rejection)):
            why = f"the device was too slow for an input of {steps} steps ({late})"
            campaign.skipped.append(f"{scenario.values}/{scenario.shape.block}: {why}")
            campaign.begin_anew()
            campaign.stopped += 1
            if campaign.stopped == STOPPED:
                raise Unsupported("more inputs", kernel=judge.kernel.name, why=why) from rejection
            return False
        with judge.deciding():
            why = raced(judge, given, base)
        if not why:
            raise
        campaign.skipped.append(f"{scenario.values}/{scenario.shape.block}: {why}")
        campaign.doubt = campaign.doubt or rejection
        campaign.doubted |= telling(reference, given.content)
        if isinstance(rejection.__cause__, DeviceFailed):  # nothing more runs there until it is reset
            campaign.begin_anew()
        return False
    campaign.compared += result.compared
    campaign.undefined += result.undefined
    campaign.approximate += result.approximate
    campaign.told |= telling(reference, given.content)
    executed = reference.first.executed
    campaign.executed = executed | campaign.executed if len(campaign.executed) else executed
    campaign.agreed.append(scenario)
    return True
