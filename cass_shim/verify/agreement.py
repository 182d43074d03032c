"""Agreement (E1): a candidate on the device against the reference interpreter, on one generated input.

In: code object, kernel, device, `Input`s. Out: how much was compared, or `Rejected` with a witness. Where the device
differs, the reference runs again in other legal orders, with other garbage in everything undefined: bytes that differ
between its own runs are not defined by the kernel and do not count. All others must be equal bit for bit, except
that any NaN is as good as another where the reference computed one; and a byte the reference never wrote must be
untouched anywhere in the arena.
"""

from __future__ import annotations

import contextlib
import functools
import math
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from cass_shim.device import Device
from cass_shim.model.artifacts import CodeObject, Cubin, SassKernel
from cass_shim.model.errors import DeviceFailed, Rejected
from cass_shim.model.kernel_abi import WARP
from cass_shim.verify import mufu as mufu_models
from cass_shim.verify.candidate import HIP_TIMED_OUT, MOST_INSTRUCTIONS, Candidate
from cass_shim.verify.compare import Comparison, Heaps, Octets, Reference, compare, settle, within_spread
from cass_shim.verify.compiled.machine import Machine
from cass_shim.verify.compiled.translation import Translation
from cass_shim.verify.inputs import BIAS, HEAP_BYTES, WINDOW, Input, Roles, Scenario, lay_out, make_input, readings
from cass_shim.verify.interpreter import Launch, Outcome
from cass_shim.verify.known_runs import KnownRuns
from cass_shim.verify.lesson import Lesson, Observer, apply_kinds, drop_pointers, learn, note_used
from cass_shim.verify.memory import Arena, Fault
from cass_shim.verify.printed import printed_difference
from cass_shim.verify.program import Preparation
from cass_shim.verify.races import Races
from cass_shim.verify.state import Geometry, Mufu
from cass_shim.verify.surfaces import changed_bytes, differing
from cass_shim.verify.survey import Survey

DECIDING_S = 30.0  # on the clock, for all of them; what they take of a processor is bounded by PATIENCE
PATIENCE = 10  # times the usual limits, for the runs that decide whether a difference is one
# Policies of the reference runs, in order; the first is always made, the others before a difference is believed.
ORDERS = ("lowest", "random", "blocks", "warps reversed", "blocks reversed", "warps", "random", "random")
# Reference runs with approximate functions an ULP off, before a difference is believed: a result stays where it is in
# each of five for one word in 240, in each of sixteen for one in 40 million.
PERTURBED_RUNS = 16


@dataclass
class Judge:
    """Everything that stays the same over the inputs of one kernel."""

    kernel: SassKernel
    cubin: Cubin | None
    found: Survey
    mufu: Mufu
    max_steps: int
    run_seconds: float = 1.0  # of one reference run
    until: float = math.inf  # on the monotonic clock: no run goes on beyond it
    part_lanes: int = 0  # how many lanes of a launch run together, 0: all; blocks of others run before or behind them
    arena: Arena | None = None  # of the last run, also when it ended in a Fault
    races: Races | None = None  # of the last run that looked for them
    translation: Translation = field(default_factory=Translation)  # what runs long is compiled
    known: KnownRuns | None = None  # runs of this kernel that were made for other candidates

    @functools.cached_property
    def preparation(self) -> Preparation:
        """The kernel's code, put together."""
        return Preparation(self.kernel)

    def load(self, code: CodeObject, device: Device) -> Candidate:
        """A candidate with room for the largest inputs. Raises Unsupported."""
        kernel, known = self.kernel, self.known
        arena = max(lay_out(self.cubin, *reading).size for reading in readings(kernel, self.found))
        return Candidate(code, kernel, self.cubin, device, arena, known.arena(arena) if known is not None else 0)

    @contextlib.contextmanager
    def deciding(self) -> Iterator[None]:
        """Time on the clock for the runs that decide whether a difference is one: a machine that is so busy that the
        search for inputs has to end still has to tell a race from a fault."""
        usual = self.until
        self.until = max(usual, time.monotonic() + DECIDING_S)
        try:
            yield
        finally:
            self.until = usual

    def first_run(self, given: Input, base: int) -> tuple[Outcome | Fault, Lesson]:
        """The first run of an input, and what it showed of the arena's windows. Leaves `arena` behind."""

        def run() -> tuple[Outcome | Fault, tuple[Lesson, Arena | None]]:
            observe, lesson = learn(self.found, base)
            try:
                return self.run(given, base, 0, observe), (lesson, self.arena)
            except Fault as fault:
                return fault, (lesson, self.arena)

        outcome, (lesson, self.arena) = self.known.run(given, ("first", self.max_steps), run) if self.known else run()
        return outcome, lesson

    def another_run(self, given: Input, base: int, order: int, perturbed: int | None = None) -> Outcome:
        """A run with patience, before a difference is believed. Raises Fault."""

        def run() -> tuple[Outcome | Fault, None]:
            try:
                return self.run(given, base, order, patience=PATIENCE, perturbed=perturbed), None
            except Fault as fault:
                return fault, None

        outcome = (self.known.run(given, (order, perturbed), run) if self.known else run())[0]
        if isinstance(outcome, Fault):
            raise outcome
        return outcome

    def run(
        self,
        given: Input,
        base: int,
        order: int,
        observe: Observer | None = None,
        patience: int = 1,
        perturbed: int | None = None,
        races: bool = False,
    ) -> Outcome:
        """One reference run, in the order ORDERS[order]. patience: how many times the usual limits it may take.

        observe: told instruction address and addresses of every global load. perturbed: a seed that moves what neither
        side defines to the last bit, approximate functions and sums of float atomics. races: look for some.
        """
        program = self.preparation.program(given.symbols, given.bank3)
        shape, policy = given.scenario.shape, ORDERS[order % len(ORDERS)]
        valid = np.ones(len(given.content), bool) if given.valid is None else given.valid
        arena = self.arena = Arena(base, given.content.copy(), valid)
        heap, seed = _heap(given, base, order), 1000 * given.scenario.seed + order
        blocks = {base + at for at in given.own_heap.blocks} if given.own_heap else set()
        before = frozenset(blocks)
        deadline = time.thread_time() + self.run_seconds * patience
        workspace = base + given.workspace if given.workspace else 0
        mufu = self.mufu if perturbed is None else mufu_models.perturbed(self.mufu, perturbed)
        parts: list[Outcome] = []
        for geometry in self._parts(Geometry(shape.grid, shape.block), policy, seed):
            machine = Machine(
                program,
                self.kernel.abi,
                Launch(geometry, given.params, shape.dynamic_shared, workspace),
                arena,
                seed=seed + geometry.first,
                mufu=mufu,
                policy=policy,
                max_steps=self.max_steps * patience,
                deadline=deadline,
                until=self.until,
                heap=heap,
                given=blocks,
            )
            if races and not (parts and self.races is not None and self.races.found):
                block_of = np.arange(machine.warps) // machine.geometry.warps
                self.races = machine.races = Races(block_of, mixed=self.found.atomics)
            self._equip(machine, observe, perturbed)
            parts.append(machine.run())
            heap = machine.heap
        outcome = parts[0] if len(parts) == 1 else _joined(parts)
        outcome.freed = before - blocks
        return outcome

    def _equip(self, machine: Machine, observe: Observer | None, perturbed: int | None) -> None:
        """What a run has beside its launch: who is told of it, what is not rounded, compiled code."""
        if perturbed is not None:
            machine.unrounded = np.random.default_rng((perturbed, 73))
        machine.translation, machine.window_bytes = self.translation, WINDOW
        if observe is not None:
            machine.observe = functools.partial(_tell, observe, machine)

    def _parts(self, whole: Geometry, policy: str, seed: int) -> list[Geometry]:
        """A launch as parts of consecutive blocks, small enough to run at once, in the policy's order."""
        together = max(1, self.part_lanes // (whole.warps * WARP))
        if not self.part_lanes or whole.blocks <= together:
            return [whole]
        parts = [
            replace(whole, first=at, count=min(together, whole.blocks - at)) for at in range(0, whole.blocks, together)
        ]
        if policy.endswith("reversed"):
            parts.reverse()
        elif policy == "random":
            np.random.default_rng((seed, 5)).shuffle(parts)
        return parts


def _tell(observe: Observer, machine: Machine, addresses: Any, times: int = 1) -> None:
    observe(machine.current, addresses, times)


def _joined(parts: list[Outcome]) -> Outcome:
    """What the parts of one launch left behind, in the memory that they share."""
    last = parts[-1]
    return Outcome(
        last.arena,
        np.logical_or.reduce([one.executed for one in parts]),
        [record for one in parts for record in one.printed],
        sum(one.steps for one in parts),
        sum(one.undefined_reads for one in parts),
        any(one.contended for one in parts),
        {handle: kind for one in parts for handle, kind in one.textures.items()},
        {handle: surface for one in parts for handle, surface in one.surfaces.items()},
    )


def _heap(given: Input, base: int, order: int) -> tuple[int, int]:
    """Where malloc's blocks come from: elsewhere in every run, so that an address in an output is seen to vary."""
    if not given.heap:
        return (0, 0)
    start = base + given.heap
    return (start + 4096 * (order % 8), start + HEAP_BYTES)


def describe(given: Input, roles: Roles, base: int, word: int, after: Octets, outcome: Outcome) -> str:
    """The witness: launch, place and both values of the first difference."""
    offset = 4 * word
    place = f"arena+{offset:#x}"
    window = offset // WINDOW
    for at, index in roles.pointers.items():
        if index == window:
            place = f"pointer parameter at {at:#x}, byte {offset - window * WINDOW - BIAS}"
    for name, address in given.symbols.items():
        if not name.startswith(".") and 0 <= offset - (address - base) < 4096 and offset >= WINDOW * roles.windows():
            place = f"variable {name}, byte {offset - (address - base)}"
    for start, size, name in given.places:
        if start <= offset < start + size:
            place = f"{name}, byte {offset - start}"
    scenario = given.scenario
    expected = int(outcome.arena.content.view(np.uint32)[word])
    got = int(after.view(np.uint32)[word])
    written = "" if outcome.arena.touched[offset : offset + 4].any() else " (the kernel does not write there)"
    return (
        f"grid {scenario.shape.grid} block {scenario.shape.block} shared {scenario.shape.dynamic_shared} "
        f"values {scenario.values} size {scenario.size} seed {scenario.seed}: {place}: "
        f"{got:#010x} instead of {expected:#010x}{written}"
    )


def timed_out(rejection: Rejected) -> str:
    """What a device said that stopped a launch for its length, or nothing."""
    cause = rejection.__cause__
    return str(cause) if isinstance(cause, DeviceFailed) and cause.code == HIP_TIMED_OUT else ""


def judge_input(judge: Judge, candidate: Candidate, given: Input, roles: Roles, reference: Reference) -> Comparison:
    """Run the candidate and compare. Raises Rejected; DeviceFailed only when the device itself is at fault.

    reference: runs made so far; more are added before a difference is believed.
    """
    name = judge.kernel.name
    constant3 = 0
    if candidate.bank3 >= 0 and judge.cubin is not None:
        constant3 = given.symbols.get(".nv.constant3", candidate.base) - candidate.base
    try:
        first = reference.first
        steps = first.steps if judge.found.brief else MOST_INSTRUCTIONS
        after, printed = candidate.run(given, constant3, first.textures, first.surfaces, steps)
    except DeviceFailed as failure:
        raise Rejected("the launch failed", kernel=name, witness=f"{_launch_text(given)}: {failure}") from failure
    halves = any(k in ("f16", "bf16") for k in (*judge.found.loads.values(), *judge.found.scalars.values()))
    halves = halves or any(i.mnemonic.startswith("H") for i in judge.kernel.instructions)
    heaps = _heaps(candidate, given, reference)
    result = settle(compare(after, reference.outcomes, halves, heaps, judge.found.floats), reference)
    images = candidate.surfaces(reference.first.surfaces)
    wrong = _other_difference(judge, given, candidate.base, printed, images, reference)
    wrong = wrong or _freed_otherwise(given, candidate.base, after, reference)
    for order in range(1, len(ORDERS)):
        if not len(result.bad) and not wrong:
            break
        _one_more(judge, given, candidate.base, reference, order)
        heaps = _heaps(candidate, given, reference)
        result = settle(compare(after, reference.outcomes, halves, heaps, judge.found.floats), reference)
        wrong = _other_difference(judge, given, candidate.base, printed, images, reference)
        wrong = wrong or _freed_otherwise(given, candidate.base, after, reference)
    if len(result.bad) and (judge.found.approximate or judge.found.float_sums):
        _allow_spread(judge, given, candidate.base, after, reference, result, halves)
    if len(result.bad):
        witness = describe(given, roles, candidate.base, int(result.bad[0]), after, reference.first)
        raise Rejected(f"differs from the reference in {len(result.bad)} words", kernel=name, witness=witness)
    if wrong:
        raise Rejected(wrong, kernel=name, witness=_launch_text(given))
    result.compared += sum(changed_bytes(handle, one) for handle, one in reference.first.surfaces.items())
    return result


def _heaps(candidate: Candidate, given: Input, reference: Reference) -> Heaps:
    """Where malloc's blocks lie, and what of the program's own heap is not the kernel's in any run so far."""
    heaps, own = candidate.heaps(given), given.own_heap
    if own is None:
        return heaps
    freed = {address - candidate.base for outcome in reference.outcomes for address in outcome.freed}
    return replace(heaps, loose=own.loose(len(given.content), freed))


def _freed_otherwise(given: Input, base: int, after: Octets, reference: Reference) -> str:
    """What is wrong with the blocks of the program's heap that the candidate freed; "" when nothing is."""
    runs = [{address - base for address in outcome.freed} for outcome in reference.outcomes]
    return given.own_heap.freed_otherwise(after, runs) if given.own_heap else ""


def _other_difference(
    judge: Judge,
    given: Input,
    base: int,
    printed: list[bytes],
    images: Mapping[int, Octets],
    reference: Reference,
) -> str:
    """What is wrong with the printed records or with a surface; "" when nothing is."""
    records = [outcome.printed for outcome in reference.outcomes]
    wrong = printed_difference(printed, records, given.content, base)
    for handle, got in images.items():
        if wrong:
            break
        runs = [o.surfaces[handle].content for o in reference.outcomes if handle in o.surfaces]
        bad = differing(got, runs)
        for seed in range(PERTURBED_RUNS if judge.found.approximate or judge.found.float_sums else 0):
            if not len(bad):
                break
            with contextlib.suppress(Fault, KeyError):
                runs.append(judge.another_run(given, base, 0, seed).surfaces[handle].content)
                bad = bad[~within_spread(got, runs, bad, False)]
        if len(bad):
            wrong = f"surface {handle} differs in {len(bad)} words, the first at byte {4 * int(bad[0])}"
    return wrong


def raced(judge: Judge, given: Input, base: int) -> str:
    """What makes the input's outcome undefined; "" when nothing does."""
    with contextlib.suppress(Fault):
        judge.run(given, base, 0, patience=PATIENCE, races=True)
    return judge.races.found if judge.races is not None else ""


def _allow_spread(
    judge: Judge, given: Input, base: int, after: Octets, reference: Reference, result: Comparison, halves: bool
) -> None:
    """Take out words that depend on approximate functions or float atomics and lie within what those leave open."""
    runs = [reference.first.arena.content]
    for seed in range(PERTURBED_RUNS):
        if not len(result.bad):
            break
        with contextlib.suppress(Fault):
            runs.append(judge.another_run(given, base, 0, seed).arena.content)
            allowed = within_spread(after, runs, result.bad, halves)
            result.approximate += 4 * int(allowed.sum())
            result.bad = result.bad[~allowed]


def _one_more(judge: Judge, given: Input, base: int, reference: Reference, order: int) -> None:
    """Add a run in another order, with time to spare; one that fails or does not end is no evidence."""
    with contextlib.suppress(Fault):
        reference.outcomes.append(judge.another_run(given, base, order))


def _launch_text(given: Input) -> str:
    shape = given.scenario.shape
    return f"grid {shape.grid} block {shape.block} shared {shape.dynamic_shared} seed {given.scenario.seed}"


def run_reference(judge: Judge, roles: Roles, scenario: Scenario, base: int) -> tuple[Input, Reference] | Fault:
    """The input and a reference run of it, or why there is none. Learns `roles` on the way."""
    guess = (dict(roles.pointers), dict(roles.kinds))
    fault = Fault("no run")
    for _ in range(4):
        given = make_input(judge.kernel, judge.cubin, judge.found, roles, scenario, base)
        first, lesson = judge.first_run(given, base)
        if isinstance(first, Fault):
            fault = first
            if not _adapt(judge, roles, lesson, first):
                break
            continue
        if not roles.kinds:
            apply_kinds(roles, lesson)
        note_used(roles, lesson, first.arena.touched)
        return given, Reference([first])
    if roles.pointers != guess[0]:  # what was tried did not help
        roles.pointers, roles.kinds = guess
    return fault


def _adapt(judge: Judge, roles: Roles, lesson: Lesson, fault: Fault) -> bool:
    """Whether a failed run taught something about the parameters, so that trying again makes sense."""
    if "shared" in fault.reason or "local" in fault.reason:
        return False
    assert judge.arena is not None
    return apply_kinds(roles, lesson) or drop_pointers(roles, lesson, judge.arena.touched)
