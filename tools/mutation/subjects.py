"""Kernels of the examples with the lifter's assembly, their mutants, and how many of these were rejected."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cass_shim.assemble.llvm import generate_assembly
from cass_shim.assemble.text import assemble_text
from cass_shim.decode import decode_kernel
from cass_shim.device import Device
from cass_shim.extract.cubin import read_cubin
from cass_shim.extract.fatbin import read_fatbins
from cass_shim.lift import lift_kernel
from cass_shim.model.artifacts import AmdgcnAsm, CodeObject, Cubin, CubinKernel, EntryKind, SassKernel
from cass_shim.model.errors import Rejected
from cass_shim.model.kernel_abi import AbiClass
from cass_shim.verify.proof.classify import classify
from cass_shim.verify.proof.prove import DIFFERENT, PROVED
from tools import samples
from tools.mutation.operators import APART

VARIANT = "static-sm80"


@dataclass(frozen=True)
class Subject:
    """A kernel and its right assembly."""

    name: str
    sass: SassKernel
    cubin: Cubin
    assembly: AmdgcnAsm


def program(example: str) -> Path:
    """The example as nvcc builds it for sm_80."""
    return samples.build(example, next(one for one in samples.VARIANTS if one.name == VARIANT))


def kernels_of(path: Path) -> Iterator[tuple[CubinKernel, Cubin]]:
    """The kernels of a program's machine code, each with its module."""
    for fatbin in read_fatbins(path.read_bytes(), str(path)):
        for entry in fatbin.entries:
            if entry.kind == EntryKind.ELF:
                cubin = read_cubin(entry.payload, str(path))
                yield from ((kernel, cubin) for kernel in cubin.kernels.values())


def names(example: str) -> list[str]:
    """What `subject` calls the example's kernels."""
    return [f"{example} {kernel.name}" for kernel, _ in kernels_of(program(example))]


def instructions(name: str) -> int:
    """How many instructions of SASS a kernel has. Raises KeyError."""
    example, _, wanted = name.partition(" ")
    return {kernel.name: len(kernel.code) // 16 for kernel, _ in kernels_of(program(example))}[wanted]


def subject(name: str) -> Subject:
    """A kernel by "EXAMPLE KERNEL". Raises KeyError."""
    example, _, wanted = name.partition(" ")
    for kernel, cubin in kernels_of(program(example)):
        if kernel.name == wanted:
            return lifted_subject(name, kernel, cubin)
    raise KeyError(name)


def lifted_subject(name: str, kernel: CubinKernel, cubin: Cubin) -> Subject:
    """A kernel with what the lifter makes of it. Raises CassError."""
    sass = decode_kernel(kernel, cubin)
    lifted = lift_kernel(sass)
    text = generate_assembly(lifted.text)
    return Subject(name, sass, cubin, AmdgcnAsm(text, lifted.symbol, AbiClass.CASS1, lifted.slots))


def mutant(of: Subject, line: int, text: str) -> CodeObject:
    """The code of a kernel with one line of its assembly as `text`. Raises CassError where that does not assemble."""
    lines = of.assembly.text.splitlines()
    lines[line] = text
    source = AmdgcnAsm("\n".join(lines) + "\n", of.assembly.symbol, AbiClass.CASS1, of.assembly.slots)
    return assemble_text(source, of.sass.kernel.abi)


def change(of: Subject, line: int, text: str) -> str:
    """How a report names a mutant."""
    return f"{of.assembly.text.splitlines()[line].strip()} -> {text.strip() or 'nothing'}"


def classified(code: CodeObject, of: Subject, device: Device, seconds: float) -> tuple[str, str]:
    """What a proof says of a mutant that no input showed: (verdict, reason)."""
    try:
        proof = classify(code, of.sass, of.cubin, device, budget_s=seconds)
    except Rejected as error:
        return "missed", f"by proof: {error}"
    return {PROVED: "equal", DIFFERENT: "missed"}.get(proof.verdict, "alike"), f"by proof: {proof.reason}"


def score(rows: list[dict[str, Any]], apart: bool) -> str:
    """The share of those that differ which were rejected at once. apart: of waits and barriers, else of all others."""
    counts = Counter(str(row["verdict"]) for row in rows if (row["kind"] in APART) == apart)
    differing = counts["rejected"] + counts["missed"]
    share = counts["rejected"] / differing if differing else 1.0
    return (
        f"{counts['rejected']}/{differing} = {share:.1%} rejected, {counts['missed']} missed, {counts['alike']} alike, "
        f"{counts['equal']} proved equal"
    )
