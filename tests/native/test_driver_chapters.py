"""Chapters of the driver's manual, each by a program of its own: green contexts, virtual memory, first versions."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.native.runtime_support import CONFORMANCE, NEED_NVCC, build_program, built, run_emulated

pytestmark = pytest.mark.skipif(bool(NEED_NVCC), reason=NEED_NVCC)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("chapters")
    (made / "libcuda.so").symlink_to(built() / "libcuda.so.1")
    return made


def answers(folder: Path, name: str) -> list[str]:
    """What the program prints, linked against our libcuda.so.1 as it would be against NVIDIA's."""
    flags = (f"-L{folder}", "-lcuda", "-Xlinker", "--allow-shlib-undefined")
    done = run_emulated(build_program(CONFORMANCE / f"{name}.cu", folder, *flags))
    assert done.returncode == 0 and "signal" not in done.stdout, done.stdout + done.stderr
    return done.stdout.splitlines()


def in_order(lines: list[str], *wanted: str) -> bool:
    """Whether the wanted lines are among the lines, in this order."""
    rest = iter(lines)
    return all(any(line == one for line in rest) for one in wanted)


def test_green_contexts_have_parts_of_the_device(folder: Path) -> None:
    lines = answers(folder, "green")
    assert in_order(lines, "device 0", "type 1 whole 1", "split 0", "groups 2 first 8 second 8 together 1", "desc 0")
    assert in_order(lines, "create 0", "as split 1", "stream 0", "of 1", "launch 0", "record 0", "sync 0", "5 8")


def test_memory_is_shared_between_processes(folder: Path) -> None:
    """Mapped, read through a second mapping of an exported handle, and by another process that writes back."""
    lines = answers(folder, "virtual")
    assert in_order(lines, "set 0", "access 0", "flags 3", "read 0", "42", "retain 0", "same 1", "[exported]")
    assert in_order(lines, "[exported]", "supported 1", "export 0", "import 0", "map_imported 0", "9")
    assert in_order(lines, "[between_processes]", "import 0", "read 0", "77", "write 0", "changed to 78")


def test_first_versions_of_memory_calls(folder: Path) -> None:
    """Addresses do not fit 32 bits; arrays and sizes do."""
    lines = answers(folder, "narrow")
    assert in_order(lines, "alloc 2", "kept 1", "free_0 0", "[arrays]", "descriptor 0", "8 4 10 1", "1 2 4", "17 32")
