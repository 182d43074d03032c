"""`python -m tools.mutation [--count N] [--seeds N] [--prove S] [--json FILE] [EXAMPLE…]`: the verifier's score.

From the lifter's assembly of every kernel of the examples (sm_80), mutants in equal shares: each is assembled and
verified. One that survives is verified again with other seeds, which stand for the campaign of inputs: rejected then
means missed, accepted each time means that no input showed a difference ("alike"). With --prove those are given to
the prover: "equal" where it proves them so, missed where it shows a difference. Score: rejected at once over
rejected and missed; waits and barriers are scored apart. Run in the project's virtual environment.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import random
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from cass_shim.assemble.llvm import generate_assembly
from cass_shim.assemble.text import assemble_text
from cass_shim.decode import decode_kernel
from cass_shim.device import Device
from cass_shim.extract.cubin import read_cubin
from cass_shim.extract.fatbin import read_fatbins
from cass_shim.lift import lift_kernel
from cass_shim.model.artifacts import AmdgcnAsm, CodeObject, Cubin, EntryKind, SassKernel
from cass_shim.model.errors import CassError, DeviceFailed, Rejected
from cass_shim.model.kernel_abi import AbiClass
from cass_shim.verify import verify_kernel
from cass_shim.verify.kernel import open_device
from cass_shim.verify.known_runs import KnownRuns
from cass_shim.verify.proof.classify import classify
from cass_shim.verify.proof.prove import DIFFERENT, PROVED
from tools import samples
from tools.mutation.operators import APART, body_of, mutate

MORE_SEEDS = 6


@dataclass(frozen=True)
class Options:
    """count: mutants a kernel. seeds: more of them for what the first let pass. prove_s: seconds a proof, 0: none."""

    count: int = 100
    seeds: int = MORE_SEEDS
    prove_s: float = 0.0


@dataclass(frozen=True)
class Subject:
    """A kernel and its right assembly."""

    name: str
    sass: SassKernel
    cubin: Cubin
    assembly: AmdgcnAsm


def subjects(program: Path, example: str) -> Iterator[Subject]:
    """Every kernel of a program's machine code."""
    for fatbin in read_fatbins(program.read_bytes(), str(program)):
        for entry in fatbin.entries:
            if entry.kind != EntryKind.ELF:
                continue
            cubin = read_cubin(entry.payload, str(program))
            for kernel in cubin.kernels.values():
                sass = decode_kernel(kernel, cubin)
                lifted = lift_kernel(sass)
                text = generate_assembly(lifted.text)
                assembly = AmdgcnAsm(text, lifted.symbol, AbiClass.CASS1, lifted.slots)
                yield Subject(f"{example} {kernel.name}", sass, cubin, assembly)


def rejected(code: CodeObject, subject: Subject, known: KnownRuns, seed: int) -> str:
    """Why the verifier refuses a candidate, "" when it accepts."""
    try:
        verify_kernel(code, subject.sass, subject.cubin, known.device, seed=seed, known=known)
    except Rejected as error:
        if isinstance(error.__cause__, DeviceFailed):
            with contextlib.suppress(DeviceFailed):  # a mutant that has not ended runs into the limit of instructions
                known.device.call("hipDeviceSynchronize")
            known.device.reset()
            known.lose()
        return str(error)
    return ""


def classified(code: CodeObject, subject: Subject, device: Device, seconds: float) -> tuple[str, str]:
    """What a proof says of a mutant that no input showed: (verdict, reason)."""
    try:
        proof = classify(code, subject.sass, subject.cubin, device, budget_s=seconds)
    except Rejected as error:
        return "missed", f"by proof: {error}"
    return {PROVED: "equal", DIFFERENT: "missed"}.get(proof.verdict, "alike"), f"by proof: {proof.reason}"


def judge(
    subject: Subject, line: int, text: str, original: CodeObject, known: KnownRuns, options: Options
) -> tuple[str, str]:
    """(verdict, reason): "no mutant", "rejected", "missed", "equal" or "alike"."""
    lines = subject.assembly.text.splitlines()
    lines[line] = text
    try:
        source = AmdgcnAsm("\n".join(lines) + "\n", subject.assembly.symbol, AbiClass.CASS1, subject.assembly.slots)
        code = assemble_text(source, subject.sass.kernel.abi)
    except CassError:
        return "no mutant", ""
    if code.elf == original.elf:
        return "no mutant", ""
    if why := rejected(code, subject, known, 1):
        return "rejected", why
    for seed in range(2, 2 + options.seeds):
        if why := rejected(code, subject, known, seed):
            return "missed", f"seed {seed}: {why}"
    return classified(code, subject, known.device, options.prove_s) if options.prove_s else ("alike", "")


def campaign(subject: Subject, device: Device, options: Options) -> Iterator[dict[str, object]]:
    """The mutants of one kernel."""
    with contextlib.closing(KnownRuns(device)) as known:
        yield from _mutants(subject, known, options)


def _mutants(subject: Subject, known: KnownRuns, options: Options) -> Iterator[dict[str, object]]:
    original = assemble_text(subject.assembly, subject.sass.kernel.abi)
    lines = subject.assembly.text.splitlines()
    begin, end = body_of(subject.assembly.text, subject.assembly.symbol)
    rng, made = random.Random(subject.name), 0
    for _ in range(40 * options.count):
        if made >= options.count:
            return
        mutant = mutate(lines, begin, end, rng)
        if mutant is None:
            continue
        kind, at, text = mutant
        verdict, why = judge(subject, at, text, original, known, options)
        if verdict != "no mutant":
            made += 1
            change = f"{lines[at].strip()} -> {text.strip() or 'nothing'}"
            yield {"kernel": subject.name, "kind": kind, "change": change, "verdict": verdict, "why": why[:300]}


def score(rows: list[dict[str, object]], apart: bool) -> str:
    """The share of those that differ which were rejected at once."""
    counts = Counter(str(row["verdict"]) for row in rows if (row["kind"] in APART) == apart)
    differing = counts["rejected"] + counts["missed"]
    share = counts["rejected"] / differing if differing else 1.0
    return (
        f"{counts['rejected']}/{differing} = {share:.1%} rejected, {counts['missed']} missed, {counts['alike']} alike, "
        f"{counts['equal']} proved equal"
    )


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(prog="python -m tools.mutation", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="EXAMPLE")
    parser.add_argument("--count", type=int, default=100, help="mutants a kernel (default: %(default)s)")
    parser.add_argument("--json", type=Path, help="every mutant; kernels that are in it already are left out")
    parser.add_argument(
        "--seeds",
        type=int,
        default=MORE_SEEDS,
        help="more seeds for those that the first let pass (default: %(default)s)",
    )
    parser.add_argument(
        "--prove", type=float, default=0.0, metavar="S", help="seconds a proof of those that look alike"
    )
    options = parser.parse_args()
    device = open_device("emulated")
    variant = next(one for one in samples.VARIANTS if one.name == "static-sm80")
    wanted = Options(options.count, options.seeds, options.prove)
    rows: list[dict[str, object]] = []
    if options.json and options.json.exists():
        rows = json.loads(options.json.read_text())
    done = {row["kernel"] for row in rows}
    for example in options.names or samples.names():
        for subject in subjects(samples.build(example, variant), example):
            if subject.name in done:
                continue
            begin = time.monotonic()
            found = list(campaign(subject, device, wanted))
            rows += found
            print(f"{subject.name}: {dict(Counter(str(r['verdict']) for r in found))} {time.monotonic() - begin:.0f} s")
            for row in found:
                if row["verdict"] == "missed":
                    print(f"  missed: {row['kind']}: {row['change']}: {row['why']}")
            if options.json:
                options.json.write_text(json.dumps(rows, indent=1) + "\n")
    print(f"all but waits and barriers: {score(rows, False)}\nwaits and barriers: {score(rows, True)}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
