"""The proof (E4): is a code object equal to its kernel for all inputs within stated bounds?

In: code object, kernel, launch bounds, a time budget. Out: a `Proof`: "proved"; "different", with an input on which the
reference interpreter and the device were seen to differ; or "unknown", with the reason. A difference that only z3 saw
is no difference: it counts as unknown.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from cass_shim.model.artifacts import CodeObject, SassKernel
from cass_shim.model.errors import CassError
from cass_shim.verify.proof.equivalence import Claim, Comparison
from cass_shim.verify.proof.execution import alone, execute
from cass_shim.verify.proof.floats import Terms
from cass_shim.verify.proof.lanes import Unknown
from cass_shim.verify.proof.launch import Domain
from cass_shim.verify.proof.normal import Normalizer
from cass_shim.verify.proof.replay import Case, Replay
from cass_shim.verify.proof.solve import Solver
from cass_shim.verify.proof.sweep import swept

Block = tuple[int, int, int] | None

PROVED, DIFFERENT, UNKNOWN = "proved", "different", "unknown"
MAX_DOUBTS = 3  # claims that stay open before a block is given up
GUESSING = 0.2  # share of the budget for guesses at counterexamples
SWEPT = 400  # nodes of a condition from which on merging pays
UNROLL = 2  # times a loop is followed
ASSUMPTIONS = (
    "the kernel has no data races, and its accesses are legal and aligned",
    "a float operation is the same function of its operands on both sides; a computed NaN may be any NaN",
    "memory instructions are waited for (checked apart, E0)",
)


@dataclass(frozen=True)
class Proof:
    """verdict: proved, different or unknown. reason: the counterexample, or why it is not known.

    bounds: the launches it is about. claims: how many were made; queries: how many z3 had to decide.
    """

    verdict: str
    reason: str = ""
    bounds: tuple[str, ...] = ()
    claims: int = 0
    queries: int = 0
    seconds: float = 0.0
    unroll: int = UNROLL
    looped: bool = False

    def report(self) -> dict[str, object]:
        """JSON-ready."""
        found: dict[str, object] = {"verdict": self.verdict, "bounds": list(self.bounds)}
        if self.reason:
            found["reason"] = self.reason
        if self.looped:
            found["loops"] = f"each runs at most {self.unroll + 1} times"
        found |= {"claims": self.claims, "queries": self.queries, "seconds": round(self.seconds, 3)}
        return found | {"assumptions": list(ASSUMPTIONS)}


@dataclass
class _Attempt:
    """A proof in the making."""

    code: CodeObject
    kernel: SassKernel
    replay: Replay | None
    deadline: float
    unroll: int
    bounds: list[str] = field(default_factory=list)
    claims: int = 0
    queries: int = 0
    looped: bool = False
    refuted: str = ""
    guessing: float = 0.0  # seconds that guessing may still take

    def block(self, block: Block) -> bool:
        """Prove one block shape; False when a difference was seen. Raises Unknown."""
        terms = Terms()
        domain = Domain(terms, self.kernel.abi, block, deadline=self.deadline, alone=alone(self.kernel))
        one, other = execute(self.kernel, self.code, domain, self.unroll)
        self.looped |= bool(one.beyond or other.beyond)
        case = Case(domain, one, other, Solver(self.deadline))
        case.solver.assume(case.assumed)
        normalizer, doubts = Normalizer(terms, self.deadline), list[Unknown]()
        try:
            for claim in Comparison(terms, one, other).claims():
                self.claims += 1
                try:
                    if not self._claim(case, normalizer, claim):
                        return False
                except Unknown as unknown:  # another claim may still be refuted
                    doubts.append(unknown)
                    if len(doubts) == MAX_DOUBTS or case.solver.late:
                        break
        finally:
            self.queries += case.solver.queries
        if doubts:
            raise doubts[0]
        self.bounds.append(domain.describe())
        return True

    def _claim(self, case: Case, normalizer: Normalizer, claim: Claim) -> bool:
        """Whether a claim holds for all inputs; False when a run shows that it does not. Raises Unknown."""
        terms = case.domain.terms
        fails = normalizer.normal(claim.fails)
        if fails is terms.false:
            return True
        if self._guessed(case, claim):
            return False
        if len(normalizer.known) > SWEPT:
            fails = swept(terms, case.solver, normalizer, fails)
        model = case.solver.find(fails)
        if model is None:
            return True
        grid, group = ([model.value(n) for n in of] for of in (case.domain.grid, case.domain.group))
        example = f"{claim.what} of thread {claim.thread} may differ, for example in block {group} of grid {grid}"
        if self.replay is None:
            raise Unknown(f"{example}, and there is no device to try it on")
        self.refuted = self.replay.confirm(case, replace(claim, fails=fails))
        if not self.refuted:
            raise Unknown(f"z3 says that {example}, but no small run showed it")
        return False

    def _guessed(self, case: Case, claim: Claim) -> bool:
        """Whether a guess showed a difference; only as long as guessing has not used up its share of the time."""
        if self.replay is None or self.guessing <= 0:
            return False
        started = time.monotonic()
        self.refuted = self.replay.guessed(case, claim)
        self.guessing -= time.monotonic() - started
        return bool(self.refuted)


def candidate_blocks(kernel: SassKernel, dimensions: int, blocks: Sequence[tuple[int, int, int]]) -> list[Block]:
    """The block shapes to prove: any block of one dimension where warps do not meet, else the given ones.

    REDUX is a loop over the active lanes on the other side: those have to be known.
    """
    counted = any(i.mnemonic == "REDUX" for i in kernel.instructions)
    if alone(kernel) and dimensions == 1 and kernel.abi.required_block is None and not counted:
        return [None]
    return list(dict.fromkeys(blocks))


def prove_kernel(
    code: CodeObject,
    kernel: SassKernel,
    blocks: Sequence[Block],
    replay: Replay | None,
    *,
    budget_s: float,
    unroll: int = UNROLL,
) -> Proof:
    """Try to prove every block shape given. Without z3 the verdict is unknown, and the reason says how to get it."""
    started = time.monotonic()
    attempt = _Attempt(code, kernel, replay, started + budget_s, unroll, guessing=GUESSING * budget_s)
    verdict, reason = PROVED, ""
    try:
        for block in blocks:
            if not attempt.block(block):
                verdict, reason = DIFFERENT, attempt.refuted
                break
        if not blocks:
            verdict, reason = UNKNOWN, "no block shape is known that the kernel was made for"
    except Unknown as unknown:
        verdict, reason = UNKNOWN, unknown.reason
    except CassError as error:
        verdict, reason = UNKNOWN, str(error)
    seconds = time.monotonic() - started
    return Proof(
        verdict, reason, tuple(attempt.bounds), attempt.claims, attempt.queries, seconds, unroll, attempt.looped
    )
