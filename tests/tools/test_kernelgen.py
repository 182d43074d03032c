"""Generated kernels on the host give what an H200 gave."""

from __future__ import annotations

import shutil

import pytest

from tools import campaign
from tools.kernelgen import host

needs_gcc = pytest.mark.skipif(shutil.which("g++") is None, reason="no g++")


@needs_gcc
@pytest.mark.parametrize(("first", "count"), [(0, 12), (328, 1), (2639, 1)])
def test_the_host_gives_what_the_gpu_gave(first: int, count: int) -> None:
    """328 rounds a constant beyond 2^63, which NVIDIA's compiler does in a way of its own."""
    found = host.digests(1, first, count)
    assert len(found) == 2 * count and found == campaign.expected(1, first, count)


@needs_gcc
def test_seeds_without_a_recording_are_computed() -> None:
    assert campaign.expected(77, 3, 1) == host.digests(77, 3, 1) != host.digests(78, 3, 1)
