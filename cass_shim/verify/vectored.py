"""Which instruction forms have results recorded on NVIDIA hardware that our meanings reproduce.

In: a kernel. Out: the forms of it without such vectors; empty means agreement counts as E1, else as E1u.
The index `vectored.json` lists the forms of tests/vectors/sass, whose test holds every one of them to the recorded
bits, and MUFU to the error that the PTX manual states; forms without data results (branches, barriers) need none.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files

from cass_shim.isa.spec import CONTROL
from cass_shim.model.artifacts import SassKernel
from cass_shim.verify.program import IGNORED

# Spellings that only name what the operands say anyway.
_SAME = {"IMAD": frozenset({"MOV", "IADD", "SHL"})}
# sm_90's name for the same instruction, or a uniform twin spelled otherwise.
_NAMES = {"RED": "REDG", "VOTEU": "VOTE", "IMNMX": "VIMNMX"}
_HINTS = frozenset({"CONSTANT"})  # which cache serves a load
_FORMS = {
    "I2F": "I2FP.F32.S32",
    "I2F.U32": "I2FP.F32.U32",
    "I2F.RZ": "I2FP.F32.S32.RZ",
    "I2F.U32.RZ": "I2FP.F32.U32.RZ",
}
# Instructions that only move data or read the machine; their meaning is in the interpreter, not in a result.
_PLAIN = frozenset(["S2R", "S2UR", "CS2R", "MOV", "UMOV", "ULDC", "LDC", "BAR", "MEMBAR", "B2R", "BPT"])


@cache
def index() -> frozenset[str]:
    """Forms with vectors, as `form_key` spells them."""
    file = files("cass_shim.verify") / "vectored.json"
    try:
        return frozenset(json.loads(file.read_text(encoding="utf-8"))["forms"])
    except FileNotFoundError:
        return frozenset()


def form_key(mnemonic: str, modifiers: tuple[str, ...]) -> str:
    """Opcode and semantic modifiers; uniform forms count as their vector twins (one meaning serves both)."""
    dropped = _SAME.get(mnemonic, frozenset()) | _HINTS
    key = ".".join((_NAMES.get(mnemonic, mnemonic), *(m for m in modifiers if m not in dropped)))
    return _FORMS.get(key, key)


def unvectored_forms(kernel: SassKernel, known: frozenset[str] | None = None) -> list[str]:
    """Forms of the kernel that no hardware vector covers, sorted. known: those that one covers; None: the index."""
    known = index() if known is None else known
    missing = set()
    for part in (kernel, *kernel.callees.values()):
        for instruction in part.instructions:
            if instruction.mnemonic in CONTROL or instruction.mnemonic in IGNORED or instruction.mnemonic in _PLAIN:
                continue
            key = form_key(instruction.mnemonic, instruction.modifiers)
            twin = key[1:] if key.startswith("U") else key
            if key not in known and twin not in known:
                missing.add(instruction.form)
    return sorted(missing)
