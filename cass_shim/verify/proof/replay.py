"""Counterexamples made real: an input from a z3 model, run by the reference interpreter and on the device.

In: a claim that can fail, what both sides did. Out: the witness of a difference that was seen, "" when no run showed
one. z3 is asked for small launches whose pointers lie in the verifier's arena; memory is tried as the model has it and
as other inputs have it, since a model may rely on float operations that no hardware has.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from cass_shim.model.artifacts import Cubin, SassKernel
from cass_shim.model.errors import Rejected, Unsupported
from cass_shim.verify.agreement import Judge, judge_input, raced
from cass_shim.verify.candidate import Candidate
from cass_shim.verify.compare import Reference
from cass_shim.verify.inputs import BIAS, WINDOW, Input, Roles, Scenario, Shape, make_input
from cass_shim.verify.memory import Fault
from cass_shim.verify.proof.equivalence import Claim
from cass_shim.verify.proof.execution import Side
from cass_shim.verify.proof.guess import guesses
from cass_shim.verify.proof.lanes import Unknown
from cass_shim.verify.proof.launch import Domain
from cass_shim.verify.proof.memory import SCALAR, Access
from cass_shim.verify.proof.solve import Solver
from cass_shim.verify.proof.terms import Term

SECONDS = 10.0  # of one query for a small input
SMALL_GRID, SMALL = 4, 300  # blocks along an axis, integer parameters
FAR = 1 << 24  # how far beyond the arena an address is that no run may touch
GUESSES_RUN = 4  # guesses at one claim that are run
VALUES = ("random", "special", "wide", "small")


class Assignment(Protocol):
    """A z3 model, or a guess."""

    def value(self, term: Term) -> int: ...


@dataclass
class Case:
    """One block: the launch, what both sides did, the solver with what is assumed."""

    domain: Domain
    one: Side
    other: Side
    solver: Solver

    @property
    def assumed(self) -> list[Term]:
        """The launch's limits, and that no loop of the original runs beyond the bound."""
        invert = self.domain.terms.invert
        return [*self.domain.assumptions, *(invert(condition) for condition in self.one.beyond)]


@dataclass
class Replay:
    """What is needed to run one kernel and its translation."""

    judge: Judge
    candidate: Candidate
    roles: Roles
    dynamic_shared: int = 0

    @property
    def kernel(self) -> SassKernel:
        return self.judge.kernel

    @property
    def cubin(self) -> Cubin | None:
        return self.judge.cubin

    def guessed(self, case: Case, claim: Claim) -> str:
        """Look for such an input by guessing, without z3."""
        domain, seeds = case.domain, iter(range(1, 1000))
        fixed: dict[str, int] = {}
        for offset, window in self.roles.pointers.items():
            address = self.candidate.base + window * WINDOW + BIAS
            fixed |= {f"param.{offset + 4 * part:#x}": address >> 32 * part & 0xFFFF_FFFF for part in range(2)}
        memories = [side.memories["global"] for side in (case.one, case.other)]
        places = [w.address for memory in memories for w in memory.writes if w.thread == claim.thread]
        places += [a.address for memory in memories for a in memory.atomics]
        assumed, dimensions = case.assumed, self.judge.found.dimensions
        found = guesses(domain, fixed, dimensions, claim.fails, assumed, places, claim.thread)
        for guess in itertools.islice(found, GUESSES_RUN):
            for given in itertools.islice(self._inputs(guess, case, claim, seeds), 2):
                witness = self.differs(given)
                if witness:
                    return witness
        return ""

    def confirm(self, case: Case, claim: Claim) -> str:
        """Look for an input on which the claim fails and a run shows it."""
        seeds = iter(range(1, 1000))
        for wishes in self._wishes(claim, case.domain, case.one):
            try:
                model = case.solver.find(claim.fails, *wishes, seconds=SECONDS)
            except Unknown:
                continue
            if model is None:
                continue
            for given in self._inputs(model, case, claim, seeds):
                witness = self.differs(given)
                if witness:
                    return witness
        return ""

    # what is asked of the model

    def _wishes(self, claim: Claim, domain: Domain, one: Side) -> Iterator[list[Term]]:
        """Constraints for an input that can be run, the most restrictive first."""
        t = domain.terms
        used = self.judge.found.dimensions
        limits = [SMALL_GRID if axis < used else 1 for axis in range(len(domain.grid))]
        grid = [t.ult(n, t.const(limit + 1, 32)) for n, limit in zip(domain.grid, limits, strict=True)]
        pointers, scalars = self._pointers(domain), self._scalars(domain)
        inside = self._inside(claim, domain, one)
        outside = [self._outside(claim.access, domain)] if claim.access is not None else []
        if outside:
            yield [*grid, *scalars, *inside, *outside]
            yield [*grid, *inside, *outside]
        yield [*grid, *pointers, *scalars, *inside]
        yield [*grid, *pointers, *inside]
        yield [*grid, *inside]

    def _pointers(self, domain: Domain) -> list[Term]:
        """Every pointer parameter points into its window of the arena."""
        t, found = domain.terms, []
        for offset, window in self.roles.pointers.items():
            address = self.candidate.base + window * WINDOW + BIAS
            for part in range(2):
                word = t.const(address >> 32 * part, 32)
                found.append(t.eq(domain.parameter(offset + 4 * part), word))
        return found

    def _scalars(self, domain: Domain) -> list[Term]:
        """Integer parameters are small."""
        t, found = domain.terms, []
        covered = {offset + part for offset in self.roles.pointers for part in (0, 4)}
        for offset in range(0, domain.abi.params_bytes - 3, 4):
            if offset not in covered and self.judge.found.scalars.get(offset, "i32") == "i32":
                found.append(t.ult(domain.parameter(offset), t.const(SMALL + 1, 32)))
        return found

    def _inside(self, claim: Claim, domain: Domain, one: Side) -> list[Term]:
        """What the original touches in the claim's thread lies in the arena."""
        t, memory = domain.terms, one.memories["global"]
        first, size = t.const(self.candidate.base, 64), len(self.roles.pointers) * WINDOW + WINDOW
        found = []
        for access in (*memory.reads, *memory.writes):
            if access.thread == claim.thread or claim.thread == SCALAR:
                within = t.ult(t.sub(access.address, first), t.const(size - 16, 64))
                bits = memory.cell.bit_length() - 1
                aligned = t.eq(t.extract(access.address, 0, bits), t.const(0, bits)) if bits else t.true
                found.append(t.either(t.invert(access.condition), t.both(within, aligned)))
        return found

    def _outside(self, access: Access, domain: Domain) -> Term:
        """An address that no run may touch: far from the arena."""
        t, size = domain.terms, len(self.roles.pointers) * WINDOW + WINDOW
        distance = t.sub(t.add(access.address, t.const(FAR, 64)), t.const(self.candidate.base, 64))
        return t.invert(t.ult(distance, t.const(size + 2 * FAR, 64)))

    # from a model to inputs

    def _inputs(self, model: Assignment, case: Case, claim: Claim, seeds: Iterator[int]) -> Iterator[Input]:
        domain = case.domain
        grid = tuple(max(1, model.value(n)) for n in domain.grid)
        block = domain.block or (max(1, model.value(domain.dimensions[0])), 1, 1)
        shape = Shape((grid[0], grid[1], grid[2]), block, self.dynamic_shared)
        params = b"".join(
            model.value(domain.parameter(at)).to_bytes(4, "little") for at in range(0, domain.abi.params_bytes, 4)
        )[: domain.abi.params_bytes]
        base = self.candidate.base
        for overlaid in (True, False):
            for values in VALUES if not overlaid else VALUES[:1]:
                scenario = Scenario(shape, values, SMALL, next(seeds))
                given = make_input(self.kernel, self.cubin, self.judge.found, self.roles, scenario, base)
                given = replace(given, params=params)
                if overlaid:
                    self._overlay(given.content, model, claim, case)
                yield given

    def _overlay(self, content: np.ndarray, model: Assignment, claim: Claim, case: Case) -> None:
        """Memory as the model has it, where the claim's thread reads; for atomic operations, where any does."""
        for side in (case.one, case.other):
            memory = side.memories["global"]
            for access in memory.reads:
                if (access.thread != claim.thread and not claim.joint) or not model.value(access.condition):
                    continue
                offset = model.value(access.address) - self.candidate.base
                if 0 <= offset <= len(content) - memory.cell:
                    held = model.value(memory.first(access.address)).to_bytes(memory.cell, "little")
                    content[offset : offset + memory.cell] = np.frombuffer(held, np.uint8)

    # runs

    def differs(self, given: Input) -> str:
        """The witness when reference and device differ on an input, "" when they agree or it cannot be run."""
        judge, base = self.judge, self.candidate.base
        try:
            reference = Reference([judge.run(given, base, 0)])
            judge_input(judge, self.candidate, given, self.roles, reference)
        except Rejected as rejection:
            if raced(judge, given, base):
                return ""
            return f"{rejection} (parameters {given.params.hex()})"
        except (Fault, Unsupported):
            return ""
        return ""
