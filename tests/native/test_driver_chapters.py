"""Chapters of the manuals, each by a program of its own whose answers were recorded on an NVIDIA H200 (driver
580.159.04, CUDA 13.0): ours must be the same, except where the devices differ."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.native.conformance_support import CHAPTERS, differences
from tests.native.runtime_support import CONFORMANCE, NEED_NVCC, build_program, built, run_emulated

pytestmark = pytest.mark.skipif(bool(NEED_NVCC), reason=NEED_NVCC)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("chapters")
    (made / "libcuda.so").symlink_to(built() / "libcuda.so.1")
    return made


@pytest.mark.parametrize("name", CHAPTERS)
def test_answers_are_those_of_a_gpus_driver(folder: Path, name: str) -> None:
    link = (f"-L{folder}", "-lcuda", "-Xlinker", "--allow-shlib-undefined")
    done = run_emulated(build_program(CONFORMANCE / f"{name}.cu", folder, *link, *CHAPTERS[name]))
    assert not differences(name, done.stdout), done.stderr


def test_one_executable_graph_in_streams_of_two_devices(folder: Path) -> None:
    """Nodes run on the device where they were made; launches wait for each other (CUDA Programming Guide, Graphs)."""
    done = run_emulated(build_program(CONFORMANCE / "two_devices.cu", folder), CASS_EMU_DEVICES="2")
    lines = done.stdout.splitlines()
    assert lines.count("launch_0 0") == 2 and lines.count("launch_1 0") == 2, done.stdout + done.stderr
    assert lines[-2:] == ["4 4 4 50", "last 0"]
