"""The mutants of one kernel, and what verification says of each.

In: the kernel's name, `Options`. Out: rows with `verdict`: "rejected" at once, "missed" (rejected with another seed or
by a proof only), "equal" by proof, or "alike", which nothing told apart.
"""

from __future__ import annotations

import contextlib
import random
import time
from collections.abc import Iterator
from dataclasses import dataclass

from cass_shim.assemble.text import assemble_text
from cass_shim.model.artifacts import CodeObject
from cass_shim.model.errors import CassError, DeviceFailed, Rejected
from cass_shim.verify import verify_kernel
from cass_shim.verify.kernel import open_device
from cass_shim.verify.known_runs import KnownRuns
from tools.mutation.operators import body_of, mutate
from tools.mutation.subjects import Subject, change, classified, mutant, subject

MORE_SEEDS = 6

Row = dict[str, object]


@dataclass(frozen=True)
class Options:
    """count: mutants a kernel. seeds: more of them for what the first let pass. prove_s: seconds a proof, 0: none."""

    count: int = 100
    seeds: int = MORE_SEEDS
    prove_s: float = 0.0


def rejected(code: CodeObject, of: Subject, known: KnownRuns, seed: int) -> str:
    """Why the verifier refuses a candidate, "" when it accepts."""
    try:
        verify_kernel(code, of.sass, of.cubin, known.device, seed=seed, known=known)
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


def _mutants(of: Subject, known: KnownRuns, options: Options) -> Iterator[Row]:
    right = assemble_text(of.assembly, of.sass.kernel.abi)
    lines = of.assembly.text.splitlines()
    begin, end = body_of(of.assembly.text, of.assembly.symbol)
    rng, made = random.Random(of.name), 0
    for _ in range(40 * options.count):
        if made >= options.count:
            return
        found = mutate(lines, begin, end, rng)
        if found is None:
            continue
        kind, at, text = found
        verdict, why = judge(of, at, text, right, known, options)
        if verdict != "no mutant":
            made += 1
            told: Row = {"kernel": of.name, "kind": kind, "change": change(of, at, text), "verdict": verdict}
            yield {**told, "why": why[:300], "line": at, "text": text}


def campaign(name: str, options: Options) -> tuple[list[Row], float]:
    """The mutants of one kernel, and the seconds that they took."""
    begin, device = time.monotonic(), open_device("emulated")
    with contextlib.closing(KnownRuns(device)) as known:
        return list(_mutants(subject(name), known, options)), time.monotonic() - begin
