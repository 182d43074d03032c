"""Real servers for the conformance suite, started on free ports in temporary folders and ended with the session.

Each fixture gives what CASS_REMOTES would say, and skips by name where the server is not installed.
"""

from __future__ import annotations

import http.client
import importlib.util
import os
import shutil
import socket
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from cass_shim.cache.places import open_store
from cass_shim.cache.remote import ObjectStore
from tests.cache.conftest import CacheServer

STORES = ("directory", "stand-in", "nginx_server", "bazel_remote", "redis_server", "valkey_server", "s3_server")
START_S = 30.0
BUCKET = "team-cache"
AWS = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test", "AWS_EC2_METADATA_DISABLED": "true"}


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def program(name: str, package: str) -> str:
    found = shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin:/usr/local/sbin")
    if found is None:
        pytest.skip(f"{name} is not installed (Debian package {package})")
    return found


@contextmanager
def running(command: list[str | Path], port: int, folder: Path) -> Iterator[None]:
    """A server that answers on its port; killed at the end."""
    log = folder / "server.log"
    with log.open("wb") as output:
        process = subprocess.Popen(command, cwd=folder, stdout=output, stderr=output, stdin=subprocess.DEVNULL)
    try:
        until = time.monotonic() + START_S
        while True:
            with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                break
            if process.poll() is not None or time.monotonic() > until:
                pytest.fail(f"{command[0]} did not start: {log.read_text()[-2000:]}")
            time.sleep(0.05)
        yield
    finally:
        process.kill()
        process.wait()


@contextmanager
def redis_like(name: str, package: str, folder: Path) -> Iterator[int]:
    """The port of a Redis or Valkey server without persistence."""
    if importlib.util.find_spec("redis") is None:
        pytest.skip("the Python package redis is not installed (extra `team`)")
    command, port = program(name, package), free_port()
    options = ["--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", str(folder)]
    with running([command, *options], port, folder):
        yield port


@pytest.fixture(scope="session")
def redis_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with redis_like("redis-server", "redis-server", tmp_path_factory.mktemp("redis")) as port:
        yield f"redis://127.0.0.1:{port}/0"


@pytest.fixture(scope="session")
def valkey_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    package = "valkey-server, from bookworm-backports or Debian 13 on"
    with redis_like("valkey-server", package, tmp_path_factory.mktemp("valkey")) as port:
        yield f"valkey://127.0.0.1:{port}/0"


NGINX = """
daemon off; pid nginx.pid; worker_processes 1; error_log error.log; {user}
events {{ worker_connections 64; }}
http {{
  access_log off; client_max_body_size 300m;
  client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi; scgi_temp_path scgi;
  server {{
    listen 127.0.0.1:{port};
    location / {{ root {root}; dav_methods PUT; create_full_put_path on; dav_access user:rw group:r all:r; }}
  }}
}}
"""


@pytest.fixture(scope="session")
def nginx_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    command, port, folder = program("nginx", "nginx-light"), free_port(), tmp_path_factory.mktemp("nginx")
    root = folder / "store"
    root.mkdir()
    user = "user root;" if os.geteuid() == 0 else ""  # else the worker could not write here
    (folder / "nginx.conf").write_text(NGINX.format(user=user, port=port, root=root))
    with running([command, "-p", folder, "-c", folder / "nginx.conf", "-e", folder / "error.log"], port, folder):
        yield f"http://127.0.0.1:{port}"


@pytest.fixture
def bazel_remote(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    command, port, folder = (
        program("bazel-remote", "none; see its own site"),
        free_port(),
        tmp_path_factory.mktemp("br"),
    )
    options = ["--dir", str(folder / "store"), "--max_size", "1", "--disable_http_ac_validation"]
    address = ["--http_address", f"127.0.0.1:{port}", "--grpc_address", "none"]
    with running([command, *options, *address], port, folder):
        yield f"http://127.0.0.1:{port}"


@pytest.fixture(scope="session")
def s3_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """moto's server: it knows If-Match and If-None-Match on PUT, but checks no credentials."""
    for package, extra in (("moto", "dev"), ("obstore", "team")):
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"the Python package {package} is not installed (extra `{extra}`)")
    port, folder = free_port(), tmp_path_factory.mktemp("s3")
    with (
        pytest.MonkeyPatch.context() as patch,
        running([sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)], port, folder),
    ):
        for name, value in AWS.items():
            patch.setenv(name, value)
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        connection.request("PUT", f"/{BUCKET}", headers={"Host": f"127.0.0.1:{port}", "Content-Length": "0"})
        assert connection.getresponse().status == 200
        yield f"s3://{BUCKET}?endpoint=http://127.0.0.1:{port}"


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
