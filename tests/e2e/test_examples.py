"""Every example, four builds, every route: the output and exit code that a real NVIDIA GPU gave."""

from __future__ import annotations

from pathlib import Path

import pytest

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


@pytest.mark.parametrize("sample", sorted(samples.PREBUILT_SAMPLES))
def test_prebuilt_sample(sample: str, tmp_path: Path) -> None:
    example = samples.PREBUILT_SAMPLES[sample][0]
    cell = examples.run(samples.PREBUILT / sample, example, sample, "lift,ptx-hip", tmp_path / "cache")
    assert not cell.detail, cell.detail
