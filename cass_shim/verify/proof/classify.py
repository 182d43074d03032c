"""A proof by itself: equal, different or unknown, without the search for inputs that verification makes.

In: a code object and the kernel it claims to be. Out: a `Proof`. Used to classify mutants, and by tests.
"""

from __future__ import annotations

from collections.abc import Sequence

from cass_shim.device import Device
from cass_shim.model.artifacts import CodeObject, Cubin, SassKernel
from cass_shim.verify import mufu
from cass_shim.verify.agreement import Judge, run_reference
from cass_shim.verify.candidate import Candidate
from cass_shim.verify.inputs import first_roles, lay_out
from cass_shim.verify.memory import Fault
from cass_shim.verify.plan import probes
from cass_shim.verify.proof.prove import UNROLL, Proof, candidate_blocks, prove_kernel
from cass_shim.verify.proof.replay import Replay
from cass_shim.verify.search import MAX_STEPS
from cass_shim.verify.survey import survey


def classify(
    code: CodeObject,
    sass: SassKernel,
    cubin: Cubin | None,
    device: Device,
    *,
    budget_s: float,
    blocks: Sequence[tuple[int, int, int]] = (),
    unroll: int = UNROLL,
) -> Proof:
    """Prove or refute. blocks: the block shapes; default the first that the reference can run.

    Raises Rejected for an object that does not load.
    """
    found = survey(sass)
    roles = first_roles(sass, found)
    judge = Judge(sass, cubin, found, mufu.nearest, MAX_STEPS)
    candidate = Candidate(code, sass, cubin, device, lay_out(cubin, found, roles).size)
    try:
        shapes, dynamic = list(blocks), 0
        for scenario in probes(sass, found, 1):
            made = run_reference(judge, roles, scenario, candidate.base)
            if not isinstance(made, Fault) and not made[1].first.undefined_reads:
                dynamic = scenario.shape.dynamic_shared
                shapes = shapes or [scenario.shape.block]
                break
        replay = Replay(judge, candidate, roles, dynamic)
        chosen = blocks or candidate_blocks(sass, found.dimensions, shapes)
        return prove_kernel(code, sass, chosen, replay, budget_s=budget_s, unroll=unroll)
    finally:
        candidate.close()
