"""The verifier end to end on the emulated device: right translations pass, wrong ones are rejected with a witness."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from cass_shim.assemble.llvm import assemble_llvm
from cass_shim.decode import decode_kernel
from cass_shim.device import Device
from cass_shim.extract.cubin import read_cubin
from cass_shim.extract.fatbin import read_fatbins
from cass_shim.lift import lift_kernel
from cass_shim.model.artifacts import CodeObject, Cubin, Evidence, SassKernel
from cass_shim.model.errors import CassError, DeviceFailed, Rejected
from cass_shim.pipeline import Work
from cass_shim.verify import search, verify_kernel
from cass_shim.verify.candidate import BESIDES, HIP_TIMED_OUT, Candidate
from tests.verify.support import from_ptx
from tools.mutation.sass import branch_mutants, mutants

PREBUILT = Path(__file__).parents[2] / "examples" / "prebuilt"
SAMPLE = Path(__file__).parents[1] / "extract" / "data" / "sample.sm_80.cubin"


@cache
def kernels(name: str) -> tuple[Cubin, tuple[SassKernel, ...]]:
    data = SAMPLE.read_bytes() if name == "sample" else (PREBUILT / name).read_bytes()
    entries = [e for fatbin in read_fatbins(data, name) for e in fatbin.entries if e.kind == 2]
    cubin = read_cubin(entries[0].payload, name)
    return cubin, tuple(decode_kernel(k, cubin) for k in cubin.kernels.values())


@cache
def lifted(name: str, index: int) -> CodeObject:
    sass = kernels(name)[1][index]
    return assemble_llvm(lift_kernel(sass), sass.abi)


@pytest.mark.parametrize("name", ["sample", "vector_add_static", "mandelbrot_shared", "symbols_shared_sass"])
def test_right_translations_are_accepted(name: str, device: Device) -> None:
    cubin, found = kernels(name)
    for index, sass in enumerate(found):
        verified = verify_kernel(lifted(name, index), sass, cubin, device)
        assert verified.evidence >= Evidence.E1U, verified.report
        report = verified.report
        assert len(report["inputs"]) >= 3 and report["bytes_compared"] > 0  # type: ignore[arg-type, operator]
        ran, total = report["instructions_covered"]  # type: ignore[misc]
        assert ran >= 0.9 * total - 1


def test_wrong_translations_are_rejected(device: Device) -> None:
    """Lifted mutants of three kernels against the unchanged kernels; every one that differs must be caught."""
    survivors, rejected = [], 0
    for name in ("sample", "vector_add_static", "symbols_shared_sass"):
        cubin, found = kernels(name)
        for index, sass in enumerate(found):
            for how, mutant in (*mutants(sass, 8, 3), *branch_mutants(sass)):
                try:
                    code = assemble_llvm(lift_kernel(mutant), sass.abi)
                except CassError:
                    continue
                if code.elf == lifted(name, index).elf:
                    continue
                try:
                    verify_kernel(code, sass, cubin, device, budget_s=0.5)
                    survivors.append(f"{sass.name} {how}")
                except Rejected as error:
                    rejected += 1
                    assert error.witness
    assert rejected >= 15 and not survivors, survivors


def test_another_kernel_with_the_same_parameters_is_rejected(device: Device) -> None:
    cubin, (sass,) = kernels("vector_add_static")
    add = next(k for k in kernels("sample")[1] if k.name == "add")
    code = assemble_llvm(lift_kernel(add), add.abi)
    with pytest.raises(Rejected) as caught:
        verify_kernel(replace(code, slots=()), sass, cubin, device)
    assert "grid (2, 1, 1)" in caught.value.witness


def test_a_kernel_that_never_ends_is_rejected(device: Device) -> None:
    cubin, (sass,) = kernels("vector_add_static")
    text = lift_kernel(sass)
    # the last return becomes a loop: the store happens, the kernel does not end
    looping = replace(text, text=text.text.replace("ret void", "br label %again\nagain:\n  br label %again", 1))
    try:
        code = assemble_llvm(looping, sass.abi)
    except CassError as error:
        pytest.skip(f"not expressible: {error}")
    with pytest.raises(Rejected, match="launch failed"):
        verify_kernel(code, sass, cubin, device)
    verify_kernel(lifted("vector_add_static", 0), sass, cubin, device)  # the device is usable again


def test_damaged_code_is_rejected_before_it_runs() -> None:
    cubin, (sass,) = kernels("vector_add_static")
    code = lifted("vector_add_static", 0)
    rng = random.Random(1)
    for _ in range(40):
        elf = bytearray(code.elf)
        for _ in range(3):
            elf[rng.randrange(64, len(elf))] ^= 1 << rng.randrange(8)
        try:
            verify_kernel(replace(code, elf=bytes(elf)), None, None)
        except Rejected:
            continue
    with pytest.raises(Rejected):
        verify_kernel(replace(code, elf=code.elf[: len(code.elf) // 2]), sass, cubin)


def test_without_sass_only_the_contract_is_checked() -> None:
    verified = verify_kernel(lifted("vector_add_static", 0), None, None)
    assert verified.evidence is Evidence.E0 and "no SASS" in str(verified.report["reference"])


def test_a_translation_that_never_ends_is_stopped_early(vector_add: Work, device: Device) -> None:
    """Its waves run as long as the reference's short run lets them, not as long as any launch may."""
    work = vector_add
    endless = from_ptx(work, ", f2 + f1);", ", f2 + f1); while (true) __builtin_amdgcn_s_sleep(1);")
    before = device.spent()
    with pytest.raises(Rejected, match="the launch failed"):
        verify_kernel(endless, work.sass, work.module.cubin, device)
    assert 1 < (device.spent() - before) / BESIDES < 40
    device.reset()
    # The limit of the verifier's launch is not that of others.
    loop = "for (u32 i = 0; i < 300000; i++) __builtin_amdgcn_s_sleep(0);"
    long = from_ptx(work, "const i32 r1 =", f"{loop}\n    const i32 r1 =")
    before = device.spent()
    device.load(long.elf).function(long.symbol).launch((1, 1, 1), (32, 1, 1), bytes(long.bindings_offset + 8))
    device.synchronize()
    assert device.spent() - before > 2 * BESIDES


@pytest.mark.parametrize("long_steps", [1, 10**9])
def test_a_right_translation_may_be_too_long_for_the_device(
    long_steps: int, device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The third launch is stopped for its length: only where the reference was long too does nothing follow from it,
    and the other inputs and the second opinion are tried all the same."""
    cubin, (sass,) = kernels("vector_add_static")
    launches, run = [], Candidate.run

    def stopped(self: Candidate, *arguments: Any) -> Any:
        launches.append(arguments)
        if len(launches) == 3:
            raise DeviceFailed("hipStreamQuery", HIP_TIMED_OUT, "instruction limit reached")
        return run(self, *arguments)

    monkeypatch.setattr(Candidate, "run", stopped)
    monkeypatch.setattr(search, "LONG_STEPS", long_steps)
    if long_steps > 1:
        with pytest.raises(Rejected, match="the launch failed"):
            verify_kernel(lifted("vector_add_static", 0), sass, cubin, device)
        return
    code = lifted("vector_add_static", 0)
    verified = verify_kernel(code, sass, cubin, device, second=(lambda: code, 20.0))
    assert verified.evidence is Evidence.E2 and len(verified.report["inputs"]) > 4  # type: ignore[arg-type]
    assert "too slow" in verified.report["skipped"][0]  # type: ignore[index]


def test_inputs_that_are_too_long_again_end_the_search(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    cubin, (sass,) = kernels("vector_add_static")
    launches, run = [], Candidate.run

    def stopped(self: Candidate, *arguments: Any) -> Any:
        launches.append(arguments)
        if len(launches) > 1:
            raise DeviceFailed("hipStreamQuery", HIP_TIMED_OUT, "instruction limit reached")
        return run(self, *arguments)

    monkeypatch.setattr(Candidate, "run", stopped)
    monkeypatch.setattr(search, "LONG_STEPS", 1)
    verified = verify_kernel(lifted("vector_add_static", 0), sass, cubin, device)
    assert len(launches) == 1 + search.STOPPED and len(verified.report["inputs"]) == 1  # type: ignore[arg-type]
