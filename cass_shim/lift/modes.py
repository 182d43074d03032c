"""The function-wide floating-point choice, read off the instructions: whether the mode flushes denormals."""

from __future__ import annotations

from collections.abc import Iterable

from cass_shim.model.instruction import Instruction

# Instructions whose result can depend on whether single-precision denormals are flushed.
_SENSITIVE = frozenset({"FADD", "FMUL", "FFMA", "FMNMX", "FSETP", "FSET", "F2I", "FRND", "F2F", "F2FP"})


def _sensitive(i: Instruction) -> bool:
    if i.mnemonic not in _SENSITIVE:
        return False
    if i.mnemonic in ("F2I", "FRND"):
        return not i.has("F64", "F16") and not i.has("TRUNC")
    if i.mnemonic == "F2F":
        return i.has("F32")
    return i.mnemonic != "F2FP" or i.has("BF16")


def flushes_f32(instructions: Iterable[Instruction]) -> bool:
    """Whether every instruction that could tell flushes, so that the hardware's mode can do it for all."""
    sensitive = [i for i in instructions if _sensitive(i)]
    return bool(sensitive) and all(i.has("FTZ") for i in sensitive)
