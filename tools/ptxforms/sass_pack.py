"""`python3 -m tools.ptxforms.sass_pack FOLDER`: the SASS of some recorded probes, as tests/vectors/ptx/probes-sass.npz.

FOLDER: see `tools.ptxforms.sass`. For each form of SASS instruction that has no recorded vectors of its own the first
probe is kept in whose kernel it is the only such form: what the GPU gave for the probe then tells what the form does.
ptxas compiles them again, so that kernel pN is that of the N-th name. Tests need no ptxas then.
"""

from __future__ import annotations

import json
import lzma
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np

from cass_shim.decode import decode_kernel
from cass_shim.extract.cubin import read_cubin
from cass_shim.model.artifacts import Cubin, SassKernel
from cass_shim.model.errors import CassError
from cass_shim.verify.vectored import needs_vectors
from tools.ptxforms.known import FOLDER
from tools.ptxforms.recorded import comparable, recording
from tools.ptxforms.selection import module

FILE = FOLDER / "probes-sass.npz"
_SINGLE = FOLDER.parent / "sass"


# Spellings that only name what the operands say anyway, names of one instruction on several SMs, hints.
_SAME = {"IMAD": frozenset({"MOV", "IADD", "SHL"})}
_NAMES = {"RED": "REDG", "VOTEU": "VOTE", "IMNMX": "VIMNMX"}
_MOVES = frozenset({"MOV", "UMOV", "ULDC", "LDC"})


def form_key(mnemonic: str, modifiers: tuple[str, ...]) -> str:
    """What counts as one form here: opcode and modifiers, whatever the operands are."""
    dropped = _SAME.get(mnemonic, frozenset()) | {"CONSTANT"}
    return ".".join((_NAMES.get(mnemonic, mnemonic), *(m for m in modifiers if m not in dropped)))


@cache
def single_forms() -> frozenset[str]:
    """Forms that were recorded one instruction at a time."""
    found = set()
    for name in ("sm90.json", "memory-sm90.json"):
        for probe in json.loads((_SINGLE / name).read_text())["probes"]:
            mnemonic, *modifiers = probe["text"].split(" ")[0].split(".")
            found.add(form_key(mnemonic, tuple(modifiers)))
    return frozenset(found)


def only_form(kernel: SassKernel) -> str:
    """The one form without vectors of its own, as `form_key` spells it; "" where there is none or several."""
    forms = set()
    for part in (kernel, *kernel.callees.values()):
        for one in part.instructions:
            key = form_key(one.mnemonic, one.modifiers)
            if needs_vectors(one) and one.mnemonic not in _MOVES and not {key, key.removeprefix("U")} & single_forms():
                forms.add(key)
    return forms.pop() if len(forms) == 1 else ""


def choose(cubin: Cubin, names: Sequence[str]) -> list[str]:
    """Names of probes, one for each form. names: of the cubin's kernels p0, p1, …"""
    comparables = {probe.name for probe in recording().probes if comparable(probe)}
    found: dict[str, str] = {}
    for number, name in enumerate(names):
        if name not in comparables:
            continue
        try:
            form = only_form(decode_kernel(cubin.kernels[f"p{number}"], cubin))
        except CassError:
            continue
        if form:
            found.setdefault(form, name)
    return sorted(found.values())


def pack(names: Sequence[str]) -> None:
    """Compile these probes and write FILE."""
    probes = {probe.name: probe for probe in recording().probes}
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / "probes.ptx", Path(folder) / "probes.cubin"
        source.write_text(module(probes[name] for name in names))
        subprocess.run(["ptxas", "-arch=sm_90", str(source), "-o", str(target)], check=True)
        packed = lzma.compress(target.read_bytes(), preset=9)
    meta = json.dumps({"names": list(names), "by": "ptxas 13.0, sm_90"}).encode()
    np.savez_compressed(FILE, cubin=np.frombuffer(packed, np.uint8), meta=np.frombuffer(meta, np.uint8))


@cache
def packed() -> tuple[Cubin, tuple[str, ...]]:
    """The cubin, and the names of the probes whose kernels p0, p1, … it holds."""
    with np.load(FILE) as file:
        meta = json.loads(bytes(file["meta"]))
        return read_cubin(lzma.decompress(bytes(file["cubin"])), "probes"), tuple(meta["names"])


def main(arguments: list[str]) -> None:
    """Choose and pack."""
    folder = Path(arguments[0])
    names = [one["name"] for one in json.loads((folder / "probes.json").read_text())]
    chosen = choose(read_cubin((folder / "probes.cubin").read_bytes(), "probes"), names)
    pack(chosen)
    print(f"{len(chosen)} probes in {FILE.name}, {FILE.stat().st_size} bytes")


if __name__ == "__main__":
    main(sys.argv[1:])
