"""Real servers for the conformance suite, started on free ports in temporary folders and ended with the session.

Each fixture gives what CASS_REMOTES would say, and skips by name where the server is not installed.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from cass_shim.cache.places import open_store
from cass_shim.cache.remote import ObjectStore
from tests.cache.conftest import CacheServer
from tools import team_servers
from tools.team_servers import AWS, SERVERS, Missing

STORES = ("directory", "stand-in", "nginx_server", "bazel_remote", "redis_server", "valkey_server", "s3_server")


@contextmanager
def skipping() -> Iterator[None]:
    """A server that is not installed skips the test by name."""
    try:
        yield
    except Missing as error:
        pytest.skip(str(error))


def program(name: str, package: str) -> str:
    with skipping():
        return team_servers.program(name, package)


@contextmanager
def started(name: str, folders: pytest.TempPathFactory) -> Iterator[str]:
    """A server of `SERVERS` for as long as the block."""
    with skipping():
        server = SERVERS[name](folders.mktemp(name), "127.0.0.1")
        place = server.__enter__()
    try:
        yield place
    finally:
        server.__exit__(None, None, None)


@pytest.fixture(scope="session")
def redis_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with started("redis", tmp_path_factory) as place:
        yield place


@pytest.fixture(scope="session")
def valkey_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with started("valkey", tmp_path_factory) as place:
        yield place


@pytest.fixture(scope="session")
def nginx_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with started("nginx", tmp_path_factory) as place:
        yield place


@pytest.fixture
def bazel_remote(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with started("bazel-remote", tmp_path_factory) as place:
        yield place


@pytest.fixture(scope="session")
def s3_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with pytest.MonkeyPatch.context() as patch, started("s3", tmp_path_factory) as place:
        for name, value in AWS.items():
            patch.setenv(name, value)
        yield place


def own_part(place: str, folder: Path) -> str:
    """A part of a server for one test alone, as a user would write it."""
    name = uuid.uuid4().hex
    if place.startswith(("redis", "valkey")):
        return f"{place}?prefix={name}"
    if place.startswith("s3"):
        return place.replace("?", f"/{name}?")
    return f"{place}/{name}" if place.startswith("http") else str(folder / name)


@pytest.fixture(params=STORES)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def place(name: str, request: pytest.FixtureRequest, tmp_path: Path, server: CacheServer) -> str:
    """An empty store of each kind, as CASS_REMOTES names it."""
    if name == "directory":
        return str(tmp_path / "share")
    return own_part(server.url if name == "stand-in" else request.getfixturevalue(name), tmp_path)


@pytest.fixture
def store(place: str) -> ObjectStore:
    return open_store(place, 10)
