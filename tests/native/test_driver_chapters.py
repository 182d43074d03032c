"""Chapters of the manuals, each by a program of its own whose answers were recorded on an NVIDIA H200 (driver
580.159.04, CUDA 13.0): ours must be the same, except where the devices differ."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.native.runtime_support import CONFORMANCE, NEED_NVCC, build_program, built, run_emulated

pytestmark = pytest.mark.skipif(bool(NEED_NVCC), reason=NEED_NVCC)

DEVICE_CODE = ("-rdc=true", "-lcudadevrt")
# Recorded lines that are properties of the H200, and what the emulated device has instead; by section.
OF_THE_DEVICE = {
    # groups of multiprocessors follow the H200's clusters of them; compute capability 8.9 has parts of 4 and 2
    "resources": {
        "groups of 8: 0": "groups of 8: 1",
        "groups 1 first 16": "groups 1 first 10",
        "groups 1 first 8": "groups 1 first 4",
    },
    "mapped": {"unmap_again 0": "unmap_again 1"},  # HIP's answer
    "sparse": {"sparse 1": "sparse 0"},
    "multicast": {"multicast 0 fabric 1": "multicast 0 fabric 0", "fabric 800": "fabric 801"},
    "flushes": {
        "options 1 order 100": "options 0 order 0",
        "owner 0": "owner 801",
        "all 0": "all 801",
        "runtime 0": "runtime 801",
        "runtime_all 0": "runtime_all 801",
        "dmabuf 1": "dmabuf 0",
        "range_handle 0": "range_handle 801",
    },
}
NO_POOLS_BETWEEN_PROCESSES = ("pools", "pool_between_processes")  # attribute 119 is 0 here


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("chapters")
    (made / "libcuda.so").symlink_to(built() / "libcuda.so.1")
    return made


def sections(text: str) -> dict[str, list[str]]:
    """The lines below each "[name]"."""
    found: dict[str, list[str]] = {}
    for line in text.splitlines():
        if line.startswith("["):
            found[line[1:-1]] = []
        else:
            next(reversed(found.values())).append(line)
    return found


@pytest.mark.parametrize(
    ("name", "flags"),
    [
        ("green", ()),
        ("virtual", ()),
        ("narrow", ()),
        ("settings", ()),
        ("external", ()),
        ("graphics", ()),
        ("graph_nodes", ()),
        ("conditional_device", DEVICE_CODE),
    ],
)
def test_answers_are_those_of_a_gpus_driver(folder: Path, name: str, flags: tuple[str, ...]) -> None:
    link = (f"-L{folder}", "-lcuda", "-Xlinker", "--allow-shlib-undefined")
    done = run_emulated(build_program(CONFORMANCE / f"{name}.cu", folder, *link, *flags))
    recorded = sections((CONFORMANCE / f"{name}.expected").read_text())
    ours = sections(done.stdout)
    assert list(ours) == list(recorded), done.stdout + done.stderr
    for section, lines in recorded.items():
        changed = OF_THE_DEVICE.get(section, {})
        if section not in NO_POOLS_BETWEEN_PROCESSES:
            assert ours[section] == [changed.get(line, line) for line in lines], section


def test_one_executable_graph_in_streams_of_two_devices(folder: Path) -> None:
    """Nodes run on the device where they were made; launches wait for each other (CUDA Programming Guide, Graphs)."""
    done = run_emulated(build_program(CONFORMANCE / "two_devices.cu", folder), CASS_EMU_DEVICES="2")
    lines = done.stdout.splitlines()
    assert lines.count("launch_0 0") == 2 and lines.count("launch_1 0") == 2, done.stdout + done.stderr
    assert lines[-2:] == ["4 4 4 50", "last 0"]
