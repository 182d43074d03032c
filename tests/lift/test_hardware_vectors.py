"""The emitter's LLVM IR, compiled for this machine, against results recorded on a real NVIDIA GPU.

Every recorded single instruction that needs no lane of its own and no AMDGPU intrinsic becomes a function from
registers to registers. NaN payloads are left open by the emitter's contract, so any NaN equals any NaN.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from llvmlite import binding

from cass_shim.isa.spec import Effect, lookup
from cass_shim.lift.emitter import LlvmEmitter
from cass_shim.model.errors import Unsupported
from cass_shim.model.instruction import Instruction
from tests.lift.probes import OUTPUTS, check, instruction, write_probe
from tests.lift.probes import PROBES as RECORDED
from tools.sassvectors.inputs import LANES, inputs


def function_text(name: str, i: Instruction) -> tuple[str, dict[str, str]]:
    """A function (inputs, outputs) that runs the instruction once; what it declares and calls, by name."""
    e = LlvmEmitter(sm=90)
    write_probe(e, i, "ptr %in", "ptr %out")
    body = "\n".join([f"define void @{name}(ptr %in, ptr %out) {{", "entry:", *e.allocations(), *e.lines])
    text = (body + "\n  ret void\n}\n").replace(", addrspace(5)", "").replace(" addrspace(5)", "")
    return text, {**e.declarations, **e.helpers}


def compiled_probes() -> tuple[str, list[tuple[dict[str, Any], str]]]:
    """IR text of all probes that this machine can run, and their functions' names."""
    bodies, declarations, kept = [], {}, []
    for number, probe in enumerate(RECORDED):
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
    attributes = [f"attributes #{number} = {{ noinline }}" for number in (1, 3, 4, 5)]  # of what is called
    return "\n".join([*declarations.values(), *bodies, *attributes]), kept


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


def test_most_vectors_are_run() -> None:
    assert len(PROBES) > 0.75 * len(RECORDED)


@pytest.mark.parametrize(("probe", "name"), PROBES, ids=[p["text"] for p, _ in PROBES])
def test_agrees_with_the_gpu(engine: binding.ExecutionEngine, probe: dict[str, Any], name: str) -> None:
    check(probe, run(engine, name, inputs(probe["text"])))
