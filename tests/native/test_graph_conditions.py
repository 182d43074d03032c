"""Conditional nodes and batches of memory operations; what the answers must be follows from the CUDA Programming
Guide's rules (CUDA Graphs, conditional nodes)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.native.runtime_support import CONFORMANCE, NEED_NVCC, build_program, built, run_emulated

pytestmark = pytest.mark.skipif(bool(NEED_NVCC), reason=NEED_NVCC)


def test_kernels_choose_what_runs(tmp_path: Path) -> None:
    """While, if with else, switch, a captured body; the condition is set by the kernels of the graph itself."""
    done = run_emulated(build_program(CONFORMANCE / "conditional_device.cu", tmp_path, "-rdc=true", "-lcudadevrt"))
    shown = [line for line in done.stdout.splitlines() if line.endswith("last 0")]
    assert shown == [
        "while 0 10 5 0 last 0",  # five rounds
        "again -1 12 6 0 last 0",  # the default value is assigned again, one round
        "if 1 0 1 0 last 0",
        "else 1 1 2 0 last 0",
        "switch 10 0 0 0 last 0",
        "switch 10 0 10 0 last 0",
        "switch 10 0 10 0 last 0",  # 4 is no body
        "captured 0 6 0 0 last 0",
    ], done.stderr


def test_default_values_and_batches(tmp_path: Path) -> None:
    """Conditions that no kernel sets; words written and waited for inside a graph, and in a capture."""
    (tmp_path / "libcuda.so").symlink_to(built() / "libcuda.so.1")
    flags = (f"-L{tmp_path}", "-lcuda", "-Xlinker", "--allow-shlib-undefined")
    lines = run_emulated(build_program(CONFORMANCE / "graph_nodes.cu", tmp_path, *flags)).stdout.splitlines()
    for line in ("after 7 0 2 1", "set 9 0 2 1", "not in exec 9 0 2 1", "updated 11 0 2 1", "captured 22 33 2 1"):
        assert line in lines
    # if 1: +3; else of 0: +100; case 2: +4000; while 0: nothing
    assert "after 4103 4103 4103 4103" in lines and "again 8206 8206 8206 8206" in lines
