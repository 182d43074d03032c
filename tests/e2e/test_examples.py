"""Every example, four builds, every route: the output and exit code that a real NVIDIA GPU gave."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from cass_shim.compat.build import VARIANTS as build_variants
from tools import examples, samples

CANNOT_BUILD = samples.can_build()
CASES = [
    (name, variant, route)
    for name in samples.names()
    for variant in samples.VARIANTS
    for route in ("lift", "ptx-hip")
    if variant.has_ptx or route != "ptx-hip"
]


@pytest.mark.slow
@pytest.mark.nvcc
@pytest.mark.skipif(bool(CANNOT_BUILD), reason=CANNOT_BUILD)
@pytest.mark.parametrize(("name", "variant", "route"), CASES, ids=lambda value: getattr(value, "name", value))
def test_example_prints_what_the_gpu_printed(name: str, variant: samples.Variant, route: str, tmp_path: Path) -> None:
    program = samples.build(name, variant)
    cell = examples.run(program, name, variant.name, route, tmp_path / "cache")
    assert not cell.detail, cell.detail


@pytest.mark.slow
@pytest.mark.nvcc
@pytest.mark.skipif(bool(CANNOT_BUILD), reason=CANNOT_BUILD)
@pytest.mark.parametrize("generation", ["static-sm100", "static-sm120"])
@pytest.mark.parametrize("name", samples.names())
def test_machine_code_of_blackwell_alone(name: str, generation: str, tmp_path: Path) -> None:
    """No image of an older SM and no PTX: what the GPU printed comes out all the same."""
    program = samples.build(name, build_variants[generation])
    cell = examples.run(program, name, generation, "lift", tmp_path / "cache")
    assert not cell.detail, cell.detail


# No assembly of one kernel alone can be right: prints need functions beside it, calls through tables too.
NOT_FROM_THE_MODEL = {"device_printf": {"greet", "formats"}, "virtual_call": {"measure"}}


@pytest.mark.slow
@pytest.mark.nvcc
@pytest.mark.skipif(bool(CANNOT_BUILD), reason=CANNOT_BUILD)
@pytest.mark.parametrize("name", samples.names())
def test_the_chain_from_the_model_to_ptx(name: str, tmp_path: Path) -> None:
    """Model, verify, and where the answer is rejected PTX to HIP: right output, and who served what is on record."""
    variant = next(one for one in samples.VARIANTS if one.name == "static-fat")
    program = samples.build(name, variant)
    cell = examples.run(program, name, variant.name, "cass+ptx-hip", tmp_path / "cache")
    assert not cell.detail, cell.detail
    command = [sys.executable, "-m", "cass_shim.cli.main", "inspect", str(program), "--json"]
    settings = {"CASS_TRANSLATORS": "cass,ptx-hip", "CASS_CACHE_DIR": str(tmp_path / "cache")}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env={**os.environ, **settings})
    served = {row["kernel"]: row["route"] for row in json.loads(done.stdout)["kernels"] if row["cache"] == "ready"}
    rejected = NOT_FROM_THE_MODEL.get(name, set())
    assert served
    for kernel, route in served.items():
        expected = "ptx-hip" if any(f"{len(one)}{one}" in kernel for one in rejected) else "cass"
        assert route == expected, kernel


@pytest.mark.parametrize("sample", sorted(samples.PREBUILT_SAMPLES))
def test_prebuilt_sample(sample: str, tmp_path: Path) -> None:
    example = samples.PREBUILT_SAMPLES[sample][0]
    cell = examples.run(samples.PREBUILT / sample, example, sample, "lift,ptx-hip", tmp_path / "cache")
    assert not cell.detail, cell.detail
