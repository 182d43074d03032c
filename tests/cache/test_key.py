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


# What an empty container is perturbed to; a container field that is added later needs a row here.
SAMPLES: dict[str, object] = {
    "symbols": {"f": 0},
    "constants": {2: b"x"},
    "bank4": {0: Relocation(0, 2, "v")},
    "relocations": (Relocation(0, 56, "v"),),
    "targets": {16: (32,)},
    "references": {0x168: "v"},
    "params": (Param(0, 0, 4),),
    "required_block": (32, 1, 1),
}
# A kernel's name and its place in its module are not what an answer must satisfy.
FREE = {"name", "token"}


def perturbed(name: str, value: object) -> object:
    """Another value of the same kind."""
    if name in SAMPLES:
        return SAMPLES[name]
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, bytes):
        return value + b"\1"
    if isinstance(value, str):
        return value + "x"
    raise AssertionError(f"{name}: give it a row in SAMPLES")


@pytest.mark.parametrize("name", [one.name for one in dataclasses.fields(CubinKernel) if one.name != "abi"])
def test_perturbing_any_field_of_a_kernel_changes_its_key(name: str) -> None:
    changed = dataclasses.replace(KERNEL, **{name: perturbed(name, getattr(KERNEL, name))})  # type: ignore[arg-type]
    assert (key_of(changed) == key_of(KERNEL)) == (name in FREE)


@pytest.mark.parametrize("name", [one.name for one in dataclasses.fields(KernelAbi)])
def test_perturbing_any_field_of_the_contract_changes_both_kinds_of_key(name: str) -> None:
    abi = dataclasses.replace(ABI, **{name: perturbed(name, getattr(ABI, name))})  # type: ignore[arg-type]
    assert key_of(dataclasses.replace(KERNEL, abi=abi)) != key_of(KERNEL)
    assert ptx_key("text", "a", abi, "gfx1100").digest != ptx_key("text", "a", ABI, "gfx1100").digest


@pytest.mark.parametrize("name", [one.name for one in dataclasses.fields(Param)])
def test_perturbing_any_field_of_a_parameter_changes_the_key(name: str) -> None:
    (param,) = ABI.params
    abi = dataclasses.replace(ABI, params=(dataclasses.replace(param, **{name: getattr(param, name) + 1}),))
    assert key_of(dataclasses.replace(KERNEL, abi=abi)) != key_of(KERNEL)


@pytest.mark.parametrize("name", [one.name for one in dataclasses.fields(Relocation)])
@pytest.mark.parametrize("place", ["relocations", "bank4"])
def test_perturbing_any_field_of_a_relocation_changes_the_key(name: str, place: str) -> None:
    first = Relocation(0, 2, "v", 4)
    keys = set()
    for one in (first, dataclasses.replace(first, **{name: perturbed(name, getattr(first, name))})):  # type: ignore[arg-type]
        keys.add(key_of(dataclasses.replace(KERNEL, **{place: (one,) if place == "relocations" else {0: one}})))  # type: ignore[arg-type]
    assert len(keys) == 2


def test_the_target_changes_the_key() -> None:
    cubin = Cubin(80, b"", {KERNEL.name: KERNEL})
    assert sass_key(KERNEL, cubin, "gfx1100").digest != sass_key(KERNEL, cubin, "gfx1030").digest


def test_functions_that_an_indirect_call_may_reach_matter() -> None:
    callee = dataclasses.replace(KERNEL, name="callee", token=128)
    moved = dataclasses.replace(callee, token=256)
    keys = {key_of(KERNEL), key_of(KERNEL, functions={"c": callee}), key_of(KERNEL, functions={"c": moved})}
    keys.add(key_of(KERNEL, functions={"c": callee}, pointed=frozenset({128})))
    assert len(keys) == 4


def test_ptx_kernels_of_one_text_differ() -> None:
    assert ptx_key("text", "a", ABI, "gfx1100").digest != ptx_key("text", "b", ABI, "gfx1100").digest
