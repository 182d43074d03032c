"""The mutants of one kernel, and what verification says of each.

In: a `Part` of a kernel's mutants, `Options`. Out: rows with `verdict`: "rejected" at once, "missed" (rejected with
another seed or by a proof only), "equal" by proof, or "alike", which nothing told apart.
"""

from __future__ import annotations

import contextlib
import itertools
import math
import random
import time
from collections.abc import Iterator
from dataclasses import dataclass

from cass_shim.assemble.text import assemble_text
from cass_shim.model.artifacts import CodeObject, Evidence
from cass_shim.model.errors import CassError, DeviceFailed, Rejected
from cass_shim.verify import verify_kernel
from cass_shim.verify.kernel import open_device
from cass_shim.verify.known_runs import KnownRuns
from tools.mutation.operators import body_of, mutate
from tools.mutation.rows import Row
from tools.mutation.subjects import Subject, change, classified, mutant, subject

MORE_SEEDS = 6
TRIES = 40  # changes for each that makes a mutant: most operators find nothing at most lines


@dataclass(frozen=True)
class Options:
    """seeds: more of them for what the first let pass. prove_s: seconds a proof, 0: none. until: when to begin no more
    mutants, on the monotonic clock."""

    seeds: int = MORE_SEEDS
    prove_s: float = 0.0
    until: float = math.inf


def rejected(code: CodeObject, of: Subject, known: KnownRuns, seed: int) -> str:
    """Why the verifier refuses a candidate, or lets it pass at E0 only, as no right one here; "" when it accepts."""
    try:
        verified = verify_kernel(code, of.sass, of.cubin, known.device, seed=seed, known=known)
        if verified.evidence < Evidence.E1U:
            return f"E0: {verified.report.get('doubt', 'no input tells')}"
    except Rejected as error:
        if isinstance(error.__cause__, DeviceFailed):
            with contextlib.suppress(DeviceFailed):  # a mutant that has not ended runs into the limit of instructions
                known.device.call("hipDeviceSynchronize")
            known.device.reset()
            known.lose()
        return str(error)
    return ""


def judge(of: Subject, line: int, text: str, right: CodeObject, known: KnownRuns, options: Options) -> tuple[str, str]:
    """(verdict, reason): "no mutant", "rejected", "missed", "equal" or "alike"."""
    try:
        code = mutant(of, line, text)
    except CassError:
        return "no mutant", ""
    if code.elf == right.elf:
        return "no mutant", ""
    if why := rejected(code, of, known, 1):
        return "rejected", why
    for seed in range(2, 2 + options.seeds):
        if why := rejected(code, of, known, seed):
            return "missed", f"seed {seed}: {why}"
    return classified(code, of, known.device, options.prove_s) if options.prove_s else ("alike", "")


@dataclass(frozen=True)
class Part:
    """Every `of`-th of a kernel's mutants from `part` on, `count` of them. done: lines and texts that are judged."""

    kernel: str
    part: int
    of: int
    count: int
    done: frozenset[tuple[int, str]] = frozenset()

    @property
    def name(self) -> str:
        """For a report."""
        return f"{self.kernel}, part {self.part + 1} of {self.of}"


def changes(of: Subject, most: int) -> Iterator[tuple[str, int, str]]:
    """(kind, line, text) of up to `most` different changes of a kernel's assembly, the same in every call."""
    lines = of.assembly.text.splitlines()
    begin, end = body_of(of.assembly.text, of.assembly.symbol)
    rng, seen = random.Random(of.name), set[tuple[int, str]]()
    for _ in range(TRIES * most):
        if len(seen) >= most:
            return
        found = mutate(lines, begin, end, rng)
        if found is not None and found[1:] not in seen:
            seen.add(found[1:])
            yield found


def _mutants(of: Subject, known: KnownRuns, part: Part, options: Options) -> Iterator[Row]:
    right, made = assemble_text(of.assembly, of.sass.kernel.abi), 0
    for kind, at, text in itertools.islice(changes(of, TRIES * part.count * part.of), part.part, None, part.of):
        if made >= part.count or time.monotonic() > options.until:
            return
        if (at, text) in part.done:
            made += 1
            continue
        verdict, why = judge(of, at, text, right, known, options)
        if verdict != "no mutant":
            made += 1
            told: Row = {"kernel": of.name, "kind": kind, "change": change(of, at, text), "verdict": verdict}
            yield {**told, "why": why[:300], "line": at, "text": text, "part": part.part}


def campaign(part: Part, options: Options) -> tuple[list[Row], float]:
    """The mutants of one part that are not judged yet, and the seconds that they took."""
    begin, device = time.monotonic(), open_device("emulated")
    with contextlib.closing(KnownRuns(device)) as known:
        return list(_mutants(subject(part.kernel), known, part, options)), time.monotonic() - begin
