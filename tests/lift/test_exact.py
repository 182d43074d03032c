"""Quotients, reciprocals and square roots as known helpers are replaced by, against the host's IEEE arithmetic."""

from __future__ import annotations

import numpy as np
import pytest

from cass_shim.assemble import toolchain
from cass_shim.assemble.llvm import generate_object
from cass_shim.device import Device
from cass_shim.lift.emitter import LlvmEmitter
from cass_shim.lift.module import DATA_LAYOUT
from cass_shim.lift.operations import INLINED
from cass_shim.model.errors import ToolFailed
from cass_shim.native.locate import emulated_hip

COUNT, BLOCK = 1 << 14, 256
SPECIAL = (0, 0x80000000, 1, 0x80000001, 0x7F800000, 0xFF800000, 0x7FC00000, 0x3F800000, 0x7FFFFF, 0x800000, 0x7F7FFFFF)
_TAIL = f"""
  ret void
}}
attributes {INLINED} = {{ alwaysinline memory(none) }}
attributes #0 = {{ "amdgpu-flat-work-group-size"="{BLOCK},{BLOCK}" "uniform-work-group-size"="true" }}
!0 = !{{}}
!1 = !{{i32 1, !"amdhsa_code_object_version", i32 500}}
!llvm.module.flags = !{{!1}}
"""


def operands() -> tuple[np.ndarray, np.ndarray]:
    chance = np.random.default_rng(5)
    a, b = (chance.integers(0, 1 << 32, COUNT, dtype=np.uint32) for _ in range(2))
    special = np.array(SPECIAL, np.uint32)
    a[:2000], b[1000:3000] = chance.choice(special, 2000), chance.choice(special, 2000)
    a[3000:5000] &= 0x807FFFFF
    b[4000:6000] &= 0x807FFFFF
    return a.view(np.float32), b.view(np.float32)


def computed(operation: str, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    e = LlvmEmitter()
    index = e.add(e.mul(e.special("SR_CTAID.X"), e.const(BLOCK, 32)), e.special("SR_TID.X"))
    loaded = []
    for name in "ab":
        place = e.text(f"getelementptr i32, ptr addrspace(1) %{name}, i32 {index.text}")
        loaded.append(e.op(32, f"load i32, ptr addrspace(1) {place}"))
    sources = {"fdiv": loaded, "rcp": loaded[1:], "sqrt": loaded[:1]}[operation]
    result = e.exact32(operation, sources)
    place = e.text(f"getelementptr i32, ptr addrspace(1) %c, i32 {index.text}")
    e.raw(f"store i32 {result.text}, ptr addrspace(1) {place}")
    head = f'target datalayout = "{DATA_LAYOUT}"\ntarget triple = "amdgcn-amd-amdhsa"\n'
    parameters = ", ".join(f"ptr addrspace(1) %{name}" for name in "abc")
    called = [*e.declarations.values(), *e.functions()]
    body = "\n".join([*called, f"define amdgpu_kernel void @k({parameters}) #0 {{", *e.lines])
    device = Device.open("emulated")
    with device.load(toolchain.link(generate_object(head + body + _TAIL))) as module:
        buffers = [device.buffer(v) for v in (a, b, np.zeros(COUNT, np.float32))]
        kernarg = b"".join(one.address.to_bytes(8, "little") for one in buffers)
        module.function("k").launch((COUNT // BLOCK,), (BLOCK,), kernarg)
        device.synchronize()
        found = np.asarray(buffers[2].read())
        for one in buffers:
            one.close()
    return found


@pytest.mark.parametrize("operation", ["fdiv", "rcp", "sqrt"])
def test_is_correctly_rounded(operation: str) -> None:
    try:
        emulated_hip()
    except ToolFailed as missing:
        pytest.skip(str(missing))
    a, b = operands()
    found = computed(operation, a, b)
    with np.errstate(all="ignore"):
        expected = {"fdiv": a / b, "rcp": np.float32(1) / b, "sqrt": np.sqrt(a)}[operation]
    wrong = (found.view(np.uint32) != expected.view(np.uint32)) & ~(np.isnan(found) & np.isnan(expected))
    lanes = np.flatnonzero(wrong)
    assert not len(lanes), [(a[n], b[n], found[n], expected[n]) for n in lanes[:4]]
