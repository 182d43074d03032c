"""One lane of a reference run, step by step: for people who want to see what a kernel does.

In: a decoded kernel. Out: `Trace`, the instructions that the lane passed and what each wrote to its registers, on
one of the verifier's first inputs (the contents are the verifier's; addresses differ, since no device is involved).
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from cass_shim.model.artifacts import Cubin, SassKernel
from cass_shim.model.errors import Unsupported
from cass_shim.verify import mufu as mufu_models
from cass_shim.verify.agreement import Judge, run_reference
from cass_shim.verify.arithmetic import Value
from cass_shim.verify.inputs import Input, Shape, first_roles, make_input
from cass_shim.verify.interpreter import Interpreter, Launch
from cass_shim.verify.memory import Arena, Fault
from cass_shim.verify.plan import probes, scenarios
from cass_shim.verify.program import Step, prepare
from cass_shim.verify.search import MAX_STEPS
from cass_shim.verify.state import Geometry, Mask
from cass_shim.verify.survey import survey

ARENA = 0x7200_0000_0000  # where the input is pretended to lie
LIMIT = 2000  # steps kept: what a person may want to click through
SECONDS = 1.0  # of processor time, of the recorded run
SEARCH_SECONDS = 1.0  # likewise, for an input that the reference can run to its end


@dataclass(frozen=True, slots=True)
class Moment:
    """One instruction that the lane came to. ran: its guard let it. written: register name → value."""

    section: str
    address: int
    ran: bool
    written: dict[str, int]


@dataclass
class Trace:
    """What one lane did. ended: why there are no more moments, "" when the lane left the kernel."""

    lane: int
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    shared: int
    values: str
    seed: int
    params: bytes
    moments: list[Moment] = field(default_factory=list)
    ended: str = ""


class _Full(Exception):
    """The trace has as many moments as are kept."""


class _Recorder(Interpreter):
    """The interpreter, noting what one lane writes. Set `trace` before the run."""

    trace: Trace

    def _note(self, name: str, value: Value) -> None:
        if self.mask[self.trace.lane]:
            lane = self.trace.lane if value.shape == self.mask.shape else 0
            self.written[name] = int(value.reshape(-1)[lane])

    def set_reg(self, index: int, uniform: bool, value: Value) -> None:
        self._note(f"{'UR' if uniform else 'R'}{index}", value)
        super().set_reg(index, uniform, value)

    def set_pred(self, index: int, uniform: bool, value: Value) -> None:
        self._note(f"{'UP' if uniform else 'P'}{index}", value)
        super().set_pred(index, uniform, value)

    def _step(self, step: Step, index: int, every: Mask) -> None:
        self.written: dict[str, int] = {}
        ran = bool(self.mask[self.trace.lane])
        super()._step(step, index, every)
        if every[self.trace.lane]:
            section = self.sections[step.base]
            self.trace.moments.append(Moment(section, step.instruction.address, ran, self.written))
            if len(self.trace.moments) >= LIMIT:
                raise _Full

    sections: dict[int, str]


def trace_lane(
    sass: SassKernel, cubin: Cubin | None, lane: int = 0, agreed: Sequence[str] = (), seed: int = 1
) -> Trace:
    """Run the reference and follow one lane (counted over the launch, 32 a warp).

    agreed: inputs that the verifier has compared, as its report names them; their blocks are tried first. On an input
    that the reference cannot run to its end, what happens until then. Raises Unsupported when the launch has no such
    lane.
    """
    found = survey(sass)
    roles = first_roles(sass, found)
    judge = Judge(sass, cubin, found, mufu_models.nearest, MAX_STEPS)
    fits = {scenario.shape for scenario in probes(sass, found, seed) if _is_among(scenario.shape, agreed)}
    first, *others = sorted(probes(sass, found, seed), key=lambda scenario: scenario.shape not in fits)
    until = time.thread_time() + SEARCH_SECONDS
    for scenario in (first, *others):
        if time.thread_time() > until:  # kernels that wait for other blocks run into the limit on every input
            break
        made = run_reference(judge, roles, scenario, ARENA)
        if isinstance(made, Fault):
            continue
        if time.thread_time() > until:
            return _record(sass, made[0], lane)
        # that run has shown what memory holds, so the next input has numbers of the right kind
        better = run_reference(judge, roles, scenarios(sass, found, scenario.shape, seed)[0], ARENA)
        return _record(sass, (made if isinstance(better, Fault) else better)[0], lane)
    # none comes to its end: show how far the first one gets
    return _record(sass, make_input(sass, cubin, found, roles, first, ARENA), lane)


def _is_among(shape: Shape, agreed: Sequence[str]) -> bool:
    """Whether a launch of this shape is one of those that the verifier's report names (`verify.kernel`)."""
    return any(f"grid {shape.grid} block {shape.block} " in one for one in agreed)


def _record(sass: SassKernel, given: Input, lane: int) -> Trace:
    shape = given.scenario.shape
    geometry = Geometry(shape.grid, shape.block)
    if not 0 <= lane < geometry.lanes:
        raise Unsupported("step-through", kernel=sass.name, why=f"the launch has no lane {lane}, only {geometry.lanes}")
    trace = Trace(
        lane, shape.grid, shape.block, shape.dynamic_shared, given.scenario.values, given.scenario.seed, given.params
    )
    program = prepare(sass, given.symbols, given.bank3)
    machine = _Recorder(
        program,
        sass.abi,
        Launch(geometry, given.params, shape.dynamic_shared),
        Arena(ARENA, given.content.copy(), np.ones(len(given.content), bool)),
        seed=1000 * given.scenario.seed,
        mufu=mufu_models.nearest,
        deadline=time.thread_time() + SECONDS,
        heap=(ARENA + given.heap, ARENA + len(given.content)) if given.heap else (0, 0),
    )
    machine.trace = trace
    machine.sections = {part.kernel.token: part.name for part in (sass, *sass.callees.values())}
    try:
        machine.run()
    except _Full:
        trace.ended = f"Only the first {LIMIT} instructions are kept"
    except (Fault, Unsupported) as error:
        trace.ended = f"The run stopped: {error}"
    return trace
