"""Pairs of the second kind: clang's code of the HIP source that `ptx-hip` makes of the same kernel's PTX.

In: kernels of the families, their PTX and their SASS by one nvcc call. Out: pairs as `generate` has them, counted and
verified apart from those: their targets are whatever clang's optimiser makes of the whole kernel.
"""

from __future__ import annotations

import collections
import dataclasses
import gzip
import json
import re
import subprocess
import tempfile
from dataclasses import asdict
from pathlib import Path

from cass_shim.assemble.hip import compile_to_assembly
from cass_shim.decode import decode_kernel
from cass_shim.model.artifacts import HipSource
from cass_shim.model.config import Config
from cass_shim.model.errors import CassError
from cass_shim.module import Module, load_module
from cass_shim.pipeline import Work, translate_source
from cass_shim.translate.cass import fields, frame
from tools.pairs.generate import CONTEXT, HELD_OUT_BUDGET_S, Pair, Skip, check_pair, joined, reason, tokens
from tools.pairs.kernels import SPLITS, unit
from tools.pairs.naming import Unnameable, named
from tools.pairs.overlap import key

_DUAL = re.compile(r"^v_dual_")
_POINTER = re.compile(r",?\s*void \*const \*bindings\)")  # the binding table, which HIP's own kernarg has not


def single(lines: list[str]) -> list[str]:
    """Two instructions for each pair that runs as one: a pair binds registers that our allocation does not know of.

    Both read before either writes (RDNA3 ISA, "VOPD"), so the one whose result the other reads comes last.
    """
    made: list[str] = []
    for line in lines:
        one, _, other = (part.strip() for part in line.split(";")[0].partition(" :: "))
        if not other:
            made.append(line)
            continue
        first, second = (
            _DUAL.sub("v_", part) + ", vcc_lo" * part.startswith("v_dual_cndmask") for part in (one, other)
        )
        if _reads(second, first):
            first, second = second, first
            if _reads(second, first):
                raise Skip("a pair of instructions that exchanges its registers")
        made += [f"\t{first}", f"\t{second}"]
    return made


def _reads(line: str, other: str) -> bool:
    """Whether an instruction reads what another writes; what accumulates reads its own result too."""
    result = other.split(None, 1)[1].split(",")[0]
    registers = re.findall(r"\bv\d+\b", line)
    return result in (registers if "fmac" in line else registers[1:])


def built(text: str) -> Module:
    """nvcc's module of a source, with SASS of sm_80 and the PTX that it was made of."""
    with tempfile.TemporaryDirectory() as place:
        source, made = Path(place) / "unit.cu", Path(place) / "unit.fatbin"
        source.write_text(text)
        kinds = ["-gencode", "arch=compute_80,code=[sm_80,compute_80]"]
        subprocess.run(["nvcc", "-w", "-fatbin", *kinds, "-o", str(made), str(source)], check=True)
        return load_module(made.read_bytes())


def make_pair(module: Module, name: str, family: str) -> Pair:
    """The verified pair of a kernel. Raises Skip, or what the translation, clang and the verifier raise."""
    assert module.cubin is not None
    sass = decode_kernel(module.cubin.kernels[name], module.cubin)
    hip = translate_source(Work(module, name, Config.read()), "ptx-hip")
    assert isinstance(hip, HipSource)
    if hip.slots:
        raise Skip("needs more than its parameters")
    text, removed = _POINTER.subn(")", hip.text)
    if removed != 1:
        raise Skip("no binding table's pointer to leave out")
    assembly = compile_to_assembly(dataclasses.replace(hip, text=text)).text
    body = assembly.split(f"\n{name}:", 1)[1].split("\t.section", 1)[0].splitlines()[1:]
    found = {one: int(value) for one, value in re.findall(r"\.amdhsa_(\w+) (\d+)\n", assembly)}
    wanted = {one: value for one, value in frame.descriptor(sass).items() if one != "ieee_mode"}  # verified without it
    if any(found.get(one, value) != value for one, value in wanted.items()):
        raise Skip("another descriptor than the SASS tells")
    source = fields.source_lines(sass)
    try:
        pair = Pair(name, family, key(source), joined(source), joined(named(fields.target_lines(single(body)))))
    except Unnameable as error:
        raise Skip(str(error)) from None
    if tokens(pair.source) + tokens(pair.target) + 3 > CONTEXT:
        raise Skip("longer than the context")
    return dataclasses.replace(pair, evidence=check_pair(pair, sass, module.cubin, HELD_OUT_BUDGET_S))


def count(out: Path, first: int, amount: int) -> dict[str, int]:
    """Make the pairs of some training kernels; they and the counts are written to OUT."""
    families, text = unit(SPLITS["train"], first, amount)
    module, counts = built(text), collections.Counter[str]()
    pairs: list[Pair] = []
    for name in sorted(families):
        try:
            pairs.append(make_pair(module, name, families[name]))
            counts[f"verified {pairs[-1].evidence}"] += 1
        except (CassError, Skip) as error:
            counts[f"left out: {type(error).__name__}: {reason(error)}"] += 1
    out.mkdir(parents=True, exist_ok=True)
    lines = "".join(json.dumps(asdict(one)) + "\n" for one in pairs)
    (out / f"{first:07d}.jsonl.gz").write_bytes(gzip.compress(lines.encode(), 1))
    counts |= {"kernels": amount, "pairs": len(pairs)}
    (out / "counts.json").write_text(json.dumps(counts, indent=1))
    return dict(counts)
