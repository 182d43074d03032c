"""Kernels of the examples with the lifter's assembly of them, and wrong versions of that assembly."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from cass_shim.assemble.llvm import generate_assembly
from cass_shim.assemble.text import assemble_text
from cass_shim.decode import decode_kernel
from cass_shim.extract.cubin import read_cubin
from cass_shim.extract.fatbin import read_fatbins
from cass_shim.lift import lift_kernel
from cass_shim.model.artifacts import AmdgcnAsm, CodeObject, Cubin, EntryKind, SassKernel
from cass_shim.model.kernel_abi import AbiClass
from tools import samples

PREBUILT = Path(__file__).parents[3] / "examples" / "prebuilt"


class Subject:
    """A kernel and its right translation as text."""

    def __init__(self, kernel: SassKernel, cubin: Cubin) -> None:
        self.kernel, self.cubin = kernel, cubin
        lifted = lift_kernel(kernel)
        self.assembly = AmdgcnAsm(generate_assembly(lifted.text), lifted.symbol, AbiClass.CASS1, lifted.slots)

    def code(self, *changes: tuple[str, str]) -> CodeObject:
        """The code object, with each change made once."""
        text = self.assembly.text
        for old, new in changes:
            text = changed(text, old, new)
        return assemble_text(replace(self.assembly, text=text), self.kernel.kernel.abi)


def changed(text: str, old: str, new: str) -> str:
    """The assembly with the first `old` as `new`. $a, $b ... are whatever registers LLVM chose, $A ...
    vector ones."""
    pattern = re.escape(old)
    for name in dict.fromkeys(re.findall(r"\$(\w)", old)):
        here = rf"\${name}"
        kind = "v" if name.isupper() else "[sv]"
        pattern = pattern.replace(here, rf"(?P<{name}>{kind}(?:\d+|\[\d+:\d+\]))", 1).replace(here, f"(?P={name})")
    pattern = pattern.replace("\\\n", "\n").replace("\\\t", "\t")
    result, count = re.subn(pattern, lambda m: re.sub(r"\$(\w)", lambda one: m[one[1]], new), text, count=1)
    assert count, f"the lifter no longer writes {old!r}"
    return result


@cache
def _subjects(path: Path) -> tuple[Subject, ...]:
    entries = [e for f in read_fatbins(path.read_bytes(), str(path)) for e in f.entries if e.kind is EntryKind.ELF]
    cubin = read_cubin(entries[0].payload, str(path))
    return tuple(Subject(decode_kernel(kernel, cubin), cubin) for kernel in cubin.kernels.values())


def prebuilt(name: str, number: int = 0) -> Subject:
    return _subjects(PREBUILT / name)[number]


def built(example: str, number: int = 0) -> Subject:
    """A kernel of an example as nvcc builds it for sm_80; skips where there is no nvcc."""
    if missing := samples.can_build():
        pytest.skip(missing)
    variant = next(one for one in samples.VARIANTS if one.name == "static-sm80")
    return _subjects(samples.build(example, variant))[number]
