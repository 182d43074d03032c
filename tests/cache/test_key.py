"""The key: every field reaches the digest, whatever fields there will be."""

from __future__ import annotations

import dataclasses

import pytest

from cass_shim.cache.key import CacheKey, ptx_key, sass_key
from cass_shim.model.artifacts import Cubin, CubinKernel
from cass_shim.model.instruction import Relocation
from cass_shim.model.kernel_abi import KernelAbi, Param

KEY = CacheKey(code="c", relocations="r", constants="k", parameters="p", sm="sm_80", gfx="gfx1100")
ABI = KernelAbi(params=(Param(0, 0, 8),), params_bytes=8, registers=16)
KERNEL = CubinKernel("f", 80, ABI, b"\1" * 16)


@pytest.mark.parametrize("name", [field.name for field in dataclasses.fields(CacheKey)])
def test_perturbing_any_field_changes_the_digest(name: str) -> None:
    value = getattr(KEY, name)
    changed = dataclasses.replace(KEY, **{name: value + 1 if isinstance(value, int) else value + "x"})
    assert changed.digest != KEY.digest


def test_text_moved_between_fields_changes_the_digest() -> None:
    moved = dataclasses.replace(KEY, code="cr", relocations="")
    assert moved.digest != dataclasses.replace(KEY, code="c", relocations="r").digest


def key_of(kernel: CubinKernel, **facts: object) -> bytes:
    return sass_key(kernel, Cubin(80, b"", {kernel.name: kernel}, **facts), "gfx1100").digest  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "change",
    [
        {"code": b"\2" * 16},
        {"abi": dataclasses.replace(ABI, shared_bytes=4)},
        {"constants": {2: b"x"}},
        {"bank4": {0: Relocation(0, 2, "v")}},
        {"relocations": (Relocation(0, 56, "v", 4),)},
        {"targets": {16: (32,)}},
        {"symbols": {"f": 0, "g": 16}},
        {"sm": 89},
    ],
)
def test_every_fact_of_a_kernel_changes_its_key(change: dict[str, object]) -> None:
    assert key_of(dataclasses.replace(KERNEL, **change)) != key_of(KERNEL)  # type: ignore[arg-type]


def test_the_name_and_the_module_do_not_matter() -> None:
    assert key_of(dataclasses.replace(KERNEL, name="g")) == key_of(KERNEL)


def test_functions_that_an_indirect_call_may_reach_matter() -> None:
    callee = dataclasses.replace(KERNEL, name="callee", token=128)
    moved = dataclasses.replace(callee, token=256)
    keys = {key_of(KERNEL), key_of(KERNEL, functions={"c": callee}), key_of(KERNEL, functions={"c": moved})}
    assert len(keys) == 3


def test_ptx_kernels_of_one_text_differ() -> None:
    assert ptx_key("text", "a", ABI, "gfx1100").digest != ptx_key("text", "b", ABI, "gfx1100").digest
