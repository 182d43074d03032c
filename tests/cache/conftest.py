"""A cache server in bazel-remote's layout."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.cache.bazel_remote import CacheServer

__all__ = ["CacheServer", "server"]


@pytest.fixture
def server() -> Iterator[CacheServer]:
    one = CacheServer()
    yield one
    one.server.shutdown()
    one.server.server_close()
