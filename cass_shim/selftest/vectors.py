"""Every recorded single instruction, compiled for gfx1100 and run on the device, against the NVIDIA GPU.

This is the whole way down: meaning, emitter, LLVM's AMDGPU back end, linker, loader and the device. In: a device.
Out: (instruction text, where it differs). Also a program of its own (`python -m cass_shim.selftest.vectors KIND`),
because a fault on AMD hardware ends the process.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence

import numpy as np

from cass_shim.assemble import toolchain
from cass_shim.assemble.llvm import generate_object
from cass_shim.device import Device
from cass_shim.lift.emitter import LlvmEmitter
from cass_shim.lift.module import DATA_LAYOUT
from cass_shim.lift.operations import SHARED
from cass_shim.model.errors import Unsupported
from cass_shim.selftest.inputs import LANES, inputs
from cass_shim.selftest.probes import OUTPUTS, Probe, Words, difference, instruction, recorded, write_probe

COLUMNS = 17
_ATTRIBUTES = (
    f'attributes #0 = {{ "amdgpu-flat-work-group-size"="{LANES},{LANES}" "uniform-work-group-size"="true"'
    ' "amdgpu-ieee"="false" }\nattributes #1 = { convergent nounwind alwaysinline }\n'
    f"attributes {SHARED} = {{ nounwind alwaysinline memory(none) }}\n"
    '!0 = !{}\n!1 = !{i32 1, !"amdhsa_code_object_version", i32 500}\n'
    "!llvm.module.flags = !{!1}\n"
)


def _kernel(name: str, probe: Probe) -> tuple[str, LlvmEmitter]:
    e = LlvmEmitter(sm=90)
    lane = e.special("SR_TID.X")
    spaces = "ptr addrspace(1)"
    given = e.text(f"getelementptr [{COLUMNS} x i32], {spaces} %in, i32 {lane.text}")
    result = e.text(f"getelementptr [{OUTPUTS} x i32], {spaces} %out, i32 {lane.text}")
    write_probe(e, instruction(probe), f"{spaces} {given}", f"{spaces} {result}")
    head = f"define amdgpu_kernel void @{name}({spaces} %in, {spaces} %out) #0 {{\nentry:\n"
    return head + "\n".join([*e.allocations(), *e.lines]) + "\n  ret void\n}\n", e


def supported() -> list[tuple[Probe, str]]:
    """The probes that the lifter can translate alone, with the names of their kernels."""
    kept = []
    for number, probe in enumerate(recorded().probes):
        try:
            _kernel("probe", probe)
        except Unsupported:
            continue
        kept.append((probe, f"probe{number}"))
    return kept


def compile_probes(probes: Sequence[tuple[Probe, str]]) -> bytes:
    """One code object with a kernel for each probe."""
    declarations: dict[str, str] = {}
    helpers: dict[str, str] = {}
    bodies = []
    for probe, name in probes:
        text, emitter = _kernel(name, probe)
        declarations |= emitter.declarations
        helpers |= emitter.helpers
        bodies.append(text)
    head = f'target datalayout = "{DATA_LAYOUT}"\ntarget triple = "amdgcn-amd-amdhsa"\n'
    text = head + "\n".join([*declarations.values(), *helpers.values(), *bodies, _ATTRIBUTES])
    return toolchain.link(generate_object(text))


def run_probes(device: Device, probes: Sequence[tuple[Probe, str]]) -> Iterator[tuple[Probe, Words]]:
    """What the device makes of each probe's inputs."""
    with device.load(compile_probes(probes)) as module:
        for probe, name in probes:
            source = device.buffer(np.ascontiguousarray(inputs(probe["text"])[:, :COLUMNS], np.uint32))
            target = device.buffer(np.zeros((LANES, OUTPUTS), np.uint32))
            kernarg = source.address.to_bytes(8, "little") + target.address.to_bytes(8, "little")
            module.function(name).launch((1,), (LANES,), kernarg)
            device.synchronize()
            yield probe, np.asarray(target.read())
            source.close()
            target.close()


def main(kind: str) -> None:
    """Print {"compared", "approximate", "untranslated", "different": {text: where}} for a device of this kind."""
    probes = supported()
    exact = [one for one in probes if not one[0]["text"].startswith("MUFU")]  # approximate on both sides
    wrong = {}
    for probe, found in run_probes(Device.open(kind), exact):
        where = difference(probe, found)
        if where:
            wrong[probe["text"]] = where
    left = len(recorded().probes) - len(probes)
    counts = {"compared": len(exact), "approximate": len(probes) - len(exact), "untranslated": left}
    print(json.dumps({**counts, "different": wrong}))


if __name__ == "__main__":
    main(sys.argv[1])
