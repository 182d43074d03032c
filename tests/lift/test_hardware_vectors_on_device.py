"""Every recorded single instruction, compiled for gfx1100 and run on the emulated device, against the NVIDIA GPU.

This is the whole way down: meaning, emitter, LLVM's AMDGPU back end, linker, loader and interpreter of the machine
code. It covers what the host cannot run: lanes, dot products, matrices. MUFU is an approximation on both sides and
has its own test; matrix products differ in the order of additions and are compared to a tolerance.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from cass_shim.assemble import toolchain
from cass_shim.assemble.llvm import generate_object
from cass_shim.device import Device
from cass_shim.isa.spec import lookup
from cass_shim.lift.emitter import LlvmEmitter
from cass_shim.lift.module import DATA_LAYOUT
from cass_shim.model.errors import ToolFailed, Unsupported
from cass_shim.native.locate import emulated_hip
from tests.lift.probes import DOCUMENT, OUTPUTS, WORDS, check, instruction, write_probe
from tools.sassvectors.inputs import LANES, inputs

COLUMNS = 17
_ATTRIBUTES = (
    f'attributes #0 = {{ "amdgpu-flat-work-group-size"="{LANES},{LANES}" "uniform-work-group-size"="true"'
    ' "amdgpu-ieee"="false" }\nattributes #1 = { convergent nounwind alwaysinline }\n'
    '!0 = !{}\n!1 = !{i32 1, !"amdhsa_code_object_version", i32 500}\n'
    "!llvm.module.flags = !{!1}\n"
)


def _kernel(name: str, probe: dict[str, Any]) -> tuple[str, dict[str, str], dict[str, str]]:
    e = LlvmEmitter(sm=90)
    lane = e.special("SR_TID.X")
    spaces = "ptr addrspace(1)"
    given = e.text(f"getelementptr [{COLUMNS} x i32], {spaces} %in, i32 {lane.text}")
    result = e.text(f"getelementptr [{OUTPUTS} x i32], {spaces} %out, i32 {lane.text}")
    write_probe(e, instruction(probe), f"{spaces} {given}", f"{spaces} {result}")
    head = f"define amdgpu_kernel void @{name}({spaces} %in, {spaces} %out) #0 {{\nentry:\n"
    return head + "\n".join([*e.allocations(), *e.lines]) + "\n  ret void\n}\n", e.declarations, e.helpers


def _supported() -> list[tuple[dict[str, Any], str]]:
    kept = []
    for number, probe in enumerate(DOCUMENT["probes"]):
        try:
            _kernel("probe", probe)
        except Unsupported:
            continue
        kept.append((probe, f"probe{number}"))
    return kept


PROBES = _supported()


@pytest.fixture(scope="module")
def results() -> dict[str, np.ndarray]:
    """Outputs of every probe by name; one module, one load."""
    try:
        emulated_hip()
    except ToolFailed as missing:
        pytest.skip(str(missing))
    declarations: dict[str, str] = {}
    helpers: dict[str, str] = {}
    bodies = []
    for probe, name in PROBES:
        text, needs, functions = _kernel(name, probe)
        declarations |= needs
        helpers |= functions
        bodies.append(text)
    head = f'target datalayout = "{DATA_LAYOUT}"\ntarget triple = "amdgcn-amd-amdhsa"\n'
    text = head + "\n".join([*declarations.values(), *helpers.values(), *bodies, _ATTRIBUTES])
    device = Device.open("emulated")
    found = {}
    with device.load(toolchain.link(generate_object(text))) as module:
        for probe, name in PROBES:
            given = np.ascontiguousarray(inputs(probe["text"])[:, :COLUMNS], np.uint32)
            source = device.buffer(given)
            target = device.buffer(np.zeros((LANES, OUTPUTS), np.uint32))
            kernarg = source.address.to_bytes(8, "little") + target.address.to_bytes(8, "little")
            module.function(name).launch((1,), (LANES,), kernarg)
            device.synchronize()
            found[name] = target.read()
            source.close()
            target.close()
    return found


def _floating_matrix(probe: dict[str, Any]) -> bool:
    return bool(probe["text"].startswith("HMMA"))


@pytest.mark.slow
@pytest.mark.parametrize(("probe", "name"), PROBES, ids=[p["text"] for p, _ in PROBES])
def test_agrees_with_the_gpu(results: dict[str, np.ndarray], probe: dict[str, Any], name: str) -> None:
    i = instruction(probe)
    if i.mnemonic == "MUFU":
        pytest.skip("approximate: see test_mufu")
    assert lookup(i)
    if not _floating_matrix(probe):
        check(probe, results[name])
        return
    offset = probe["offset"]
    with np.errstate(all="ignore"):
        for part in probe["registers"]:
            expected = WORDS[offset : offset + LANES].view(np.float32)
            got = results[name][:, part].copy().view(np.float32)
            offset += LANES
            finite = np.isfinite(expected) & np.isfinite(got)
            assert np.allclose(got[finite], expected[finite], rtol=1e-5, atol=1e-3)
