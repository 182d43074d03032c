"""Real servers of the team's caches, started for a while in a folder: for tests, benches and demonstrations.

In: a folder and an address. Out: the place that CASS_REMOTES names. A server that this machine lacks is `Missing`.
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
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path

START_S = 30.0
BUCKET = "team-cache"
AWS = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test", "AWS_EC2_METADATA_DISABLED": "true"}


class Missing(Exception):
    """A server or a Python package that is not installed here."""


def free_port() -> int:
    """A port that nobody listened at a moment ago."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def program(name: str, package: str) -> str:
    """The path of an installed server; raises Missing."""
    found = shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin:/usr/local/sbin")
    if found is None:
        raise Missing(f"{name} is not installed ({f'Debian package {package}' if package else 'no Debian package'})")
    return found


def need(package: str, extra: str) -> None:
    """Raises Missing where a Python package is not installed."""
    if importlib.util.find_spec(package) is None:
        raise Missing(f"the Python package {package} is not installed (extra `{extra}`)")


@contextmanager
def running(command: list[str | Path], address: tuple[str, int], folder: Path) -> Iterator[None]:
    """A server that answers at its address; killed at the end. Raises RuntimeError with its log."""
    log = folder / "server.log"
    with log.open("wb") as output:
        process = subprocess.Popen(command, cwd=folder, stdout=output, stderr=output, stdin=subprocess.DEVNULL)
    try:
        until = time.monotonic() + START_S
        while True:
            with suppress(OSError), socket.create_connection(address, 1):
                break
            if process.poll() is not None or time.monotonic() > until:
                raise RuntimeError(f"{command[0]} did not start: {log.read_text()[-2000:]}")
            time.sleep(0.05)
        yield
    finally:
        process.kill()
        process.wait()


@contextmanager
def _redis_like(name: str, package: str, folder: Path, host: str) -> Iterator[str]:
    need("redis", "team")
    command, port = program(name, package), free_port()
    options = ["--port", str(port), "--bind", host, "--save", "", "--appendonly", "no", "--protected-mode", "no"]
    with running([command, *options, "--dir", str(folder)], (host, port), folder):
        yield f"{name.partition('-')[0]}://{host}:{port}/0"


def redis(folder: Path, host: str = "127.0.0.1") -> AbstractContextManager[str]:
    """Redis without persistence."""
    return _redis_like("redis-server", "redis-server", folder, host)


def valkey(folder: Path, host: str = "127.0.0.1") -> AbstractContextManager[str]:
    """Valkey without persistence."""
    return _redis_like("valkey-server", "valkey-server, from bookworm-backports or Debian 13 on", folder, host)


NGINX = """
daemon off; pid nginx.pid; worker_processes 1; error_log error.log; {user}
events {{ worker_connections 512; }}
http {{
  access_log off; client_max_body_size 300m;
  client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi; scgi_temp_path scgi;
  server {{
    listen {listen}; {server}
    location / {{ {location} root {root}; dav_methods PUT; create_full_put_path on; dav_access user:rw group:r all:r; }}
  }}
}}
"""


@contextmanager
def nginx_with(folder: Path, host: str, listen: str = "", server: str = "", location: str = "") -> Iterator[int]:
    """The port of an nginx that keeps what is PUT, with more words and directives of nginx's language."""
    command, port, root = program("nginx", "nginx-light"), free_port(), folder / "store"
    root.mkdir()
    user = "user root;" if os.geteuid() == 0 else ""  # else the worker could not write here
    text = NGINX.format(user=user, listen=f"{host}:{port} {listen}", root=root, server=server, location=location)
    (folder / "nginx.conf").write_text(text)
    with running(
        [command, "-p", folder, "-c", folder / "nginx.conf", "-e", folder / "error.log"], (host, port), folder
    ):
        yield port


@contextmanager
def nginx(folder: Path, host: str = "127.0.0.1") -> Iterator[str]:
    """nginx with WebDAV."""
    with nginx_with(folder, host) as port:
        yield f"http://{host}:{port}"


@contextmanager
def bazel_remote(folder: Path, host: str = "127.0.0.1") -> Iterator[str]:
    """bazel-remote as `cass cache serve` starts it."""
    command, port = program("bazel-remote", ""), free_port()
    options = ["--dir", str(folder / "store"), "--max_size", "1", "--disable_http_ac_validation"]
    where = ["--http_address", f"{host}:{port}", "--grpc_address", "none"]
    with running([command, *options, *where], (host, port), folder):
        yield f"http://{host}:{port}"


@contextmanager
def s3(folder: Path, host: str = "127.0.0.1") -> Iterator[str]:
    """moto's server: it knows If-Match and If-None-Match on PUT, but checks no credentials (`AWS` are some)."""
    need("moto", "dev")
    need("obstore", "team")
    port = free_port()
    with running([sys.executable, "-m", "moto.server", "-H", host, "-p", str(port)], (host, port), folder):
        connection = http.client.HTTPConnection(host, port, timeout=30)
        connection.request("PUT", f"/{BUCKET}", headers={"Host": f"{host}:{port}", "Content-Length": "0"})
        if connection.getresponse().status != 200:
            raise RuntimeError("moto made no bucket")
        yield f"s3://{BUCKET}?endpoint=http://{host}:{port}"


SERVERS: Mapping[str, Callable[[Path, str], AbstractContextManager[str]]] = {
    "nginx": nginx, "bazel-remote": bazel_remote, "redis": redis, "valkey": valkey, "s3": s3,
}  # fmt: skip
