"""The emitter's LLVM IR, compiled for this machine, against results recorded on a real NVIDIA GPU.

Every recorded single instruction that needs no lane of its own and no AMDGPU intrinsic becomes a function from
registers to registers. NaN payloads are left open by the emitter's contract, so any NaN equals any NaN.
"""

from __future__ import annotations

import ctypes
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from llvmlite import binding

from cass_shim.decode.operands import parse_operands
from cass_shim.isa.spec import Effect, lookup
from cass_shim.lift.emitter import LlvmEmitter
from cass_shim.model.errors import Unsupported
from cass_shim.model.instruction import Instruction
from tools.sassvectors.inputs import LANES, inputs

VECTORS = Path(__file__).resolve().parents[1] / "vectors" / "sass"
REGISTERS = [(base + k, column + k) for base, column in ((8, 0), (12, 4), (16, 8), (32, 12)) for k in range(4)]
PREDICATES = (0, 1, 2, 4, 5)
OUTPUTS = 6  # R32 to R35, P4, P5
DOCUMENT: dict[str, Any] = json.loads((VECTORS / "sm90.json").read_text())
WORDS = np.load(VECTORS / "sm90.npz")["words"]


def instruction(probe: dict[str, Any]) -> Instruction:
    opcode, _, operands = probe["text"].partition(" ")
    mnemonic, *modifiers = opcode.split(".")
    word = int(probe["word"], 16)
    parsed = parse_operands(mnemonic, tuple(modifiers), operands.replace(", ", ","), word, 0)
    return Instruction(0, mnemonic, tuple(modifiers), parsed, word=word, text=probe["text"])


def function_text(name: str, i: Instruction) -> tuple[str, dict[str, str]]:
    """A function (inputs, outputs) that runs the instruction once; its declarations."""
    e = LlvmEmitter(sm=90)
    for register, column in REGISTERS:
        at = e.text(f"getelementptr i32, ptr %in, i32 {column}")
        e.set_reg(register, False, e.op(32, f"load i32, ptr {at}"))
    at = e.text("getelementptr i32, ptr %in, i32 16")
    packed = e.op(32, f"load i32, ptr {at}")
    for bit, number in enumerate(PREDICATES):
        e.set_pred(number, False, e.trunc(e.lshr(packed, e.const(bit, 32)), 1))
    lookup(i).meaning(e, i)
    results = [e.get_reg(32 + k, False) for k in range(4)]
    results += [e.zext(e.get_pred(4 + k, False), 32) for k in range(2)]
    for k, value in enumerate(results):
        at = e.text(f"getelementptr i32, ptr %out, i32 {k}")
        e.raw(f"store i32 {value.text}, ptr {at}")
    body = "\n".join([f"define void @{name}(ptr %in, ptr %out) {{", "entry:", *e.allocations(), *e.lines])
    return (body + "\n  ret void\n}\n").replace(", addrspace(5)", "").replace(" addrspace(5)", ""), e.declarations


def compiled_probes() -> tuple[str, list[tuple[dict[str, Any], str]]]:
    """IR text of all probes that this machine can run, and their functions' names."""
    bodies, declarations, kept = [], {}, []
    for number, probe in enumerate(DOCUMENT["probes"]):
        i = instruction(probe)
        try:
            if lookup(i).effect is not Effect.REGISTERS:
                continue
            text, needs = function_text(f"probe{number}", i)
        except Unsupported:
            continue
        if any("amdgcn" in name for name in needs):
            continue
        bodies.append(text)
        declarations |= needs
        kept.append((probe, f"probe{number}"))
    return "\n".join([*declarations.values(), *bodies]), kept


TEXT, PROBES = compiled_probes()


@pytest.fixture(scope="module")
def engine() -> Iterator[binding.ExecutionEngine]:
    binding.load_library_permanently("libgcc_s.so.1")  # conversions of halves
    binding.load_library_permanently("libm.so.6")
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    module = binding.parse_assembly(TEXT)
    features = binding.get_host_cpu_features().flatten()
    machine = binding.Target.from_default_triple().create_target_machine(
        cpu=binding.get_host_cpu_name(), features=features, opt=1
    )
    made = binding.create_mcjit_compiler(module, machine)
    made.finalize_object()
    yield made


def run(engine: binding.ExecutionEngine, name: str, given: np.ndarray) -> np.ndarray:
    function = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(engine.get_function_address(name))
    given = np.ascontiguousarray(given, np.uint32)
    out = np.zeros((LANES, OUTPUTS), np.uint32)
    for lane in range(LANES):
        function(given[lane].ctypes.data, out[lane].ctypes.data)
    return out


def both_nan(probe: dict[str, Any], part: int, found: np.ndarray, expected: np.ndarray) -> np.ndarray:
    """Lanes where both words are, or belong to, NaNs of the instruction's floating type."""
    text = probe["text"].split(" ")[0]
    if text[0] == "D" or "F2F.F64" in text or "FRND.F64" in text:
        return (found[:, 1] & 0x7FFFFFFF >= 0x7FF00000) & (expected[:, 1] & 0x7FFFFFFF >= 0x7FF00000)
    a, b = found[:, part], expected[:, part]
    if (text[0] == "H" and "HADD2.F32" not in text) or "F16" in text:
        limit = 0x7F80 if "BF16" in text else 0x7C00
        same = np.ones(LANES, bool)
        for shift in (0, 16):
            x, y = a >> shift & 0xFFFF, b >> shift & 0xFFFF
            same &= (x == y) | ((x & 0x7FFF > limit) & (y & 0x7FFF > limit))
        return same
    return (a & 0x7FFFFFFF > 0x7F800000) & (b & 0x7FFFFFFF > 0x7F800000)


def test_most_vectors_are_run() -> None:
    assert len(PROBES) > 0.75 * len(DOCUMENT["probes"])


@pytest.mark.parametrize(("probe", "name"), PROBES, ids=[p["text"] for p, _ in PROBES])
def test_agrees_with_the_gpu(engine: binding.ExecutionEngine, probe: dict[str, Any], name: str) -> None:
    given = inputs(probe["text"])
    found = run(engine, name, given)
    offset = probe["offset"]
    expected = np.zeros((LANES, 4), np.uint32)
    for part in probe["registers"]:
        expected[:, part] = WORDS[offset : offset + LANES]
        offset += LANES
    for part in probe["registers"]:
        wrong = found[:, part] != expected[:, part]
        wrong &= ~both_nan(probe, part, found, expected)
        lanes = np.flatnonzero(wrong)
        shown = [f"{n}: {found[n, part]:#x}, GPU {expected[n, part]:#x}" for n in lanes[:4]]
        assert not len(lanes), f"R{32 + part}: {len(lanes)} lanes differ: {shown}"
    if probe["predicates"]:
        held = WORDS[offset : offset + LANES]
        for k in probe["predicates"]:
            lanes = np.flatnonzero(found[:, 4 + k] != held >> k & 1)
            assert not len(lanes), f"P{4 + k}: {len(lanes)} lanes differ, first {lanes[:4]}"
