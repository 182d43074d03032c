"""The function-wide floating-point choice, read off the instructions: whether the mode flushes denormals.

Where the mode cannot, each instruction that flushes takes three more for every operand and its result. Code of
-use_fast_math has a few that do not flush; so those are told apart for which a denormal is as good as zero.
"""

from __future__ import annotations

from collections.abc import Iterable

from cass_shim.model.instruction import Instruction

# Instructions whose result can depend on whether single-precision denormals are flushed.
_SENSITIVE = frozenset({"FADD", "FMUL", "FFMA", "FMNMX", "FSETP", "FSET", "F2I", "F2IP", "FRND", "F2F", "F2FP"})
# bf16 has f32's denormals, and its sums and products are computed as f32: by functions with a mode of their own
# (`halves`), but for atomics.
_BF16 = ("BF16", "BF16_V2", "BF16x2", "BF16x4", "BF16x8")
_APART = frozenset({"HADD2", "HMUL2", "HFMA2", "HMNMX2", "HSET2", "HSETP2"})
_CALLS = 3  # instructions that flush to one of those: a call takes nine, what flushes for itself three and more
_BY_BITS = frozenset({"F2F", "F2FP", "F2I", "FRND", "I2F", "I2FP", "HMMA"})
_AWAY = ("FLOOR", "CEIL", "RM", "RP")  # roundings by which a denormal may not become zero


def _sensitive(i: Instruction) -> bool:
    if i.mnemonic not in _BY_BITS | _APART and i.has(*_BF16):
        return True
    if i.mnemonic not in _SENSITIVE:
        return False
    if i.mnemonic in ("F2I", "F2IP", "FRND"):
        return not i.has("F64", "F16") and i.has(*_AWAY)
    if i.mnemonic == "F2F":  # all of f32's are zeros in f16; to bf16 is a matter of bits (`Floats._narrow_bf16`)
        return i.has("F32") and (i.has("F64") or i.has(*_AWAY) or i.modifiers.count("F32") > 1)
    if i.mnemonic == "FMUL" and i.has("RZ"):  # `Operations.directed`
        return i.has("FTZ") or i.has("SAT")
    return i.mnemonic != "F2FP" or i.has("RELU")


def flushes_f32(instructions: Iterable[Instruction]) -> bool:
    """Whether every instruction that could tell flushes, so that the hardware's mode can do it for all."""
    listed = list(instructions)
    sensitive = [i for i in listed if _sensitive(i)]
    apart = sum(i.mnemonic in _APART and i.has(*_BF16) for i in listed)
    return all(i.has("FTZ") for i in sensitive) and _CALLS * len(sensitive) > apart
