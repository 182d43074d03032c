"""Guesses at counterexamples: small launches and noise, put into the terms of a claim before z3 is asked.

In: a claim, what is assumed, launch bounds. Out: assignments under which the claim fails. A wrong sum over a warp is
wrong for almost any input, and yet hard to find for a solver of bit vectors.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator, Mapping, Sequence

from cass_shim.verify.proof.concrete import evaluate, symbolic
from cass_shim.verify.proof.launch import AXES, Domain
from cass_shim.verify.proof.terms import Term

GUESSES, SECONDS = 120, 4.0
MAX_BLOCKS = 4


class Guess:
    """An assignment that answers like a z3 model."""

    def __init__(self, variables: dict[str, int], rng: random.Random) -> None:
        self._variables = _Variables(variables, rng)
        self._known: dict[int, int] = {}

    def value(self, term: Term) -> int:
        """The term's bits."""
        return evaluate(term, self._variables, symbolic, self._known)

    def put(self, name: str, value: int) -> None:
        """Set a variable that no term was asked about yet."""
        self._variables[name] = value


class _Variables(dict[str, int]):
    """What was not chosen is noise."""

    def __init__(self, chosen: Mapping[str, int], rng: random.Random) -> None:
        super().__init__(chosen)
        self._rng = rng

    def __missing__(self, name: str) -> int:
        self[name] = value = self._rng.getrandbits(64)
        return value


def _launch(domain: Domain, dimensions: int, rng: random.Random) -> dict[str, int]:
    """A small grid, one block of it, and where the block is unknown one warp."""
    chosen: dict[str, int] = {}
    for number, axis in enumerate(AXES):
        count = rng.randint(1, MAX_BLOCKS) if number < dimensions else 1
        chosen[f"gridDim.{axis}"], chosen[f"blockIdx.{axis}"] = count, rng.randrange(count)
    if domain.block is None:
        threads = rng.choice((1, 31, 32, 33, 64, 128, 256, rng.randint(1, 256)))
        chosen["blockDim.x"], chosen["warp"] = threads, rng.randrange(-(-threads // 32))
    elif domain.one_for_all:
        chosen["warp"] = rng.randrange(domain.whole_warps)
    return chosen


def _threads(domain: Domain, chosen: Mapping[str, int]) -> int:
    """Threads of the launch along x."""
    block = domain.block[0] if domain.block is not None else chosen["blockDim.x"]
    return block * chosen["gridDim.x"]


def guesses(
    domain: Domain, fixed: Mapping[str, int], dimensions: int, failing: Term, assumed: Sequence[Term],
    places: Sequence[Term], seed: int,
) -> Iterator[Guess]:  # fmt: skip
    """Assignments under which `failing` and all of `assumed` hold. fixed: variables with one value, the pointers.

    places: addresses that the variables `place.*` may stand for.
    """
    rng, until = random.Random(seed), time.monotonic() + SECONDS
    for _ in range(GUESSES):
        if time.monotonic() > until:
            return
        chosen = _launch(domain, dimensions, rng)
        total = _threads(domain, chosen)
        for offset in range(0, domain.abi.params_bytes, 4):
            around = (0, 1, 2, total - 1, total, total + 1, 2 * total, rng.randrange(2 * total + 8), rng.randrange(64))
            chosen[f"param.{offset:#x}"] = max(0, rng.choice(around))
        guess = Guess(chosen | dict(fixed), rng)
        if places:
            place = rng.choice(places)
            guess.put(f"place.{place.width}", guess.value(place))
        if all(guess.value(term) for term in assumed) and guess.value(failing):
            yield guess
