"""`cass cache serve`: a real nginx behind it where there is one; what it starts otherwise, and what it refuses."""

from __future__ import annotations

import hashlib
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from cass_shim.cache.http import HttpStore
from cass_shim.cache.remote import RemoteTier
from tests.cache.servers import program
from tests.cache.test_local import KEY, make_entry
from tests.cli.conftest import ROOT, Shell
from tools.team_servers import free_port


@contextmanager
def serving(folder: Path, *options: str) -> Iterator[HttpStore]:
    """A store on what `cass cache serve` started."""
    port = free_port()
    command = [sys.executable, "-m", "cass_shim.cli.main", "cache", "serve", "--listen", f"127.0.0.1:{port}", *options]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(command, cwd=folder, env=environment, stderr=subprocess.PIPE, text=True)
    try:
        until = time.monotonic() + 30
        while time.monotonic() < until and process.poll() is None:
            with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                break
            time.sleep(0.05)
        assert process.poll() is None, process.stderr.read() if process.stderr else ""
        yield HttpStore(f"http://127.0.0.1:{port}", 10)
    finally:
        process.terminate()
        process.communicate(timeout=20)


def test_nginx_keeps_what_it_is_given(tmp_path: Path) -> None:
    program("nginx", "nginx-light")
    with serving(tmp_path, "--server", "nginx") as store:
        tier = RemoteTier(store)
        assert tier.get(KEY) == ()
        tier.put(KEY, make_entry())
        assert tier.get(KEY) == (make_entry(),)
    assert (tmp_path / "cass-cache" / "store" / "ac" / KEY.hex()).is_file()
    with serving(tmp_path, "--server", "nginx") as store:
        assert RemoteTier(store).get(KEY) == (make_entry(),), "after a new start"


def test_who_may_not_write_can_still_read(tmp_path: Path) -> None:
    program("nginx", "nginx-light")
    with serving(tmp_path, "--server", "nginx") as store:
        RemoteTier(store).put(KEY, make_entry())
    with serving(tmp_path, "--server", "nginx", "--writers", "192.0.2.0/24") as store:
        with pytest.raises(OSError, match="answers 403"):
            store.write_object(hashlib.sha256(b"x").hexdigest(), b"x")
        assert RemoteTier(store).get(KEY) == (make_entry(),)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["nginx.conf", "../nginx.conf", "cas/", "ac/XYZ", "cas/..%2f..%2fnginx.conf"])
def test_nothing_else_is_served(tmp_path: Path, name: str) -> None:
    program("nginx", "nginx-light")
    with serving(tmp_path, "--server", "nginx") as store:
        status, _ = store._request("GET", f"/{name}", None, 100, 10)
        assert status in (400, 403, 404)
        status, _ = store._request("PUT", f"/{name}", b"x", 100, 10)
        assert status >= 400
    assert not (tmp_path / "cass-cache" / "store").joinpath("ac", "XYZ").exists()


def test_bazel_remote_comes_first_with_what_heads_need(shell: Shell) -> None:
    fake = shell.folder / "bin" / "bazel-remote"
    fake.parent.mkdir()
    fake.write_text('#!/bin/sh\necho "$@"\n')
    fake.chmod(0o755)
    path = f"{fake.parent}:{os.environ['PATH']}"
    done = shell.cass("cache", "serve", "--listen", "0.0.0.0:9092", "--size", "3", PATH=path)
    words = done.stdout.split()
    assert "--disable_http_ac_validation" in words
    assert words[words.index("--max_size") + 1] == "3"
    assert words[words.index("--http_address") + 1] == "0.0.0.0:9092"
    assert "CASS_REMOTES=http://0.0.0.0:9092" in done.stderr
    assert shell.cass("cache", "serve", "--writers", "10.0.0.1", PATH=path).returncode == 125


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--listen", "8080"], "expected HOST:PORT"),
        (["--listen", "x:99999"], "expected HOST:PORT"),
        (["--listen", "x;y:80"], "expected HOST:PORT"),
        (["--writers", "everyone"], "expected an address or a network"),
        (["--writers", "10.0.0.1; } evil {"], "expected an address or a network"),
        (["--server", "nginx", "--directory", "a;b"], "letters, digits"),
        (["--server", "nginx", "--directory", "/proc/nothing"], "/proc/nothing"),
    ],
)
def test_a_mistake_is_one_line(shell: Shell, options: list[str], reason: str) -> None:
    if "nginx" in options:
        program("nginx", "nginx-light")
    done = shell.cass("cache", "serve", *options)
    assert (done.returncode, reason in done.stderr, done.stderr.count("\n")) == (125, True, 1), done.stderr


def test_without_any_server_it_says_what_to_do(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    from click.testing import CliRunner

    from cass_shim.cli import serve

    monkeypatch.setattr(serve, "SEARCH", str(shell.folder))
    result = CliRunner().invoke(serve.serve_command, [])
    assert "CASS_REMOTES" in str(result.exception)
    assert "nginx-light" in str(result.exception)
