"""Runs generated HIP on the emulated device. Skips by name where it is not built."""

from __future__ import annotations

import functools

import pytest

from cass_shim.assemble import toolchain
from cass_shim.assemble.hip import compile_to_assembly
from cass_shim.device import Device, Module
from cass_shim.isa.ptx.prelude import HEADER, select, words_of
from cass_shim.model.artifacts import HipSource, PtxModule
from cass_shim.model.errors import DeviceFailed
from cass_shim.translate.ptx_hip.program import write_own
from cass_shim.translate.ptx_hip.translate import kernel_abi, parsed


@functools.cache
def device() -> Device:
    try:
        return Device.open("emulated")
    except DeviceFailed as error:
        pytest.skip(f"no emulated device: {error}")


def build(module: PtxModule, names: list[str]) -> Module:
    """Several kernels of a module in one code object: one compiler call for all of them."""
    tree = parsed(module.text)
    parts = []
    for name in names:
        _, own = write_own(tree, name, kernel_abi(module, name), {})
        parts.append(f"namespace of_{name} {{\n{own}\n}}")
    body = "\n".join(parts)
    text = "\n".join([HEADER, select(words_of(body)), "", body])
    assembly = compile_to_assembly(HipSource(text, names[0])).text
    return device().load(toolchain.link(toolchain.assemble_object(assembly)))
