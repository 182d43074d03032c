"""Single SASS instructions with what an NVIDIA GPU made of 512 inputs each: reading, lifting and comparing one.

In: `sm90.json` and `sm90.npz` (tests/vectors/README.md). Out: a probe's instruction, its lifted body, and where a
result differs from the recorded one ("" when it does not). NaN payloads are left open by the emitter's contract, so
any NaN equals any NaN; sums of a floating matrix product are compared to a tolerance, since their order is open.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cass_shim.decode.operands import parse_operands
from cass_shim.isa.spec import lookup
from cass_shim.lift.emitter import LlvmEmitter
from cass_shim.model.instruction import Instruction
from cass_shim.selftest.inputs import LANES
from cass_shim.selftest.material import folder

Words = NDArray[np.uint32]
Probe = dict[str, Any]
REGISTERS = [(base + k, column + k) for base, column in ((8, 0), (12, 4), (16, 8), (32, 12)) for k in range(4)]
PREDICATES = (0, 1, 2, 4, 5)
OUTPUTS = 6  # R32 to R35, P4, P5
MATRIX_RELATIVE, MATRIX_ABSOLUTE = 1e-5, 1e-3


@dataclass(frozen=True)
class Recorded:
    """The document: probes (text, word, registers, predicates, offset into words) and all outputs."""

    probes: list[Probe]
    words: Words


@cache
def recorded() -> Recorded:
    """What was recorded on the NVIDIA GPU."""
    place = folder("tests/vectors/sass")
    document = json.loads((place / "sm90.json").read_text())
    return Recorded(document["probes"], np.load(place / "sm90.npz")["words"])


def instruction(probe: Probe) -> Instruction:
    """The probe's instruction, decoded from its recorded text."""
    opcode, _, operands = probe["text"].partition(" ")
    mnemonic, *modifiers = opcode.split(".")
    word = int(probe["word"], 16)
    parsed = parse_operands(mnemonic, tuple(modifiers), operands.replace(", ", ","), word, 0)
    return Instruction(0, mnemonic, tuple(modifiers), parsed, word=word, text=probe["text"])


def write_probe(e: LlvmEmitter, i: Instruction, inputs: str, outputs: str) -> None:
    """Load the probe's inputs, run it, store its outputs; the two are typed pointers to this lane's words."""
    pointer = inputs.split(" %")[0]
    for register, column in REGISTERS:
        at = e.text(f"getelementptr i32, {inputs}, i32 {column}")
        e.set_reg(register, False, e.op(32, f"load i32, {pointer} {at}"))
    at = e.text(f"getelementptr i32, {inputs}, i32 16")
    packed = e.op(32, f"load i32, {pointer} {at}")
    for bit, number in enumerate(PREDICATES):
        e.set_pred(number, False, e.trunc(e.lshr(packed, e.const(bit, 32)), 1))
    lookup(i).meaning(e, i)
    results = [e.get_reg(32 + k, False) for k in range(4)]
    results += [e.zext(e.get_pred(4 + k, False), 32) for k in range(2)]
    for k, value in enumerate(results):
        at = e.text(f"getelementptr i32, {outputs}, i32 {k}")
        e.raw(f"store i32 {value.text}, {pointer} {at}")


def both_nan(probe: Probe, part: int, found: Words, expected: Words) -> NDArray[np.bool_]:
    """Lanes where both words are, or belong to, NaNs of the instruction's floating type."""
    text = probe["text"].split(" ")[0]
    if text[0] == "D" or "F2F.F64" in text or "FRND.F64" in text:
        return (found[:, 1] & 0x7FFFFFFF >= 0x7FF00000) & (expected[:, 1] & 0x7FFFFFFF >= 0x7FF00000)
    a, b = found[:, part], expected[:, part]
    if (text[0] == "H" and "HADD2.F32" not in text) or "F16" in text:
        limit = 0x7F80 if "BF16" in text else 0x7C00
        same = np.ones(LANES, np.bool_)
        for shift in (0, 16):
            x, y = a >> shift & 0xFFFF, b >> shift & 0xFFFF
            same &= (x == y) | ((x & 0x7FFF > limit) & (y & 0x7FFF > limit))
        return same
    return (a & 0x7FFFFFFF > 0x7F800000) & (b & 0x7FFFFFFF > 0x7F800000)


def difference(probe: Probe, found: Words) -> str:
    """Where LANES rows of OUTPUTS words differ from the recorded ones; "" when they agree."""
    words, offset = recorded().words, probe["offset"]
    expected = np.zeros((LANES, 4), np.uint32)
    for part in probe["registers"]:
        expected[:, part] = words[offset : offset + LANES]
        offset += LANES
    for part in probe["registers"]:
        if probe["text"].startswith("HMMA"):
            lanes = _far(found[:, part], expected[:, part])
        else:
            wrong = found[:, part] != expected[:, part]
            lanes = np.flatnonzero(wrong & ~both_nan(probe, part, found, expected))
        if len(lanes):
            shown = [f"{n}: {found[n, part]:#x}, GPU {expected[n, part]:#x}" for n in lanes[:4]]
            return f"R{32 + part}: {len(lanes)} lanes differ: {shown}"
    held = words[offset : offset + LANES] if probe["predicates"] else words[:0]
    for k in probe["predicates"]:
        lanes = np.flatnonzero(found[:, 4 + k] != held >> k & 1)
        if len(lanes):
            return f"P{4 + k}: {len(lanes)} lanes differ, first {lanes[:4]}"
    return ""


def _far(found: Words, expected: Words) -> NDArray[np.intp]:
    """Lanes whose finite sums are farther apart than the order of additions explains."""
    a, b = found.copy().view(np.float32), expected.copy().view(np.float32)
    with np.errstate(all="ignore"):
        near = np.isclose(a, b, rtol=MATRIX_RELATIVE, atol=MATRIX_ABSOLUTE)
    return np.flatnonzero(np.isfinite(a) & np.isfinite(b) & ~near)
